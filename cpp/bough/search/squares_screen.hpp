// A screen of the columns of a node under squared error without weights. y is rounded to whole numbers of 32
// bits around the mean, whose running sums take half the memory and half the time of the exact ones; they
// bound the value of every cut from above. Few columns have a bound as high as the best cut, and only these
// need be scanned exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/data/entry.hpp"

namespace bough {

class SquaresScreen {
 public:
  // Whether this processor has the vector registers that the screen is made for.
  static bool serves();
  static constexpr int kFewestRows = 32, kMostRows = 1 << 22;  // with more, rounding would tell too little
  static constexpr int kFewestColumns = 8;                     // with fewer, it would cost what it saves

  explicit SquaresScreen(std::size_t n_indices) : term_(n_indices) {}

  // Rounds y of a node. y[index] are whole numbers that sum to `sum`, and their squared deviations from the
  // mean sum to `squares` or less, up to rounding. Each side of a cut has at least min_cases rows. False:
  // this node cannot be screened.
  template <class E>
  bool start(const E* list, int n, const double* y, double sum, double squares, int min_cases);

  // A bound of the value of all cuts of a column, times the weight of the node. Safe to call from several
  // threads.
  template <class E>
  double highest(const E* list) const;

 private:
  int n_ = 0;
  float drift_ = 0;  // the sum of all terms over their number
  float slip_ = 0;   // how far a running sum may be off, per row of the smaller side
  float least_slip_ = 0;
  double unit_ = 0;                 // of the bound, in that of the value
  std::vector<std::int32_t> term_;  // of each index
  std::vector<float> of_sides_;     // 1 / (left * right) by left; 0 where no cut is allowed
  int of_n_ = 0, of_min_cases_ = 0;
};

}  // namespace bough
