// The statistics of trees that are grown by gradients and hessians of a loss: their sums by bin, the gain of
// a split as the fall of the loss to second order, and the values of leaves by a Newton step.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "bough/boost/gain_scan.hpp"
#include "bough/boost/gradient_cells.hpp"
#include "bough/boost/small_gradients.hpp"
#include "bough/histogram/grower.hpp"
#include "bough/machine/random.hpp"

namespace bough {

struct BoostLimits {
  int max_depth = std::numeric_limits<int>::max();
  int max_leaves = 31;  // 0: no bound
  double min_samples_leaf = 20;
  double min_hessian = 1e-3;
  double min_gain = 0;
  double l1 = 0, l2 = 0;
  double path_smoothing = 0;    // the cases at which a leaf's value is halfway to that of its parent
  double max_step = 0;          // of a leaf's value before shrinkage; 0: no bound
  double level_smoothing = 10;  // levels are ordered by gradient / (hessian + this)
  double level_l2 = 10;         // added to l2 where levels are split
  // Levels of fewer cases in a node are ordered as one.
  double least_of_level() const { return std::min(min_samples_leaf, 1.5 * level_smoothing); }
  std::vector<int> monotonic;                  // of each column: 1, -1 or 0; empty: all are free
  std::vector<std::vector<int>> interactions;  // sets of columns that may meet on a path; empty: all may
  double columns_by_level = 1, columns_by_node = 1;  // shares of columns that are searched
};

// Which sets of columns hold all columns on the path to a node, and the columns of these sets.
struct Interactions {
  std::vector<std::uint8_t> sets, columns;
};

struct GradientSums {
  double gradient = 0, hessian = 0;  // in units of the tree
  double size = 0;                   // cases, or the hessian where they are not counted
  double min_size = 0;               // of a child
  double value = 0;                  // in units of the score, before shrinkage
  double of_parent = 0;              // the value of the parent
  bool is_root = false;
  double lower = -std::numeric_limits<double>::infinity();  // bounds of the values below
  double upper = std::numeric_limits<double>::infinity();
  std::shared_ptr<const Interactions> allowed;  // null: all
};

template <class Cells>
class GradientStatistics {
 public:
  using Number = typename Cells::Number;
  using Sums = GradientSums;
  using Leaf = typename HistogramGrower<GradientStatistics>::Leaf;

  GradientStatistics(const BoostLimits& limits, const BinnedTable& bins) : limits_(limits), bins_(bins) {
    by_tree_.assign(bins.columns.size(), 1);
  }

  Cells& cells() { return cells_; }

  // gradient_unit, hessian_unit: what one of a sum stands for. root: sums of all rows of the tree. columns:
  // by which the tree may split. shrinkage: of the values of leaves.
  void start_tree(double gradient_unit, double hessian_unit, const CellSums& root,
                  std::vector<std::uint8_t> columns, double shrinkage, std::uint64_t seed) {
    gradient_unit_ = gradient_unit;
    hessian_unit_ = hessian_unit;
    l1_ = limits_.l1 / gradient_unit;
    min_hessian_ = std::max(limits_.min_hessian / hessian_unit, std::numeric_limits<double>::min());
    root_ = root;
    by_tree_ = std::move(columns);
    shrinkage_ = shrinkage;
    seed_ = seed;
  }

  static int width() { return Cells::kWidth; }
  static SplitKind level_kind() { return SplitKind::subset; }
  void add_nodes(Branching&) const {}

  void measure_root(const RowEntry*, std::int64_t, Leaf& root, Branching& out) {
    root.sums.gradient = root_.gradient;
    root.sums.hessian = root_.hessian;
    root.sums.size = root_.size;
    root.sums.is_root = true;
    measure(root, out);
  }

