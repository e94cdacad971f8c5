// The statistics of trees that are grown by the gradients of several targets at once: their sums by bin, the
// gain of a split as the fall of squared error in all targets, and a value of each target in every leaf.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bough/boost/gradient_statistics.hpp"
#include "bough/histogram/grower.hpp"

namespace bough {

struct VectorSums {
  std::vector<double> gradient;  // of each target, in units of the tree
  double hessian = 0, size = 0;  // the weight, in units of the tree, and cases
};

class VectorStatistics : public CellsOfRows<VectorStatistics, std::int64_t> {
 public:
  static constexpr int kFewRows = 0;
  using Sums = VectorSums;
  using Leaf = HistogramGrower<VectorStatistics>::Leaf;

  VectorStatistics(const BoostLimits& limits, const BinnedTable& bins, int n_targets)
      : limits_(limits), bins_(bins), n_(n_targets), unit_(n_targets, 1.0) {}

  // A row has the gradients of all targets, then its weight, as whole numbers of these units.
  std::vector<std::int64_t>& rows() { return rows_; }
  void start_tree(std::vector<double> gradient_units, double hessian_unit, double shrinkage) {
    unit_ = std::move(gradient_units);
    hessian_unit_ = hessian_unit;
    shrinkage_ = shrinkage;
  }

  int width() const { return n_ + 2; }
  const std::int64_t* terms(std::uint32_t row) const {
    return rows_.data() + static_cast<std::size_t>(row) * (n_ + 1);
  }
  void operator()(const std::int64_t* terms, Number* cell) const {
    for (int k = 0; k <= n_; ++k) cell[k] += terms[k];
    cell[n_ + 1] += 1;
  }
  const VectorStatistics& cells() const { return *this; }
  static SplitKind level_kind() { return SplitKind::subset; }
  void add_nodes(Branching& out) const { out.counts.resize(out.nodes.size() * n_); }

  void measure_root(const RowEntry* entries, std::int64_t count, Leaf& root, Branching& out) const {
    std::vector<Number> cell(width(), 0);
    for (std::int64_t i = 0; i < count; ++i) (*this)(terms(row_of(entries[i])), cell.data());
    root.sums = sums_of(cell.data());
    measure(root, out);
  }

  void measure_children(const RowEntry*, const Leaf& parent, const Number* column,
                        const std::vector<std::uint8_t>& branch, Leaf& left, Leaf& right,
                        Branching& out) const {
    left.sums.gradient.assign(n_, 0.0);
    for (std::size_t code = 0; code < branch.size(); ++code)
      if (!branch[code]) add(sums_of(cell_of(column, static_cast<int>(code))), left.sums);
    right.sums = less(parent.sums, left.sums);
    measure(left, out);
    measure(right, out);
  }

  static bool permits(Leaf&, std::int64_t) { return true; }
  static bool draws_by_node() { return false; }
  static double worth(const Leaf& leaf) { return leaf.split.value; }
  double gain(const Leaf& leaf, const Branching&) const {
    return leaf.split.value / (leaf.sums.hessian * hessian_unit_);
  }
  static int next_code(const Number*, int code, int) { return code + 1; }

  int heavier_branch(const Leaf&, const Number* column, const std::vector<std::uint8_t>& branch,
                     int n_bins) const {
    Number size[2] = {0, 0};
    for (int code = 0; code < n_bins; ++code)
      if (branch[code] < 2) size[branch[code]] += cell_of(column, code)[n_ + 1];
    return size[1] > size[0];
  }

  void search(const Leaf& leaf, int c, const Number* column, BinSplit& best) const {
    if (bins_.columns[c].n_bins < 1) return;
    if (bins_.columns[c].scale == Scale::nominal)
      search_levels(leaf, c, column, best);
    else
      search_threshold(leaf, c, column, best);
    best.score = best.value;
  }

 private:
  const Number* cell_of(const Number* column, int code) const {
    return column + static_cast<std::ptrdiff_t>(code) * width();
  }
  VectorSums sums_of(const Number* cell) const {
    return {{cell, cell + n_}, static_cast<double>(cell[n_]), static_cast<double>(cell[n_ + 1])};
  }
  static void add(const VectorSums& some, VectorSums& to) {
    for (std::size_t k = 0; k < some.gradient.size(); ++k) to.gradient[k] += some.gradient[k];
    to.hessian += some.hessian;
    to.size += some.size;
  }
  static VectorSums less(VectorSums all, const VectorSums& some) {
    for (std::size_t k = 0; k < some.gradient.size(); ++k) all.gradient[k] -= some.gradient[k];
    all.hessian -= some.hessian;
    all.size -= some.size;
    return all;
  }

  // By how much a leaf of its own lowers twice the loss.
  double score(const VectorSums& sums, double l2) const {
    double sum = 0;
    for (int k = 0; k < n_; ++k) {
      const double g = sums.gradient[k] * unit_[k];
      sum += g * g;
    }
    return sum / (sums.hessian * hessian_unit_ + l2);
  }

