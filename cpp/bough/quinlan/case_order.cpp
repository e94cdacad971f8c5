#include "bough/quinlan/case_order.hpp"

#include <algorithm>
#include <utility>

namespace bough::quinlan {

CaseOrderGrower::CaseOrderGrower(const Release8Search& search, const Table<float>& table, Watch& watch)
    : search_(search), table_(table), watch_(watch) {
  const Data& data = *table.data;
  const bool whole = table.whole_weights;
  for (std::uint32_t row : table.rows) {
    const double weight = data.weight ? data.weight[row] : 1;
    weights_count_cases_ &= weight == (data.cases ? data.cases[row] : 1);
    for (double copy = 0; copy < (whole ? weight : 1); ++copy) {
      cases_.push_back(static_cast<std::uint32_t>(items_.row.size()));
      items_.row.push_back(row);
      items_.weight.push_back(whole ? 1.0f : static_cast<float>(weight));
    }
  }
  all_known_ = whole;
  weights_count_cases_ |= !data.weight;
  ranks_.resize(data.columns.size());
  for (std::size_t c = 0; c < data.columns.size(); ++c) {
    if (table.is_nominal(static_cast<int>(c))) continue;
    ranks_[c].assign(data.n_rows, kMissing);
    for (const Entry& entry : table.sorted(static_cast<int>(c)).entries) ranks_[c][entry.item] = entry.rank;
  }
  found_.resize(data.columns.size());
  tested_.assign(data.columns.size(), 0);
  tree_.width = search.width();
  tree_.nodes.resize(1);
  tree_.statistics.assign(tree_.width, 0.0);
}

TreeBuilder CaseOrderGrower::grow() {
  enter(0, 0, static_cast<std::int64_t>(cases_.size()));
  while (!frames_.empty()) {
    watch_.poll_or_throw();
    if (frames_.back().branch >= 0) leave_branch(frames_.back());
    if (next_branch(frames_.back())) continue;
    --tested_[frames_.back().column];
    all_known_ = frames_.back().all_known;
    frames_.pop_back();
  }
  tree_.divide_shares();
  search_.collapse(tree_);
  return std::move(tree_);
}

float CaseOrderGrower::count(std::int64_t begin, std::int64_t end) const {
  if (all_known_) return static_cast<float>(end - begin);
  float sum = 0;
  for (std::int64_t i = begin; i < end; ++i) sum += items_.weight[cases_[i]];
  return sum;
}

// Of a row that weighs something, the share of its weight that is here counts for its cases.
double CaseOrderGrower::cases_of(const NodeView<float>& view) const {
  if (weights_count_cases_) return view.weight;
  const Data& data = *table_.data;
  double sum = 0;
  for (std::uint32_t item : view.items) {
    const std::uint32_t row = items_.row[item];
    sum += items_.weight[item] / static_cast<float>(data.weight[row]) * (data.cases ? data.cases[row] : 1);
  }
  return sum;
}

// Makes a node of the cases; if it is split, a frame for its branches.
bool CaseOrderGrower::enter(std::int32_t node, std::int64_t begin, std::int64_t end) {
  NodeView<float> view;
  view.items = {cases_.data() + begin, static_cast<std::size_t>(end - begin)};
  view.unit_weights = all_known_;
  search_.tally(items_, view, statistics_);
  tree_.nodes[node].weight = view.weight;
  tree_.nodes[node].cases = cases_of(view);
  tree_.nodes[node].risk = search_.risk(view);
  search_.store(view, tree_.statistics_of(node));
  if (search_.stays_leaf(view)) return false;
  for (std::size_t c = 0; c < found_.size(); ++c) {
    view.recounted = count(begin, end);
    found_[c] = best_test(static_cast<int>(c), view, begin, end);
  }
  const int column = search_.choose_column(found_);
  if (column < 0) return false;
  record(node, column, begin, end);
  ++tested_[column];
  Frame frame{node, begin, group(column, -1, begin, end, tree_.nodes[node]), end, 0};
  frame.all_known = all_known_;
  frame.column = column;
  if (frame.known != begin) all_known_ = false;
  frame.known_weight = view.weight - count(begin, frame.known);
  frames_.push_back(frame);
  return true;
}

// Grows the next branch that has cases; false: there is none.
bool CaseOrderGrower::next_branch(Frame& frame) {
  const Node node = tree_.nodes[frame.node];
  while (++frame.branch < node.n_children) {
    frame.branch_end = group(frame.column, frame.branch, frame.known, frame.end, node);
    const std::int32_t child = node.first_child + frame.branch;
    tree_.nodes[child].share = 0;
    if (frame.branch_end == frame.known) continue;
    const float inside = count(frame.known, frame.branch_end);
    frame.factor = inside / frame.known_weight;
    tree_.nodes[child].share = inside;  // divided in the end, for the rounded factors do not sum to 1
    for (std::int64_t i = frame.begin; i < frame.known; ++i) items_.weight[cases_[i]] *= frame.factor;
    enter(child, frame.begin, frame.branch_end);  // frame is void from here on
    return true;
  }
  return false;
}

void CaseOrderGrower::leave_branch(Frame& frame) {
  group(frame.column, -1, frame.begin, frame.branch_end, tree_.nodes[frame.node]);
  for (std::int64_t i = frame.begin; i < frame.known; ++i) items_.weight[cases_[i]] /= frame.factor;
}

Candidate<float> CaseOrderGrower::best_test(int column, const NodeView<float>& view, std::int64_t begin,
                                            std::int64_t end) {
  if (table_.is_nominal(column)) {
    const std::vector<std::int32_t>& code = table_.codes_of(column);
    const auto found = search_.best_level_test(column, view, items_, tested_[column] > 0, scratch_);
    // Release 8 asks for one case only while it forms subsets, and, where no value is known, ever after.
    if (search_.forms_subsets(column) &&
        std::all_of(view.items.begin(), view.items.end(),
                    [&](std::uint32_t i) { return code[items_.row[i]] < 0; }))
      search_.set_min_cases(1);
    return found;
  }
  const std::vector<std::uint32_t>& rank = ranks_[column];
  const std::int32_t* label = table_.data->label;
  entries_.clear();
  std::int64_t known = begin;
  const auto add = [&](std::uint32_t item) {
    const std::uint32_t row = items_.row[item];
    entries_.push_back({item, rank[row], static_cast<std::uint32_t>(label[row])});
  };
  for (std::int64_t i = begin; i < end; ++i)
    if (rank[items_.row[cases_[i]]] == kMissing) {
      add(cases_[i]);
      swap(known++, i);
    }
  const std::size_t n_missing = entries_.size();
  if (search_.too_few_known(entries_, view, items_)) return {};
  sort(known, end, rank);
  for (std::int64_t i = known; i < end; ++i) add(cases_[i]);
  const std::span<const Entry> all(entries_);
  return search_.best_threshold(column, {all.subspan(n_missing), all.first(n_missing)}, view, items_,
                                scratch_);
}

void CaseOrderGrower::record(std::int32_t node, int column, std::int64_t begin, std::int64_t end) {
  const Candidate<float>& test = found_[column];
  record_split(tree_, node, column, table_.data->columns[column], test);
  cut_rank_.resize(tree_.nodes.size());
  cut_rank_[node] = test.rank;
  if (table_.is_nominal(column)) return;
  for (std::int64_t i = begin; i < end; ++i) {
    const std::uint32_t row = items_.row[cases_[i]];
    Node& split = tree_.nodes[node];
    split.note_value(branch_of(split, column, row), table_.data->columns[column].value(row));
  }
}

// Release 8's quicksort: the last value is the threshold, values equal to it are taken out at once. Cases are
// moved together with their ranks.
void CaseOrderGrower::sort(std::int64_t begin, std::int64_t end, const std::vector<std::uint32_t>& rank) {
  ranked_.resize(end - begin);
  for (std::int64_t i = begin; i < end; ++i) {
    const std::uint32_t item = cases_[i];
    ranked_[i - begin] = {rank[items_.row[item]], item};
  }
  Ranked* at = ranked_.data();
  ranges_.assign(1, {0, end - begin - 1});
  while (!ranges_.empty()) {
    const auto [first, last] = ranges_.back();
    ranges_.pop_back();
    if (first >= last) continue;
    const std::uint32_t threshold = at[last].rank;
    std::int64_t middle = first;
    for (std::int64_t i = first; i < last; ++i)
      if (at[i].rank <= threshold) std::swap(at[middle++], at[i]);
    std::int64_t lower = middle - 1;
    for (std::int64_t i = lower; i >= first; --i)
      if (at[i].rank == threshold) std::swap(at[lower--], at[i]);
    std::swap(at[middle], at[last]);
    ranges_.push_back({middle + 1, last});
    ranges_.push_back({first, lower});
  }
  for (std::int64_t i = begin; i < end; ++i) cases_[i] = at[i - begin].item;
}

std::int32_t CaseOrderGrower::branch_of(const Node& node, int column, std::uint32_t row) const {
  if (!table_.is_nominal(column)) {
    const std::uint32_t rank = ranks_[column][row];
    return rank == kMissing ? -1 : rank <= cut_rank_[tree_.nodes[node.first_child].parent] ? 0 : 1;
  }
  const std::int32_t level = table_.codes_of(column)[row];
  return level < 0 ? -1 : tree_.level_branch[node.first_level + level];
}

// Brings the cases of a branch (-1: those with missing values) to the front; returns their end.
std::int64_t CaseOrderGrower::group(int column, std::int32_t branch, std::int64_t begin, std::int64_t end,
                                    const Node& node) {
  for (std::int64_t i = begin; i < end; ++i)
    if (branch_of(node, column, items_.row[cases_[i]]) == branch) swap(begin++, i);
  return begin;
}

}  // namespace bough::quinlan
