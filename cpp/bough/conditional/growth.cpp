#include "bough/conditional/growth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace bough::conditional {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The columns as they are tested: the levels of an ordinal column are numbered without those that do not
// occur.
class RankedColumns {
 public:
  RankedColumns(const std::vector<Column>& columns, std::size_t n_rows)
      : columns_(columns), ranks_(columns.size()), codes_(columns.size()) {
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (columns[c].scale == Scale::ordinal) rank(c, n_rows);
  }

  const std::vector<Column>& columns() const { return columns_; }
  double code_of(int column, double rank) const {
    return codes_[column].empty() ? rank : codes_[column][static_cast<std::size_t>(rank)];
  }
  // The greatest rank whose code is below a cut.
  double rank_below(int column, double cut) const {
    if (codes_[column].empty()) return std::floor(cut);
    const std::vector<std::int32_t>& codes = codes_[column];
    return static_cast<double>(std::lower_bound(codes.begin(), codes.end(), cut) - codes.begin()) - 1;
  }

 private:
  void rank(std::size_t c, std::size_t n_rows) {
    Column& column = columns_[c];
    std::vector<std::int32_t> rank_of(column.n_levels, 0);
    for (std::size_t row = 0; row < n_rows; ++row)
      if (const int code = column.code(static_cast<std::int64_t>(row)); code >= 0) rank_of[code] = 1;
    std::vector<std::int32_t> codes;
    for (std::int32_t code = 0; code < column.n_levels; ++code)
      if (rank_of[code]) {
        rank_of[code] = static_cast<std::int32_t>(codes.size());
        codes.push_back(code);
      }
    if (static_cast<int>(codes.size()) == column.n_levels) return;
    std::vector<std::int32_t>& ranks = ranks_[c];
    ranks.resize(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
      const int code = column.code(static_cast<std::int64_t>(row));
      ranks[row] = code < 0 ? code : rank_of[code];
    }
    codes_[c] = std::move(codes);
    column.data = reinterpret_cast<const char*>(ranks.data());
    column.stride = sizeof(std::int32_t);
  }

  std::vector<Column> columns_;
  std::vector<std::vector<std::int32_t>> ranks_, codes_;  // empty: every level occurs
};

struct WaitingNode {
  std::size_t begin, count;  // of its rows
  std::int64_t depth;
  NodeMeasure measure;
};

class Growth {
 public:
  Growth(const std::vector<Column>& columns, Target target, const ShownRows& shown, const Options& options,
         const NodeLimits& limits)
      : n_rows_(target.n_rows()),
        ranked_(columns, n_rows_),
        shown_(shown),
        options_(options),
        limits_(limits),
        evaluator_(shown.criterion, shown.n_classes ? shown.n_classes : 2),
        inference_(ranked_.columns(), std::move(target), options) {
    for (std::size_t row = 0; row < n_rows_; ++row)
      if (shown.weight_at(static_cast<std::uint32_t>(row)) > 0)
        rows_.push_back(static_cast<std::uint32_t>(row));
    later_.resize(rows_.size());
    branch_.resize(rows_.size());
    result_.tree.level_start.push_back(0);
    result_.tree.surrogates.start.push_back(0);
    result_.tree.surrogates.level_start.push_back(0);
    add(0, rows_.size(), 0, -1);
  }

  TestedTree grow(const std::function<void()>& between) {
    for (std::size_t node = 0; node < waiting_.size(); ++node) {
      if (may_be_split(waiting_[node]))
        search(node, between);
      else
        record_leaf();
      between();
    }
    return std::move(result_);
  }

 private:
  std::span<const std::uint32_t> rows_of(const WaitingNode& node) const {
    return {rows_.data() + node.begin, node.count};
  }

  bool may_be_split(const WaitingNode& node) const {
    return node.depth < limits_.max_depth && node.measure.cases >= limits_.min_cases && !node.measure.pure;
  }

  // Adds a node, of which nothing is known but its rows.
  void add(std::size_t begin, std::size_t count, std::int64_t depth, std::int32_t parent) {
    GrownTree& tree = result_.tree;
    const auto width = static_cast<std::size_t>(shown_.width());
    tree.statistics.resize(tree.statistics.size() + width);
    WaitingNode& node = waiting_.emplace_back(WaitingNode{begin, count, depth, {}});
    node.measure = measure(shown_, rows_of(node), tree.statistics.data() + tree.statistics.size() - width);
    tree.parent.push_back(parent);
    tree.weight.push_back(node.measure.weight);
    tree.cases.push_back(node.measure.cases);
    tree.risk.push_back(node.measure.risk);
    const std::size_t n_columns = ranked_.columns().size();
    result_.p_value.resize(result_.p_value.size() + n_columns, kNone);
    result_.statistic.resize(result_.statistic.size() + n_columns, kNone);
  }

