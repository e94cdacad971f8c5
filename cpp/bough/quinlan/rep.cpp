#include "bough/quinlan/rep.hpp"

namespace bough::quinlan {

namespace {

// Squares of numbers this far from 0, in units of their variance, leave too few digits for their differences.
constexpr double kFarOff = 1e6;

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

inline double RepClassSearch::ln_term(std::int64_t n) const {
  return n < static_cast<std::int64_t>(ln_terms_.size()) ? ln_terms_[n] : ln_term(static_cast<double>(n));
}

double RepClassSearch::ln_term(double n) const {
  if (n < 1e-6) return 0;
  const auto whole = static_cast<std::size_t>(n);
  return whole < ln_terms_.size() && static_cast<double>(whole) == n ? ln_terms_[whole] : n * std::log(n);
}

// Sets the gain from the counts of known values in rows 1 on; missing ones, (class, weight) each, are shared
// out as the known ones are. Terms are summed in Weka's order, for ties hang on the last bit.
void RepClassSearch::set_gain(Candidate<double>& found, Scratch& scratch,
                              const std::vector<std::pair<std::uint32_t, double>>& missing) const {
  const int k = n_classes_, n_branches = found.n_branches;
  double* dist = scratch.freq.data() + k;
  const auto at = [k](int b, int c) { return static_cast<std::size_t>(b) * k + c; };
  std::vector<double> share(n_branches);
  double known = 0;
  for (int b = 0; b < n_branches; ++b) {
    for (int c = 0; c < k; ++c) share[b] += dist[at(b, c)];
    known += share[b];
  }
  found.kind = known > 0 ? found.kind : SplitKind::leaf;
  for (double& of_branch : share) of_branch /= known;
  for (const auto& [label, weight] : missing)
    for (int b = 0; b < n_branches; ++b) dist[at(b, static_cast<int>(label))] += share[b] * weight;
  double before = 0, after = 0, total = 0;
  for (int c = 0; c < k; ++c) {
    double of_class = 0;
    for (int b = 0; b < n_branches; ++b) of_class += dist[at(b, c)];
    before -= ln_term(of_class);
    total += of_class;
  }
  before = (before + ln_term(total)) / (total * kLn2);
  int enough = 0;
  total = 0;
  for (int b = 0; b < n_branches; ++b) {
    double weight = 0;
    for (int c = 0; c < k; ++c) {
      after += ln_term(dist[at(b, c)]);
      weight += dist[at(b, c)];
    }
    after -= ln_term(weight);
    total += weight;
    enough += weight >= options_.min_weight;
  }
  found.gain = before + after / (total * kLn2);
  found.score = enough > 1;
  found.statistics.assign(dist, dist + at(n_branches, 0));
  found.share = std::move(share);
}

Candidate<double> RepClassSearch::best_level_test(int column, const NodeView<double>& view,
                                                  const Items<double>& items, bool, Scratch& scratch) const {
  Candidate<double> found = one_branch_a_level(table_.data->columns[column]);
  count_levels(column, view, items, scratch);
  std::vector<std::pair<std::uint32_t, double>> missing;
  if (scratch.value_freq[0] > 0) {
    const std::vector<std::int32_t>& code = table_.codes_of(column);
    for (std::uint32_t item : view.items)
      if (const std::uint32_t row = items.row[item]; code[row] < 0)
        missing.push_back({static_cast<std::uint32_t>(table_.data->label[row]), items.weight[item]});
  }
  set_gain(found, scratch, missing);
  return found;
}

// Notes the gain of every cut between values that differ and that may have the greatest.
template <bool Unit>
void RepClassSearch::scan(std::span<const Entry> list, const Items<double>& items, Scratch& scratch) const {
  const int k = n_classes_;
  double known = 0, prior = 0;
  for (const Entry& entry : list) known += Unit ? 1.0 : items.weight[entry.item];
  for (int c = 0; c < k; ++c) prior -= ln_term(scratch.all[c]);
  prior = (prior + ln_term(known)) / (known * kLn2);
  // Of weights, those below 1e-6 count as none.
  const double slack = 1e-9 * (std::abs(std::log2(known)) + 2) + (Unit ? 0 : (k + 1) * 5e-5 / known);
  const GainBound<double> bound(scratch.all, known, 1, slack);
  const auto gain = [&](std::int64_t, double, const auto* low, const auto* high) {
    double entropy = 0, sum = 0;
    const auto add_side = [&](const auto* side) {
      auto total = side[0];
      entropy += ln_term(side[0]);
      for (int c = 1; c < k; ++c) {
        entropy += ln_term(side[c]);
        total += side[c];
      }
      entropy -= ln_term(total);
      sum += static_cast<double>(total);
    };
    add_side(low);
    add_side(high);
    return prior + entropy / (sum * kLn2);
  };
  const auto always = [](double) { return Enough::yes; };
  const auto apart = [](std::int64_t) { return true; };
  scan_cuts<Unit>(list, items, bound, scratch, always, apart, gain);
}

Candidate<double> RepClassSearch::best_threshold(int column, const SortedView& list,
                                                 const NodeView<double>& view, const Items<double>& items,
                                                 Scratch& scratch) const {
  if (list.known.empty() || list.known.front().rank == list.known.back().rank) return {};
  const SortedColumn<double>& sorted = table_.sorted(column);
  const int k = n_classes_;
  const auto weight = [&](const Entry& e) { return view.unit_weights ? 1.0 : items.weight[e.item]; };
  sum_known(list, view, items, scratch);
  if (view.unit_weights)
    scan<true>(list.known, items, scratch);
  else
    scan<false>(list.known, items, scratch);
  const auto most = std::max_element(scratch.gain.begin(), scratch.gain.end());
  const std::size_t at = scratch.position[most - scratch.gain.begin()];
  Candidate<double> found;
  set_cut(found, sorted, list.known[at].rank, list.known[at + 1].rank);
  scratch.freq.assign(3 * static_cast<std::size_t>(k), 0.0);
  double *low = scratch.freq.data() + k, *high = low + k;
  std::copy(scratch.all.begin(), scratch.all.end(), high);
  for (std::size_t i = 0; i <= at; ++i) {
    low[list.known[i].label] += weight(list.known[i]);
    high[list.known[i].label] -= weight(list.known[i]);
  }
  std::vector<std::pair<std::uint32_t, double>> missing;
  for (const Entry& entry : list.missing) missing.push_back({entry.label, weight(entry)});
  set_gain(found, scratch, missing);
  return found;
}

RepNumberSearch::RepNumberSearch(const Table<double>& table, const RepOptions& options)
    : RepRules(options), table_(table) {
  const Data& data = *table.data;
  const auto weight = [&](std::uint32_t row) { return data.weight ? data.weight[row] : 1.0; };
  double total = 0, sum = 0;
  for (std::uint32_t row : table.rows) {
    total += weight(row);
    sum += weight(row) * data.y[row];
  }
  Sums all;
  const double mean = sum / total;
  for (std::uint32_t row : table.rows) all.add(weight(row), data.y[row] - mean);
  if (mean * mean > kFarOff * all.error() / total) centre_ = mean;
  least_variance_ = options.min_variance * all.error() / total;
}

void RepNumberSearch::tally(const Items<double>& items, NodeView<double>& view,
                            std::vector<double>& statistics) const {
  Sums all;
  for (std::uint32_t item : view.items) all.add(items.weight[item], y(items.row[item]));
  statistics = {all.weight, all.sum, all.square};
  view.statistics = statistics.data();
  view.weight = all.weight;
  view.recounted = view.counted ? view.counted[0] : all.weight;
}

bool RepNumberSearch::stays_leaf(const NodeView<double>& view) const {
  return is_too_small_or_deep(view) || sums_of(view).error() / view.weight < least_variance_;
}

// total: of the known values. Missing ones are shared out one after the other, as Weka does it.
void RepNumberSearch::set_gain(Candidate<double>& found, Sums total,
                               const std::vector<WeightedNumber>& missing, std::vector<Sums>& branch) const {
  double known = 0, after = 0;
  int enough = 0;
  for (const Sums& sums : branch) known += sums.weight;
  if (!(known > 0)) {
    found.kind = SplitKind::leaf;
    return;
  }
  std::vector<double> share;
  for (const Sums& sums : branch) share.push_back(sums.weight / known);
  for (const auto& [weight, y] : missing) {
    for (std::size_t b = 0; b < branch.size(); ++b) {
      branch[b].sum += share[b] * y * weight;
      branch[b].square += share[b] * y * y * weight;
      branch[b].weight += share[b] * weight;
    }
    total.add(weight, y);
  }
  for (const Sums& sums : branch) {
    after += sums.error();
    enough += sums.weight >= options_.min_weight;
    found.statistics.push_back(sums.weight);
  }
  found.gain = total.error() - after;
  found.score = enough > 1;
  found.share = std::move(share);
}

Candidate<double> RepNumberSearch::best_level_test(int column, const NodeView<double>& view,
                                                   const Items<double>& items, bool, Scratch& scratch) const {
  Candidate<double> found = one_branch_a_level(table_.data->columns[column]);
  const std::vector<std::int32_t>& code = table_.codes_of(column);
  scratch.branch.assign(found.n_branches, {});
  scratch.missing.clear();
  for (std::uint32_t item : view.items) {
    const std::uint32_t row = items.row[item];
    if (code[row] < 0)
      scratch.missing.push_back({items.weight[item], y(row)});
    else
      scratch.branch[code[row]].add(items.weight[item], y(row));
  }
  Sums total;
  for (const Sums& sums : scratch.branch) {
    total.weight += sums.weight;
    total.sum += sums.sum;
    total.square += sums.square;
  }
  set_gain(found, total, scratch.missing, scratch.branch);
  return found;
}

Candidate<double> RepNumberSearch::best_threshold(int column, const SortedView& list, const NodeView<double>&,
                                                  const Items<double>& items, Scratch& scratch) const {
  if (list.known.empty() || list.known.front().rank == list.known.back().rank) return {};
  const SortedColumn<double>& sorted = table_.sorted(column);
  const auto add = [&](Sums& sums, const Entry& entry, double sign) {
    sums.add(sign * items.weight[entry.item], y(items.row[entry.item]));
  };
  Sums low, high;
  for (const Entry& entry : list.known) add(high, entry, 1);
  const Sums total = high;
  scratch.missing.clear();
  for (const Entry& entry : list.missing)
    scratch.missing.push_back({items.weight[entry.item], y(items.row[entry.item])});
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
  set_gain(found, total, scratch.missing, scratch.branch);
  return found;
}

}  // namespace bough::quinlan
