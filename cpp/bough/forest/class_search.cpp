#include "bough/forest/class_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "bough/forest/order.hpp"
#include "bough/search/bar.hpp"

namespace bough {

namespace {

constexpr int kClassRowBits = 3;          // bins are so many that about 2^2 rows share one
constexpr double kMostBinned = 0x1p24;    // weights that floats hold
constexpr double kMostCompared = 0x1p13;  // weights whose squares whole numbers hold, with exact values
constexpr double kAbout = 1e-5;           // what rounding does to the bound of a cut, relatively

int whole_eights(int n) { return (n + 7) / 8 * 8; }

}  // namespace

ClassSearch::ClassSearch(const Evaluator& evaluator, std::size_t most_rows)
    : evaluator_(evaluator),
      k_(evaluator.width()),
      width_(whole_eights(k_)),
      total_(k_),
      left_(k_),
      right_(k_),
      label_(most_rows),
      count_(most_rows),
      share_(width_),
      slack_(width_),
      content_(static_cast<std::size_t>(kMostWays) * kMostBins * width_),
      behind_(kMostBins),
      within_(static_cast<std::size_t>(kMostWays) * kMostBins),
      kept_(kMostWays * (kMostKept + kLanes)),
      passing_(most_rows + kLanes),
      listed_(most_rows + kClassLanes),
      keys_(most_rows) {
  ways_.reserve(kMostWays);
}

void ClassSearch::set_least(double weight) { least_ = std::max(1.0, weight); }

bool ClassSearch::start(const std::uint32_t* index, int n, const RowView& view, const NodeSums& sums) {
  index_ = index;
  n_ = n;
  weight_ = sums.weight;
  order_ = 0;
  best_order_ = -1;
  if (weight_ >= kMostBinned) return false;
  std::copy_n(sums.statistics, k_, total_.begin());
  gini_.emplace(evaluator_, total_.data(), n);
  exact_ = Gini::Bound::is_exact(weight_);
  few_ = n <= kFewRows && weight_ < kMostCompared;
  if (few_) {
    group_rows(index, n, view);
    return true;
  }
  for (int i = 0; i < n; ++i) {
    label_[i] = static_cast<std::uint32_t>(view.rows.label[index[i]]);
    count_[i] = static_cast<std::uint32_t>(view.rows.weight[index[i]]);
  }
  for (int c = 0; c < k_; ++c) {
    share_[c] = static_cast<float>(total_[c] / weight_);
    slack_[c] = static_cast<float>(1e-6 * total_[c]);
  }
  return true;
}

void ClassSearch::group_rows(const std::uint32_t* index, int n, const RowView& view) {
  std::int32_t place[kMostCountedClasses] = {}, from = 0;
  for (int i = 0; i < n; ++i) ++place[view.rows.label[index[i]]];
  n_present_ = 0;
  for (int c = 0; c < k_; ++c) {
    const std::int32_t size = place[c];
    place[c] = from;
    if (size == 0) continue;
    end_[n_present_] = from += size;
    class_weight_[n_present_++] = static_cast<std::int32_t>(total_[c]);
  }
  for (int i = 0; i < n; ++i) {
    const std::int32_t at = place[view.rows.label[index[i]]]++;
    few_index_[at] = index[i];
    few_count_[at] = static_cast<std::int32_t>(view.rows.weight[index[i]]);
  }
}

// The value of a cut; counts: its class weights on the left, where the sums alone do not tell.
double ClassSearch::value_of(const Left& left, const double* counts) {
  if (exact_) {
    gini_->squares_left = left.squares;
    gini_->squares_right = gini_->squares_of_both - (2 * left.products - left.squares);
    return gini_->value(left.weight, weight_ - left.weight, weight_);
  }
  for (int c = 0; c < k_; ++c) right_[c] = total_[c] - counts[c];
  return evaluator_.value(counts, right_.data(), weight_);
}

void ClassSearch::offer(int column, int order, double value, std::uint32_t last, ForestSplit& best) {
  const bool equal =
      value == best.value && order <= best_order_ && (order < best_order_ || last < best.last_left);
  if (!(value > best.value) && !equal) return;
  best_order_ = order;
  best.take_code(column, value, last);
}

void ClassSearch::search(int column, const Cells<std::uint32_t>& codes, ForestSplit& best) {
  if (few_)
    search_few(column, codes, best);
  else
    search_bins(column, codes, best);
}

void ClassSearch::search_few(int column, const Cells<std::uint32_t>& codes, ForestSplit& best) {
  const int order = order_++;
  const auto [low, high] = fetching_.fetch_codes(codes, few_index_, n_, few_code_);
  if (low == high) return;
  std::fill_n(few_code_ + n_, kClassLanes, high);
  float value[kFewRows + kClassLanes];
  const ClassedRows rows{few_code_,
                         few_count_,
                         n_,
                         end_,
                         class_weight_,
                         n_present_,
                         high,
                         static_cast<std::int32_t>(weight_),
                         static_cast<std::int32_t>(gini_->squares_of_both),
                         static_cast<std::int32_t>(std::ceil(std::min(least_, weight_)))};
  const float peak = kernels_.cut_rows(rows, {few_left_, few_squares_, few_products_, value});
  // Twice what rounding moves the sums of squares, which are at most the weight.
  const double off = 1e-6 * weight_;
  const double bar = std::max(peak - off, best.value * weight_ + gini_->squares_of_both / weight_ - off);
  if (peak < 0 || peak < bar) return;
  for (int i = 0; i < n_; ++i)
    if (value[i] >= 0 && value[i] >= bar)
      offer(column, order,
            value_of({static_cast<double>(few_left_[i]), static_cast<double>(few_squares_[i]),
                      static_cast<double>(few_products_[i])},
                     nullptr),
            static_cast<std::uint32_t>(few_code_[i]), best);
}

void ClassSearch::search_bins(int column, const Cells<std::uint32_t>& codes, ForestSplit& best) {
  if (ways_.size() == kMostWays) look_closer(best);
  Way way;
  way.order = order_++;
  way.column = column;
  way.codes = codes;
  std::int32_t* code = n_ <= kMostKept ? kept_.data() + ways_.size() * (kMostKept + kLanes) : passing_.data();
  if (n_ <= kMostKept) way.kept = code;
  const auto [low, high] = fetching_.fetch_codes(codes, index_, n_, code);
  if (low == high) return;
  const int bits =
      std::clamp(static_cast<int>(std::bit_width(static_cast<unsigned>(n_))) - kClassRowBits, 6, 10);
  const auto range = static_cast<std::uint32_t>(high - low);
  way.low = low;
  way.high = high;
  way.shift = std::max(0, static_cast<int>(std::bit_width(range)) - bits);
  way.n_bins = static_cast<int>(range >> way.shift) + 1;
  std::uint32_t* content = content_.data() + ways_.size() * kMostBins * width_;
  float* within = within_.data() + ways_.size() * kMostBins;
  std::fill_n(content, static_cast<std::size_t>(way.n_bins) * width_, 0u);
  const int shift = way.shift, width = width_;
  for (int i = 0; i < n_; ++i)
    content[(static_cast<std::uint32_t>(code[i] - low) >> shift) * width + label_[i]] += count_[i];
  const float peak = kernels_.bound_bins({content, way.n_bins, width_, share_.data(), slack_.data(),
                                          static_cast<float>(weight_), static_cast<float>(std::ceil(least_))},
                                         behind_.data(), within);
  offer_behind(way, content, behind_.data(), peak, best);
  if (way.shift == 0) return;
  way.peak = *std::max_element(within, within + way.n_bins);
  ways_.push_back(way);
}

// Adds the class weights of the next bins to those on the left.
void ClassSearch::count_left(const std::uint32_t* content, int n_bins, Left& left) {
  std::uint32_t sum[kMostCountedClasses] = {};
  if (width_ == 8)
    for (int b = 0; b < n_bins; ++b)
      for (int c = 0; c < 8; ++c) sum[c] += content[b * 8 + c];
  else
    for (int b = 0; b < n_bins; ++b)
      for (int c = 0; c < width_; ++c) sum[c] += content[b * width_ + c];
  left = {};
  for (int c = 0; c < k_; ++c) {
    left_[c] += sum[c];
    left.weight += left_[c];
    left.squares += left_[c] * left_[c];
    left.products += left_[c] * total_[c];
  }
}

// The cuts behind bins, the one of the highest bound first.
void ClassSearch::offer_behind(const Way& way, const std::uint32_t* content, const float* behind, float peak,
                               ForestSplit& best) {
  if (!(peak * (1 + kAbout) >= best.value)) return;
  const auto evaluate = [&](int b) {
    Left left;
    std::fill(left_.begin(), left_.end(), 0.0);
    count_left(content, b + 1, left);
    if (left.weight < least_ || weight_ - left.weight < least_) return;
    const std::uint32_t last =
        static_cast<std::uint32_t>(way.low) + (static_cast<std::uint32_t>(b + 1) << way.shift) - 1;
    offer(way.column, way.order, value_of(left, left_.data()), last, best);
  };
  const int highest = static_cast<int>(std::find(behind, behind + way.n_bins, peak) - behind);
  evaluate(highest);
  for (int b = 0; b < way.n_bins - 1; ++b)
    if (behind[b] * (1 + kAbout) >= best.value && behind[b] >= 0 && b != highest) evaluate(b);
}

// Lists the codes and places of the rows in open bins, by code.
void ClassSearch::list_open(const Way& way) {
  const std::int32_t* code = way.kept;
  if (!code) {
    fetching_.fetch_codes(way.codes, index_, n_, passing_.data());
    code = passing_.data();
  }
  n_keys_ = kernels_.list_open(open_, code, n_, listed_.data());
  order_listed(way.n_bins);
}

// Puts the listed rows in order: first by bins, then within each.
void ClassSearch::order_listed(int n_bins) {
  std::uint32_t end[kMostBins];
  std::fill_n(end, n_bins, 0u);
  const auto bin_of = [this](std::uint64_t key) {
    return open_.bin_of(static_cast<std::int32_t>(key >> 32));
  };
  for (int i = 0; i < n_keys_; ++i) ++end[bin_of(listed_[i])];
  std::uint32_t sum = 0;
  for (int b = 0; b < n_bins; ++b) sum += std::exchange(end[b], sum);
  for (int i = 0; i < n_keys_; ++i) keys_[end[bin_of(listed_[i])]++] = listed_[i];
  for (int b = 0, begin = 0; b < n_bins; ++b) {
    const int behind = static_cast<int>(end[b]);
    if (behind - begin > 1) sort_keys(keys_.data() + begin, behind - begin);
    begin = behind;
  }
}

void ClassSearch::look_into(const Way& way, const std::uint32_t* content, const float* within,
                            ForestSplit& best) {
  const double floor = best.value * (1 - kAbout);
  if (!(way.peak >= floor)) return;
  for (int b = 0; b < way.n_bins; ++b) open_.set(b, within[b] >= floor);
  open_.low = way.low;
  open_.shift = way.shift;
  list_open(way);
  Bar bar(gini_->squares_of_both / weight_, weight_);
  bar.raise(best.value);
  // All rows of an open bin are listed, so that those up to the next open bin are a sum of bins.
  int bin = -1, summed = 0;
  Left left;
  std::fill(left_.begin(), left_.end(), 0.0);
  for (int i = 0; i < n_keys_; ++i) {
    const auto code = static_cast<std::uint32_t>(keys_[i] >> 32);
    const auto own = static_cast<int>((code - static_cast<std::uint32_t>(way.low)) >> way.shift);
    const auto at = static_cast<std::uint32_t>(keys_[i]);
    if (own != bin) {
      count_left(content + static_cast<std::size_t>(summed) * width_, own - summed, left);
      bin = own;
      summed = own + 1;
    }
    const std::uint32_t c = label_[at];
    const double w = count_[at];
    left.squares += w * (2 * left_[c] + w);
    left.products += w * total_[c];
    left.weight += w;
    left_[c] += w;
    if (code == static_cast<std::uint32_t>(way.high)) break;
    if (i + 1 < n_keys_ && keys_[i + 1] >> 32 == code) continue;
    const double right = weight_ - left.weight;
    if (left.weight < least_ || right < least_) continue;
    const double rest = gini_->squares_of_both - (2 * left.products - left.squares);
    if (!bar.reached_by(left.squares / left.weight + rest / right)) continue;
    offer(way.column, way.order, value_of(left, left_.data()), code, best);
    bar.raise(best.value);
  }
}

void ClassSearch::look_closer(ForestSplit& best) {
  for (std::size_t w = 0; w < ways_.size(); ++w)
    look_into(ways_[w], content_.data() + w * kMostBins * width_, within_.data() + w * kMostBins, best);
  ways_.clear();
}

}  // namespace bough
