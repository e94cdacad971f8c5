// The classes of a node's rows, gathered once for all columns that are looked at, and their weights below a
// cut that was drawn.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/forest/view.hpp"

namespace bough {

// Adds the bytes of the words of all rows whose value is below the cut to `count`, eight numbers.
struct TallyKernels {
  void (*add_below)(const float* value, float cut, const std::uint64_t* word, int n, std::uint32_t* count);
};

// Every set of kernels that this processor can run.
std::vector<TallyKernels> runnable_tallies();

class ClassTally {
 public:
  ClassTally(int n_classes, std::size_t most_rows);

  // Takes the rows of a tree. Where each weighs as many cases, a small whole number, they are counted.
  void start_tree(const std::vector<double>& weight, const std::vector<double>& cases);

  // Whether they are.
  bool counts() const { return rows_at_once_ > 0; }

  // Takes the rows of a node.
  void start(const std::uint32_t* index, int n, const RowView& view);

  // The class weights, the weight and the cases of the rows whose value is below the cut: those of summing
  // them in the order of the rows, to the bit. statistics: zeros.
  void below(const float* value, float cut, double* statistics, double& weight, double& cases) const;

 private:
  static constexpr int kClassesPerWord = 8, kMostWords = 4;

  struct Row {
    double weight, cases;
    std::int32_t label;
  };

  const int n_classes_, n_words_;
  const TallyKernels kernels_;
  int n_ = 0;
  int rows_at_once_ = 0;  // whose counts fit in the bytes of four words; 0: weights are summed
  std::vector<Row> rows_;
  // For each eight classes a word of each row, in which the byte of its class is its weight.
  std::vector<std::uint64_t> words_;
  std::size_t stride_;
};

}  // namespace bough
