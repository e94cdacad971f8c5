#include "bough/forest/survival_forest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "bough/forest/coded.hpp"
#include "bough/forest/grown_trees.hpp"
#include "bough/forest/tree_grower.hpp"
#include "bough/machine/random.hpp"

namespace bough {

namespace {

// A row of a node: its time as a rank, whether its event came, and its weight.
struct SurvivalRow {
  std::uint32_t row, time;
  bool event;
  double weight, cases;
};

// Sums of two numbers at places, up to any place, in logarithmic time (Fenwick 1994).
class PrefixSums {
 public:
  struct Pair {
    double squares = 0, weight = 0;
  };

  void clear(std::size_t n) { sums_.assign(n + 1, {}); }
  void add(std::size_t place, Pair x) {
    for (std::size_t i = place + 1; i < sums_.size(); i += i & (~i + 1)) {
      sums_[i].squares += x.squares;
      sums_[i].weight += x.weight;
    }
  }
  Pair up_to(std::size_t place) const {
    Pair sum;
    for (std::size_t i = place + 1; i > 0; i -= i & (~i + 1)) {
      sum.squares += sums_[i].squares;
      sum.weight += sums_[i].weight;
    }
    return sum;
  }

 private:
  std::vector<Pair> sums_;
};

// The log-rank statistic of a growing left side against the rest of some rows. Its numerator, observed less
// expected events, is the sum of the scores of the left side. Its variance, the sum over the event times of
// v (y / n) (1 - y / n) with y of n rows at risk on the left, is a sum over rows less that of v (y / n)^2,
// which changes by few prefix sums when a row is added.
class LogRank {
 public:
  // The event times of these rows, which are in the order of their times, and what is known at each.
  void start(const std::vector<SurvivalRow>& rows) {
    place_.resize(rows.size());
    hazard_.assign(1, 0.0);  // place 0: before the first event
    linear_.assign(1, 0.0);
    square_.assign(1, 0.0);
    step_.assign(1, {0, 0.0});
    // From the last row on: a difference of the total would lose small weights among large ones.
    at_risk_.assign(rows.size() + 1, 0.0);
    for (std::size_t i = rows.size(); i-- > 0;) at_risk_[i] = at_risk_[i + 1] + rows[i].weight;
    total_ = at_risk_[0];
    for (std::size_t i = 0; i < rows.size();) {
      const std::uint32_t time = rows[i].time;
      double events = 0;
      std::size_t next = i;
      for (; next < rows.size() && rows[next].time == time; ++next)
        if (rows[next].event) events += rows[next].weight;
      if (events > 0) add_time(time, events, at_risk_[i]);
      for (; i < next; ++i) place_[i] = static_cast<std::uint32_t>(hazard_.size() - 1);
    }
    score_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      score_[i] = (rows[i].event ? 1.0 : 0.0) - hazard_[place_[i]];
  }
  bool has_events() const { return hazard_.size() > 1; }
  // The rank of each event time and the hazard there.
  const std::vector<std::pair<std::uint32_t, double>>& steps() const { return step_; }
  double score(std::size_t i) const { return score_[i]; }
  double total() const { return total_; }

  void start_side() {
    excess_ = first_ = second_ = left_ = 0;
    below_.clear(hazard_.size());
  }
  // Moves row i, of this weight, to the left.
  void add(std::size_t i, double weight) {
    const std::uint32_t p = place_[i];
    excess_ += weight * score_[i];
    first_ += weight * linear_[p];
    const PrefixSums::Pair below = below_.up_to(p);
    const double joint = below.squares + square_[p] * (left_ - below.weight);
    second_ += weight * weight * square_[p] + 2 * weight * joint;
    below_.add(p, {weight * square_[p], weight});
    left_ += weight;
  }
  double statistic() const {
    const double variance = first_ - second_;
    return variance > 1e-9 * first_ ? excess_ * excess_ / variance : 0.0;
  }

