// The search for the best cut of a number in a node of Cubist's tree: on each side of it a line is fitted to
// the residuals.
#pragma once

#include <span>
#include <vector>

#include "bough/model_trees/cubist.hpp"

namespace bough::model_trees::cubist {

// Columns of numbers as lists in ascending order; a node has the same range of each list as of the rows.
class SortedLists {
 public:
  // Columns that repeat most of their values have no list.
  explicit SortedLists(const Data& data);

  // The values and residuals of a range in ascending order; false if the column has no list, or if values
  // are equal there, whose order is that of Cubist's own sort.
  struct Item {
    float value, target;
  };
  bool read(int column, int first, const std::vector<float>& residual, std::span<Item> items) const;

  // Divides the range of the rows [first, last] into those before and those from `middle` on.
  void divide(const std::vector<int>& rows, int first, int middle, int last);

 private:
  struct Entry {
    float value;
    int row;
  };
  std::vector<std::vector<Entry>> lists_;  // of each column; empty: none
  std::vector<bool> repeats_;              // whether any value of the list occurs twice
  std::vector<std::uint8_t> second_;       // rows of the second branch
  std::vector<Entry> aside_;
};

// A cut between two neighbouring values; none: gain 0.
struct Cut {
  double gain = 0;
  float below = 0, above = 0;
};

class CutSearch {
 public:
  explicit CutSearch(int n_rows);

  // rows: of the node, whose lists begin at `first`; edge: the least number of rows of a side.
  Cut best(const Column& column, int index, std::span<const int> rows, int first, const SortedLists& lists,
           const std::vector<float>& residual, double deviation, int edge);

 private:
  std::vector<double> critical_;  // the least correlation that is significant, by the number of cases
  std::vector<SortedLists::Item> items_;
};

}  // namespace bough::model_trees::cubist
