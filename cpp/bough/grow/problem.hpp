// What is to be grown: the columns, the target, the weights, and the recipe. Nothing here changes during
// growth.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "bough/criteria/list.hpp"
#include "bough/data/column.hpp"
#include "bough/data/rows.hpp"
#include "bough/search/search.hpp"

namespace bough {

struct Limits {
  int max_depth = std::numeric_limits<int>::max();
  int max_leaves = 0;  // 0: no bound; otherwise growth is best-first
  double min_cases_split = 2;
  double min_cases_leaf = 1;            // of every child that has any
  double min_cases_branch = 1;          // of at least two children
  double min_weight_fraction_leaf = 0;  // of the root's weight
  double min_decrease = 0;
  double min_gain = -1;  // a split must have more than this
  double purity = 1;
  double significance = 1;  // p-value of the chi-square test at most this
  double min_variance = 0;
  double min_events = 0;
  double min_risk = 0;   // a node is split only if its risk is more than this share of the root's
  double min_share = 0;  // a split must improve on its node by more than this share of the root's split

  double min_cases_of_two() const { return std::max(min_cases_leaf, min_cases_branch); }
};

// Where a row goes whose value a split needs and does not have, once all surrogates have failed it.
enum class Fallback {
  heaviest,  // with the most weight, of equals the first; so at prediction
  larger,    // while growing with the most weight, at prediction with the most cases; between equals it stays
  stay,      // it goes no further: the node answers
};

// What the search for a split does with the rows of a node whose value is missing.
enum class MissingRows {
  left_out,   // it reads the known ones alone, and the others follow a surrogate or the fallback
  learned,    // they are tried on either side, and alone; in a nominal column they are one more level
  own_level,  // they have a branch of their own
};

struct Surrogates {
  int most = 0;  // kept for each split
  bool of_known =
      false;            // agreement is a share of the rows where both are known, not of all the split places
  bool astray = false;  // of levels: they need two rows that they send astray, not two rows each way
  bool decide = true;   // where rows go that the split cannot place; else they are only kept
};

// Which columns a node searches for a split, and how; by default all of them for their best one.
struct ColumnDraw {
  int n_columns = 0;           // drawn for each node; 0: all
  bool random_splits = false;  // a random split of each column instead of its best one
  std::uint64_t seed = 0;

  bool any() const { return n_columns > 0 || random_splits; }
};

struct Recipe {
  Criterion criterion = criterion_of<Gini>;
  Nominal nominal = Nominal::subset;
  int max_exhaustive = 12;
  Limits limits;
  Fallback fallback = Fallback::heaviest;
  MissingRows missing = MissingRows::left_out;
  Surrogates surrogates;
  int n_competitors = 0;      // best splits of other columns that are remembered
  std::vector<double> price;  // of each column: what its splits gain is divided by it; empty: 1 each
  bool zero_rates = false;    // Poisson: a child may have no events
  double prior_events = 0;    // Poisson: every rate is shrunk as if so many had come at the root's rate
  ColumnDraw draw;
  // Of each column: 1 if the answer must not fall as the value rises, -1 if it must not rise, 0 if it is
  // free; empty: all are free.
  std::vector<int> monotonic;
  std::vector<double>
      split_loss;  // of criteria that read losses: n_classes x n_classes, [true][answered]; empty: 1 each
};

struct Data {
  std::vector<Column> columns;
  std::int64_t n_rows = 0;
  int n_classes = 0;  // 0: the target is a number
  const std::int32_t* label = nullptr;
  const double* y = nullptr;
  const double* weight = nullptr;  // by which splits are judged; null: one each
  const double* own = nullptr;     // by which nodes are weighed; null: the same
  const double* cases = nullptr;   // null: one each
  const double* loss = nullptr;    // n_classes x n_classes, [true][answered]; null: 1 for every error
  // Of several targets: the classes of each, 0 for a number. n_classes is the number of all of them, and a
  // row has a label, its place among them, or a y for each target. Empty: there is one target.
  std::vector<int> targets = {};

  int n_targets() const { return targets.empty() ? 1 : static_cast<int>(targets.size()); }
  // The classes of each target.
  std::vector<int> classes_of_targets() const {
    return targets.empty() ? std::vector<int>{n_classes} : targets;
  }
  // The numbers that a node keeps: class weights; of several numbers the means, then the risks. 0: one mean.
  int node_width() const { return n_classes || targets.empty() ? n_classes : 2 * n_targets(); }
};

// The entries that a row has in the grid. Of several targets they are whole vectors of four numbers, filled
// up with zeros; classes have some under Gini, unless they are too many.
inline int grid_width_of(const Data& data, Criterion criterion) {
  constexpr int kMostColumns = 64;
  const auto whole = [](int n) { return (n + 3) / 4 * 4; };
  if (!data.n_classes) return data.n_targets() == 1 ? 1 : whole(data.n_targets());
  if (criterion != criterion_of<OfTargets<Gini>>) return 0;
  int columns = 0;
  for (const int k : data.targets) columns += k > 2 ? k : k - 1;
  return columns <= kMostColumns ? whole(columns) : 0;
}

// How splits are evaluated. whole_counts: counts up to this are looked up in tables.
inline Evaluator evaluator_of(const Data& data, Criterion criterion, std::size_t whole_counts) {
  if (data.n_targets() > 1)
    return Evaluator::of_targets(criterion, criterion_named(criterion->name), data.targets, whole_counts);
  return Evaluator(criterion, criterion.reads_moments() ? 2 : data.n_classes, whole_counts);
}

// The columns of 0 and 1 that stand for the classes of several targets.
class ClassColumns {
 public:
  explicit ClassColumns(const Evaluator& evaluator) : column_of_(evaluator.width(), -1) {
    const std::vector<Evaluator::ClassColumn>& columns = evaluator.class_columns();
    for (std::size_t j = 0; j < columns.size(); ++j)
      column_of_[columns[j].place] = static_cast<std::int32_t>(j);
  }

  // Writes those of a row, times its weight.
  void write(const Rows& rows, std::uint32_t row) const {
    double* grid = rows.grids_at(row);
    std::fill_n(grid, rows.grid_width, 0.0);
    for (int t = 0; t < rows.n_targets; ++t)
      if (const std::int32_t j = column_of_[rows.labels_at(row)[t]]; j >= 0) grid[j] = rows.weight_at(row);
  }
  void write_all(const Rows& rows, std::int64_t n_rows) const {
    for (std::int64_t i = 0; i < n_rows; ++i) write(rows, static_cast<std::uint32_t>(i));
  }

 private:
  std::vector<std::int32_t> column_of_;
};

}  // namespace bough