  void measure(Leaf& leaf, Branching& out) const {
    const VectorSums& sums = leaf.sums;
    Node& node = out.nodes[leaf.node];
    node.weight = sums.hessian * hessian_unit_;
    node.cases = static_cast<double>(leaf.count);
    const double weight = node.weight + limits_.l2;
    for (int k = 0; k < n_; ++k)
      out.counts[static_cast<std::size_t>(leaf.node) * n_ + k] =
          weight > 0 ? -shrinkage_ * sums.gradient[k] * unit_[k] / weight : 0;
    leaf.live = leaf.depth < limits_.max_depth && leaf.count >= 2 * std::max(1.0, limits_.min_samples_leaf) &&
                node.weight >= 2 * limits_.min_hessian && node.weight > 0;
  }

  // Takes a split with these rows on the left if it is allowed and better; returns whether it did.
  bool take(const Leaf& leaf, const VectorSums& left, double l2, int c, BinSplit& best) const {
    constexpr double kRounding = 1e-12;
    const double least = std::max(1.0, limits_.min_samples_leaf);
    const VectorSums right = less(leaf.sums, left);
    if (left.size < least || right.size < least) return false;
    if (std::min(left.hessian, right.hessian) * hessian_unit_ < limits_.min_hessian) return false;
    const double both = score(left, l2) + score(right, l2), gain = both - score(leaf.sums, l2);
    if (!(gain > kRounding * both) || !(gain > limits_.min_gain)) return false;
    if (best.column >= 0 && !(gain > best.value)) return false;
    best.column = c;
    best.value = gain;
    best.left_size = left.size;
    return true;
  }

  void search_threshold(const Leaf& leaf, int c, const Number* column, BinSplit& best) const {
    // A cut lies between levels that rows have, so that its neighbours are known.
    const ColumnBins& bins = bins_.columns[c];
    const int n = bins.end_held(), first_held = bins.first_held();
    const VectorSums missing = sums_of(cell_of(column, bins.n_bins));
    const bool any_missing = missing.size > 0;
    for (const int side : {1, 0}) {
      if (side == 0 && !any_missing) break;
      VectorSums left{std::vector<double>(n_, 0.0), 0, 0};
      if (side == 0) add(missing, left);
      // With missing values on the right, something must be on the left.
      for (int last = -1; last + 1 < n; ++last) {
        if (last >= 0) add(sums_of(cell_of(column, last)), left);
        if (last < first_held && side == 1) continue;
        if (!take(leaf, left, limits_.l2, c, best)) continue;
        best.last_left = last;
        best.missing = any_missing ? side : -1;
      }
    }
  }

  // Sets of levels: the cuts of their order by the gradient of each target in turn. Levels of few cases count
  // as one, of code -1.
  void search_levels(const Leaf& leaf, int c, const Number* column, BinSplit& best) const {
    const int n = bins_.columns[c].n_bins;
    std::vector<std::pair<int, VectorSums>> levels;
    std::vector<int> few_codes;
    VectorSums few{std::vector<double>(n_, 0.0), 0, 0};
    for (int code = 0; code <= n; ++code) {
      VectorSums sums = sums_of(cell_of(column, code));
      if (!(sums.size > 0)) continue;
      if (code < n && sums.size < limits_.least_of_level()) {
        add(sums, few);
        few_codes.push_back(code);
      } else {
        levels.emplace_back(code, std::move(sums));
      }
    }
    if (!few_codes.empty()) levels.emplace_back(-1, std::move(few));
    for (int k = 0; k < n_ && levels.size() > 1; ++k) {
      std::sort(levels.begin(), levels.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      const auto key = [&](const VectorSums& sums) {
        const double size = sums.hessian * hessian_unit_ + limits_.level_smoothing;
        return size > 0 ? sums.gradient[k] * unit_[k] / size : 0.0;
      };
      std::stable_sort(levels.begin(), levels.end(),
                       [&](const auto& a, const auto& b) { return key(a.second) < key(b.second); });
      VectorSums left{std::vector<double>(n_, 0.0), 0, 0};
      for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
        add(levels[i].second, left);
        if (take(leaf, left, limits_.l2 + limits_.level_l2, c, best))
          set_levels(levels, few_codes, i, n, best);
      }
    }
  }

  // Writes the branches of levels: those up to a place on one side, the first level always in branch 0.
  static void set_levels(const std::vector<std::pair<int, VectorSums>>& levels,
                         const std::vector<int>& few_codes, std::size_t last, int n, BinSplit& best) {
    best.branch.assign(n, 2);
    best.missing = -1;
    std::vector<std::uint8_t> branch(n + 1, 2);
    for (std::size_t i = 0; i < levels.size(); ++i)
      if (levels[i].first >= 0)
        branch[levels[i].first] = i > last;
      else
        for (const int code : few_codes) branch[code] = i > last;
    const auto first = std::find_if(branch.begin(), branch.end(), [](std::uint8_t b) { return b < 2; });
    const bool turned = *first == 1;
    for (int code = 0; code <= n; ++code) {
      if (branch[code] > 1) continue;
      const auto side = static_cast<std::uint8_t>(turned ? 1 - branch[code] : branch[code]);
      if (code == n)
        best.missing = side;
      else
        best.branch[code] = side;
    }
  }

  const BoostLimits& limits_;
  const BinnedTable& bins_;
  int n_;
  std::vector<std::int64_t> rows_;
  std::vector<double> unit_;
  double hessian_unit_ = 1, shrinkage_ = 1;
};

}  // namespace bough
