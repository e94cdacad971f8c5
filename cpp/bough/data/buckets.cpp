#include "bough/data/buckets.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "bough/data/entry.hpp"
#include "bough/machine/processor.hpp"

namespace bough {

namespace {

constexpr std::int64_t kRowsOfSample = 8192;
constexpr int kRangeBits = 11;
constexpr std::int64_t kMostBuckets = 1 << 15;  // beyond those that every range has
constexpr int kLeastBits = 3;                   // a range with any row of the sample has so many buckets: 2^3
constexpr std::int64_t kRowsOfBucket = 8;       // buckets of fewer rows gain nothing
constexpr int kRowsAtOnce = BucketedColumn::kBlock;  // few, so that a row-major table is read once

// Values of buckets are known where so many rows of the sample have the same value, and at most one of so
// many has another value than others of its bucket.
constexpr std::ptrdiff_t kRowsOfValue = 4, kRowsOfOther = 1024;

// A range of keys, whose first bucket and the logarithm of whose buckets' width are known.
struct KeyRange {
  std::uint16_t first = 0, shift = 0;
};

// Ranges of equal width between the least and the greatest key of a sample, each divided by its share of it.
struct BucketRule {
  std::uint32_t least = 0, greatest = 0;
  int shift = 0;
  std::vector<KeyRange> ranges;  // the last one is that of missing values
  int n_buckets = 0;