 private:
  void add_time(std::uint32_t time, double events, double at_risk) {
    const double hazard = events / at_risk;
    const double v = at_risk > 1 ? events * std::max(0.0, at_risk - events) / (at_risk - 1) : 0.0;
    hazard_.push_back(hazard_.back() + hazard);
    linear_.push_back(linear_.back() + v / at_risk);
    square_.push_back(square_.back() + v / (at_risk * at_risk));
    step_.push_back({time, hazard});
  }

  std::vector<std::uint32_t> place_;              // of each row: the number of event times up to its own
  std::vector<double> at_risk_;                   // of each row: the weight from it on
  std::vector<double> hazard_, linear_, square_;  // up to each event time
  std::vector<std::pair<std::uint32_t, double>> step_;
  std::vector<double> score_;
  PrefixSums below_;  // of the left side, at the places of its rows
  double total_ = 0, excess_ = 0, first_ = 0, second_ = 0, left_ = 0;
};

struct SurvivalPlan : TreePlan {
  std::vector<std::uint32_t> time;     // the rank of each row's
  std::vector<std::uint32_t> by_time;  // the rows in the order of their times
  std::vector<double> at_risk;         // of all rows, at each rank
};

struct SurvivalSplit {
  int column = -1;
  double value = 0;
  bool by_levels = false;
  std::uint32_t last = 0;             // the greatest code on the left
  std::vector<std::uint32_t> levels;  // on the left, ascending
};

class SurvivalGrower {
 public:
  explicit SurvivalGrower(const SurvivalPlan& plan) : plan_(plan) {}

  // stopped: asked after each node; when it says so, what was grown so far is returned.
  template <class Stopped>
  ForestTree& grow(std::uint64_t tree, const Stopped& stopped) {
    tree_ = {};
    random_ = Random(plan_.seed ^ kStream, tree);
    columns_.resize(plan_.data.columns.size());
    std::iota(columns_.begin(), columns_.end(), 0);
    draw(tree);
    add_node();
    std::vector<Span> stack{{0, 0, rows_.size(), 0}};
    while (!stack.empty() && !stopped()) {
      const Span span = stack.back();
      stack.pop_back();
      settle(span, stack);
    }
    return tree_;
  }

 private:
  struct Span {
    int node;
    std::size_t begin, end;
    int depth;
  };
  static constexpr std::uint64_t kStream = 0x5a3c9d1e7b2f4806u;
  static constexpr double kBetter = 1 + 1e-9;  // more than rounding makes of equal values

  void draw(std::uint64_t tree) {
    plan_.sampler.draw(plan_.seed, tree, count_);
    const Data& data = plan_.data;
    rows_.clear();
    for (const std::uint32_t i : plan_.by_time) {
      if (count_[i] == 0) continue;
      rows_.push_back({i, plan_.time[i], data.y[i] > 0, count_[i] * (data.weight ? data.weight[i] : 1.0),
                       count_[i] * (data.cases ? data.cases[i] : 1.0)});
    }
  }

  int add_node() {
    tree_.nodes.emplace_back();
    tree_.statistics.insert(tree_.statistics.end(), {0.0, 0.0});
    return static_cast<int>(tree_.nodes.size()) - 1;
  }

