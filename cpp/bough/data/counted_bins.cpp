#include "bough/data/counted_bins.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace bough {

namespace {

// What is wanted of a bucket: its least value where a bin may begin, and all of them where one ends.
enum class Part : std::uint8_t { plain, begins, ends };

struct RowValue {
  double value;
  std::uint32_t row;

  bool operator<(const RowValue& other) const {
    return value != other.value ? value < other.value : row < other.row;
  }
};

std::vector<std::uint32_t> rows_by_bucket(const BucketedColumn& rows, std::int64_t n_rows) {
  // Several counts of each bucket, since adding to the same one again at once takes longer.
  constexpr int kCounts = 4;
  const auto n = static_cast<std::size_t>(rows.n_buckets) + 2;
  std::vector<std::uint32_t> counts(kCounts * n, 0);
  std::int64_t i = 0;
  for (; i + kCounts <= n_rows; i += kCounts)
    for (int k = 0; k < kCounts; ++k) ++counts[k * n + rows.bucket[i + k]];
  for (; i < n_rows; ++i) ++counts[rows.bucket[i]];
  for (int k = 1; k < kCounts; ++k)
    for (std::size_t b = 0; b < n; ++b) counts[b] += counts[k * n + b];
  return {counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(n)};
}

template <class Code>
void write_codes(const BucketedColumn& rows, const std::vector<std::uint32_t>& code_of_bucket,
                 std::int64_t n_rows, Code* code) {
  const std::vector<Code> of_bucket(code_of_bucket.begin(), code_of_bucket.end());
  for (std::int64_t i = 0; i < n_rows; ++i) code[i] = of_bucket[rows.bucket[i]];
}

class CountedBins {
 public:
  CountedBins(const Column& column, const BucketedColumn& rows, std::vector<std::uint32_t> count,
              std::int64_t n_rows, int max_bins)
      : column_(column), rows_(rows), count_(std::move(count)), n_rows_(n_rows), max_bins_(max_bins) {
    for (int bucket = 0; bucket < rows.n_buckets; ++bucket) known_ += count_[bucket];
    find_mixed_buckets();
  }

  std::int64_t n_occupied() const {
    return std::count_if(count_.begin(), count_.begin() + rows_.n_buckets,
                         [](std::uint32_t n) { return n > 0; });
  }

  // Finds where bins end, from the ranks that the rule asks for.
  void find(ColumnBins& bins) {
    mark_buckets();
    collect();
    find_marked(bins);
  }

  // Makes each distinct value a bin and returns true, or returns false if there are too many.
  bool find_each(ColumnBins& bins) {
    part_.assign(count_.size(), Part::plain);
    for (int bucket = 0; bucket < rows_.n_buckets; ++bucket)
      if (count_[bucket] > 0) part_[bucket] = Part::ends;
    collect();
    std::int64_t n_values = 0;
    for (int bucket = 0; bucket < rows_.n_buckets; ++bucket)
      if (count_[bucket] > 0) n_values += is_mixed_[bucket] ? n_distinct(bucket) : 1;
    if (n_values > max_bins_) return false;
    each_ = true;
    find_marked(bins);
    return true;
  }

  template <class Code>
  void write(Code* code) const {
    write_codes(rows_, code_of_bucket_, n_rows_, code);
    for (const auto& [row, own] : code_of_row_) code[row] = static_cast<Code>(own);
  }

 private:
  // Goes through all buckets in ascending order.
  void find_marked(ColumnBins& bins) {
    for (int bucket = 0; bucket < rows_.n_buckets; ++bucket) {
      code_of_bucket_.push_back(static_cast<std::uint32_t>(bins.highest.size()));
      if (part_[bucket] == Part::begins && begins_) begin_bin(least_value(bucket), bins);
      if (part_[bucket] == Part::ends) end_bins(bucket, bins);
      before_ += count_[bucket];
    }
    bins.n_bins = static_cast<int>(bins.highest.size());
    code_of_bucket_.push_back(static_cast<std::uint32_t>(bins.n_bins));  // missing
    code_of_bucket_.push_back(0);                                        // coded later
  }