  // Where a missing value lies, counted from the least key.
  std::uint32_t missing_place() const { return static_cast<std::uint32_t>(ranges.size() - 1) << shift; }
};

// A number that orders as the float does: see ordered_bits, of which this is a form for vectors.
BOUGH_INLINE std::uint32_t key_of_float(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t size = bits & 0x7fffffffu;
  const std::uint32_t negative = size == 0 ? 0 : static_cast<std::uint32_t>(0) - (bits >> 31);
  const std::uint32_t ordered = (size == 0 ? 0 : bits) ^ (negative | 0x80000000u);
  return size > 0x7f800000u ? kMissingCode : ordered;
}

template <class T>
BOUGH_INLINE void write_keys(const Column& column, std::int64_t begin, int count, std::uint32_t* key) {
  const char* from = column.data + begin * column.stride;
  const std::int64_t stride = column.stride;
  for (int i = 0; i < count; ++i)
    key[i] = key_of_float(static_cast<float>(*reinterpret_cast<const T*>(from + i * stride)));
}

// The buckets of some keys; places: as many numbers.
BOUGH_INLINE void write_buckets(const BucketRule& rule, const std::uint32_t* key, int count,
                                std::uint32_t* place, std::uint16_t* bucket) {
  const std::uint32_t least = rule.least, greatest = rule.greatest, missing = rule.missing_place();
  for (int i = 0; i < count; ++i) {
    // Keys beyond the sample belong to the first and the last bucket.
    const std::uint32_t inside = std::min(std::max(key[i], least), greatest) - least;
    place[i] = key[i] == kMissingCode ? missing : inside;
  }
  const int shift = rule.shift;
  const std::uint32_t rest = (1u << shift) - 1;
  const KeyRange* ranges = rule.ranges.data();
  for (int i = 0; i < count; ++i) {
    const KeyRange range = ranges[place[i] >> shift];
    bucket[i] = static_cast<std::uint16_t>(range.first + ((place[i] & rest) >> range.shift));
  }
}

// At most kRowsAtOnce rows.
BOUGH_INLINE void read_rows(const Column& column, const BucketRule& rule, std::int64_t begin, int count,
                            std::uint16_t* bucket) {
  std::uint32_t key[kRowsAtOnce], place[kRowsAtOnce];
  if (column.type == Column::Type::float32)
    write_keys<float>(column, begin, count, key);
  else
    write_keys<double>(column, begin, count, key);
  write_buckets(rule, key, count, place, bucket);
}

#if defined(BOUGH_AVX2)
BOUGH_AVX2 void read_rows_avx2(const Column& column, const BucketRule& rule, std::int64_t begin, int count,
                               std::uint16_t* bucket) {
  read_rows(column, rule, begin, count, bucket);
}
#endif

void read_rows_here(const Column& column, const BucketRule& rule, std::int64_t begin, int count,
                    std::uint16_t* bucket) {
#if defined(BOUGH_AVX2)
  if (has_avx2()) return read_rows_avx2(column, rule, begin, count, bucket);
#endif
  read_rows(column, rule, begin, count, bucket);
}

// Whether some rows have other values than their buckets have in the sample.
template <class T>
bool has_other_values(const Column& column, const std::vector<double>& value_of_bucket, std::int64_t begin,
                      int count, const std::uint16_t* bucket) {
  int others = 0;
  for (int i = 0; i < count; ++i) {
    const double x = column.at<T>(begin + i);
    others |= static_cast<int>(value_of_bucket[bucket[i]] != x) & static_cast<int>(x == x);
  }
  return others != 0;
}

// Numbers of rows at equal distances that are not missing.
std::vector<double> sample_of(const Column& column, std::int64_t n_rows) {
  const std::int64_t many = std::min(n_rows, kRowsOfSample);
  std::vector<double> sample;
  sample.reserve(many);
  for (std::int64_t i = 0; i < many; ++i) {
    const double x = column.value(n_rows * i / many);
    if (x == x) sample.push_back(x);
  }
  return sample;
}

std::vector<std::uint32_t> keys_of(const std::vector<double>& values) {
  std::vector<std::uint32_t> keys;
  keys.reserve(values.size());
  for (const double x : values) keys.push_back(ordered_bits(static_cast<float>(x)));
  return keys;
}

// Divides the keys of a sample into ranges, and those into buckets.
BucketRule rule_of(const std::vector<std::uint32_t>& keys, std::int64_t n_rows) {
  BucketRule rule;
  if (!keys.empty()) {
    const auto [least, greatest] = std::minmax_element(keys.begin(), keys.end());
    rule.least = *least;
    rule.greatest = *greatest;
  }
  while ((rule.greatest - rule.least) >> rule.shift >= (1u << kRangeBits)) ++rule.shift;
  std::vector<std::uint32_t> count(((rule.greatest - rule.least) >> rule.shift) + 1, 0);
  for (const std::uint32_t key : keys) ++count[(key - rule.least) >> rule.shift];
  const std::int64_t wanted = std::min(kMostBuckets, n_rows / kRowsOfBucket),
                     all = std::max<std::int64_t>(1, static_cast<std::int64_t>(keys.size()));
  for (const std::uint32_t own : count) {
    const auto share = static_cast<std::uint64_t>(wanted * own / all);
    const int least = own > 0 ? kLeastBits : 0;
    const int bits = std::min(rule.shift, std::max(least, static_cast<int>(std::bit_width(share)) - 1));
    rule.ranges.push_back(
        {static_cast<std::uint16_t>(rule.n_buckets), static_cast<std::uint16_t>(rule.shift - bits)});
    rule.n_buckets += 1 << bits;
  }
  rule.ranges.push_back({static_cast<std::uint16_t>(rule.n_buckets), 0});
  return rule;
}

// Whether few of the values of a column differ.
void compare_values(const BucketRule& rule, const std::vector<double>& sample,
                    const std::vector<std::uint32_t>& keys, int max_bins, BucketedColumn& column) {
  std::vector<std::uint32_t> place(keys.size());
  std::vector<std::uint16_t> bucket(keys.size());
  write_buckets(rule, keys.data(), static_cast<int>(keys.size()), place.data(), bucket.data());
  std::vector<double> value(rule.n_buckets + 1, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < sample.size(); ++i) value[bucket[i]] = sample[i];
  const auto n_found = std::count_if(value.begin(), value.end(), [](double x) { return x == x; });
  column.may_be_few = n_found <= max_bins;
  std::ptrdiff_t n_other = 0;  // rows whose bucket has another value too
  for (std::size_t i = 0; i < sample.size(); ++i) n_other += value[bucket[i]] != sample[i];
  const auto n = static_cast<std::ptrdiff_t>(sample.size());
  if (column.may_be_few || (kRowsOfValue * n_found <= n && kRowsOfOther * n_other <= n))
    column.value_of_bucket = std::move(value);
}

}  // namespace

BucketedColumns bucket_columns(const std::vector<Column>& columns, std::int64_t n_rows,
                               const std::uint8_t* in_rule, int max_bins, Team& team,
                               const std::function<void()>& between) {
  const std::size_t n = columns.size();
  BucketedColumns all;
  all.buckets = make_buffer<std::uint16_t>(static_cast<std::size_t>(n_rows) * n + 32);
  all.columns.resize(n);
  std::vector<BucketRule> rules(n);
  team.run(static_cast<int>(n), [&](int c, int) {
    BucketedColumn& own = all.columns[c];
    const std::vector<double> sample = sample_of(columns[c], n_rows);
    const std::vector<std::uint32_t> keys = keys_of(sample);
    rules[c] = rule_of(keys, n_rows);
    own.n_buckets = rules[c].n_buckets;
    own.bucket = all.buckets.get() + static_cast<std::size_t>(n_rows) * c;
    compare_values(rules[c], sample, keys, max_bins, own);
    if (!own.value_of_bucket.empty()) own.is_odd_block.assign((n_rows + kRowsAtOnce - 1) / kRowsAtOnce, 0);
  });
  const auto read = [&](std::size_t c, std::int64_t begin, int count) {
    BucketedColumn& own = all.columns[c];
    std::uint16_t* bucket = all.buckets.get() + static_cast<std::size_t>(n_rows) * c + begin;
    read_rows_here(columns[c], rules[c], begin, count, bucket);
    if (!own.value_of_bucket.empty())
      own.is_odd_block[begin / kRowsAtOnce] =
          columns[c].type == Column::Type::float32
              ? has_other_values<float>(columns[c], own.value_of_bucket, begin, count, bucket)
              : has_other_values<double>(columns[c], own.value_of_bucket, begin, count, bucket);
    for (int i = 0; in_rule && i < count; ++i)
      if (!in_rule[begin + i]) bucket[i] = static_cast<std::uint16_t>(own.unused());
  };
  constexpr std::int64_t kRowsOfTask = 16 * kRowsAtOnce;
  team.run(static_cast<int>((n_rows + kRowsOfTask - 1) / kRowsOfTask), [&](int task, int member) {
    if (member == 0) between();
    const std::int64_t end = std::min(n_rows, (task + 1) * kRowsOfTask);
    for (std::int64_t begin = task * kRowsOfTask; begin < end; begin += kRowsAtOnce)
      for (std::size_t c = 0; c < n; ++c)
        read(c, begin, static_cast<int>(std::min<std::int64_t>(end - begin, kRowsAtOnce)));
  });
  return all;
}

}  // namespace bough
