#include "bough/quinlan/j48.hpp"

#include <numeric>

namespace bough::quinlan {

J48Search::J48Search(const Table<double>& table, const C45Options& options, bool collapses)
    : ClassSearch(table), options_(options), collapses_(collapses), all_have_many_(all_have_many_levels()) {}

double J48Search::gain_of(double old_entropy, double new_entropy, double known, double all) const {
  const double unknown = (all - known) / all;
  const double numerator = (1 - unknown) * (old_entropy - new_entropy);
  return alike(numerator, 0) ? 0 : numerator / known;
}

double J48Search::ratio_of(const double* branch, int n_branches, double known, double all,
                           double gain) const {
  double sum = 0;
  if (!more(known, 0)) return 0;
  for (int b = 0; b < n_branches; ++b) sum -= Weka::xlog2x(branch[b]);
  sum -= Weka::xlog2x(all - known);
  sum += Weka::xlog2x(all);
  return alike(sum, 0) ? 0 : gain / (sum / all);
}

Candidate<double> J48Search::best_level_test(int column, const NodeView<double>& view,
                                             const Items<double>& items, bool, Scratch& scratch) const {
  const int n_values = table_.data->columns[column].n_levels;
  count_levels(column, view, items, scratch);
  if (options_.binary) return best_single_level_test(view, n_values, scratch);
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
  found.score = ratio_of(scratch.value_freq.data() + 1, n_values, known, view.weight, found.gain);
  return found;
}

// The level whose branch against all others has the best gain ratio.
Candidate<double> J48Search::best_single_level_test(const NodeView<double>& view, int n_values,
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
    if (v == 1 || more(ratio, found.score)) {
      found.score = ratio;
      found.gain = gain;
      chosen = v - 1;
    }
  }
  found.n_branches = 2;
  found.branch_of.assign(n_values, 1);
  if (chosen >= 0) found.branch_of[chosen] = 0;
  return found;
}

double J48Search::known_cases(const SortedView& list, const NodeView<double>& view,
                              const Items<double>& items) const {
  if (view.unit_weights || !table_.data->cases) return static_cast<double>(list.known.size());
  double sum = 0;
  for (const Entry& entry : list.known) sum += table_.data->cases[items.row[entry.item]];
  return sum;
}

Candidate<double> J48Search::best_threshold(int column, const SortedView& list, const NodeView<double>& view,
                                            const Items<double>& items, Scratch& scratch) const {
  if (list.known.empty() || list.known.front().rank == list.known.back().rank) return {};
  const SortedColumn<double>& sorted = table_.sorted(column);
  const double known = weight_of(list.known, items, view.unit_weights);
  double least = 0.1 * known / n_classes_;
  least = no_more(least, options_.min_cases) ? options_.min_cases : more(least, 25) ? 25 : least;
  if (less(known_cases(list, view, items), 2 * least)) return {};
  sum_known(list, view, items, scratch);
  if (view.unit_weights)
    scan<true>(list, sorted, items, least, known, view.weight, scratch);
  else
    scan<false>(list, sorted, items, least, known, view.weight, scratch);
  return best_of_scan(list, view, items, known, scratch);
}

Candidate<double> J48Search::best_of_scan(const SortedView& list, const NodeView<double>& view,
                                          const Items<double>& items, double known,
                                          const Scratch& scratch) const {
  if (scratch.tries == 0) return {};
  double best = 0;
  std::int64_t at = -1;
  for (std::size_t i = 0; i < scratch.gain.size(); ++i)
    if (more(scratch.gain[i], best)) {
      best = scratch.gain[i];
      at = scratch.position[i];
    }
  best -= std::log(static_cast<double>(scratch.tries)) / kLn2 / view.weight;
  if (at < 0 || no_more(best, 0)) return {};
  Candidate<double> found;
  found.kind = SplitKind::at_most;
  found.n_branches = 2;
  found.gain = best;
  const double inside = weight_of(list.known.first(at + 1), items, view.unit_weights);
  const double branches[2] = {inside, known - inside};
  found.score = ratio_of(branches, 2, known, view.weight, best);
  found.rank = list.known[at].rank;
  found.next_rank = list.known[at + 1].rank;
  return found;
}