  void search(std::size_t number, const std::function<void()>& between) {
    const WaitingNode node = waiting_[number];
    const Found found = options_.n_resamples ? inference_.search(repeated(node), number, between)
                                             : inference_.search(rows_of(node), number, between);
    const std::size_t first = number * ranked_.columns().size();
    for (const Test& test : found.tests) {
      result_.p_value[first + test.column] = test.p_value;
      result_.statistic[first + test.column] = test.statistic;
    }
    if (found.split.column < 0) return record_leaf();
    if (waiting_.size() + 2 > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
      throw std::length_error("the tree would have more nodes than 32 bits can number");
    const int other = record_split(node, found.split);
    for (const Surrogate& surrogate : found.surrogates) follow(node, surrogate);
    result_.tree.surrogates.start.push_back(static_cast<std::int64_t>(result_.tree.surrogates.column.size()));
    part(number, other);
  }

  // The rows of a node, each as often as it has cases.
  const std::vector<std::uint32_t>& repeated(const WaitingNode& node) {
    repeated_.clear();
    for (const std::uint32_t row : rows_of(node))
      repeated_.insert(repeated_.end(), static_cast<std::size_t>(shown_.cases_at(row)), row);
    return repeated_;
  }

  void record_leaf() {
    GrownTree& tree = result_.tree;
    tree.first_child.push_back(-1);
    tree.n_children.push_back(0);
    tree.column.push_back(-1);
    tree.default_branch.push_back(-1);
    tree.kind.push_back(static_cast<std::uint8_t>(SplitKind::leaf));
    for (RawVector<double>* each : {&tree.cut, &tree.gain, &tree.cut_below, &tree.cut_above})
      each->push_back(kNone);
    tree.level_start.push_back(static_cast<std::int64_t>(tree.level_code.size()));
    tree.surrogates.start.push_back(static_cast<std::int64_t>(tree.surrogates.column.size()));
  }

  // A cut in the codes of the table, and the greatest tested value of its first branch.
  struct Cut {
    double below = kNone, above = kNone, cut = kNone, last_first = kNone;
  };

  Cut cut_of(const Split& split) const {
    if (!split.codes.empty()) return {};
    const Scale scale = ranked_.columns()[split.column].scale;
    Cut found{ranked_.code_of(split.column, split.below), ranked_.code_of(split.column, split.above)};
    found.cut = cut_between(found.below, found.above, scale);
    found.last_first = scale == Scale::numeric ? split.below : ranked_.rank_below(split.column, found.cut);
    return found;
  }

  // The branch of each row of a node under a split, -1 where it cannot tell.
  void route(const WaitingNode& node, const Split& split, const Cut& cut, bool turned,
             std::int8_t* to) const {
    const Column& column = ranked_.columns()[split.column];
    std::vector<std::int8_t> of_code(column.n_levels, -1);
    for (std::size_t i = 0; i < split.codes.size(); ++i)
      of_code[split.codes[i]] = static_cast<std::int8_t>(split.branches[i] != turned);
    const std::span<const std::uint32_t> rows = rows_of(node);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double value = column.value(rows[i]);
      if (!(value == value))
        to[i] = -1;
      else if (split.codes.empty())
        to[i] = static_cast<std::int8_t>((value > cut.last_first) != turned);
      else
        to[i] = of_code[static_cast<std::size_t>(value)];
    }
  }

  // Records the split of a node and routes its rows; returns the branch of those that it cannot route.
  int record_split(const WaitingNode& node, const Split& split) {
    GrownTree& tree = result_.tree;
    const Cut cut = cut_of(split);
    const bool closed = split.codes.empty() && ranked_.columns()[split.column].scale == Scale::numeric;
    route(node, split, cut, false, branch_.data());
    double known[2] = {0, 0};
    const std::span<const std::uint32_t> rows = rows_of(node);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (branch_[i] >= 0) known[branch_[i]] += shown_.own_at(rows[i]);
    const int other = known[1] >= known[0];  // of equals the second, as in partykit
    tree.first_child.push_back(static_cast<std::int32_t>(waiting_.size()));
    tree.n_children.push_back(2);
    tree.column.push_back(split.column);
    tree.default_branch.push_back(other);
    const SplitKind kind = !split.codes.empty() ? SplitKind::subset
                           : closed             ? SplitKind::at_most
                                                : SplitKind::threshold;
    tree.kind.push_back(static_cast<std::uint8_t>(kind));
    tree.cut.push_back(closed ? cut.below : cut.cut);
    tree.cut_below.push_back(cut.below);
    tree.cut_above.push_back(cut.above);
    tree.gain.push_back(gain_of(evaluator_, shown_, node.measure, rows, branch_.data()));
    tree.level_code.insert(tree.level_code.end(), split.codes.begin(), split.codes.end());
    tree.level_branch.insert(tree.level_branch.end(), split.branches.begin(), split.branches.end());
    tree.level_start.push_back(static_cast<std::int64_t>(tree.level_code.size()));
    own_.assign(branch_.begin(), branch_.begin() + static_cast<std::ptrdiff_t>(node.count));
    return other;
  }

