#include "bough/quinlan/j48.hpp"

namespace bough::quinlan {

J48Judge::J48Judge(const Table<double>& table, const C45Options& options, bool collapses)
    : ClassJudge(table), options_(options), collapses_(collapses) {
  for (const Column& column : table.data->columns) all_have_many_ &= has_many_levels(column);
}

double J48Judge::gain_of(double old_entropy, double new_entropy, double known, double all) const {
  const double unknown = (all - known) / all;
  const double numerator = (1 - unknown) * (old_entropy - new_entropy);
  return alike(numerator, 0) ? 0 : numerator / known;
}

double J48Judge::ratio_of(const double* branch, int n_branches, double known, double all, double gain) const {
  double sum = 0;
  if (!more(known, 0)) return 0;
  for (int b = 0; b < n_branches; ++b) sum -= Weka::xlog2x(branch[b]);
  sum -= Weka::xlog2x(all - known);
  sum += Weka::xlog2x(all);
  return alike(sum, 0) ? 0 : gain / (sum / all);
}

Candidate<double> J48Judge::judge_levels(int column, const NodeView<double>& view, const Items<double>& items,
                                         bool, Scratch& scratch) const {
  const int n_values = table_.data->columns[column].n_levels;
  count_levels(column, view, items, scratch);
  if (options_.binary) return judge_one_level(view, n_values, scratch);
  int enough = 0;
  double known = 0, old_entropy = 0, new_entropy = 0;
  for (int v = 1; v <= n_values; ++v) {
    enough += no_less(scratch.value_freq[v], options_.min_cases);
    known += scratch.value_freq[v];
  }
  if (enough < 2) return {};
  for (int c = 0; c < n_classes_; ++c) {
    double of_class = 0;
    for (int v = 1; v <= n_values; ++v)
      of_class += scratch.freq[static_cast<std::size_t>(v) * n_classes_ + c];
    old_entropy += Weka::xlog2x(of_class);
  }
  old_entropy = Weka::xlog2x(known) - old_entropy;
  for (int v = 1; v <= n_values; ++v) {
    for (int c = 0; c < n_classes_; ++c)
      new_entropy += Weka::xlog2x(scratch.freq[static_cast<std::size_t>(v) * n_classes_ + c]);
    new_entropy -= Weka::xlog2x(scratch.value_freq[v]);
  }
  Candidate<double> found;
  found.kind = SplitKind::complete;
  found.n_branches = n_values;
  found.gain = gain_of(old_entropy, -new_entropy, known, view.weight);
  found.worth = ratio_of(scratch.value_freq.data() + 1, n_values, known, view.weight, found.gain);
  return found;
}

// The level whose branch against all others has the best gain ratio.
Candidate<double> J48Judge::judge_one_level(const NodeView<double>& view, int n_values,
                                            Scratch& scratch) const {
  const int k = n_classes_;
  double known = 0, old_entropy = 0;
  std::vector<double> of_class(k, 0.0);
  for (int v = 1; v <= n_values; ++v) {
    known += scratch.value_freq[v];
    for (int c = 0; c < k; ++c) of_class[c] += scratch.freq[static_cast<std::size_t>(v) * k + c];
  }
  for (int c = 0; c < k; ++c) old_entropy += Weka::xlog2x(of_class[c]);
  old_entropy = Weka::xlog2x(known) - old_entropy;
  Candidate<double> found;
  int chosen = -1;
  for (int v = 1; v <= n_values; ++v) {
    const double one = scratch.value_freq[v], rest = known - one;
    if (!no_less(one, options_.min_cases) || !no_less(rest, options_.min_cases)) continue;
    double sum = 0;
    for (int c = 0; c < k; ++c) sum += Weka::xlog2x(scratch.freq[static_cast<std::size_t>(v) * k + c]);
    sum -= Weka::xlog2x(one);
    for (int c = 0; c < k; ++c)
      sum += Weka::xlog2x(of_class[c] - scratch.freq[static_cast<std::size_t>(v) * k + c]);
    sum -= Weka::xlog2x(rest);
    const double gain = gain_of(old_entropy, -sum, known, view.weight);
    const double branches[2] = {one, rest};
    const double ratio = ratio_of(branches, 2, known, view.weight, gain);
    found.kind = SplitKind::one_vs_rest;
    if (v == 1 || more(ratio, found.worth)) {
      found.worth = ratio;
      found.gain = gain;
      chosen = v - 1;
    }
  }
  found.n_branches = 2;
  found.branch_of.assign(n_values, 1);
  if (chosen >= 0) found.branch_of[chosen] = 0;
  return found;
}

double J48Judge::known_cases(const SortedView& list, const NodeView<double>& view,
                             const Items<double>& items) const {
  if (view.unit || !table_.data->cases) return static_cast<double>(list.known.size());
  double sum = 0;
  for (const Entry& entry : list.known) sum += table_.data->cases[items.row[entry.item]];
  return sum;
}

Candidate<double> J48Judge::judge_numbers(int column, const SortedView& list, const NodeView<double>& view,
                                          const Items<double>& items, Scratch& scratch) const {
  if (list.known.empty() || list.known.front().rank == list.known.back().rank) return {};
  const SortedColumn<double>& sorted = table_.numbers[table_.place[column]];
  const double known = weight_of(list.known, items, view.unit);
  double least = 0.1 * known / n_classes_;
  least = no_more(least, options_.min_cases) ? options_.min_cases : more(least, 25) ? 25 : least;
  if (less(known_cases(list, view, items), 2 * least)) return {};
  scratch.high.assign(n_classes_, 0.0);
  if (view.unit && list.missing.empty())
    std::copy_n(view.statistics, n_classes_, scratch.high.data());
  else
    sum_labels(list.known, items, view.unit, scratch);
  scratch.low.assign(1, least);
  scratch.gain.clear();
  scratch.place.clear();
  if (view.unit)
    scan<true>(list, sorted, items, known, view.weight, scratch);
  else
    scan<false>(list, sorted, items, known, view.weight, scratch);
  if (scratch.gain.empty()) return {};
  double best = 0;
  std::int64_t at = -1;
  for (std::size_t i = 0; i < scratch.gain.size(); ++i)
    if (more(scratch.gain[i], best)) {
      best = scratch.gain[i];
      at = scratch.place[i];
    }
  best -= std::log(static_cast<double>(scratch.gain.size())) / kLn2 / view.weight;
  if (at < 0 || no_more(best, 0)) return {};
  Candidate<double> found;
  found.kind = SplitKind::at_most;
  found.n_branches = 2;
  found.gain = best;
  const double inside = weight_of(list.known.first(at + 1), items, view.unit);
  const double branches[2] = {inside, known - inside};
  found.worth = ratio_of(branches, 2, known, view.weight, best);
  const double below = sorted.value[list.known[at].rank], above = sorted.value[list.known[at + 1].rank];
  double middle = (below + above) / 2;
  if (!(middle < above)) middle = below;
  // The greatest value of the whole table up to the middle; then all that Weka's test takes for no greater.
  auto last = std::upper_bound(sorted.value.begin(), sorted.value.end(), middle);
  const double point = *(last - 1);
  while (last != sorted.value.end() && *last < above && no_more(*last, point)) ++last;
  found.rank = static_cast<std::uint32_t>(last - sorted.value.begin()) - 1;
  found.cut = sorted.greatest[found.rank];
  return found;
}

template <bool Unit>
void J48Judge::scan(const SortedView& list, const SortedColumn<double>& column, const Items<double>& items,
                    double known, double all, Scratch& scratch) const {
  const int k = n_classes_;
  const double least = scratch.low[0];
  scratch.low.assign(k, 0.0);
  scratch.low_count.assign(k, 0);
  scratch.high_count.resize(k);
  double old_entropy = 0;
  for (int c = 0; c < k; ++c) {
    scratch.high_count[c] = static_cast<std::int64_t>(scratch.high[c]);
    old_entropy += Weka::xlog2x(scratch.high[c]);
  }
  old_entropy = Weka::xlog2x(known) - old_entropy;
  std::int64_t *low_count = scratch.low_count.data(), *high_count = scratch.high_count.data();
  double *low = scratch.low.data(), *high = scratch.high.data();
  const Entry* entry = list.known.data();
  const auto n = static_cast<std::int64_t>(list.known.size());
  double below = 0;
  std::size_t tries = 0;
  scratch.gain.resize(n);
  scratch.place.resize(n);
  for (std::int64_t i = 0; i + 1 < n; ++i) {
    if constexpr (Unit) {
      ++low_count[entry[i].label];
      --high_count[entry[i].label];
      below = static_cast<double>(i + 1);
    } else {
      const double w = items.weight[entry[i].item];
      below += w;
      low[entry[i].label] += w;
      high[entry[i].label] -= w;
    }
    if (entry[i].rank == entry[i + 1].rank) continue;
    if (!no_less(below, least)) continue;
    if (!no_less(known - below, least)) break;
    if (!(column.value[entry[i].rank] + 1e-5 < column.value[entry[i + 1].rank])) continue;
    double sum = 0;
    if constexpr (Unit) {
      for (int c = 0; c < k; ++c) sum += xlog2x_(low_count[c]);
      sum -= xlog2x_(i + 1);
      for (int c = 0; c < k; ++c) sum += xlog2x_(high_count[c]);
      sum -= xlog2x_(n - i - 1);
    } else {
      for (int c = 0; c < k; ++c) sum += Weka::xlog2x(low[c]);
      sum -= Weka::xlog2x(below);
      for (int c = 0; c < k; ++c) sum += Weka::xlog2x(high[c]);
      sum -= Weka::xlog2x(known - below);
    }
    scratch.gain[tries] = gain_of(old_entropy, -sum, known, all);
    scratch.place[tries++] = static_cast<std::uint32_t>(i);
  }
  scratch.gain.resize(tries);
  scratch.place.resize(tries);
}

int J48Judge::choose(std::vector<Candidate<double>>& found) const {
  double average = 0;
  int possible = 0;
  for (std::size_t c = 0; c < found.size(); ++c) {
    if (found[c].kind == SplitKind::leaf) continue;
    if (!all_have_many_ && has_many_levels(table_.data->columns[c])) continue;
    ++possible;
    average += found[c].gain;
  }
  if (!possible) return -1;
  average /= possible;
  int best = -1;
  double best_ratio = 0;
  for (std::size_t c = 0; c < found.size(); ++c) {
    if (found[c].kind == SplitKind::leaf || found[c].gain < average - 1e-3) continue;
    if (more(found[c].worth, best_ratio)) {
      best_ratio = found[c].worth;
      best = static_cast<int>(c);
    }
  }
  return best;
}

void J48Judge::collapse(Trunk& trunk) const {
  if (!collapses_) return;
  const auto n = static_cast<std::int32_t>(trunk.nodes.size());
  std::vector<double> errors(n);
  for (std::int32_t i = n - 1; i >= 0; --i) {
    const Node& node = trunk.nodes[i];
    errors[i] = node.n_children ? 0 : node.risk;
    for (std::int32_t k = 0; k < node.n_children; ++k) errors[i] += errors[node.first_child + k];
  }
  // From the root down; what lies below a collapsed node does not matter any more.
  for (std::int32_t i = 0; i < n; ++i)
    if (trunk.nodes[i].n_children && errors[i] >= trunk.nodes[i].risk - 1e-3) trunk.make_leaf(i);
}

}  // namespace bough::quinlan