  std::int64_t rank(std::int64_t i) const {
    return i * (known_ / max_bins_) + (i * (known_ % max_bins_) + max_bins_ - 1) / max_bins_;
  }

  // Marks the buckets where a rank of the rule lies, and the next one with rows after each.
  void mark_buckets() {
    part_.assign(count_.size(), Part::plain);
    std::int64_t before = 0;
    int k = 1;
    bool next = true;
    for (int bucket = 0; bucket < rows_.n_buckets; ++bucket) {
      before += count_[bucket];
      if (count_[bucket] == 0) continue;
      bool ends = false;
      for (; k <= max_bins_ && rank(k) <= before; ++k) ends = true;
      if (ends || next) part_[bucket] = ends ? Part::ends : Part::begins;
      next = ends;
    }
  }

  // Finds the buckets whose values may differ, and a row of each of the others. Rows of most blocks have the
  // values of the sample.
  void find_mixed_buckets() {
    is_mixed_.assign(count_.size(), rows_.value_of_bucket.empty());
    if (rows_.value_of_bucket.empty()) return;
    std::vector<double> value = rows_.value_of_bucket;
    for (std::size_t block = 0; block < rows_.is_odd_block.size(); ++block) {
      if (!rows_.is_odd_block[block]) continue;
      const auto begin = static_cast<std::int64_t>(block) * BucketedColumn::kBlock;
      for (std::int64_t i = begin; i < std::min(n_rows_, begin + BucketedColumn::kBlock); ++i) {
        const int bucket = rows_.bucket[i];
        if (bucket >= rows_.n_buckets) continue;
        const double x = column_.value(i);
        if (value[bucket] != value[bucket]) value[bucket] = x;
        if (value[bucket] != x) is_mixed_[bucket] = 1;
      }
    }
    first_row_.assign(count_.size(), ColumnBins::kNoRow);
    for (std::int64_t i = n_rows_ - 1; i >= 0; --i)
      first_row_[rows_.bucket[i]] = static_cast<std::uint32_t>(i);
  }

  bool is_wanted(int bucket) const { return part_[bucket] != Part::plain && is_mixed_[bucket]; }

  // The value of a bucket where all are equal.
  RowValue single_value(int bucket) const { return {column_.value(first_row_[bucket]), first_row_[bucket]}; }

  RowValue least_value(int bucket) const {
    if (!is_mixed_[bucket]) return single_value(bucket);
    const RowValue* list = values_.data() + first_[bucket];
    return *std::min_element(list, list + count_[bucket]);
  }

  // Collects the values of the buckets marked, those of a bucket next to each other in the order of rows.
  void collect() {
    constexpr int kRowsAtOnce = 4096;
    first_.assign(count_.size(), 0);
    std::size_t many = 0;
    for (std::size_t bucket = 0; bucket < count_.size(); ++bucket) {
      first_[bucket] = many;
      if (is_wanted(static_cast<int>(bucket))) many += count_[bucket];
    }
    values_.resize(many);
    if (many == 0) return;
    std::vector<std::size_t> next = first_;
    std::vector<std::uint8_t> wanted(count_.size());
    for (std::size_t bucket = 0; bucket < wanted.size(); ++bucket)
      wanted[bucket] = is_wanted(static_cast<int>(bucket));
    std::uint32_t found[kRowsAtOnce];
    for (std::int64_t begin = 0; begin < n_rows_; begin += kRowsAtOnce) {
      const std::int64_t end = std::min(n_rows_, begin + kRowsAtOnce);
      int n_found = 0;
      for (std::int64_t i = begin; i < end; ++i) {  // without branches, which would be mispredicted
        found[n_found] = static_cast<std::uint32_t>(i);
        n_found += wanted[rows_.bucket[i]];
      }
      for (int i = 0; i < n_found; ++i)
        values_[next[rows_.bucket[found[i]]]++] = {column_.value(found[i]), found[i]};
    }
  }

