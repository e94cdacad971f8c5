#include "bough/quinlan/release8.hpp"

namespace bough::quinlan {

Release8Judge::Release8Judge(const Table<float>& table, const C45Options& options, Watch& watch)
    : ClassJudge(table), options_(options), watch_(watch), min_cases_(static_cast<float>(options.min_cases)) {
  if (!options.subset)
    for (const Column& column : table.data->columns) all_have_many_ &= has_many_levels(column);
}

// The program sums by class first.
float Release8Judge::missing_weight(std::span<const Entry> missing, const NodeView<float>& view,
                                    const Items<float>& items) const {
  if (view.unit) return static_cast<float>(missing.size());
  std::vector<float> of_class(n_classes_, 0.0f);
  for (const Entry& entry : missing) of_class[entry.label] += items.weight[entry.item];
  float sum = 0;
  for (float weight : of_class) sum += weight;
  return sum;
}

float Release8Judge::worth(float info, float gain, float least) const {
  constexpr float kNone = -kEpsilon;
  if (!options_.gain_ratio) return info > 0 && gain > -kEpsilon ? gain : kNone;
  return gain >= least - kEpsilon && info > kEpsilon ? gain / info : kNone;
}

float Release8Judge::gain_of(const Scratch& counts, int n_values, float base, float unknown, float known,
                             float min_cases) const {
  int reasonable = 0;
  for (int v = 1; v <= n_values; ++v) reasonable += counts.value_freq[v] >= min_cases;
  if (known == 0 || reasonable < 2) return static_cast<float>(-kEpsilon);
  float info = 0;
  for (int v = 1; v <= n_values; ++v)
    info += total_info(counts.freq.data() + static_cast<std::size_t>(v) * n_classes_, n_classes_);
  return (1 - unknown) * (base - info / known);
}

float Release8Judge::base_info(const Scratch& counts, int n_values, float known) const {
  double sum = 0;
  for (int c = 0; c < n_classes_; ++c) {
    float of_class = 0;
    for (int v = 1; v <= n_values; ++v) of_class += counts.freq[static_cast<std::size_t>(v) * n_classes_ + c];
    sum += Release8::term(of_class);
  }
  return static_cast<float>((Release8::term(known) - sum) / known);
}

Candidate<float> Release8Judge::judge_levels(int column, const NodeView<float>& view,
                                             const Items<float>& items, bool tested, Scratch& scratch) const {
  const int n_values = table_.data->columns[column].n_levels;
  const bool subset = forms_subsets(column);
  if (tested && !subset) return {};
  count_levels(column, view, items, scratch);
  const float missing = scratch.value_freq[0], known = view.weight - missing;
  if (subset) return known < kEpsilon ? Candidate<float>{} : judge_subsets(column, view, scratch);
  if (view.weight <= missing) return {};
  Candidate<float> found;
  found.gain = gain_of(scratch, n_values, base_info(scratch, n_values, known), missing / view.recounted,
                       known, min_cases_);
  found.info = total_info(scratch.value_freq.data(), n_values + 1) / view.weight;
  if (found.gain > -kEpsilon) found.kind = SplitKind::complete;
  found.n_branches = n_values;
  return found;
}

Candidate<float> Release8Judge::judge_numbers(int column, const SortedView& list, const NodeView<float>& view,
                                              const Items<float>& items, Scratch& scratch) const {
  const SortedColumn<float>& sorted = table_.numbers[table_.place[column]];
  const float missing = missing_weight(list.missing, view, items), known = view.recounted - missing;
  const float unknown = static_cast<float>(1.0 - known / view.recounted);
  if (known < 2 * min_cases_ || list.known.empty() || list.known.front().rank == list.known.back().rank)
    return {};
  scratch.high.assign(n_classes_, 0.0f);
  if (view.unit && list.missing.empty())
    std::copy_n(view.statistics, n_classes_, scratch.high.data());
  else
    sum_labels(list.known, items, view.unit, scratch);
  const float base = total_info(scratch.high.data(), n_classes_) / known;
  scratch.gain.clear();
  scratch.place.clear();
  if (view.unit)
    scan<true>(list, sorted, items, base, unknown, known, scratch);
  else
    scan<false>(list, sorted, items, base, unknown, known, scratch);
  const auto tries = static_cast<float>(scratch.gain.size());
  if (scratch.gain.empty()) return {};
  const float cost =
      static_cast<float>(std::log(static_cast<double>(tries)) / Release8::kLn2 / view.recounted);
  float best = 0;
  std::int64_t at = -1;
  for (std::size_t i = 0; i < scratch.gain.size(); ++i)
    if (const float value = scratch.gain[i] - cost; value > best) {
      best = value;
      at = scratch.place[i];
    }
  if (at < 0) return {};
  Candidate<float> found;
  found.kind = SplitKind::at_most;
  found.n_branches = 2;
  found.gain = best;
  const float low_weight = weight_of(list.known.first(at + 1), items, view.unit);
  const float parts[3] = {missing, low_weight, known - low_weight};
  found.info = total_info(parts, 3) / view.recounted;
  const float below = sorted.value[list.known[at].rank], above = sorted.value[list.known[at + 1].rank];
  const float middle = (below + above) / 2;
  // The program takes the greatest value of the whole table up to the middle.
  const auto end = std::upper_bound(sorted.value.begin(), sorted.value.end(), middle);
  found.rank =
      middle < above ? static_cast<std::uint32_t>(end - sorted.value.begin()) - 1 : list.known[at].rank;
  found.cut = sorted.greatest[found.rank];
  return found;
}

// Tries each cut between neighbours more than 1e-5 apart; notes its gain and its place.
template <bool Unit>
void Release8Judge::scan(const SortedView& list, const SortedColumn<float>& column, const Items<float>& items,
                         float base, float unknown, float known, Scratch& scratch) const {
  const int k = n_classes_;
  float least = static_cast<float>(0.10 * known / k);
  if (least <= min_cases_)
    least = min_cases_;
  else if (least > 25)
    least = 25;
  const float factor = 1 - unknown, most = known - least;
  const auto n = static_cast<std::int64_t>(list.known.size());
  scratch.low.assign(k, 0.0f);
  scratch.low_count.assign(k, 0);
  scratch.high_count.resize(k);
  for (int c = 0; c < k; ++c) scratch.high_count[c] = static_cast<std::int64_t>(scratch.high[c]);
  std::int64_t *low_count = scratch.low_count.data(), *high_count = scratch.high_count.data();
  float *low = scratch.low.data(), *high = scratch.high.data();
  const Entry* entry = list.known.data();
  scratch.gain.resize(n);
  scratch.place.resize(n);
  std::size_t tries = 0;
  float below = 0;
  for (std::int64_t i = 0; i + 1 < n; ++i) {
    if constexpr (Unit) {
      ++low_count[entry[i].label];
      --high_count[entry[i].label];
      below = static_cast<float>(i + 1);
    } else {
      const float w = items.weight[entry[i].item];
      below += w;
      low[entry[i].label] += w;
      high[entry[i].label] -= w;
    }
    if (entry[i].rank == entry[i + 1].rank || below < least) continue;
    if (below > most) break;
    if (!(column.value[entry[i].rank] < column.value[entry[i + 1].rank] - 1e-5)) continue;
    float info;
    if constexpr (Unit)
      info = counted_info(low_count, i + 1) + counted_info(high_count, n - i - 1);
    else
      info = total_info(low, k) + total_info(high, k);
    scratch.gain[tries] = factor * (base - info / known);
    scratch.place[tries++] = static_cast<std::uint32_t>(i);
  }
  scratch.gain.resize(tries);
  scratch.place.resize(tries);
}

// total_info of whole numbers.
inline float Release8Judge::counted_info(const std::int64_t* count, std::int64_t total) const {
  float sum = 0;
  if (n_classes_ == 2)
    sum = static_cast<float>(static_cast<float>(terms_.of_count(count[0])) + terms_.of_count(count[1]));
  else
    for (int c = 0; c < n_classes_; ++c) sum = static_cast<float>(sum + terms_.of_count(count[c]));
  return static_cast<float>(terms_.of_count(total) - sum);
}

int Release8Judge::choose(std::vector<Candidate<float>>& found) const {
  float average = 0;
  int possible = 0;
  for (std::size_t c = 0; c < found.size(); ++c) {
    if (found[c].kind == SplitKind::leaf) continue;
    if (!all_have_many_ && has_many_levels(table_.data->columns[c])) continue;
    ++possible;
    average += found[c].gain;
  }
  average = possible ? average / possible : 1e6f;
  int best = -1;
  float best_worth = static_cast<float>(-kEpsilon);
  for (std::size_t c = 0; c < found.size(); ++c) {
    if (found[c].kind == SplitKind::leaf) continue;
    found[c].worth = worth(found[c].info, found[c].gain, average);
    if (found[c].worth > best_worth) {
      best_worth = found[c].worth;
      best = static_cast<int>(c);
    }
  }
  return best;
}

void Release8Judge::collapse(Trunk& trunk) const {
  std::vector<float> errors(trunk.nodes.size());
  for (auto i = static_cast<std::int32_t>(trunk.nodes.size()) - 1; i >= 0; --i) {
    const Node& node = trunk.nodes[i];
    errors[i] = node.n_children ? 0.0f : static_cast<float>(node.risk);
    for (std::int32_t k = 0; k < node.n_children; ++k) errors[i] += errors[node.first_child + k];
    if (node.n_children && errors[i] >= static_cast<float>(node.risk) - kEpsilon) trunk.make_leaf(i);
  }
}

}  // namespace bough::quinlan
