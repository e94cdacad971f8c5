// Cuts of several columns of a node, drawn at random: their extremes, and what lies below a cut of each.
//
// The cells of a row are next to each other, so that a vector holds those of several columns: all columns of
// a row cost little more than one. Of each column the rows are summed in their order, so the sums are those
// of a plain loop to the bit.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bough/forest/cell_rows.hpp"
#include "bough/forest/cells.hpp"
#include "bough/forest/class_words.hpp"
#include "bough/forest/count_kernels.hpp"
#include "bough/forest/drawn_values.hpp"
#include "bough/forest/few_draws.hpp"
#include "bough/machine/buffer.hpp"

namespace bough {

// Results have an entry for each column, up to the next multiple of kLanes. n_groups: of kLanes columns.
struct DrawnKernels {
  void (*extremes)(const CellRows& rows, int n_groups, float* least, float* most);
  // Weight and sum of the rows whose cell is below the cut of its column; both by index.
  void (*moments)(const CellRows& rows, int n_groups, const float* cut, const double* weight,
                  const double* sum, double* weights, double* sums);
  // The sum of the counts, in the order of the rows.
  void (*counts)(const CellRows& rows, int n_groups, const float* cut, const std::uint32_t* count,
                 std::uint32_t* below);
  // Adds the weights, small whole numbers, of each class; those of the next class are `stride` further on.
  void (*classes)(const CellRows& rows, int n_groups, const float* cut, const std::int32_t* label,
                  const double* weight, std::int32_t* below, std::size_t stride);
  // below: of every class with a total that is not 0.
  void (*squares)(const std::int32_t* below, std::size_t stride, int n_groups, const std::int32_t* total,
                  int n_classes, const SquaresBelow& to);
  // Copies the cells of some columns row by row, and finds their extremes. picked: says where to, and has the
  // width of the copy, behind which 2 * kLanes cells more may be written.
  void (*pick)(const CellRows& rows, const int* columns, const CellRows& picked, float* to, float* least,
               float* most);
  std::size_t most_permuted;  // cells of a row that pick puts in order at once; 0: it copies one by one
};

// Every set of kernels that this processor can run, the fastest last.
std::vector<const DrawnKernels*> runnable_drawn_kernels();

class DrawnCuts {
 public:
  // n_classes: 0 where classes are not counted by count_classes.
  DrawnCuts(int n_columns, int n_classes);

  // Takes the rows of a node; no column has a cut yet.
  void start(const float* cells, const std::uint32_t* index, int n);

  // The same for a few columns alone, whose cells are copied next to each other. From here on a column is
  // known by its number among them.
  void pick(const float* cells, const std::uint32_t* index, int n, const int* columns, int n_columns);
  // Makes room for so many rows and columns.
  void make_room_to_pick(std::size_t most_rows, int most_columns);
  // Whether that takes less time than to read all columns.
  bool picks_at_once() const { return static_cast<std::size_t>(n_columns_) <= kernels_.most_permuted; }
  bool picked() const { return picked_cells_ != nullptr; }
  std::size_t most_picked() const { return identity_.size(); }
  // The cells of a column that was picked.
  Cells<float> picked_cells(int column) const { return {picked_cells_ + column, rows_.width}; }

  // Lets draw_few serve nodes of this table, if this processor can.
  void draw_few_columns(int n_drawn);
  bool draws_few(int n) const { return few_ && n <= FewDraws::kMostRows; }
  // Draws columns as draw_few_columns says, picks them, and draws their cuts; columns: all, in the order in
  // which they are drawn. Returns false, and draws nothing, if it cannot.
  bool draw_few(const float* cells, const std::uint32_t* index, int n, const Random& random, int* columns);
  // Takes all but the first columns back that were drawn so.
  void keep_first(int n, int* columns) const { few_kernels_->write_order(*few_, n, n_columns_, columns); }
  // How many random numbers the first columns took.
  int n_random(int n) const { return 2 * n - std::popcount(few_->constant & ((1u << n) - 1)); }

  float least(int column) const { return least_[column]; }
  float most(int column) const { return most_[column]; }
  bool varies(int column) const { return least_[column] < most_[column]; }
  float cut(int column) const { return cut_[column]; }
  void set_cut(int column, float cut) { cut_[column] = cut; }

  // What lies below the cuts.
  void sum_moments(const double* weight, const double* sum);
  double weight_below(int column) const { return weights_[column]; }
  double sum_below(int column) const { return sums_[column]; }

  // count: of each row of the node; their sum fits in both halves of a count.
  void sum_counts(const std::uint32_t* count);
  std::uint32_t count_below(int column) const { return counts_[column]; }

  // Each weight is at most 255.
  void count_classes(const std::int32_t* label, const double* weight);
  // total: the class weights of the node. Returns the weight below the cut.
  double classes_below(int column, const double* total, double* statistics) const;

  // The sums that Gini's value follows from, for a node of a weight below kMostSquared.
  static constexpr double kMostSquared = 1 << 15;
  struct Squares {
    double weight, left, right;
  };
  void sum_class_squares(const double* total, double squares_of_both);
  // The same without class weights below the cuts, which are not kept; false if it cannot.
  bool sum_few_squares(const std::int32_t* label, const double* weight, double node_weight,
                       double squares_of_both);
  Squares squares(int column) const {
    const auto left = static_cast<double>(squares_[column]);
    return {static_cast<double>(class_weights_[column]), left,
            squares_of_both_ - 2.0 * products_[column] + left};
  }

  // The value of each cut, from what was summed below it.
  void value_moments(const DrawnTotals& node) {
    values_.of_moments(weights_.data(), sums_.data(), static_cast<int>(stride_), node, value_.data());
  }
  void value_counts(const DrawnTotals& node) {
    values_.of_counts(counts_.data(), static_cast<int>(stride_), node, value_.data());
  }
  void value_squares(const DrawnTotals& node) {
    values_.of_squares(class_weights_.data(), squares_.data(), products_.data(), static_cast<int>(stride_),
                       node, value_.data());
  }
  double value(int column) const { return value_[column]; }

 private:
  void set_columns(int n_columns);

  const DrawnKernels& kernels_;
  const DrawnValueKernels& values_ = *runnable_drawn_values().back();
  const int n_columns_, n_classes_;
  int n_groups_ = 0;        // of the columns that are looked at
  std::size_t stride_ = 0;  // of the counts of a class
  CellRows rows_;
  Buffer<float> picked_;
  const float* picked_cells_ = nullptr;            // where columns were picked
  const ClassWordKernels* class_words_ = nullptr;  // of few classes
  const FewDrawKernels* few_kernels_ = nullptr;
  std::unique_ptr<FewDraws> few_;
  int n_drawn_ = 0;
  std::vector<std::uint32_t> identity_;
  std::vector<float> least_, most_, cut_;
  std::vector<double> weights_, sums_, value_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::int32_t> classes_;  // of each class and column
  std::vector<std::int32_t> class_weights_, squares_, products_, total_;
  double squares_of_both_ = 0;
};

}  // namespace bough
