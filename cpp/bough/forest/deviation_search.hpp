// Search under absolute error. The rows of a node lie in the order of y; as they leave in the order of a
// column, from either end, their median moves on step by step, which gives the deviation of every side.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/criteria/median.hpp"
#include "bough/data/entry.hpp"
#include "bough/forest/view.hpp"
#include "bough/search/scan.hpp"

namespace bough {

// The place of each row in the order of y.
std::vector<std::uint32_t> target_ranks(const double* y, std::int64_t n_rows);

class DeviationSearch {
 public:
  // rank: of each row of the table in the order of y; n_indices: the most rows of a view.
  DeviationSearch(const std::vector<std::uint32_t>& rank, std::size_t n_indices);

  // The median of some rows, which is the middle of two values where it lies between them, and the sum of
  // their weighted distances from it.
  struct Centre {
    double median, deviation;
  };
  Centre centre(const std::uint32_t* index, int n, const RowView& view);

  // Puts the rows of a node in the order of y, before its columns are searched.
  void start(const std::uint32_t* index, int n, const RowView& view);

  // The best cut of a list of the node's rows whose value exceeds the floor, with none after `barred`
  // entries; the lowest of equals is taken.
  template <class E>
  Cut cut(const E* list, int n, int barred, const RowView& view, const LeafLimits& limits, double node_weight,
          double floor);

  // The lower weighted median of some of the node's rows.
  template <class E>
  double median(const E* list, int n);

  // A row's side of a split that is tried: 0 or 1, or 2 if its value is missing.
  void set_side(std::uint32_t index, int side) { side_[position_[index]] = static_cast<std::uint8_t>(side); }
  // The value of the split by these sides; missing rows are on a side too, or left out (-1).
  double value_of_sides(int side_of_missing, double node_weight) const;

 private:
  void begin_sweep(const std::uint8_t* present);
  const std::uint64_t* ordered(const std::uint32_t* index, int n, const RowView& view);

  const std::vector<std::uint32_t>& rank_;
  int rank_bits_;
  std::vector<std::uint64_t> keys_, spare_;
  OrderedRows rows_;                    // of the node
  std::vector<std::int32_t> position_;  // of each index among them
  std::vector<std::uint8_t> side_, present_;
  std::vector<std::int32_t> places_;
  std::vector<double> left_;           // the deviation of the rows up to each entry
  MedianSweep<double> sweep_, whole_;  // as it goes on, and as it begins with all rows of the node:
  bool begun_ = false;                 // whether that is known
};

}  // namespace bough