  // Sums up a node and splits it if it may be split.
  void settle(const Span& span, std::vector<Span>& stack) {
    own_.assign(rows_.begin() + static_cast<std::ptrdiff_t>(span.begin),
                rows_.begin() + static_cast<std::ptrdiff_t>(span.end));
    whole_.start(own_);
    double cases = 0, mortality = 0;
    for (const SurvivalRow& row : own_) cases += row.cases;
    for (const auto& [time, hazard] : whole_.steps()) mortality += hazard * plan_.at_risk[time];
    tree_.nodes[span.node].weight = whole_.total();
    tree_.nodes[span.node].cases = cases;
    tree_.statistics[2 * static_cast<std::size_t>(span.node)] = mortality;
    const Limits& limits = plan_.recipe.limits;
    if (own_.size() < 2 || span.depth >= limits.max_depth || cases < limits.min_cases_split ||
        cases < 2 * limits.min_cases_leaf || !whole_.has_events())
      return;
    best_ = {};
    search();
    if (best_.column < 0) return;
    const std::size_t middle = part(span);
    const int first = add_node();
    add_node();
    tree_.nodes[span.node].first_child = first;
    stack.push_back({first + 1, middle, span.end, span.depth + 1});
    stack.push_back({first, span.begin, middle, span.depth + 1});
  }

  // Searches the columns drawn, from the first to the last, so that ties go to the first; then further ones
  // while none of them can be split, if the recipe seeks.
  void search() {
    const int n = static_cast<int>(columns_.size()), drawn = std::min(n, plan_.recipe.max_features);
    if (drawn == n) std::sort(columns_.begin(), columns_.end());
    for (int seen = 0; drawn < n && seen < drawn; ++seen) draw_column(seen);
    std::sort(columns_.begin(), columns_.begin() + drawn);
    for (int seen = 0; seen < drawn; ++seen) search_column(columns_[seen]);
    for (int seen = drawn; seen < n && best_.column < 0 && plan_.recipe.seek; ++seen) {
      draw_column(seen);
      search_column(columns_[seen]);
    }
  }

  void draw_column(int seen) {
    const auto left = static_cast<std::uint32_t>(columns_.size()) - static_cast<std::uint32_t>(seen);
    std::swap(columns_[seen], columns_[seen + static_cast<int>(random_.below(left))]);
  }

  void search_column(int c) {
    const CodedColumn& column = plan_.coded.columns[c];
    entries_.clear();
    std::uint32_t least = column.n_codes, most = 0;
    for (std::size_t i = 0; i < own_.size(); ++i)
      if (const std::uint32_t code = column.code[own_[i].row]; code < column.n_codes) {
        entries_.push_back({code, static_cast<std::uint32_t>(i)});
        least = std::min(least, code);
        most = std::max(most, code);
      }
    if (entries_.size() < 2 || least == most) return;
    LogRank* rank = &whole_;
    if (entries_.size() < own_.size()) {
      known_.clear();
      for (auto& [code, i] : entries_) {
        known_.push_back(own_[i]);
        i = static_cast<std::uint32_t>(known_.size() - 1);
      }
      part_.start(known_);
      rank = &part_;
      if (!part_.has_events()) return;
    }
    const std::vector<SurvivalRow>& rows = rank == &whole_ ? own_ : known_;
    const bool by_levels = plan_.data.columns[c].scale == Scale::nominal;
    if (by_levels) order_levels(*rank, rows, column.n_codes);
    sort_entries(by_levels ? static_cast<std::uint32_t>(level_at_.size()) : column.n_codes);
    scan(c, *rank, rows, by_levels);
  }

  // Orders entries by code, those of a code by row: they come in the order of their rows.
  void sort_entries(std::uint32_t n_codes) {
    if (n_codes > 2 * entries_.size()) return std::sort(entries_.begin(), entries_.end());
    start_.assign(n_codes + std::size_t{1}, 0);
    for (const auto& [code, i] : entries_) ++start_[code + std::size_t{1}];
    for (std::uint32_t code = 0; code < n_codes; ++code) start_[code + std::size_t{1}] += start_[code];
    sorted_.resize(entries_.size());
    for (const auto& entry : entries_) sorted_[start_[entry.first]++] = entry;
    entries_.swap(sorted_);
  }

