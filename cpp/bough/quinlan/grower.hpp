// The grower: splits nodes by the tests a judge prefers, depth first, until the judge makes leaves of them.
//
// A judge has: Number, the type of weights; Scratch; width(), the number of statistics of a node; tally,
// which sums them; risk; stays_leaf; judge_levels and judge_numbers, the best test of one column; choose,
// the best column; part, the share of an incomplete item that goes down a branch; collapse, once all is
// grown.
//
// Each node holds a range of the list of items, and the same range of each column's sorted list. A split
// parts the ranges in place. Where values are missing the parts of such items stand in several branches, so
// the lists of the children are laid down anew behind all others; they go when the last of the children is
// done.
#pragma once

#include "bough/machine/watch.hpp"
#include "bough/quinlan/node_view.hpp"

namespace bough::quinlan {

template <class Judge>
class Grower {
 public:
  using T = typename Judge::Number;

  // The work that the watch hears of is a unit a row.
  Grower(const Judge& judge, Table<T>& table, Team& team, Watch& watch)
      : judge_(judge), table_(table), team_(team), watch_(watch) {}

  Trunk grow();

 private:
  struct Task {
    std::int32_t node = -1;  // -1: the children of a split are done; undo what was done for them
    std::int64_t begin = 0, end = 0;
    bool unit = true;
    std::int32_t depth = 0;
    std::int32_t column = -1;   // of the split that is done
    std::int64_t n_items = -1;  // to go back to; -1: nothing was added
  };

  void start();
  void visit(const Task& task);
  void judge_columns(const Task& task, const NodeView<T>& view);
  void split(const Task& task, const NodeView<T>& view, int column);
  void assign_branches(const Task& task, int column);
  void part_in_place(const Task& task);
  void lay_down(const Task& task, const NodeView<T>& view, const std::vector<T>& share);
  SortedView list_of(int column, const Task& task) const;
  double cases_of(const NodeView<T>& view) const;
  bool takes_long(int column) const {
    if constexpr (requires { judge_.forms_subsets(0); })
      return table_.is_nominal(column) && judge_.forms_subsets(column);
    return false;
  }

  static constexpr std::int64_t kCellsForTeam = 20000;