// Moves a cut from the middle between two values to a value of the whole table. Weka goes through the rows
// and takes each value that is no greater than the middle and greater than the one it has, both within 1e-6.
// A value less than 1e-6 above another may so be passed over, and which of the two is met first decides.
void J48Search::set_cut(Candidate<double>& found, const SortedColumn<double>& column) const {
  const std::vector<double>& value = column.value;
  const double below = value[found.rank], above = value[found.next_rank];
  double middle = (below + above) / 2;
  if (!(middle < above)) middle = below;
  auto last =
      static_cast<std::uint32_t>(std::upper_bound(value.begin(), value.end(), middle) - value.begin() - 1);
  while (value[last + 1] < above && no_more(value[last + 1], middle)) ++last;
  // Values further below than a gap of more than 1e-6 do not matter.
  std::uint32_t first = last;
  while (first > 0 && !more(value[first], value[first - 1])) --first;
  std::vector<std::uint32_t> met(last - first + 1);
  std::iota(met.begin(), met.end(), first);
  std::sort(met.begin(), met.end(),
            [&](std::uint32_t a, std::uint32_t b) { return column.first_row[a] < column.first_row[b]; });
  double point = value[met.front()];
  for (std::uint32_t rank : met)
    if (more(value[rank], point)) point = value[rank];
  // Weka's test takes values less than 1e-6 above the cut for no greater.
  while (value[last + 1] < above && no_more(value[last + 1], point)) ++last;
  found.rank = last;
  found.cut = column.greatest[last];
}

template <bool Unit>
void J48Search::scan(const SortedView& list, const SortedColumn<double>& column, const Items<double>& items,
                     double least, double known, double all, Scratch& scratch) const {
  const int k = n_classes_;
  double old_entropy = 0;
  for (int c = 0; c < k; ++c) old_entropy += Weka::xlog2x(scratch.high[c]);
  old_entropy = Weka::xlog2x(known) - old_entropy;
  const Entry* entry = list.known.data();
  const auto n = static_cast<std::int64_t>(list.known.size());
  // Of weights, those below 1e-6 count as none.
  const double of_little = Unit ? 0 : (k + 1) * 5e-5 / known;
  const double slack = 1e-9 * (std::abs(std::log2(known)) + 2) + of_little;
  const GainBound<double> bound(scratch.all, known, 1 - (all - known) / all, slack);
  const auto enough = [&](double below) {
    if (!no_less(below, least)) return Enough::not_yet;
    return no_less(known - below, least) ? Enough::yes : Enough::no_more;
  };
  const auto apart = [&](std::int64_t i) {
    return column.value[entry[i].rank] + 1e-5 < column.value[entry[i + 1].rank];
  };
  const auto gain = [&](std::int64_t i, double below, const auto* low, const auto* high) {
    double sum = 0;
    if constexpr (Unit) {
      for (int c = 0; c < k; ++c) sum += xlog2x_(low[c]);
      sum -= xlog2x_(i + 1);
      for (int c = 0; c < k; ++c) sum += xlog2x_(high[c]);
      sum -= xlog2x_(n - i - 1);
    } else {
      for (int c = 0; c < k; ++c) sum += Weka::xlog2x(low[c]);
      sum -= Weka::xlog2x(below);
      for (int c = 0; c < k; ++c) sum += Weka::xlog2x(high[c]);
      sum -= Weka::xlog2x(known - below);
    }
    return gain_of(old_entropy, -sum, known, all);
  };
  scan_cuts<Unit>(list.known, items, bound, scratch, enough, apart, gain);
}

int J48Search::choose_column(std::vector<Candidate<double>>& found) const {
  int possible;
  const double average = average_gain(found, all_have_many_, possible);
  if (!possible) return -1;
  int best = -1;
  double best_ratio = 0;
  for (std::size_t c = 0; c < found.size(); ++c) {
    if (found[c].kind == SplitKind::leaf || found[c].gain < average - 1e-3) continue;
    if (more(found[c].score, best_ratio)) {
      best_ratio = found[c].score;
      best = static_cast<int>(c);
    }
  }
  if (best >= 0 && found[best].kind == SplitKind::at_most) set_cut(found[best], table_.sorted(best));
  return best;
}

void J48Search::collapse(TreeBuilder& tree) const {
  if (!collapses_) return;
  const auto n = static_cast<std::int32_t>(tree.nodes.size());
  std::vector<double> errors(n);
  for (std::int32_t i = n - 1; i >= 0; --i) {
    const Node& node = tree.nodes[i];
    errors[i] = node.n_children ? 0 : node.risk;
    for (std::int32_t k = 0; k < node.n_children; ++k) errors[i] += errors[node.first_child + k];
  }
  // From the root down; what lies below a collapsed node does not matter any more.
  for (std::int32_t i = 0; i < n; ++i)
    if (tree.nodes[i].n_children && errors[i] >= tree.nodes[i].risk - 1e-3) tree.make_leaf(i);
}

}  // namespace bough::quinlan