  // Replaces the code of each level by its place in the order of the mean scores of its rows.
  void order_levels(const LogRank& rank, const std::vector<SurvivalRow>& rows, std::uint32_t n_codes) {
    sum_.assign(n_codes, 0.0);
    weight_.assign(n_codes, 0.0);
    for (const auto& [code, i] : entries_) {
      sum_[code] += rows[i].weight * rank.score(i);
      weight_[code] += rows[i].weight;
    }
    level_at_.clear();
    for (std::uint32_t code = 0; code < n_codes; ++code)
      if (weight_[code] > 0) level_at_.push_back(code);
    std::stable_sort(level_at_.begin(), level_at_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return sum_[a] / weight_[a] < sum_[b] / weight_[b];
    });
    place_of_.assign(n_codes, 0);
    for (std::size_t i = 0; i < level_at_.size(); ++i)
      place_of_[level_at_[i]] = static_cast<std::uint32_t>(i);
    for (auto& [code, i] : entries_) code = place_of_[code];
  }

  void scan(int c, LogRank& rank, const std::vector<SurvivalRow>& rows, bool by_levels) {
    const double least = plan_.recipe.limits.min_cases_leaf;
    double left = 0, all = 0;
    for (const auto& [code, i] : entries_) all += rows[i].cases;
    rank.start_side();
    for (std::size_t e = 0; e + 1 < entries_.size(); ++e) {
      const auto [code, i] = entries_[e];
      rank.add(i, rows[i].weight);
      left += rows[i].cases;
      if (entries_[e + 1].first == code || left < least || all - left < least) continue;
      const double value = rank.statistic();
      if (!(value > best_.value * kBetter)) continue;
      best_.column = c;
      best_.value = value;
      best_.by_levels = by_levels;
      best_.last = code;
      if (by_levels) {
        best_.levels.assign(level_at_.begin(), level_at_.begin() + code + 1);
        std::sort(best_.levels.begin(), best_.levels.end());
      }
    }
  }

  // Whether a known code goes left.
  bool goes_left(std::uint32_t code) const {
    return best_.by_levels ? std::binary_search(best_.levels.begin(), best_.levels.end(), code)
                           : code <= best_.last;
  }

  // Divides the rows of a node, those that go left first, and writes its split; returns where the right
  // ones begin.
  std::size_t part(const Span& span) {
    const CodedColumn& column = plan_.coded.columns[best_.column];
    const Column& values = plan_.data.columns[best_.column];
    double weight[2] = {0, 0};
    double low = -HUGE_VAL, high = HUGE_VAL;
    for (const SurvivalRow& row : own_) {
      const std::uint32_t code = column.code[row.row];
      if (code >= column.n_codes) continue;
      const bool left = goes_left(code);
      weight[left ? 0 : 1] += row.weight;
      const double value = values.value(row.row);
      if (left)
        low = std::max(low, value);
      else
        high = std::min(high, value);
    }
    const int heavier = weight[1] > weight[0] ? 1 : 0;
    ForestNode& node = tree_.nodes[span.node];
    node.column = best_.column;
    node.default_branch = heavier;
    node.gain = best_.value / std::max(node.weight, 1e-300);
    if (best_.by_levels)
      write_levels(node, column, heavier);
    else
      node.cut =
          values.scale == Scale::numeric ? cut_above_middle(low, high) : cut_between(low, high, values.scale);
    const auto goes = [&](const SurvivalRow& row) {
      const std::uint32_t code = column.code[row.row];
      return code >= column.n_codes ? heavier == 0 : goes_left(code);
    };
    const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(span.begin),
               end = rows_.begin() + static_cast<std::ptrdiff_t>(span.end);
    return static_cast<std::size_t>(std::stable_partition(begin, end, goes) - rows_.begin());
  }