  const Judge& judge_;
  Table<T>& table_;
  Team& team_;
  Watch& watch_;
  Trunk trunk_;
  Items<T> items_;
  std::vector<std::uint32_t> list_;        // the items of each node, in ranges
  std::vector<std::int32_t> branch_;       // of each item in the node at hand; -1 - place if missing
  std::vector<std::int64_t> count_;        // items of each branch whose value is known
  std::vector<std::uint32_t> incomplete_;  // items whose value is missing
  std::vector<Candidate<T>> found_;
  std::vector<typename Judge::Scratch> scratch_;
  std::vector<std::vector<Entry>> spare_;
  std::vector<std::uint32_t> spare_list_;
  std::vector<T> statistics_;
  std::vector<int> tested_;  // how often the levels of a column are parted above
  std::vector<Task> tasks_;
};

template <class Judge>
void Grower<Judge>::start() {
  const Data& data = *table_.data;
  const auto n = static_cast<std::uint32_t>(data.n_rows);
  items_.row.resize(n);
  items_.weight.resize(n);
  bool unit = true;
  for (std::uint32_t i = 0; i < n; ++i) {
    items_.row[i] = i;
    items_.weight[i] = data.weight ? static_cast<T>(data.weight[i]) : T{1};
  }
  for (std::uint32_t row : table_.rows) unit &= items_.weight[row] == 1;
  list_ = table_.rows;
  branch_.resize(n);
  found_.resize(data.columns.size());
  scratch_.resize(team_.size());
  spare_.resize(team_.size());
  tested_.assign(data.columns.size(), 0);
  trunk_.width = judge_.width();
  trunk_.nodes.resize(1);
  trunk_.statistics.assign(trunk_.width, 0.0);
  tasks_.push_back({0, 0, static_cast<std::int64_t>(list_.size()), unit, 0});
}

template <class Judge>
Trunk Grower<Judge>::grow() {
  start();
  while (!tasks_.empty()) {
    const Task task = tasks_.back();
    tasks_.pop_back();
    if (task.node >= 0) {
      visit(task);
      watch_.poll_or_throw();
      continue;
    }
    --tested_[task.column];
    if (task.n_items < 0) continue;
    items_.row.resize(task.n_items);
    items_.weight.resize(task.n_items);
    branch_.resize(task.n_items);
    list_.resize(task.begin);
    for (SortedColumn<T>& column : table_.numbers) column.entries.resize(task.begin);
  }
  judge_.collapse(trunk_);
  return std::move(trunk_);
}

template <class Judge>
SortedView Grower<Judge>::list_of(int column, const Task& task) const {
  const std::vector<Entry>& entries = table_.numbers[table_.place[column]].entries;
  const std::span<const Entry> all(entries.data() + task.begin, task.end - task.begin);
  if (all.empty() || all.back().rank != kMissing) return {all, {}};
  const auto known =
      std::partition_point(all.begin(), all.end(), [](const Entry& e) { return e.rank != kMissing; });
  return {{all.begin(), known}, {known, all.end()}};
}

// Of a row that weighs something, the share of its weight that is here counts for its cases.
template <class Judge>
double Grower<Judge>::cases_of(const NodeView<T>& view) const {
  const Data& data = *table_.data;
  if (view.unit || (!data.weight && !data.cases)) return view.weight;
  double sum = 0;
  for (std::uint32_t item : view.items) {
    const std::uint32_t row = items_.row[item];
    const double whole = data.weight ? data.weight[row] : 1, cases = data.cases ? data.cases[row] : 1;
    sum += item < data.n_rows ? cases : items_.weight[item] / whole * cases;
  }
  return sum;
}

template <class Judge>
void Grower<Judge>::visit(const Task& task) {
  NodeView<T> view;
  view.items = {list_.data() + task.begin, static_cast<std::size_t>(task.end - task.begin)};
  view.unit = task.unit;
  view.depth = task.depth;
  judge_.tally(items_, view, statistics_);
  Node& node = trunk_.nodes[task.node];
  node.weight = view.weight;
  node.cases = cases_of(view);
  node.risk = judge_.risk(view);
  judge_.store(view, trunk_.of(task.node));
  if (judge_.stays_leaf(view)) {
    watch_.done(static_cast<double>(view.items.size()));
    return;
  }
  judge_columns(task, view);
  const int column = judge_.choose(found_);
  if (column < 0) {
    watch_.done(static_cast<double>(view.items.size()));
    return;
  }
  split(task, view, column);
}

template <class Judge>
void Grower<Judge>::judge_columns(const Task& task, const NodeView<T>& view) {
  const int n_columns = static_cast<int>(found_.size());
  const auto judge = [&](int c, int member) {
    typename Judge::Scratch& scratch = scratch_[member];
    found_[c] = table_.is_nominal(c) ? judge_.judge_levels(c, view, items_, tested_[c] > 0, scratch)
                                     : judge_.judge_numbers(c, list_of(c, task), view, items_, scratch);
  };
  if (team_.size() == 1 || (task.end - task.begin) * n_columns < kCellsForTeam) {
    for (int c = 0; c < n_columns; ++c) judge(c, 0);
    return;
  }
  // What may take long is left to the calling thread, which can be asked to stop.
  team_.run(n_columns, [&](int c, int member) {
    if (!takes_long(c)) judge(c, member);
  });
  for (int c = 0; c < n_columns; ++c)
    if (takes_long(c)) judge(c, 0);
}

template <class Judge>
void Grower<Judge>::assign_branches(const Task& task, int column) {
  const Candidate<T>& test = found_[column];
  incomplete_.clear();
  count_.assign(test.n_branches, 0);
  const auto assign = [&](std::uint32_t item, std::int32_t branch) {
    if (branch >= 0) {
      ++count_[branch];
    } else {
      branch = -1 - static_cast<std::int32_t>(incomplete_.size());
      incomplete_.push_back(item);
    }
    branch_[item] = branch;
  };
  if (table_.is_nominal(column)) {
    const std::vector<std::int32_t>& code = table_.codes[table_.place[column]];
    for (std::int64_t i = task.begin; i < task.end; ++i) {
      const std::int32_t level = code[items_.row[list_[i]]];
      assign(list_[i], level < 0 || test.branch_of.empty() ? level : test.branch_of[level]);
    }
    return;
  }
  const SortedView list = list_of(column, task);
  for (const Entry& entry : list.known) assign(entry.item, entry.rank <= test.rank ? 0 : 1);
  for (const Entry& entry : list.missing) assign(entry.item, -1);
}

template <class Judge>
void Grower<Judge>::split(const Task& task, const NodeView<T>& view, int column) {
  assign_branches(task, column);
  write_test(trunk_, task.node, column, table_.data->columns[column], found_[column]);
  const std::int32_t first = trunk_.nodes[task.node].first_child;
  Task after;
  after.column = column;
  ++tested_[column];
  if (!incomplete_.empty()) {
    after.n_items = static_cast<std::int64_t>(items_.row.size());
    after.begin = static_cast<std::int64_t>(list_.size());
    tasks_.push_back(after);
    lay_down(task, view, found_[column].share);
    return;
  }
  tasks_.push_back(after);
  part_in_place(task);
  const double known = static_cast<double>(task.end - task.begin);
  std::vector<double> weight(count_.size(), 0.0);
  double sum = known;
  if (!task.unit) {
    sum = 0;
    std::int64_t at = task.begin;
    for (std::size_t b = 0; b < count_.size(); ++b)
      for (std::int64_t i = 0; i < count_[b]; ++i, ++at) weight[b] += items_.weight[list_[at]];
    for (double w : weight) sum += w;
  }
  std::int64_t at = task.end;
  // Pushed from the last, so that the first is grown first.
  for (auto b = static_cast<std::int32_t>(count_.size()) - 1; b >= 0; --b) {
    at -= count_[b];
    trunk_.nodes[first + b].share = (task.unit ? static_cast<double>(count_[b]) : weight[b]) / sum;
    if (count_[b]) tasks_.push_back({first + b, at, at + count_[b], task.unit, task.depth + 1});
  }
}

template <class Judge>
void Grower<Judge>::part_in_place(const Task& task) {
  const std::int64_t n = task.end - task.begin;
  std::vector<std::int64_t> start(count_.size(), 0);
  for (std::size_t b = 1; b < count_.size(); ++b) start[b] = start[b - 1] + count_[b - 1];
  const auto part = [&](auto* list, auto& spare, const auto& item_of) {
    spare.resize(n);
    if (start.size() == 2) {  // the first branch moves up in place, the second is kept aside
      std::int64_t first = 0, second = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        const auto entry = list[i];
        const bool aside = branch_[item_of(entry)] != 0;
        list[first] = entry;
        spare[second] = entry;
        first += !aside;
        second += aside;
      }
      std::copy_n(spare.data(), second, list + first);
      return;
    }
    std::vector<std::int64_t> at = start;
    for (std::int64_t i = 0; i < n; ++i) spare[at[branch_[item_of(list[i])]]++] = list[i];
    std::copy_n(spare.data(), n, list);
  };
  part(list_.data() + task.begin, spare_list_, [](std::uint32_t item) { return item; });
  const int n_lists = static_cast<int>(table_.numbers.size());
  const auto part_list = [&](int c, int member) {
    part(table_.numbers[c].entries.data() + task.begin, spare_[member],
         [](const Entry& e) { return e.item; });
  };
  if (team_.size() > 1 && n * n_lists >= kCellsForTeam)
    team_.run(n_lists, part_list);
  else
    for (int c = 0; c < n_lists; ++c) part_list(c, 0);
}

