// The grower: splits nodes by the best test that a search finds, depth first, until it makes leaves of them.
//
// A search has: Number, the type of weights; Scratch; width(), the number of statistics of a node; tally,
// which sums them; risk; stays_leaf; best_level_test and best_threshold, the best test of one column;
// choose_column; fraction, what of the weight of an item with a missing value goes down a branch; and
// collapse, called once the tree is grown.
//
// Each node holds a range of the list of items, and the same range of each column's sorted list. A split
// partitions the ranges in place. An item whose value is missing goes down several branches, a fraction in
// each, so then the lists of the children are appended behind all others; they are removed when the last of
// the children is done.
#pragma once

#include "bough/machine/watch.hpp"
#include "bough/quinlan/node_view.hpp"

namespace bough::quinlan {

template <class Search>
class Grower {
 public:
  using T = typename Search::Number;

  // The work that the watch hears of is a unit a row.
  Grower(const Search& search, Table<T>& table, Team& team, Watch& watch)
      : search_(search), table_(table), team_(team), watch_(watch) {}

  TreeBuilder grow();

 private:
  struct Task {
    std::int32_t node = -1;  // -1: the children of a split are done; undo what was done for them
    std::int64_t begin = 0, end = 0;
    bool unit_weights = true;
    std::int32_t depth = 0;
    std::int32_t column = -1;   // of the split that is done
    std::int64_t n_items = -1;  // to go back to; -1: nothing was added
  };

  void start();
  void visit(const Task& task);
  void search_columns(const Task& task, const NodeView<T>& view);
  void split(const Task& task, const NodeView<T>& view, int column);
  void assign_branches(const Task& task, int column);
  void note_neighbours(const Task& task, int column);
  void partition_in_place(const Task& task);
  void copy_with_fractions(const Task& task, const NodeView<T>& view, const std::vector<T>& share);
  SortedView list_of(int column, const Task& task) const;
  double cases_of(const NodeView<T>& view) const;
  bool takes_long(int column) const {
    if constexpr (requires { search_.forms_subsets(0); })
      return table_.is_nominal(column) && search_.forms_subsets(column);
    return false;
  }

  static constexpr std::int64_t kCellsForTeam = 20000;
  // Whether sums are rounded as the search rounds them: the class weights of a child are those that it
  // counted in the parent, and errors are summed in the order of the column that it finds best.
  static constexpr bool kSumsInOrder = requires(
      const Search& search, const std::vector<Candidate<T>>& found) { search.column_of_order(found); };
  // Whether a node sees what the search counted for it in the parent.
  static constexpr bool kSeesCounts = kSumsInOrder || requires { requires Search::kCountsChildren; };