  // Records a surrogate, and routes the rows that neither the split nor a surrogate before it has routed.
  void follow(const WaitingNode& node, const Surrogate& surrogate) {
    const Split& split = surrogate.split;
    const std::span<const std::uint32_t> rows = rows_of(node);
    Cut cut = cut_of(split);
    // The threshold lies just above its lower neighbour, also where a row to be routed has a value between:
    // partykit routes values up to the lower neighbour to the first branch.
    if (split.codes.empty() && ranked_.columns()[split.column].scale == Scale::numeric) {
      for (const std::uint32_t row : rows)
        if (const double value = ranked_.columns()[split.column].value(row); value > cut.below)
          cut.above = std::min(cut.above, value);
      cut.cut = cut_between(cut.below, cut.above, Scale::numeric);
    }
    sides_.resize(node.count);
    route(node, split, cut, surrogate.turned, sides_.data());
    double total = 0, agreed = 0, of_side[2] = {0, 0}, cases = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (sides_[i] < 0) continue;
      if (own_[i] >= 0) {
        const double weight = shown_.own_at(rows[i]);
        total += weight;
        of_side[own_[i]] += weight;
        if (own_[i] == sides_[i]) agreed += weight;
      }
      if (branch_[i] < 0) {
        cases += shown_.cases_at(rows[i]);
        branch_[i] = sides_[i];
      }
    }
    const double majority = std::max(of_side[0], of_side[1]);
    AlternativeArrays& all = result_.tree.surrogates;
    const bool of_levels = !split.codes.empty();
    all.column.push_back(split.column);
    all.turned.push_back(surrogate.turned && !of_levels);
    all.cut.push_back(cut.cut);
    all.cut_below.push_back(cut.below);
    all.cut_above.push_back(cut.above);
    all.value.push_back(agreed / total);
    all.adjusted.push_back(total > majority ? (agreed - majority) / (total - majority) : 0.0);
    all.cases.push_back(cases);
    all.level_code.insert(all.level_code.end(), split.codes.begin(), split.codes.end());
    for (const std::int32_t branch : split.branches)
      all.level_branch.push_back(surrogate.turned ? 1 - branch : branch);
    all.level_start.push_back(static_cast<std::int64_t>(all.level_code.size()));
  }

  // Parts the rows of a node by their branches, in their order, and adds its children.
  void part(std::size_t number, int other) {
    const WaitingNode node = waiting_[number];
    std::size_t n_first = 0, n_second = 0;
    std::uint32_t* rows = rows_.data() + node.begin;
    for (std::size_t i = 0; i < node.count; ++i) {
      if ((branch_[i] < 0 ? other : branch_[i]) == 0)
        rows[n_first++] = rows[i];
      else
        later_[n_second++] = rows[i];
    }
    std::copy_n(later_.begin(), n_second, rows + n_first);
    const auto parent = static_cast<std::int32_t>(number);
    add(node.begin, n_first, node.depth + 1, parent);
    add(node.begin + n_first, n_second, node.depth + 1, parent);
  }

  std::size_t n_rows_;
  RankedColumns ranked_;
  const ShownRows& shown_;
  Options options_;
  NodeLimits limits_;
  Evaluator evaluator_;
  Inference inference_;
  std::vector<WaitingNode> waiting_;
  std::vector<std::uint32_t> rows_, later_, repeated_;
  std::vector<std::int8_t> branch_, own_, sides_;  // of the rows of a node; own_: by its split alone
  TestedTree result_;
};

}  // namespace

TestedTree grow(const std::vector<Column>& columns, Target target, const ShownRows& shown,
                const Options& options, const NodeLimits& limits, const std::function<void()>& between) {
  return Growth(columns, std::move(target), shown, options, limits).grow(between);
}

}  // namespace bough::conditional