// Lays down the lists of the children behind all others, with the parts of incomplete items.
template <class Judge>
void Grower<Judge>::lay_down(const Task& task, const NodeView<T>& view, const std::vector<T>& share) {
  const std::int32_t first = trunk_.nodes[task.node].first_child;
  const auto n_branches = static_cast<std::int32_t>(count_.size());
  const auto m = static_cast<std::int64_t>(incomplete_.size());
  std::vector<T> inside(n_branches, T{0});
  T missing = 0;
  for (std::int64_t i = task.begin; i < task.end; ++i) {
    const std::uint32_t item = list_[i];
    (branch_[item] < 0 ? missing : inside[branch_[item]]) += items_.weight[item];
  }
  const T known = view.weight - missing;
  double all_inside = 0;
  for (T w : inside) all_inside += w;
  std::vector<std::int64_t> begin(n_branches), first_part(n_branches);
  std::int64_t at = static_cast<std::int64_t>(list_.size());
  for (std::int32_t b = 0; b < n_branches; ++b) {
    trunk_.nodes[first + b].share = share.empty() ? inside[b] / all_inside : share[b];
    begin[b] = at;
    first_part[b] = static_cast<std::int64_t>(items_.row.size());
    if (!count_[b]) continue;
    at += count_[b] + m;
    for (std::uint32_t item : incomplete_) {
      const std::uint32_t row = items_.row[item];
      const T part =
          share.empty() ? judge_.part(items_.weight[item], inside[b], known) : share[b] * items_.weight[item];
      items_.row.push_back(row);
      items_.weight.push_back(part);
    }
  }
  branch_.resize(items_.row.size());
  const auto lay = [&](auto& list, auto with_item, auto item_of) {
    list.resize(at);
    std::vector<std::int64_t> to = begin;
    for (std::int64_t i = task.begin; i < task.end; ++i) {
      const auto entry = list[i];
      const std::int32_t branch = branch_[item_of(entry)];
      if (branch >= 0) {
        list[to[branch]++] = entry;
        continue;
      }
      for (std::int32_t b = 0; b < n_branches; ++b)
        if (count_[b])
          list[to[b]++] = with_item(entry, static_cast<std::uint32_t>(first_part[b] - 1 - branch));
    }
  };
  lay(list_, [](std::uint32_t, std::uint32_t item) { return item; }, [](std::uint32_t item) { return item; });
  for (SortedColumn<T>& column : table_.numbers)
    lay(
        column.entries, [](const Entry& e, std::uint32_t item) { return Entry{item, e.rank, e.label}; },
        [](const Entry& e) { return e.item; });
  for (std::int32_t b = n_branches - 1; b >= 0; --b)
    if (count_[b]) tasks_.push_back({first + b, begin[b], begin[b] + count_[b] + m, false, task.depth + 1});
}

}  // namespace bough::quinlan
