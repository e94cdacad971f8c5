#include "bough/quinlan/rep.hpp"

namespace bough::quinlan {

namespace {

// The cut between neighbours: x < cut holds for the lower one alone.
void set_cut(Candidate<double>& found, const SortedColumn<double>& column, std::uint32_t below,
             std::uint32_t above) {
  found.kind = SplitKind::threshold;
  found.n_branches = 2;
  found.rank = below;
  found.cut = cut_between(column.value[below], column.value[above], Scale::numeric);
  // In the whole table there may be other values between the two.
  while (found.rank + 1 < column.value.size() && column.value[found.rank + 1] < found.cut) ++found.rank;
}

}  // namespace

// Row 0 of the counts is that of missing values, which are shared out as the known ones are.
void RepClassJudge::set_gain(Candidate<double>& found, const Scratch& scratch, int n_branches) const {
  const int k = n_classes_;
  double known = 0, missing = scratch.value_freq[0], total = 0, before = 0, after = 0;
  for (int b = 1; b <= n_branches; ++b) known += scratch.value_freq[b];
  if (!(known > 0)) {
    found.kind = SplitKind::leaf;
    return;
  }
  int enough = 0;
  for (int c = 0; c < k; ++c) {
    double of_class = 0;
    for (int b = 1; b <= n_branches; ++b) {
      const double share = scratch.value_freq[b] / known;
      of_class += scratch.freq[static_cast<std::size_t>(b) * k + c] + share * scratch.freq[c];
    }
    before -= Weka::term(of_class);
    total += of_class;
  }
  before += Weka::term(total);
  for (int b = 1; b <= n_branches; ++b) {
    const double share = scratch.value_freq[b] / known;
    double weight = 0;
    for (int c = 0; c < k; ++c) {
      const double n = scratch.freq[static_cast<std::size_t>(b) * k + c] + share * scratch.freq[c];
      after -= Weka::term(n);
      weight += n;
    }
    after += Weka::term(weight);
    enough += scratch.value_freq[b] + share * missing >= options_.min_weight;
  }
  found.gain = total > 0 ? before / total - after / total : 0;
  found.worth = enough > 1;
}

Candidate<double> RepClassJudge::judge_levels(int column, const NodeView<double>& view,
                                              const Items<double>& items, bool, Scratch& scratch) const {
  Candidate<double> found;
  found.kind = SplitKind::complete;
  found.n_branches = table_.data->columns[column].n_levels;
  count_levels(column, view, items, scratch);
  set_gain(found, scratch, found.n_branches);
  return found;
}

Candidate<double> RepClassJudge::judge_numbers(int column, const SortedView& list,
                                               const NodeView<double>& view, const Items<double>& items,
                                               Scratch& scratch) const {
  if (list.known.empty() || list.known.front().rank == list.known.back().rank) return {};
  const SortedColumn<double>& sorted = table_.numbers[table_.place[column]];
  const int k = n_classes_;
  const auto weight = [&](const Entry& e) { return view.unit ? 1.0 : items.weight[e.item]; };
  scratch.low.assign(k, 0.0);
  scratch.high.assign(k, 0.0);
  double known = 0, below = 0;
  for (const Entry& entry : list.known) {
    scratch.high[entry.label] += weight(entry);
    known += weight(entry);
  }
  // The entropy before the split is the same for all cuts.
  double best = HUGE_VAL;
  std::size_t at = 0;
  for (std::size_t i = 0; i + 1 < list.known.size(); ++i) {
    const double w = weight(list.known[i]);
    below += w;
    scratch.low[list.known[i].label] += w;
    scratch.high[list.known[i].label] -= w;
    if (list.known[i].rank == list.known[i + 1].rank) continue;
    double entropy = 0, high = 0;
    for (int c = 0; c < k; ++c) entropy -= Weka::term(scratch.low[c]);
    entropy += Weka::term(below);
    for (int c = 0; c < k; ++c) {
      entropy -= Weka::term(scratch.high[c]);
      high += scratch.high[c];
    }
    entropy += Weka::term(high);
    if (entropy < best) {
      best = entropy;
      at = i;
    }
  }
  Candidate<double> found;
  set_cut(found, sorted, list.known[at].rank, list.known[at + 1].rank);
  scratch.freq.assign(static_cast<std::size_t>(3) * k, 0.0);
  scratch.value_freq.assign(3, 0.0);
  const auto add = [&](int row, const Entry& entry) {
    scratch.freq[static_cast<std::size_t>(row) * k + entry.label] += weight(entry);
    scratch.value_freq[row] += weight(entry);
  };
  for (const Entry& entry : list.missing) add(0, entry);
  for (std::size_t i = 0; i < list.known.size(); ++i) add(i <= at ? 1 : 2, list.known[i]);
  set_gain(found, scratch, 2);
  return found;
}

RepNumberJudge::RepNumberJudge(const Table<double>& table, const RepOptions& options)
    : table_(table), options_(options) {
  const Data& data = *table.data;
  const auto weight = [&](std::uint32_t row) { return data.weight ? data.weight[row] : 1.0; };
  double total = 0, sum = 0;
  for (std::uint32_t row : table.rows) {
    total += weight(row);
    sum += weight(row) * data.y[row];
  }
  centre_ = sum / total;
  Sums all;
  for (std::uint32_t row : table.rows) all.add(weight(row), y(row));
  least_variance_ = options.min_variance * all.error() / total;
}

void RepNumberJudge::tally(const Items<double>& items, NodeView<double>& view,
                           std::vector<double>& statistics) const {
  Sums all;
  for (std::uint32_t item : view.items) all.add(items.weight[item], y(items.row[item]));
  statistics = {all.weight, all.sum, all.square};
  view.statistics = statistics.data();
  view.weight = view.recounted = all.weight;
}

bool RepNumberJudge::stays_leaf(const NodeView<double>& view) const {
  return view.weight < 2 * options_.min_weight || sums_of(view).error() / view.weight < least_variance_ ||
         (options_.max_depth >= 0 && view.depth >= options_.max_depth);
}

void RepNumberJudge::set_gain(Candidate<double>& found, const NodeView<double>& view, const Sums& missing,
                              std::vector<Sums>& branch) const {
  double known = 0, after = 0;
  int enough = 0;
  for (const Sums& sums : branch) known += sums.weight;
  if (!(known > 0)) {
    found.kind = SplitKind::leaf;
    return;
  }
  for (Sums& sums : branch) {
    const double share = sums.weight / known;
    sums = {sums.weight + share * missing.weight, sums.sum + share * missing.sum,
            sums.square + share * missing.square};
    after += sums.error();
    enough += sums.weight >= options_.min_weight;
  }
  found.gain = sums_of(view).error() - after;
  found.worth = enough > 1;
}

Candidate<double> RepNumberJudge::judge_levels(int column, const NodeView<double>& view,
                                               const Items<double>& items, bool, Scratch& scratch) const {
  Candidate<double> found;
  found.kind = SplitKind::complete;
  found.n_branches = table_.data->columns[column].n_levels;
  const std::vector<std::int32_t>& code = table_.codes[table_.place[column]];
  scratch.branch.assign(found.n_branches, {});
  Sums missing;
  for (std::uint32_t item : view.items) {
    const std::uint32_t row = items.row[item];
    (code[row] < 0 ? missing : scratch.branch[code[row]]).add(items.weight[item], y(row));
  }
  set_gain(found, view, missing, scratch.branch);
  return found;
}

Candidate<double> RepNumberJudge::judge_numbers(int column, const SortedView& list,
                                                const NodeView<double>& view, const Items<double>& items,
                                                Scratch& scratch) const {
  if (list.known.empty() || list.known.front().rank == list.known.back().rank) return {};
  const SortedColumn<double>& sorted = table_.numbers[table_.place[column]];
  const auto add = [&](Sums& sums, const Entry& entry, double sign) {
    sums.add(sign * items.weight[entry.item], y(items.row[entry.item]));
  };
  Sums low, high, missing;
  for (const Entry& entry : list.known) add(high, entry, 1);
  for (const Entry& entry : list.missing) add(missing, entry, 1);
  scratch.branch.assign(2, {});
  double best = HUGE_VAL;
  std::size_t at = 0;
  for (std::size_t i = 0; i + 1 < list.known.size(); ++i) {
    add(low, list.known[i], 1);
    add(high, list.known[i], -1);
    if (list.known[i].rank == list.known[i + 1].rank) continue;
    const double error = low.error() + high.error();
    if (error < best) {
      best = error;
      at = i;
      scratch.branch = {low, high};
    }
  }
  Candidate<double> found;
  set_cut(found, sorted, list.known[at].rank, list.known[at + 1].rank);
  set_gain(found, view, missing, scratch.branch);
  return found;
}

}  // namespace bough::quinlan