  void measure_children(const RowEntry* entries, const Leaf& parent, const Number* column,
                        const std::vector<std::uint8_t>& branch, Leaf& left, Leaf& right,
                        Branching& out) const {
    const CellSums sums = column ? sums_of_codes(column, parent.split, branch)
                                 : cells_.sums_of_rows(entries + left.begin, left.count);
    left.sums.gradient = sums.gradient;
    left.sums.hessian = sums.hessian;
    left.sums.size = sums.size;
    right.sums.gradient = parent.sums.gradient - sums.gradient;
    right.sums.hessian = parent.sums.hessian - sums.hessian;
    right.sums.size = parent.sums.size - sums.size;
    for (Leaf* child : {&left, &right}) {
      child->sums.lower = parent.sums.lower;
      child->sums.upper = parent.sums.upper;
      child->sums.of_parent = parent.sums.value;
      child->sums.allowed = allowed_below(parent);
      measure(*child, out);
    }
    const int direction = limits_.monotonic.empty() ? 0 : limits_.monotonic[parent.split.column];
    if (direction == 0) return;
    const double middle = left.sums.value / 2 + right.sums.value / 2;
    Leaf &low = direction > 0 ? left : right, &high = direction > 0 ? right : left;
    low.sums.upper = high.sums.lower = middle;
  }

  // Whether both children have the rows they need. Where rows are not counted in histograms, the search
  // estimates them by the hessian, and asks for more once a split had too few.
  bool permits(Leaf& leaf, std::int64_t n_left) const {
    const auto least = static_cast<std::int64_t>(std::max(1.0, limits_.min_samples_leaf));
    const bool few_left = n_left < least, few_right = leaf.count - n_left < least;
    if (!few_left && !few_right) return true;
    const double left = leaf.split.left_size, right = leaf.sums.size - left;
    leaf.sums.min_size = 1 + (few_left && few_right ? std::max(left, right) : few_left ? left : right);
    return false;
  }

  // Whether the columns that are searched depend on the number of a node.
  bool draws_by_node() const { return limits_.columns_by_node < 1; }
  double worth(const Leaf& leaf) const { return leaf.split.value; }
  double gain(const Leaf& leaf, const Branching&) const {
    return leaf.split.value / (leaf.sums.hessian * hessian_unit_);
  }

  // Where rows are not counted, a bin without gradient may have rows: cuts lie between bins of the fit.
  static int next_code(const Number*, int code, int) { return code + 1; }

  int heavier_branch(const Leaf& leaf, const Number* column, const std::vector<std::uint8_t>& branch,
                     int n_bins) const {
    // None is missing, or the search had chosen a branch: the size on the left is that of codes alone.
    if (leaf.split.missing < 0) return leaf.sums.size - leaf.split.left_size > leaf.split.left_size;
    double size[2] = {0, 0};
    for (int code = 0; code < n_bins; ++code)
      if (branch[code] < 2)
        size[branch[code]] += Cells::sums(column + static_cast<std::ptrdiff_t>(code) * Cells::kWidth).size;
    return size[1] > size[0];
  }

  void search(const Leaf& leaf, int c, const Number* column, BinSplit& best) const {
    if (bins_.columns[c].n_bins < 1 || !is_searched(leaf, c)) return;
    if (bins_.columns[c].scale == Scale::nominal)
      search_levels(leaf, c, column, best);
    else
      search_threshold(leaf, c, column, best);
    best.score = best.value;
  }

  // The same for a leaf of few rows, which has no histogram.
  static constexpr int kFewRows = Cells::kFewRows;
  void search_rows(const Leaf& leaf, int c, const RowEntry* entries, BinSplit& best) const {
    const ColumnBins& bins = bins_.columns[c];
    if (bins.n_bins < 1 || !is_searched(leaf, c)) return;
    Space& s = space(static_cast<std::size_t>(bins.n_bins) + 2);
    const std::size_t n_cells = static_cast<std::size_t>(bins.n_codes()) * Cells::kWidth;
    if (s.cells.size() < n_cells) s.cells.resize(n_cells, Number{});
    if (bins.scale == Scale::nominal) {
      fill_column(c, entries, leaf.count, s.cells.data());
      search_levels(leaf, c, s.cells.data(), best);
      std::fill_n(s.cells.begin(), n_cells, Number{});
    } else {
      CellSums missing;
      const auto cumulate = [&](const auto* codes) {
        if constexpr (Cells::kIsPaired)
          return cells_.cumulate_rows(codes, entries, leaf.count, bins.n_bins, s.cells.data(), &s.paired[1],
                                      &s.code[1], missing);
        else
          return cells_.cumulate_rows(codes, entries, leaf.count, bins.n_bins, s.cells.data(), s.cuts(),
                                      missing);
      };
      const int many = bins.is_wide() ? cumulate(bins_.wide[c].get()) : cumulate(bins_.narrow[c].get());
      if constexpr (Cells::kIsPaired)
        choose_paired_cut(leaf, c, s, many, missing, best);
      else
        choose_cut(leaf, c, s, many, missing, best);
    }
    best.score = best.value;
  }
  void fill_column(int c, const RowEntry* entries, std::int64_t count, Number* cells) const {
    if (bins_.columns[c].is_wide())
      add_rows_wide(bins_.wide[c].get(), entries, count, Cells::kWidth, cells, cells_);
    else
      add_rows_wide(bins_.narrow[c].get(), entries, count, Cells::kWidth, cells, cells_);
  }

