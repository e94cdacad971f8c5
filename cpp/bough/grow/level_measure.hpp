// Measures nodes of numbers, those of several trees at once. All sums are those of measure.hpp to the bit:
// sums of whole numbers do not depend on the order of the rows, and others are taken in the order of the list
// by which a node is parted, that of the levels of a column.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/grow/level_nodes.hpp"

namespace bough {

class LevelMeasure {
 public:
  LevelMeasure(const LevelRows& rows, const Data& data, Criterion criterion);

  // Whether it can measure the table.
  bool serves() const { return serves_; }
  // Whether all nodes have one grid, that of the numbers themselves.
  bool whole() const { return whole_; }
  // Those numbers.
  std::vector<std::int64_t> numbers_of(const std::vector<std::uint32_t>& rows) const;

  // The exposure in which the recipe's prior events come at the root's rate of a tree.
  double prior_exposure(int tree, const Recipe& recipe) const;

  // Measures nodes, of which it sets the ranges, and `measured`, one record a node. Numbers that are not
  // whole are put on the grids of the nodes that may be split. column: the one by which their parent was
  // split.
  void measure(LevelNodes& all, int column, const std::vector<LevelTree>& trees,
               std::vector<Node>& measured) const;

 private:
  // Of the rows of a fold, or of a node.
  struct Sums {
    int n = 0;
    double low = 0, high = 0;
    std::int64_t sum = 0, squares = 0;  // of whole numbers

    void add(const Sums& other);
  };
  using Ids = std::vector<std::uint32_t>;

  std::vector<Sums> sums_of_folds(const LevelNodes& all) const;
  std::vector<Sums> sums_by_number(const LevelNodes& all) const;
  void start(const Sums& sums, LevelNode& own, Node& node) const;
  void lay_on_grids(LevelNodes& all) const;
  static void keep_grids_of_live(LevelNodes& all);
  void add_squares(const LevelNodes& all, const Ids& ordered, std::vector<Node>& measured) const;
  void add_losses(const LevelNodes& all, const Ids& ordered, const std::vector<LevelTree>& trees,
                  std::vector<Node>& measured) const;
  Ids in_order(const Ids& rows, int column) const;
  template <int kWidth, class Terms>
  void sum_in_order(const LevelNodes& all, std::size_t first, const Ids& ordered, const Terms& terms,
                    double* sums) const;

  const LevelRows& rows_;
  const double* y_;
  bool rates_, serves_ = true, whole_ = false;
  std::vector<std::int64_t> number_;  // of each row, where they are whole
  std::int64_t lowest_ = 0;
  std::size_t n_values_ = 0;  // from the lowest number to the highest
};

}  // namespace bough
