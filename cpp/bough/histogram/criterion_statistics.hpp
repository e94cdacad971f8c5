// The statistics of trees that are grown by a criterion: class weights or moments of y by bin, searched as
// contingency tables.
#pragma once

#include <numeric>
#include <vector>

#include "bough/criteria/pearson.hpp"
#include "bough/histogram/cells.hpp"
#include "bough/histogram/grower.hpp"

namespace bough {

struct CriterionSums {
  std::vector<double> statistics;  // class weights, or weight and sum of y, on the grid of the fit
  double weight = 0, cases = 0;
};

template <class Cells>
class CriterionStatistics {
 public:
  static constexpr int kFewRows = 0;
  using Number = typename Cells::Number;
  using Sums = CriterionSums;
  using Leaf = typename HistogramGrower<CriterionStatistics>::Leaf;

  CriterionStatistics(const Data& data, const Recipe& recipe, const BinnedTable& bins, const FitGrid& grid)
      : data_(data),
        recipe_(recipe),
        bins_(bins),
        grid_(grid),
        cells_(data, grid),
        evaluator_(recipe.criterion, data.n_classes ? data.n_classes : 2) {
    evaluator_.set_loss(recipe.split_loss);
  }

  const Cells& cells() const { return cells_; }
  int width() const { return cells_.width(); }
  SplitKind level_kind() const {
    return recipe_.nominal == Nominal::one_vs_rest ? SplitKind::one_vs_rest : SplitKind::subset;
  }

  void add_nodes(Branching& out) const { out.counts.resize(out.nodes.size() * data_.n_classes, 0.0); }

  void measure_root(const RowEntry* entries, std::int64_t count, Leaf& root, Branching& out) {
    Sums& sums = root.sums;
    sums.statistics.assign(evaluator_.width(), 0.0);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint32_t row = row_of(entries[i]);
      sums.cases += data_.cases ? data_.cases[row] : 1.0;
      if (data_.n_classes) {
        sums.statistics[data_.label[row]] += grid_.weight_at(row);
      } else {
        sums.statistics[0] += grid_.weight_at(row);
        sums.statistics[1] += grid_.sums[row];
      }
    }
    is_root_ = true;
    measure(entries, root, out);
    is_root_ = false;
    root_weight_ = out.nodes[0].weight;
    min_weight_leaf_ = recipe_.limits.min_weight_fraction_leaf * root.sums.weight;
  }

  void measure_children(const RowEntry* entries, const Leaf& parent, const Number* column,
                        const std::vector<std::uint8_t>& branch, Leaf& left, Leaf& right, Branching& out) {
    left.sums.statistics.assign(evaluator_.width(), 0.0);
    right.sums = parent.sums;
    for (std::size_t code = 0; code < branch.size(); ++code) {
      if (branch[code]) continue;
      const Number* cell = column + code * cells_.width();
      cells_.add_to(left.sums.statistics.data(), cell);
      left.sums.cases += cells_.cases(cell);
    }
    for (int k = 0; k < evaluator_.width(); ++k) right.sums.statistics[k] -= left.sums.statistics[k];
    right.sums.cases -= left.sums.cases;
    measure(entries, left, out);
    measure(entries, right, out);
  }

  bool permits(const Leaf&, std::int64_t) const { return true; }
  static bool draws_by_node() { return false; }
  double worth(const Leaf& leaf) const { return real(leaf.split.value) * leaf.sums.weight; }
  double gain(const Leaf& leaf, const Branching&) const {
    return real(leaf.split.value) / price(leaf.split.column);
  }

  int next_code(const Number* column, int code, int n_bins) const {
    for (++code;
         code < n_bins && cells_.cases(column + static_cast<std::ptrdiff_t>(code) * cells_.width()) == 0;)
      ++code;
    return code;
  }

  int heavier_branch(const Leaf&, const Number* column, const std::vector<std::uint8_t>& branch,
                     int n_bins) const {
    std::vector<double> side[2];
    for (auto& sums : side) sums.assign(evaluator_.width(), 0.0);
    for (int code = 0; code < n_bins; ++code)
      if (branch[code] < 2)
        cells_.add_to(side[branch[code]].data(), column + static_cast<std::ptrdiff_t>(code) * cells_.width());
    return evaluator_.weight(side[1].data()) > evaluator_.weight(side[0].data());
  }