  // The value of a leaf with these sums within bounds, before shrinkage.
  double value_of(double gradient, double hessian, double lower, double upper, double l2) const {
    const double g = gradient * gradient_unit_, h = hessian * hessian_unit_ + l2;
    double size = std::max(0.0, std::abs(g) - limits_.l1);
    if (!(h > 0)) return std::clamp(0.0, lower, upper);
    size /= h;
    if (limits_.max_step > 0) size = std::min(size, limits_.max_step);
    return std::clamp(g > 0 ? -size : size, lower, upper);
  }

 private:
  // The sums of the codes of branch 0.
  static CellSums sums_of_codes(const Number* column, const BinSplit& split,
                                const std::vector<std::uint8_t>& branch) {
    Number all[Cells::kWidth] = {};
    const bool by_threshold = split.branch.empty();
    const std::size_t n = by_threshold ? static_cast<std::size_t>(split.last_left + 1) : branch.size();
    for (std::size_t code = 0; code < n; ++code)
      for (int j = 0; j < Cells::kWidth; ++j)
        all[j] += !by_threshold && branch[code] ? Number{} : column[code * Cells::kWidth + j];
    const std::size_t missing = branch.size() - 1;
    if (by_threshold && branch[missing] == 0)
      for (int j = 0; j < Cells::kWidth; ++j) all[j] += column[missing * Cells::kWidth + j];
    return Cells::sums(all);
  }

  // The value of a leaf with these sums, drawn towards that of its parent.
  double smoothed(double value, double size, const Leaf& leaf, double of_parent) const {
    if (!(limits_.path_smoothing > 0)) return value;
    const double cases = Cells::kCountsCases ? size : static_cast<double>(leaf.count) * size / leaf.sums.size;
    const double ratio = cases / limits_.path_smoothing;
    return std::clamp((value * ratio + of_parent) / (ratio + 1), leaf.sums.lower, leaf.sums.upper);
  }

  struct Level {
    double key;
    int code;  // kFewCases: all those of few cases
    CellSums sums;
  };
  static constexpr int kFewCases = -1;

  struct Space {
    std::vector<double> gradient, hessian, size, gain;
    std::vector<std::int32_t> whole_gradient, whole_hessian;
    std::vector<float> screened;
    std::vector<PairedSums> paired;
    std::vector<int> code;      // the last on the left
    std::vector<Number> cells;  // of one column; 0 between searches
    std::vector<Level> levels;  // in their order
    void resize(std::size_t n) {
      if (gradient.size() >= n) return;
      for (std::vector<double>* each : {&gradient, &hessian, &size, &gain}) each->resize(n);
      for (std::vector<std::int32_t>* each : {&whole_gradient, &whole_hessian})
        each->resize(n + kScreenLanes);
      screened.resize(n + kScreenLanes);
      code.resize(n);
      if (Cells::kIsPaired) paired.assign(n, PairedSums::nothing());
      // The first entry stands before all codes, for missing values alone on the left.
      gradient[0] = hessian[0] = size[0] = 0;
      whole_gradient[0] = whole_hessian[0] = 0;
      code[0] = -1;
    }
    CutSums cuts() { return {&gradient[1], &hessian[1], &size[1], &code[1]}; }
  };
  static Space& space(std::size_t n) {
    static thread_local Space own;
    own.resize(n);
    return own;
  }

