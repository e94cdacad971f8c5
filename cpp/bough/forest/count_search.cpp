#include "bough/forest/count_search.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>

#include "bough/forest/order.hpp"

namespace bough {

namespace {

constexpr int kRowBits = 3;  // bins are so many that about 2^3 rows share one

std::uint64_t unpacked(std::uint32_t count) { return long_count(count); }
std::uint64_t unpacked(std::uint64_t count) { return count; }

double value_of(std::uint64_t left, double all, double second, double least) {
  const auto draws = static_cast<double>(left & 0xffffffffu), ones = static_cast<double>(left >> 32);
  return draws >= least && all - draws >= least ? gini_of_counts(draws, ones, all, second) : -1;
}

template <class W>
double value_of(W left, const CountedNode& node) {
  return value_of(unpacked(left), node.all, node.second, std::max(1.0, node.least));
}

// The same as the kernels for nodes of more draws.
float values(const std::uint64_t* left, int n, const CountedNode& node, float* value) {
  float peak = -1;
  for (int i = 0; i < n; ++i) peak = std::max(peak, value[i] = static_cast<float>(value_of(left[i], node)));
  return peak;
}

bool may_beat(const std::uint64_t* before, const std::uint64_t* content, int n, const CountedNode& node,
              double floor, std::uint8_t* open) {
  const double bar = floor * (1 - 1e-12);
  bool any = false;
  for (int i = 0; i < n; ++i) {
    const std::uint64_t ones = content[i] >> 32, zeros = (content[i] & 0xffffffffu) - ones;
    open[i] = value_of(before[i] + ones + (ones << 32), node.all, node.second, 0) > bar ||
              value_of(before[i] + zeros, node.all, node.second, 0) > bar;
    any |= open[i] != 0;
  }
  return any;
}

}  // namespace

CountSearch::CountSearch(const NodeCounts& rows, std::size_t most_rows, ForestMissing missing)
    : kernels_(count_kernels()),
      missing_(missing),
      rows_(rows),
      known_count_(most_rows + NodeCounts::kFewRows),
      long_known_(most_rows + NodeCounts::kFewRows),
      before_(kMostWays * kMostBins),
      content_(kMostWays * kMostBins),
      long_before_(kMostWays * kMostBins),
      long_content_(kMostWays * kMostBins),
      kept_((kMostWays + 2) * (kMostKept + kLanes)),
      passing_(most_rows > kMostKept ? most_rows + kLanes : 0),
      open_(kMostBins),
      keys_(most_rows + NodeCounts::kFewRows),
      value_(kMostBins + kLanes) {
  ways_.reserve(kMostWays);
}

void CountSearch::start() {
  order_ = 0;
  best_order_ = best_column_ = -1;
  best_codes_ = nullptr;
}

// A place for codes that neither the best column nor one waiting for a closer look needs.
std::int32_t* CountSearch::free_slot() {
  std::int32_t* slot = kept_.data();
  const auto taken = [&] {
    return slot == best_codes_ ||
           std::any_of(ways_.begin(), ways_.end(), [&](const Way& way) { return way.kept == slot; });
  };
  while (taken()) slot += kMostKept + kLanes;
  return slot;
}

// Fetches the codes of the rows that have one.
void CountSearch::gather(const Cells<std::uint32_t>& code, const CodedColumn& coded) {
  const int n = rows_.n();
  code_ = n <= kMostKept ? free_slot() : passing_.data();
  without_ = 0;
  if (!coded.has_missing) {
    std::tie(low_, high_) = kernels_.fetch_codes(code, rows_.index(), n, code_);
    of_known_ = rows_.count();
    long_of_known_ = rows_.long_count();
    known_ = n;
    return;
  }
  int m = 0;
  low_ = std::numeric_limits<std::int32_t>::max();
  high_ = -1;
  for (int i = 0; i < n; ++i) {
    const std::uint32_t own = code[rows_.index()[i]];
    code_[m] = static_cast<std::int32_t>(own);
    if (rows_.brief())
      known_count_[m] = rows_.count()[i];
    else
      long_known_[m] = rows_.long_count()[i];
    if (own == coded.n_codes) {
      without_ += rows_.brief() ? long_count(rows_.count()[i]) : rows_.long_count()[i];
      continue;
    }
    low_ = std::min(low_, code_[m]);
    high_ = std::max(high_, code_[m]);
    ++m;
  }
  of_known_ = known_count_.data();
  long_of_known_ = long_known_.data();
  known_ = m;
}

bool CountSearch::betters(const Way& way, double value, std::uint32_t last, const ForestSplit& best) const {
  if (value != best.value) return value > best.value;
  return way.order < best_order_ || (way.order == best_order_ && !best.apart && last < best.last_left);
}

void CountSearch::take(const Way& way, double value, std::uint32_t last, std::uint64_t left,
                       ForestSplit& best) {
  best_order_ = way.order;
  best_column_ = way.column;
  best_codes_ = way.kept;
  best.value = value;
  best.column = way.column;
  best.kind = ForestSplit::Kind::codes;
  best.missing_seen = way.missing_seen;
  best.default_branch = way.branch;
  best.apart = false;
  best.last_left = last;
  best.left_counted = left;
  best.has_rows = false;
}

void CountSearch::cut_few(const Way& way, ForestSplit& best) {
  std::fill_n(code_ + known_, kLanes, high_);  // there is no cut after the highest
  std::uint32_t left[NodeCounts::kFewRows + kLanes];
  const float peak = kernels_.cut_rows(code_, of_known_, known_, high_, brief_count(way.base), way.node, left,
                                       value_.data());
  if (!(peak * (1 + kRough) > best.value * way.share)) return;
  for (int i = 0; i < known_; ++i) {
    if (!(value_[i] >= peak * (1 - 2 * kRough))) continue;
    const double value = value_of(left[i], way.node) / way.share;
    const auto last = static_cast<std::uint32_t>(code_[i]);
    if (betters(way, value, last, best)) take(way, value, last, unpacked(left[i]), best);
  }
}

template <class W>
void CountSearch::cut_bins(Way& way, ForestSplit& best) {
  constexpr bool kLong = sizeof(W) == 8;
  const auto choose = [](auto& brief, auto& long_one) -> auto& {
    if constexpr (kLong)
      return long_one;
    else
      return brief;
  };
  const W* count = choose(of_known_, long_of_known_);
  W* before = choose(before_, long_before_).data() + ways_.size() * kMostBins;
  W* content = choose(content_, long_content_).data() + ways_.size() * kMostBins;
  const int bits =
      std::clamp(static_cast<int>(std::bit_width(static_cast<unsigned>(known_))) - kRowBits, 6, 11);
  const auto range = static_cast<std::uint32_t>(high_ - low_);
  const int shift = std::max(0, static_cast<int>(std::bit_width(range)) - bits);
  const int n_bins = static_cast<int>(range >> shift) + 1;
  const int padded = (n_bins + kLanes - 1) / kLanes * kLanes;
  std::fill_n(content, padded, W{0});
  const std::int32_t low = low_, *code = code_;
  for (int i = 0; i < known_; ++i) content[static_cast<std::uint32_t>(code[i] - low) >> shift] += count[i];
  W sum = kLong ? static_cast<W>(way.base) : brief_count(way.base), left[kMostBins];
  for (int b = 0; b < n_bins; ++b) {
    before[b] = sum;
    left[b] = sum += content[b];
  }
  std::fill(left + n_bins - 1, left + padded, W{0});
  float peak;
  if constexpr (kLong)
    peak = values(left, n_bins - 1, way.node, value_.data());
  else
    peak = kernels_.values(left, n_bins - 1, way.node, value_.data());
  if (peak * (1 + kRough) > best.value * way.share)
    for (int b = 0; b < n_bins - 1; ++b) {
      if (!(value_[b] >= peak * (1 - 2 * kRough))) continue;
      const double value = value_of(left[b], way.node) / way.share;
      const std::uint32_t last =
          static_cast<std::uint32_t>(low) + (static_cast<std::uint32_t>(b + 1) << shift) - 1;
      if (betters(way, value, last, best)) take(way, value, last, unpacked(left[b]), best);
    }
  if (shift == 0) return;
  way.low = low;
  way.high = high_;
  way.shift = shift;
  way.n_bins = n_bins;
  ways_.push_back(way);
}

// Lists the rows in open bins if these are few ranges of codes.
bool CountSearch::list_ranges(const Way& way) {
  constexpr int kMostRanges = 4;
  std::int32_t first[kMostRanges], last[kMostRanges];
  int n_ranges = 0;
  for (int b = 0; b < way.n_bins; ++b) {
    if (!open_[b]) continue;
    if (n_ranges == kMostRanges) return false;
    first[n_ranges] = way.low + (b << way.shift);
    while (b + 1 < way.n_bins && open_[b + 1]) ++b;
    last[n_ranges++] = way.low + ((b + 1) << way.shift) - 1;
  }
  n_keys_ = kernels_.list_within(way.kept, rows_.n(), first, last, n_ranges, keys_.data());
  sort_keys(keys_.data(), n_keys_);
  return true;
}

// Lists the codes and places of the rows in open bins, by code.
void CountSearch::list_open(const Way& way) {
  const auto low = static_cast<std::uint32_t>(way.low);
  std::uint64_t* keys = keys_.data();
  const std::uint8_t* open = open_.data();
  int m = 0;
  const auto put = [&](std::uint32_t code, int i) {
    keys[m] = static_cast<std::uint64_t>(code) << 32 | static_cast<std::uint32_t>(i);
    m += open[(code - low) >> way.shift];
  };
  if (way.kept && list_ranges(way)) return;
  if (way.kept)
    for (int i = 0; i < rows_.n(); ++i) put(static_cast<std::uint32_t>(way.kept[i]), i);
  else
    for (int i = 0; i < rows_.n(); ++i)
      if (const std::uint32_t code = way.code[rows_.index()[i]];
          !way.missing_seen || code != way.coded->n_codes)
        put(code, i);
  n_keys_ = m;
  sort_keys(keys, m);
}

template <class W>
void CountSearch::look_into(const Way& way, const W* before, const W* content, ForestSplit& best) {
  constexpr bool kLong = sizeof(W) == 8;
  bool any;
  if constexpr (kLong)
    any = may_beat(before, content, way.n_bins, way.node, best.value * way.share, open_.data());
  else
    any = kernels_.may_beat(before, content, way.n_bins, way.node, best.value * way.share, open_.data());
  if (!any) return;
  list_open(way);
  const auto low = static_cast<std::uint32_t>(way.low);
  std::uint32_t bin = ~0u;
  W left = 0;
  for (int i = 0; i < n_keys_; ++i) {
    const auto code = static_cast<std::uint32_t>(keys_[i] >> 32), own = (code - low) >> way.shift;
    const auto at = static_cast<std::uint32_t>(keys_[i]);
    if (own != bin) left = before[own];
    bin = own;
    if constexpr (kLong)
      left += rows_.long_count()[at];
    else
      left += rows_.count()[at];
    if (code == static_cast<std::uint32_t>(way.high)) break;
    if (i + 1 < n_keys_ && keys_[i + 1] >> 32 == code) continue;
    const double value = value_of(left, way.node) / way.share;
    if (betters(way, value, code, best)) take(way, value, code, unpacked(left), best);
  }
}

void CountSearch::look_closer(ForestSplit& best) {
  for (std::size_t w = 0; w < ways_.size(); ++w) {
    const std::size_t at = w * kMostBins;
    if (rows_.brief())
      look_into(ways_[w], before_.data() + at, content_.data() + at, best);
    else
      look_into(ways_[w], long_before_.data() + at, long_content_.data() + at, best);
  }
  ways_.clear();
}

// before_all: whether the rows without a value may be alone on the left.
void CountSearch::cut(Way& way, bool before_all, ForestSplit& best) {
  way.order = order_++;
  if (before_all) {
    const double value = value_of(way.base, way.node);
    if (value > best.value) {
      take(way, value, 0, way.base, best);
      best.apart = true;
    }
  }
  if (low_ == high_) return;
  if (ways_.size() == kMostWays) look_closer(best);
  if (rows_.brief() && known_ <= NodeCounts::kFewRows)
    cut_few(way, best);
  else if (rows_.brief())
    cut_bins<std::uint32_t>(way, best);
  else
    cut_bins<std::uint64_t>(way, best);
}

void CountSearch::search(int column, const Cells<std::uint32_t>& code, const CodedColumn& coded, bool numeric,
                         ForestSplit& best) {
  gather(code, coded);
  if (known_ == 0 || (without_ == 0 && low_ == high_)) return;
  const auto node = [&](std::uint64_t total) {
    return CountedNode{static_cast<std::int32_t>(total & 0xffffffffu), static_cast<std::int32_t>(total >> 32),
                       least_};
  };
  Way way;
  way.column = column;
  way.code = code;
  way.coded = &coded;
  way.node = node(rows_.total());
  way.missing_seen = without_ > 0;
  way.kept = rows_.n() <= kMostKept && !way.missing_seen ? code_ : nullptr;
  if (without_ == 0) return cut(way, false, best);
  if (missing_ == ForestMissing::majority) {
    // What is gained for the known cases counts in proportion to their share of the node, and values are in
    // units of the square of its draws.
    way.share = 1 - static_cast<double>(without_ & 0xffffffffu) / way.node.all;
    way.node = node(rows_.total() - without_);
    return cut(way, false, best);
  }
  way.branch = 1;
  cut(way, false, best);
  way.branch = 0;
  way.base = without_;
  cut(way, numeric, best);
}

}  // namespace bough
