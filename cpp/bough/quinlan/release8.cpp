#include "bough/quinlan/release8.hpp"

namespace bough::quinlan {

Release8Search::Release8Search(const Table<float>& table, const C45Options& options, Watch& watch)
    : ClassSearch(table),
      options_(options),
      watch_(watch),
      min_cases_(static_cast<float>(options.min_cases)),
      all_have_many_(options.subset || all_have_many_levels()) {}

// The program sums by class first.
float Release8Search::missing_weight(std::span<const Entry> missing, const NodeView<float>& view,
                                     const Items<float>& items) const {
  if (view.unit_weights) return static_cast<float>(missing.size());
  std::vector<float> of_class(n_classes_, 0.0f);
  for (const Entry& entry : missing) of_class[entry.label] += items.weight[entry.item];
  float sum = 0;
  for (float weight : of_class) sum += weight;
  return sum;
}

float Release8Search::score(float info, float gain, float least) const {
  constexpr float kNone = -kEpsilon;
  if (!options_.gain_ratio) return info > 0 && gain > -kEpsilon ? gain : kNone;
  return gain >= least - kEpsilon && info > kEpsilon ? gain / info : kNone;
}

float Release8Search::gain_of(const Scratch& counts, int n_values, float base, float unknown, float known,
                              float min_cases) const {
  int reasonable = 0;
  for (int v = 1; v <= n_values; ++v) reasonable += counts.value_freq[v] >= min_cases;
  if (known == 0 || reasonable < 2) return static_cast<float>(-kEpsilon);
  float info = 0;
  for (int v = 1; v <= n_values; ++v)
    info += total_info<float>(counts.freq.data() + static_cast<std::size_t>(v) * n_classes_, n_classes_);
  return (1 - unknown) * (base - info / known);
}

float Release8Search::base_info(const Scratch& counts, int n_values, float known) const {
  double sum = 0;
  for (int c = 0; c < n_classes_; ++c) {
    float of_class = 0;
    for (int v = 1; v <= n_values; ++v) of_class += counts.freq[static_cast<std::size_t>(v) * n_classes_ + c];
    sum += Release8::xlog2x(of_class);
  }
  return static_cast<float>((Release8::xlog2x(known) - sum) / known);
}

Candidate<float> Release8Search::best_level_test(int column, const NodeView<float>& view,
                                                 const Items<float>& items, bool tested,
                                                 Scratch& scratch) const {
  const int n_values = table_.data->columns[column].n_levels;
  const bool subset = forms_subsets(column);
  if (tested && !subset) return {};
  count_levels(column, view, items, scratch);
  const float missing = scratch.value_freq[0], known = view.weight - missing;
  if (subset) return known < kEpsilon ? Candidate<float>{} : best_subset_test(column, view, scratch);
  if (view.weight <= missing) return {};
  Candidate<float> found;
  found.gain = gain_of(scratch, n_values, base_info(scratch, n_values, known), missing / view.recounted,
                       known, min_cases_);
  found.info = total_info<float>(scratch.value_freq.data(), n_values + 1) / view.weight;
  if (found.gain > -kEpsilon) found.kind = SplitKind::complete;
  found.n_branches = n_values;
  return found;
}

Candidate<float> Release8Search::best_threshold(int column, const SortedView& list,
                                                const NodeView<float>& view, const Items<float>& items,
                                                Scratch& scratch) const {
  const SortedColumn<float>& sorted = table_.sorted(column);
  const float missing = missing_weight(list.missing, view, items), known = view.recounted - missing;
  const float unknown = static_cast<float>(1.0 - known / view.recounted);
  if (known < 2 * min_cases_ || list.known.empty() || list.known.front().rank == list.known.back().rank)
    return {};
  sum_known(list, view, items, scratch);
  const float base = total_info<float>(scratch.high.data(), n_classes_) / known;
  if (view.unit_weights)
    scan<true>(list, sorted, items, base, unknown, known, scratch);
  else
    scan<false>(list, sorted, items, base, unknown, known, scratch);
  return best_of_scan(list, sorted, view, items, missing, scratch);
}

Candidate<float> Release8Search::best_of_scan(const SortedView& list, const SortedColumn<float>& column,
                                              const NodeView<float>& view, const Items<float>& items,
                                              float missing, const Scratch& scratch) const {
  if (scratch.tries == 0) return {};
  const auto tries = static_cast<float>(scratch.tries);
  const float cost = static_cast<float>(std::log(static_cast<double>(tries)) / kLn2 / view.recounted);
  float best = 0;
  std::int64_t at = -1;
  for (std::size_t i = 0; i < scratch.gain.size(); ++i)
    if (const float value = scratch.gain[i] - cost; value > best) {
      best = value;
      at = scratch.position[i];
    }
  if (at < 0) return {};
  Candidate<float> found;
  found.kind = SplitKind::at_most;
  found.n_branches = 2;
  found.gain = best;
  const float known = view.recounted - missing;
  const float low_weight = weight_of(list.known.first(at + 1), items, view.unit_weights);
  const float parts[3] = {missing, low_weight, known - low_weight};
  found.info = total_info<float>(parts, 3) / view.recounted;
  const float below = column.value[list.known[at].rank], above = column.value[list.known[at + 1].rank];
  const float middle = (below + above) / 2;
  // The program takes the greatest value of the whole table up to the middle.
  const auto end = std::upper_bound(column.value.begin(), column.value.end(), middle);
  found.rank =
      middle < above ? static_cast<std::uint32_t>(end - column.value.begin()) - 1 : list.known[at].rank;
  found.cut = column.greatest[found.rank];
  return found;
}

// Tries each cut between neighbours more than 1e-5 apart that leaves enough cases on both sides.
template <bool Unit>
void Release8Search::scan(const SortedView& list, const SortedColumn<float>& column,
                          const Items<float>& items, float base, float unknown, float known,
                          Scratch& scratch) const {
  float least = static_cast<float>(0.10 * known / n_classes_);
  if (least <= min_cases_)
    least = min_cases_;
  else if (least > 25)
    least = 25;
  const float factor = 1 - unknown, most = known - least;
  const auto n = static_cast<std::int64_t>(list.known.size());
  const Entry* entry = list.known.data();
  const std::vector<int>& present = scratch.present;
  // Sums of n log2 n are rounded to a float for each class and side, and a few times more.
  const double slack =
      (4 * n_classes_ + 16) * 0x1p-24 * (std::abs(std::log2(static_cast<double>(known))) + 2);
  const GainBound<float> bound(scratch.all, known, factor, slack);
  const auto enough = [&](float below) {
    return below < least ? Enough::not_yet : below > most ? Enough::no_more : Enough::yes;
  };
  const auto apart = [&](std::int64_t i) {
    return column.value[entry[i].rank] < column.value[entry[i + 1].rank] - 1e-5;
  };
  const auto gain = [&](std::int64_t i, float, const auto* low, const auto* high) {
    float info;
    if constexpr (Unit)
      info = counted_info(low, i + 1, present) + counted_info(high, n - i - 1, present);
    else
      info = class_info<float>(scratch.low, present) + class_info<float>(scratch.high, present);
    return factor * (base - info / known);
  };
  scan_cuts<Unit>(list.known, items, bound, scratch, enough, apart, gain);
}

// total_info of whole numbers.
inline float Release8Search::counted_info(const std::int64_t* count, std::int64_t total,
                                          const std::vector<int>& present) const {
  float sum = 0;
  if (n_classes_ == 2)
    sum = static_cast<float>(static_cast<float>(xlog2x_(count[0])) + xlog2x_(count[1]));
  else if (present.empty())
    for (int c = 0; c < n_classes_; ++c) sum = static_cast<float>(sum + xlog2x_(count[c]));
  else
    for (const int c : present) sum = static_cast<float>(sum + xlog2x_(count[c]));
  return static_cast<float>(xlog2x_(total) - sum);
}

int Release8Search::choose_column(std::vector<Candidate<float>>& found) const {
  int possible;
  const float mean = average_gain(found, all_have_many_, possible), average = possible ? mean : 1e6f;
  int best = -1;
  float best_score = static_cast<float>(-kEpsilon);
  for (std::size_t c = 0; c < found.size(); ++c) {
    if (found[c].kind == SplitKind::leaf) continue;
    found[c].score = score(found[c].info, found[c].gain, average);
    if (found[c].score > best_score) {
      best_score = found[c].score;
      best = static_cast<int>(c);
    }
  }
  return best;
}

void Release8Search::collapse(TreeBuilder& tree) const {
  std::vector<float> errors(tree.nodes.size());
  for (auto i = static_cast<std::int32_t>(tree.nodes.size()) - 1; i >= 0; --i) {
    const Node& node = tree.nodes[i];
    errors[i] = node.n_children ? 0.0f : static_cast<float>(node.risk);
    for (std::int32_t k = 0; k < node.n_children; ++k) errors[i] += errors[node.first_child + k];
    if (node.n_children && errors[i] >= static_cast<float>(node.risk) - kEpsilon) tree.make_leaf(i);
  }
}

}  // namespace bough::quinlan