  void search(const Leaf& leaf, int c, const Number* column, BinSplit& best) const {
    const int width = evaluator_.width();
    Known known = known_of(c, column);
    if (known.cases.empty()) return;
    const bool some_missing = known.missing_cases > 0;
    const bool learned = some_missing && recipe_.missing == MissingRows::learned;
    if (bins_.columns[c].scale == Scale::nominal) {
      if (learned) known.append(known.missing, known.missing_cases);
      search_levels(leaf, c, known, learned, best);
    } else if (learned) {
      search_learned(leaf, c, known, best);
    } else {
      search_threshold(leaf, c, known, best);
    }
    if (best.column < 0) return;
    if (some_missing && !learned && !separates(known, best)) return void(best.column = -1);
    if (!within_limits(leaf, c, column, best, width)) best.column = -1;
    best.score = best.value / price(c);
  }

 private:
  // The codes of a column that rows of a node have, and their statistics.
  struct Known {
    std::vector<int> code;
    std::vector<double> statistics, cases, missing;
    double missing_cases = 0;

    void append(const std::vector<double>& sums, double n) {
      statistics.insert(statistics.end(), sums.begin(), sums.end());
      cases.push_back(n);
    }
  };

  Known known_of(int c, const Number* column) const {
    const int width = evaluator_.width(), n_bins = bins_.columns[c].n_bins;
    Known known;
    for (int code = 0; code <= n_bins; ++code) {
      const Number* cell = column + static_cast<std::ptrdiff_t>(code) * cells_.width();
      const double cases = cells_.cases(cell);
      if (code == n_bins) {
        known.missing.assign(width, 0.0);
        known.missing_cases = cases;
        cells_.add_to(known.missing.data(), cell);
      } else if (cases > 0) {
        known.code.push_back(code);
        known.cases.push_back(cases);
        known.statistics.resize(known.statistics.size() + width, 0.0);
        cells_.add_to(known.statistics.data() + known.statistics.size() - width, cell);
      }
    }
    return known;
  }

  LeafLimits leaf_limits() const {
    return {recipe_.limits.min_cases_of_two(), min_weight_leaf_, recipe_.limits.min_cases_leaf, {}};
  }

  ContingencyTable table_of(const Leaf& leaf, const std::vector<double>& statistics,
                            const std::vector<double>& cases) const {
    return {statistics.data(), cases.data(), static_cast<int>(cases.size()), leaf.sums.weight};
  }

  static int rows_left(const Found& found) {
    return static_cast<int>(std::count(found.branch.begin(), found.branch.end(), 0));
  }

  void search_threshold(const Leaf& leaf, int c, const Known& known, BinSplit& best) const {
    if (known.cases.size() < 2) return;
    const Found found =
        best_threshold(table_of(leaf, known.statistics, known.cases), evaluator_, leaf_limits());
    if (!found.any()) return;
    best.column = c;
    best.value = found.value;
    best.last_left = known.code[rows_left(found) - 1];
  }

  // Missing values on the right; better, alone on the left; better, on the left of a threshold.
  void search_learned(const Leaf& leaf, int c, const Known& known, BinSplit& best) const {
    const auto width = static_cast<std::size_t>(evaluator_.width());
    std::vector<double> right = known.statistics, right_cases = known.cases;
    for (std::size_t k = 0; k < width; ++k) right[right.size() - width + k] += known.missing[k];
    right_cases.back() += known.missing_cases;
    std::vector<double> left = known.missing, left_cases = {known.missing_cases};
    left.insert(left.end(), known.statistics.begin(), known.statistics.end());
    left_cases.insert(left_cases.end(), known.cases.begin(), known.cases.end());
    Found of_right;
    if (right_cases.size() >= 2)
      of_right = best_threshold(table_of(leaf, right, right_cases), evaluator_, leaf_limits());
    const Found of_left = best_threshold(table_of(leaf, left, left_cases), evaluator_, leaf_limits());
    if (of_left.value > of_right.value) {
      const int n_left = rows_left(of_left);
      best.last_left = n_left == 1 ? -1 : known.code[n_left - 2];
      best.missing = 0;
      best.value = of_left.value;
    } else if (of_right.any()) {
      best.last_left = known.code[rows_left(of_right) - 1];
      best.missing = 1;
      best.value = of_right.value;
    } else {
      return;
    }
    best.column = c;
  }

  void search_levels(const Leaf& leaf, int c, const Known& known, bool with_missing, BinSplit& best) const {
    if (known.cases.size() < 2) return;
    const Found found = best_nominal(table_of(leaf, known.statistics, known.cases), evaluator_, leaf_limits(),
                                     recipe_.nominal, recipe_.max_exhaustive);
    if (!found.any()) return;
    best.column = c;
    best.value = found.value;
    best.branch.assign(bins_.columns[c].n_bins, 2);
    for (std::size_t i = 0; i < known.code.size(); ++i)
      best.branch[known.code[i]] = static_cast<std::uint8_t>(found.branch[i]);
    if (with_missing) best.missing = found.branch.back();
  }