  void measure(Leaf& leaf, Branching& out) const {
    Sums& sums = leaf.sums;
    sums.value = value_of(sums.gradient, sums.hessian, sums.lower, sums.upper, limits_.l2);
    if (!sums.is_root) sums.value = smoothed(sums.value, sums.size, leaf, sums.of_parent);
    // Where rows are not counted, so much hessian stands for the least number of rows.
    sums.min_size = Cells::kCountsCases
                        ? limits_.min_samples_leaf
                        : (limits_.min_samples_leaf - 0.5) * sums.size / static_cast<double>(leaf.count);
    Node& node = out.nodes[leaf.node];
    node.weight = sums.hessian * hessian_unit_;
    node.cases = static_cast<double>(leaf.count);
    node.centre = shrinkage_ * sums.value;
    leaf.live = leaf.depth < limits_.max_depth && leaf.count >= 2 * std::max(1.0, limits_.min_samples_leaf) &&
                node.weight >= 2 * limits_.min_hessian && node.weight > 0;
  }

  GainScan scan_of(const Leaf& leaf, double l2) const {
    const Sums& sums = leaf.sums;
    return {sums.gradient, sums.hessian, sums.size, l1_, l2 / hessian_unit_, min_hessian_, sums.min_size};
  }

  // Whether the values of children are bounded, so that gains do not follow from sums alone.
  bool is_bounded(const Leaf& leaf, int c) const {
    return limits_.path_smoothing > 0 || limits_.max_step > 0 || std::isfinite(leaf.sums.lower) ||
           std::isfinite(leaf.sums.upper) || (!limits_.monotonic.empty() && limits_.monotonic[c] != 0);
  }

  // Twice the fall of the loss if a side has this value, in units of the scan.
  double score_with(double gradient, double hessian, double value, double l2) const {
    const double g = gradient * gradient_unit_, h = hessian * hessian_unit_ + l2;
    const double fall = -(2 * (g * value + limits_.l1 * std::abs(value)) + h * value * value);
    return fall / gradient_unit_ * (hessian_unit_ / gradient_unit_);
  }

  // The score of a cut whose values are bounded; -1 if they break the rule of the column.
  double bounded_score(const Leaf& leaf, int c, const CellSums& left, double l2) const {
    const Sums& sums = leaf.sums;
    const double gr = sums.gradient - left.gradient, hr = sums.hessian - left.hessian;
    const double vl = smoothed(value_of(left.gradient, left.hessian, sums.lower, sums.upper, l2), left.size,
                               leaf, sums.value),
                 vr = smoothed(value_of(gr, hr, sums.lower, sums.upper, l2), sums.size - left.size, leaf,
                               sums.value);
    const int direction = limits_.monotonic.empty() ? 0 : limits_.monotonic[c];
    if (direction * (vr - vl) < 0) return -1;
    return std::max(0.0, score_with(left.gradient, left.hessian, vl, l2) + score_with(gr, hr, vr, l2));
  }

  double unsplit_score(const Leaf& leaf, const GainScan& scan, double l2) const {
    const Sums& sums = leaf.sums;
    if (limits_.path_smoothing > 0)
      return std::max(0.0, score_with(sums.gradient, sums.hessian, sums.value, l2));
    if (limits_.max_step > 0 || std::isfinite(sums.lower) || std::isfinite(sums.upper))
      return score_with(sums.gradient, sums.hessian, sums.value, l2);
    return score_of(scan.gradient, scan.hessian, scan.l1, scan.l2);
  }

  // Takes a score if its gain is enough; returns whether it did.
  bool take(double score, double unsplit, int c, BinSplit& best) const {
    constexpr double kRounding = 1e-12;
    if (score < 0 || !(score - unsplit > kRounding * score)) return false;
    // From left to right, so that the square of a small unit does not become 0.
    const double gain = (score - unsplit) * gradient_unit_ * (gradient_unit_ / hessian_unit_);
    if (!(gain > limits_.min_gain) || (best.column >= 0 && !(gain > best.value))) return false;
    best.column = c;
    best.value = gain;
    return true;
  }