  const Search& search_;
  Table<T>& table_;
  Team& team_;
  Watch& watch_;
  TreeBuilder tree_;
  Items<T> items_;
  std::vector<std::uint32_t> list_;   // the items of each node, in ranges
  std::vector<std::int32_t> branch_;  // of each item of the node; if missing, -1 - its index in incomplete_
  std::vector<std::int64_t> count_;   // items of each branch whose value is known
  std::vector<std::uint32_t> incomplete_;  // items whose value is missing
  std::vector<Candidate<T>> found_;
  std::vector<typename Search::Scratch> scratch_;
  std::vector<std::vector<Entry>> buffer_;
  std::vector<std::uint32_t> list_buffer_;
  std::vector<T> statistics_;
  std::vector<int> tested_;  // how often each column is tested above the node
  std::vector<Task> tasks_;
};

template <class Search>
void Grower<Search>::start() {
  const Data& data = *table_.data;
  const auto n = static_cast<std::uint32_t>(data.n_rows);
  items_.row.resize(n);
  items_.weight.resize(n);
  bool unit_weights = true;
  for (std::uint32_t i = 0; i < n; ++i) {
    items_.row[i] = i;
    items_.weight[i] = data.weight ? static_cast<T>(data.weight[i]) : T{1};
  }
  for (std::uint32_t row : table_.rows) unit_weights &= items_.weight[row] == 1;
  list_ = table_.rows;
  branch_.resize(n);
  found_.resize(data.columns.size());
  scratch_.resize(team_.size());
  buffer_.resize(team_.size());
  tested_.assign(data.columns.size(), 0);
  tree_.width = search_.width();
  tree_.nodes.resize(1);
  tree_.statistics.assign(tree_.width, 0.0);
  tasks_.push_back({0, 0, static_cast<std::int64_t>(list_.size()), unit_weights, 0});
}

template <class Search>
TreeBuilder Grower<Search>::grow() {
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
  search_.collapse(tree_);
  return std::move(tree_);
}

template <class Search>
SortedView Grower<Search>::list_of(int column, const Task& task) const {
  const std::vector<Entry>& entries = table_.sorted(column).entries;
  const std::span<const Entry> all(entries.data() + task.begin, task.end - task.begin);
  if (all.empty() || all.back().rank != kMissing) return {all, {}};
  const auto known =
      std::partition_point(all.begin(), all.end(), [](const Entry& e) { return e.rank != kMissing; });
  return {{all.begin(), known}, {known, all.end()}};
}

// Of a row that weighs something, the share of its weight that is here counts for its cases.
template <class Search>
double Grower<Search>::cases_of(const NodeView<T>& view) const {
  const Data& data = *table_.data;
  if (view.unit_weights || (!data.weight && !data.cases)) return view.weight;
  double sum = 0;
  for (std::uint32_t item : view.items) {
    const std::uint32_t row = items_.row[item];
    const double whole = data.weight ? data.weight[row] : 1, cases = data.cases ? data.cases[row] : 1;
    sum += item < data.n_rows ? cases : items_.weight[item] / whole * cases;
  }
  return sum;
}

template <class Search>
void Grower<Search>::visit(const Task& task) {
  NodeView<T> view;
  view.items = {list_.data() + task.begin, static_cast<std::size_t>(task.end - task.begin)};
  view.unit_weights = task.unit_weights;
  view.depth = task.depth;
  if (kSeesCounts && task.node > 0) view.counted = tree_.statistics_of(task.node);
  search_.tally(items_, view, statistics_);
  Node& node = tree_.nodes[task.node];
  node.weight = view.weight;
  node.cases = cases_of(view);
  node.risk = search_.risk(view);
  search_.store(view, tree_.statistics_of(task.node));
  const bool stays_leaf = search_.stays_leaf(view);
  if (!stays_leaf || kSumsInOrder) search_columns(task, view);
  if constexpr (kSumsInOrder) {
    const int best = search_.column_of_order(found_);
    const bool sorted = best >= 0 && !table_.is_nominal(best);
    node.risk = search_.errors_in_order(best, sorted ? list_of(best, task) : SortedView{}, view, items_);
  }
  const int column = stays_leaf ? -1 : search_.choose_column(found_);
  if (column < 0) {
    watch_.done(static_cast<double>(view.items.size()));
    return;
  }
  split(task, view, column);
}

template <class Search>
void Grower<Search>::search_columns(const Task& task, const NodeView<T>& view) {
  const int n_columns = static_cast<int>(found_.size());
  const auto search = [&](int c, int member) {
    typename Search::Scratch& scratch = scratch_[member];
    found_[c] = table_.is_nominal(c) ? search_.best_level_test(c, view, items_, tested_[c] > 0, scratch)
                                     : search_.best_threshold(c, list_of(c, task), view, items_, scratch);
  };
  if (team_.size() == 1 || (task.end - task.begin) * n_columns < kCellsForTeam) {
    for (int c = 0; c < n_columns; ++c) search(c, 0);
    return;
  }
  // What may take long is left to the calling thread, which polls the watch.
  team_.run(n_columns, [&](int c, int member) {
    if (!takes_long(c)) search(c, member);
  });
  for (int c = 0; c < n_columns; ++c)
    if (takes_long(c)) search(c, 0);
}

template <class Search>
void Grower<Search>::assign_branches(const Task& task, int column) {
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
    const std::vector<std::int32_t>& code = table_.codes_of(column);
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

// Notes the values beside the cut of the node's threshold, whose cases have their branches.
template <class Search>
void Grower<Search>::note_neighbours(const Task& task, int column) {
  const std::span<const Entry> known = list_of(column, task).known;
  const auto note = [&](std::int64_t from, std::int64_t step, std::int32_t branch) {
    // Several numbers may be rounded to one rank.
    for (std::int64_t i = from; i >= 0 && i < static_cast<std::int64_t>(known.size()); i += step) {
      if (known[i].rank != known[from].rank) return;
      const double x = table_.data->columns[column].value(items_.row[known[i].item]);
      tree_.nodes[task.node].note_value(branch, x);
    }
  };
  note(count_[0] - 1, -1, 0);
  note(count_[0], 1, 1);
}

template <class Search>
void Grower<Search>::split(const Task& task, const NodeView<T>& view, int column) {
  assign_branches(task, column);
  record_split(tree_, task.node, column, table_.data->columns[column], found_[column]);
  if (!table_.is_nominal(column)) note_neighbours(task, column);
  const std::int32_t first = tree_.nodes[task.node].first_child;
  std::copy(found_[column].statistics.begin(), found_[column].statistics.end(), tree_.statistics_of(first));
  Task after;
  after.column = column;
  ++tested_[column];
  if (!incomplete_.empty()) {
    after.n_items = static_cast<std::int64_t>(items_.row.size());
    after.begin = static_cast<std::int64_t>(list_.size());
    tasks_.push_back(after);
    copy_with_fractions(task, view, found_[column].share);
    return;
  }
  tasks_.push_back(after);
  partition_in_place(task);
  const double known = static_cast<double>(task.end - task.begin);
  std::vector<double> weight(count_.size(), 0.0);
  double sum = known;
  if (!task.unit_weights) {
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
    const std::vector<T>& share = found_[column].share;
    tree_.nodes[first + b].share = !share.empty()      ? share[b]
                                   : task.unit_weights ? static_cast<double>(count_[b]) / sum
                                                       : weight[b] / sum;
    if (count_[b]) tasks_.push_back({first + b, at, at + count_[b], task.unit_weights, task.depth + 1});
  }
}

template <class Search>
void Grower<Search>::partition_in_place(const Task& task) {
  const std::int64_t n = task.end - task.begin;
  std::vector<std::int64_t> start(count_.size(), 0);
  for (std::size_t b = 1; b < count_.size(); ++b) start[b] = start[b - 1] + count_[b - 1];
  const auto partition = [&](auto* list, auto& buffer, const auto& item_of) {
    buffer.resize(n);
    if (start.size() == 2) {  // the first branch moves up in place, the second is kept aside
      std::int64_t first = 0, second = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        const auto entry = list[i];
        const bool aside = branch_[item_of(entry)] != 0;
        list[first] = entry;
        buffer[second] = entry;
        first += !aside;
        second += aside;
      }
      std::copy_n(buffer.data(), second, list + first);
      return;
    }
    std::vector<std::int64_t> at = start;
    for (std::int64_t i = 0; i < n; ++i) buffer[at[branch_[item_of(list[i])]]++] = list[i];
    std::copy_n(buffer.data(), n, list);
  };
  partition(list_.data() + task.begin, list_buffer_, [](std::uint32_t item) { return item; });
  const int n_lists = static_cast<int>(table_.numbers.size());
  const auto partition_list = [&](int c, int member) {
    partition(table_.numbers[c].entries.data() + task.begin, buffer_[member],
              [](const Entry& e) { return e.item; });
  };
  if (team_.size() > 1 && n * n_lists >= kCellsForTeam)
    team_.run(n_lists, partition_list);
  else
    for (int c = 0; c < n_lists; ++c) partition_list(c, 0);
}

// Appends the lists of the children behind all others, with fractions of the incomplete items.
template <class Search>
void Grower<Search>::copy_with_fractions(const Task& task, const NodeView<T>& view,
                                         const std::vector<T>& share) {
  const std::int32_t first = tree_.nodes[task.node].first_child;
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
    tree_.nodes[first + b].share = share.empty() ? inside[b] / all_inside : share[b];
    begin[b] = at;
    first_part[b] = static_cast<std::int64_t>(items_.row.size());
    if (!count_[b]) continue;
    at += count_[b] + m;
    for (std::uint32_t item : incomplete_) {
      const std::uint32_t row = items_.row[item];
      const T part = share.empty() ? search_.fraction(items_.weight[item], inside[b], known)
                                   : share[b] * items_.weight[item];
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