  void begin_bin(const RowValue& lowest, ColumnBins& bins) {
    bins.lowest_row.push_back(lowest.row);
    bins.lowest.push_back(lowest.value);
    begins_ = false;
  }

  void end_bin(const RowValue& highest, ColumnBins& bins) {
    bins.highest_row.push_back(highest.row);
    bins.highest.push_back(highest.value);
    begins_ = true;
  }

  RowValue* sorted_values(int bucket) {
    RowValue *list = values_.data() + first_[bucket], *end = list + count_[bucket];
    if (!std::is_sorted(list, end)) std::sort(list, end);
    return list;
  }

  std::int64_t n_distinct(int bucket) {
    const RowValue* list = sorted_values(bucket);
    std::int64_t n = 1;
    for (std::uint32_t i = 1; i < count_[bucket]; ++i) n += list[i].value != list[i - 1].value;
    return n;
  }

  // Whether a bin ends with the value of the last of so many rows.
  bool ends_after(std::int64_t n) {
    if (!each_ && (k_ > max_bins_ || rank(k_) > n)) return false;
    while (k_ <= max_bins_ && rank(k_) <= n) ++k_;
    return true;
  }

  // Goes through the values of a bucket in which a bin ends.
  void end_bins(int bucket, ColumnBins& bins) {
    const std::int64_t n = count_[bucket];
    if (!is_mixed_[bucket]) {
      const RowValue value = single_value(bucket);
      if (begins_) begin_bin(value, bins);
      if (ends_after(before_ + n)) end_bin(value, bins);
      return;
    }
    const RowValue* list = sorted_values(bucket);
    for (std::int64_t i = 0; i < n; ++i) {
      if (begins_) begin_bin(list[i], bins);
      code_of_row_.emplace_back(list[i].row, static_cast<std::uint32_t>(bins.highest.size()));
      const bool is_last = i + 1 == n || list[i].value != list[i + 1].value;
      if (is_last && ends_after(before_ + i + 1)) end_bin(list[i], bins);
    }
  }

  const Column& column_;
  const BucketedColumn& rows_;
  std::vector<std::uint32_t> count_;  // of each bucket
  std::int64_t n_rows_, known_ = 0;
  int max_bins_;
  std::vector<Part> part_;                // of each bucket
  std::vector<std::size_t> first_;        // of the values of each bucket
  std::vector<std::uint8_t> is_mixed_;    // whether values of each bucket may differ
  std::vector<std::uint32_t> first_row_;  // of each bucket, if some are not mixed
  RawVector<RowValue> values_;            // of the buckets marked
  std::vector<std::uint32_t> code_of_bucket_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> code_of_row_;  // of rows whose bucket does not tell
  // Rows in the buckets before, the next rank of the rule, and whether the next value begins a bin.
  std::int64_t before_ = 0;
  int k_ = 1;
  bool begins_ = true;
  bool each_ = false;  // each distinct value is a bin
};

}  // namespace

void bin_by_counting(const Column& column, const BucketedColumn& rows, int max_bins, BinnedTable& table,
                     int c) {
  std::vector<std::uint32_t> count = rows_by_bucket(rows, table.n_rows);
  ColumnBins& bins = table.columns[c];
  bins.has_missing = count[rows.missing()] > 0;
  CountedBins counted(column, rows, std::move(count), table.n_rows, max_bins);
  if (!rows.may_be_few || counted.n_occupied() > max_bins || !counted.find_each(bins)) counted.find(bins);
  make_room(table, c);
  if (bins.is_wide())
    counted.write(table.wide[c].get());
  else
    counted.write(table.narrow[c].get());
}

}  // namespace bough