  void search_threshold(const Leaf& leaf, int c, const Number* column, BinSplit& best) const {
    const ColumnBins& bins = bins_.columns[c];
    const int n = bins.end_held();
    if (n == 0) return;
    Space& s = space(static_cast<std::size_t>(n) + 2);
    const CellSums missing = Cells::sums(column + static_cast<std::ptrdiff_t>(bins.n_bins) * Cells::kWidth);
    if constexpr (Cells::kIsWhole) {
      const GainScan scan = scan_of(leaf, limits_.l2);
      if (can_screen(scan) && !is_bounded(leaf, c))
        return choose_whole_cut(leaf, c, scan, n, column, missing, s, best);
    }
    if constexpr (Cells::kIsPaired)
      choose_paired_cut(leaf, c, s, Cells::cumulate_pairs(column, n, &s.paired[1], &s.code[1]), missing,
                        best);
    else
      choose_cut(leaf, c, s, Cells::cumulate(column, n, s.cuts()), missing, best);
  }

  // The best cut of a column whose n codes have sums of whole numbers.
  void choose_whole_cut(const Leaf& leaf, int c, const GainScan& scan, int n, const Number* column,
                        const CellSums& missing, Space& s, BinSplit& best) const {
    Cells::cumulate_whole(column, n - 1, &s.whole_gradient[1], &s.whole_hessian[1]);
    const double unsplit = unsplit_score(leaf, scan, limits_.l2);
    const bool any_missing = missing.size > 0;
    const auto gradient = static_cast<std::int32_t>(missing.gradient),
               hessian = static_cast<std::int32_t>(missing.hessian);
    for (const int side : {1, 0}) {  // the branch of missing values
      if (side == 0 && !any_missing) break;
      if (side == n) continue;  // nothing would be on the left
      const FoundCut cut =
          best_whole_cut(scan, &s.whole_gradient[side], &s.whole_hessian[side], n - side,
                         side == 0 ? gradient : 0, side == 0 ? hessian : 0, s.screened.data());
      if (!take(cut.gain, unsplit, c, best)) continue;
      const int at = cut.at + side;
      best.last_left = at - 1;
      best.missing = any_missing ? side : -1;
      best.left_size = static_cast<double>(s.whole_hessian[at]) + (side == 0 ? missing.hessian : 0);
    }
  }

  // The best of `many` cuts whose sums on the left are paired.
  void choose_paired_cut(const Leaf& leaf, int c, Space& s, int many, const CellSums& missing,
                         BinSplit& best) const {
    const GainScan scan = scan_of(leaf, limits_.l2);
    if (scan.l1 != 0 || is_bounded(leaf, c)) {
      const CutSums cuts = s.cuts();
      for (int i = 1; i <= many; ++i) {
        const PairedSums& sums = s.paired[i];
        const double run[] = {sums.gradient_of(), sums.hessian_of(), static_cast<double>(sums.count())};
        cuts.write(i - 1, run, s.code[i]);
      }
      return choose_cut(leaf, c, s, many, missing, best);
    }
    // A cut lies between levels that rows have, so that its neighbours are known.
    if (many > 0 && s.code[many] + 1 == bins_.columns[c].end_held()) --many;
    const double unsplit = unsplit_score(leaf, scan, limits_.l2);
    const bool any_missing = missing.size > 0;
    for (const int side : {1, 0}) {
      if (side == 0 && !any_missing) break;
      const GainShift shift =
          side == 0 ? GainShift{missing.gradient, missing.hessian, missing.size} : GainShift{};
      if (side > many) continue;
      const FoundCut cut = best_paired_cut(scan, &s.paired[side], many + 1 - side, shift, s.gain.data());
      if (!take(cut.gain, unsplit, c, best)) continue;
      const int at = side + cut.at;
      best.last_left = s.code[at];
      best.missing = any_missing ? side : -1;
      best.left_size = static_cast<double>(s.paired[at].count()) + shift.size;
    }
  }