  // Whether the known rows of a column with missing values differ at all.
  bool separates(const Known& known, const BinSplit& best) const {
    if (!data_.n_classes) return best.value > 0;
    int present = 0;
    for (int k = 0; k < data_.n_classes; ++k) {
      double weight = 0;
      for (std::size_t i = k; i < known.statistics.size(); i += data_.n_classes)
        weight += known.statistics[i];
      present += weight > 0;
    }
    return present > 1;
  }

  bool within_limits(const Leaf& leaf, int c, const Number* column, const BinSplit& best, int width) const {
    constexpr double kEpsilon = 2.220446049250313e-16;
    const Limits& limits = recipe_.limits;
    const double value = real(best.value);
    if (!(value > limits.min_gain)) return false;
    if (value * std::ldexp(leaf.sums.weight, -grid_.weight_exponent) / root_weight_ + kEpsilon <
        limits.min_decrease)
      return false;
    if (limits.significance >= 1) return true;
    std::vector<double> children(static_cast<std::size_t>(2) * width, 0.0);
    const int n_bins = bins_.columns[c].n_bins;
    for (int code = 0; code <= n_bins; ++code) {
      int branch = code == n_bins        ? best.missing
                   : best.branch.empty() ? code > best.last_left
                                         : best.branch[code];
      if (branch < 0 || branch > 1) continue;
      cells_.add_to(children.data() + static_cast<std::ptrdiff_t>(branch) * width,
                    column + static_cast<std::ptrdiff_t>(code) * cells_.width());
    }
    for (double& x : children) x = std::ldexp(x, -grid_.weight_exponent);
    const Pearson test = pearson(children.data(), 2, width);
    return chi_square_survival(test.statistic, test.degrees) <= limits.significance;
  }

  double price(int c) const { return recipe_.price.empty() ? 1.0 : recipe_.price[c]; }

  // A value of the criterion in the user's units.
  double real(double value) const {
    const Criterion criterion = recipe_.criterion;
    if (criterion->power_of_y) return std::ldexp(value, -criterion->power_of_y * grid_.exponent);
    return criterion->grows_with_weight ? std::ldexp(value, -grid_.weight_exponent) : value;
  }

  void measure(const RowEntry* entries, Leaf& leaf, Branching& out) {
    const Limits& limits = recipe_.limits;
    Node& node = out.nodes[leaf.node];
    Sums& sums = leaf.sums;
    sums.weight = evaluator_.weight(sums.statistics.data());
    node.cases = sums.cases;
    node.weight = std::ldexp(sums.weight, -grid_.weight_exponent);
    if (data_.n_classes ? measure_classes(leaf, node, out)
                        : measure_numbers(entries + leaf.begin, leaf, node))
      return;
    if (is_root_) out.root_risk = node.risk;
    if (limits.min_risk > 0 && !(node.risk > limits.min_risk * out.root_risk)) return;
    leaf.live = leaf.depth < limits.max_depth && node.cases >= limits.min_cases_split &&
                node.cases >= 2 * limits.min_cases_of_two();
  }

  // Both return whether the node is settled.
  bool measure_classes(const Leaf& leaf, Node& node, Branching& out) const {
    const int k = data_.n_classes;
    double* counts = out.counts.data() + static_cast<std::ptrdiff_t>(leaf.node) * k;
    for (int c = 0; c < k; ++c) counts[c] = std::ldexp(leaf.sums.statistics[c], -grid_.weight_exponent);
    node.risk = risk_of_classes(counts, k, node.weight, data_.loss);
    return pure_enough(counts, k, node.weight, recipe_.limits);
  }

  bool measure_numbers(const RowEntry* entries, const Leaf& leaf, Node& node) const {
    double low = data_.y[row_of(entries[0])], high = low, squares = 0;
    for (std::int64_t i = 0; i < leaf.count; ++i) {
      const std::uint32_t row = row_of(entries[i]);
      low = std::min(low, data_.y[row]);
      high = std::max(high, data_.y[row]);
      squares += grid_.squares[row];
    }
    node.centre = low;
    node.risk = 0;
    if (low == high) return true;
    const double weight = leaf.sums.weight, sum = leaf.sums.statistics[1];
    node.centre = grid_.origin + std::ldexp(sum / weight, -grid_.exponent);
    const double off = std::ldexp(sum, -grid_.exponent);
    node.risk = std::ldexp(std::max(0.0, std::ldexp(squares, -grid_.squares_exponent) - off * (off / weight)),
                           -grid_.weight_exponent);
    return node.risk / node.weight < recipe_.limits.min_variance;
  }

  const Data& data_;
  const Recipe& recipe_;
  const BinnedTable& bins_;
  const FitGrid& grid_;
  Cells cells_;
  Evaluator evaluator_;
  double root_weight_ = 0, min_weight_leaf_ = 0;
  bool is_root_ = false;
};

}  // namespace bough
