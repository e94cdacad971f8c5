// Rounds that are left out of a sum of trees while the next one is grown: DART (Rashmi and Gilad-Bachrach
// 2015). A new round and the k that it left out are scaled so that together they weigh as much as these did.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bough/boost/tree_sum.hpp"
#include "bough/grow/branching.hpp"

namespace bough {

// One tree as a sum. n_levels: of each column.
std::unique_ptr<TreeSum> sum_of_tree(const GrownTree& tree, const std::vector<int>& n_levels);

class Dropout {
 public:
  Dropout(const std::vector<Column>& columns, std::int64_t n_rows, double rate)
      : columns_(columns), rate_(rate), answers_(n_rows) {
    for (const Column& column : columns) n_levels_.push_back(column.n_levels);
  }

  // Draws rounds, each with the same probability, and subtracts their trees from the scores.
  void leave_out(std::uint64_t seed, const std::vector<double*>& scores, Team& team);

  // Scales the trees of the last round and those left out, and adds the latter to the scores again.
  void put_back(std::vector<GrownTree>& trees, const std::vector<double*>& scores, Team& team);

  // Later rounds scale the trees of earlier ones: keeps the values of all trees, and gives them back.
  void remember(const std::vector<GrownTree>& trees);
  void restore(std::vector<GrownTree>& trees) const;

 private:
  void add(std::size_t tree, double factor, double* score, Team& team);

  const std::vector<Column>& columns_;
  double rate_;
  std::vector<int> n_levels_;
  std::vector<double> answers_;                 // of one tree, for each row
  std::vector<std::unique_ptr<TreeSum>> made_;  // each tree as it was grown
  std::vector<double> factor_;                  // of each tree since then
  std::vector<std::size_t> left_out_;           // rounds
  std::vector<RawVector<double>> remembered_;   // the values of each tree
};

}  // namespace bough