  // The same for sums that are not.
  void choose_cut(const Leaf& leaf, int c, Space& s, int many, const CellSums& missing,
                  BinSplit& best) const {
    // A cut lies between levels that rows have, so that its neighbours are known.
    if (many > 0 && s.code[many] + 1 == bins_.columns[c].end_held()) --many;
    const double* size = Cells::kCountsCases ? s.size.data() : s.hessian.data();
    const GainScan scan = scan_of(leaf, limits_.l2);
    const double unsplit = unsplit_score(leaf, scan, limits_.l2);
    const bool bounded = is_bounded(leaf, c), any_missing = missing.size > 0;
    for (const int side : {1, 0}) {
      if (side == 0 && !any_missing) break;
      const GainShift shift =
          side == 0 ? GainShift{missing.gradient, missing.hessian, missing.size} : GainShift{};
      const int first = side;  // with missing values on the right, something must be on the left
      if (first > many) continue;
      double most = scan_gains(scan, &s.gradient[first], &s.hessian[first], size + first, many + 1 - first,
                               shift, &s.gain[first]);
      if (bounded) {
        most = -1;
        for (int b = first; b <= many; ++b) {
          if (s.gain[b] < 0) continue;
          s.gain[b] = bounded_score(
              leaf, c, {s.gradient[b] + shift.gradient, s.hessian[b] + shift.hessian, size[b] + shift.size},
              limits_.l2);
          most = std::max(most, s.gain[b]);
        }
      }
      if (!take(most, unsplit, c, best)) continue;
      const auto at = std::find(&s.gain[first], s.gain.data() + many + 1, most) - s.gain.data();
      best.last_left = s.code[at];
      best.missing = any_missing ? side : -1;
      best.left_size = size[at] + shift.size;
    }
  }

  // Sets of levels: the cuts of their order by gradient, shrunk towards 0 where a level has little hessian.
  // Levels of few cases count as one: by themselves, the order would follow chance.
  void search_levels(const Leaf& leaf, int c, const Number* column, BinSplit& best) const {
    const int n = bins_.columns[c].n_bins;
    const double l2 = limits_.l2 + limits_.level_l2;
    Space& s = space(static_cast<std::size_t>(n) + 3);
    order_levels(leaf, n, column, s);
    if (s.levels.size() < 2) return;
    const CutSums cuts = s.cuts();
    const int many = static_cast<int>(s.levels.size()) - 1;
    double run[3] = {0, 0, 0};
    for (int i = 0; i < many; ++i) {
      const CellSums& sums = s.levels[i].sums;
      run[0] += sums.gradient, run[1] += sums.hessian, run[2] += sums.size;
      cuts.write(i, run, i);
    }
    const GainScan scan = scan_of(leaf, l2);
    double most = scan_gains(scan, cuts.gradient, cuts.hessian, cuts.size, many, {}, s.gain.data());
    if (is_bounded(leaf, c)) {
      most = -1;
      for (int i = 0; i < many; ++i) {
        if (s.gain[i] < 0) continue;
        s.gain[i] = bounded_score(leaf, c, {cuts.gradient[i], cuts.hessian[i], cuts.size[i]}, l2);
        most = std::max(most, s.gain[i]);
      }
    }
    if (!take(most, unsplit_score(leaf, scan, l2), c, best)) return;
    const auto cut =
        static_cast<std::size_t>(std::find(s.gain.begin(), s.gain.begin() + many, most) - s.gain.begin());
    best.left_size = cuts.size[cut];
    send_levels(leaf, n, column, s.levels, cut, best);
  }

  // A level of less size in a node than this is not ordered by itself. Sizes are whole numbers.
  typename Cells::Size least_size_of_level(const Leaf& leaf) const {
    const double cases = std::max(1.0, limits_.least_of_level());
    return static_cast<typename Cells::Size>(
        std::max(1.0, std::ceil(Cells::kCountsCases ? cases : cases * leaf.sums.size / leaf.count)));
  }

  // The levels that rows of a node have, in the order of their gradients; the code n are missing values.
  void order_levels(const Leaf& leaf, int n, const Number* column, Space& s) const {
    const double smoothing = limits_.level_smoothing / hessian_unit_;
    const auto add = [&](int code, const CellSums& sums) {
      const double size = sums.hessian + smoothing;
      s.levels.push_back({size > 0 ? sums.gradient / size : 0.0, code, sums});
    };
    const auto least = least_size_of_level(leaf);
    Number few[Cells::kWidth] = {};
    int many = 0;
    for (int code = 0; code < n; ++code) {  // without branches, which would be mispredicted
      const Number* cell = column + static_cast<std::ptrdiff_t>(code) * Cells::kWidth;
      const auto size = Cells::size(cell);
      s.code[1 + many] = code;
      many += size >= least;
      for (int j = 0; j < Cells::kWidth; ++j) few[j] += size > 0 && size < least ? cell[j] : Number{};
    }
    s.levels.clear();
    for (int i = 1; i <= many; ++i)
      add(s.code[i], Cells::sums(column + static_cast<std::ptrdiff_t>(s.code[i]) * Cells::kWidth));
    const CellSums missing = Cells::sums(column + static_cast<std::ptrdiff_t>(n) * Cells::kWidth);
    if (missing.size > 0) add(n, missing);
    if (Cells::size(few) > 0) add(kFewCases, Cells::sums(few));
    std::stable_sort(s.levels.begin(), s.levels.end(),
                     [](const Level& a, const Level& b) { return a.key < b.key; });
  }