  // The levels present that do not take the default branch.
  void write_levels(ForestNode& node, const CodedColumn& column, int heavier) {
    std::vector<std::uint32_t> listed;
    for (const SurvivalRow& row : own_)
      if (const std::uint32_t code = column.code[row.row];
          code < column.n_codes && (goes_left(code) ? 0 : 1) != heavier)
        listed.push_back(level_of(row.row));
    std::sort(listed.begin(), listed.end());
    listed.erase(std::unique(listed.begin(), listed.end()), listed.end());
    node.first_level = static_cast<std::int64_t>(tree_.levels.size());
    node.n_levels = static_cast<std::int32_t>(listed.size());
    tree_.levels.insert(tree_.levels.end(), listed.begin(), listed.end());
  }
  std::uint32_t level_of(std::uint32_t row) const {
    return static_cast<std::uint32_t>(plan_.data.columns[best_.column].code(row));
  }

  const SurvivalPlan& plan_;
  ForestTree tree_;
  Random random_{0, 0};
  std::vector<int> columns_;
  std::vector<std::uint32_t> count_;
  std::vector<SurvivalRow> rows_, own_, known_;
  LogRank whole_, part_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries_, sorted_;  // code and row of a node
  std::vector<std::uint32_t> start_;
  std::vector<double> sum_, weight_;
  std::vector<std::uint32_t> level_at_, place_of_;
  SurvivalSplit best_;
};

SurvivalPlan plan_of(const Data& data, const double* time, const ForestRecipe& recipe,
                     const CodedTable& coded, const Sampler& sampler, std::uint64_t seed) {
  SurvivalPlan plan{{data, recipe, coded, sampler, seed}, {}, {}, {}};
  std::vector<double> distinct(time, time + data.n_rows);
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  plan.at_risk.assign(distinct.size(), 0.0);
  for (std::int64_t i = 0; i < data.n_rows; ++i) {
    const auto rank = std::lower_bound(distinct.begin(), distinct.end(), time[i]) - distinct.begin();
    plan.time.push_back(static_cast<std::uint32_t>(rank));
    plan.at_risk[rank] += data.weight ? data.weight[i] : 1.0;
  }
  plan.by_time.resize(data.n_rows);
  std::iota(plan.by_time.begin(), plan.by_time.end(), 0u);
  std::stable_sort(plan.by_time.begin(), plan.by_time.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return plan.time[a] < plan.time[b]; });
  for (std::size_t t = distinct.size(); t-- > 1;) plan.at_risk[t - 1] += plan.at_risk[t];
  return plan;
}

}  // namespace

PackedForest grow_survival_forest(const Data& data, const double* time, const ForestRecipe& recipe,
                                  const SampleDesign& design, std::uint64_t seed, int first_tree, int n_trees,
                                  int n_threads, const Monitor& monitor) {
  Watch watch(monitor, n_trees);
  Team team(n_threads);
  const CodedTable coded = code_table(data.columns, data.n_rows, false, team, [&] { watch.poll_or_throw(); });
  const Sampler sampler(design);
  const SurvivalPlan plan = plan_of(data, time, recipe, coded, sampler, seed);
  return grown_trees<SurvivalGrower>(plan, {0, 1}, first_tree, n_trees, team, watch);
}

std::vector<double> logrank_statistics(const std::vector<double>& time, const std::vector<double>& event,
                                       const std::vector<double>& weight) {
  std::vector<double> distinct(time);
  std::sort(distinct.begin(), distinct.end());
  std::vector<SurvivalRow> rows;
  for (std::size_t i = 0; i < time.size(); ++i) {
    const auto rank = std::lower_bound(distinct.begin(), distinct.end(), time[i]) - distinct.begin();
    rows.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(rank), event[i] > 0, weight[i],
                    weight[i]});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const SurvivalRow& a, const SurvivalRow& b) { return a.time < b.time; });
  std::vector<std::size_t> place(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) place[rows[i].row] = i;
  LogRank rank;
  rank.start(rows);
  rank.start_side();
  std::vector<double> statistics;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rank.add(place[i], weight[i]);
    statistics.push_back(i + 1 < rows.size() ? rank.statistic() : 0.0);
  }
  return statistics;
}

}  // namespace bough