  // Writes the branches of all levels: the first ones of the order, up to a cut, are on one side.
  void send_levels(const Leaf& leaf, int n, const Number* column, const std::vector<Level>& levels,
                   std::size_t cut, BinSplit& best) const {
    const auto of_few = std::find_if(levels.begin(), levels.end(),
                                     [](const Level& level) { return level.code == kFewCases; });
    const auto few_branch =
        static_cast<std::uint8_t>(static_cast<std::size_t>(of_few - levels.begin()) > cut);
    const auto least = least_size_of_level(leaf);
    best.branch.resize(n);
    std::uint8_t* const branches = best.branch.data();
    for (int code = 0; code < n; ++code) {
      const auto size = Cells::size(column + static_cast<std::ptrdiff_t>(code) * Cells::kWidth);
      branches[code] = size > 0 && size < least ? few_branch : 2;
    }
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const auto branch = static_cast<std::uint8_t>(i > cut);
      if (levels[i].code == n)
        best.missing = branch;
      else if (levels[i].code != kFewCases)
        branches[levels[i].code] = branch;
    }
    const auto first = std::find_if(best.branch.begin(), best.branch.end(), [](int b) { return b < 2; });
    if (first == best.branch.end() || *first == 0) return;
    for (int code = 0; code < n; ++code)  // the first level is always in branch 0
      branches[code] = branches[code] < 2 ? 1 - branches[code] : branches[code];
    if (best.missing >= 0) best.missing = 1 - best.missing;
    best.left_size = leaf.sums.size - best.left_size;
  }

  // Draws of columns depend on the seed of the tree, the level or the node, and the column alone.
  bool is_searched(const Leaf& leaf, int c) const {
    if (!by_tree_[c] || (leaf.sums.allowed && !leaf.sums.allowed->columns[c])) return false;
    constexpr std::uint64_t kOfLevels = std::uint64_t{1} << 32, kOfNodes = std::uint64_t{2} << 32;
    const auto drawn = [&](double share, std::uint64_t stream) {
      return share >= 1 || Random(Random(seed_, stream).next(), c).uniform() < share;
    };
    return drawn(limits_.columns_by_level, kOfLevels + leaf.depth) &&
           drawn(limits_.columns_by_node, kOfNodes + leaf.node);
  }

  // Below a split, only columns are searched that share a set with all columns of the path.
  std::shared_ptr<const Interactions> allowed_below(const Leaf& parent) const {
    if (limits_.interactions.empty()) return nullptr;
    auto allowed = std::make_shared<Interactions>();
    allowed->columns.assign(bins_.columns.size(), 0);
    for (std::size_t i = 0; i < limits_.interactions.size(); ++i) {
      const std::vector<int>& set = limits_.interactions[i];
      const bool holds = (!parent.sums.allowed || parent.sums.allowed->sets[i]) &&
                         std::find(set.begin(), set.end(), parent.split.column) != set.end();
      allowed->sets.push_back(holds);
      for (const int c : set)
        if (holds) allowed->columns[c] = 1;
    }
    return allowed;
  }

  const BoostLimits& limits_;
  const BinnedTable& bins_;
  Cells cells_;
  double gradient_unit_ = 1, hessian_unit_ = 1, shrinkage_ = 1;
  double l1_ = 0, min_hessian_ = 0;  // in units of the sums
  CellSums root_;
  std::vector<std::uint8_t> by_tree_;
  std::uint64_t seed_ = 0;
};

}  // namespace bough
