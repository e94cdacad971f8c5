#include "bough/boost/sorted_rows.hpp"

#include <algorithm>

#include "bough/machine/processor.hpp"

#if defined(BOUGH_LONG_REGISTERS)
#include <immintrin.h>
#endif

namespace bough {

namespace {

constexpr std::size_t kBits = 32;

// Sums of codes pay in larger leaves, unless the histograms of so many columns leave the cache.
constexpr std::int64_t kFewRowsOfFewColumns = 512;
constexpr std::size_t kManyColumns = 32;

// Writes the rows of a table in the order of a column; of equals in their own.
template <class Code>
void sort_rows(const Code* codes, std::size_t n_rows, int n_codes, SortedRow* to) {
  std::vector<std::uint32_t> next(static_cast<std::size_t>(n_codes) + 1, 0);
  for (std::size_t i = 0; i < n_rows; ++i) ++next[codes[i] + std::size_t{1}];
  for (int code = 0; code < n_codes; ++code) next[code + 1] += next[code];
  for (std::size_t i = 0; i < n_rows; ++i)
    to[next[codes[i]]++] = static_cast<SortedRow>(codes[i]) << 16 | static_cast<SortedRow>(i);
}

// Writes the rows without a bit to `left` and the others to `right`, both in their order.
void part_rows(const SortedRow* rows, std::size_t count, const std::uint32_t* bits, SortedRow* left,
               SortedRow* right) {
  for (std::size_t i = 0; i < count; ++i) {
    const SortedRow row = rows[i];
    const bool goes_right = bits[row_of_sorted(row) / kBits] >> row % kBits & 1;
    *(goes_right ? right : left) = row;
    left += !goes_right;
    right += goes_right;
  }
}

#if defined(BOUGH_LONG_REGISTERS)
// The same, 16 rows at a time, with the bits of all rows in two registers.
BOUGH_LONG_REGISTERS void part_rows_by_long_registers(const SortedRow* rows, std::size_t count,
                                                      const std::uint32_t* bits, SortedRow* left,
                                                      SortedRow* right) {
  constexpr std::size_t kLanes = 16;
  const __m512i low = _mm512_loadu_si512(bits), high = _mm512_loadu_si512(bits + kLanes);
  for (std::size_t i = 0; i < count; i += kLanes) {
    const auto here = static_cast<__mmask16>(i + kLanes <= count ? 0xffff : (1U << (count - i)) - 1);
    const __m512i row = _mm512_maskz_loadu_epi32(here, rows + i);
    // Only the lowest bits of a place in the table count, and those of a rotation.
    const __m512i word = _mm512_permutex2var_epi32(low, _mm512_maskz_srli_epi32(here, row, 5), high);
    const __mmask16 goes_right =
        _mm512_mask_test_epi32_mask(here, _mm512_maskz_rorv_epi32(here, word, row), _mm512_set1_epi32(1));
    const auto goes_left = static_cast<__mmask16>(here & ~goes_right);
    const int n_left = __builtin_popcount(goes_left), n_right = __builtin_popcount(goes_right);
    // What follows may belong to another leaf.
    _mm512_mask_storeu_epi32(left, static_cast<__mmask16>((1U << n_left) - 1),
                             _mm512_maskz_compress_epi32(goes_left, row));
    _mm512_mask_storeu_epi32(right, static_cast<__mmask16>((1U << n_right) - 1),
                             _mm512_maskz_compress_epi32(goes_right, row));
    left += n_left;
    right += n_right;
  }
}
#endif

}  // namespace

void SortedRows::sort_all() {
  place_.assign(bins_.columns.size(), -1);
  has_all_ = true;
  std::size_t many = 0;
  for (std::size_t c = 0; c < bins_.columns.size(); ++c) {
    const ColumnBins& column = bins_.columns[c];
    if (column.n_bins < 1) continue;  // it is not searched
    all_.resize((many + 1) * n_rows());
    SortedRow* to = all_.data() + many * n_rows();
    if (column.is_wide())
      sort_rows(bins_.wide[c].get(), n_rows(), column.n_codes(), to);
    else
      sort_rows(bins_.narrow[c].get(), n_rows(), column.n_codes(), to);
    const bool any_missing = code_of_sorted(to[n_rows() - 1]) == column.n_bins;
    if (column.scale == Scale::nominal || any_missing)
      has_all_ = false;
    else
      place_[c] = static_cast<int>(many++);
  }
  all_.resize(many * n_rows());
  few_rows_ = place_.size() < kManyColumns ? kFewRowsOfFewColumns : kMostRows;
  for (std::vector<SortedRow>& lists : lists_) lists.resize(all_.size());
  bits_.resize(kMostRows / kBits);
}

void SortedRows::start(const RowEntry* entries, std::int64_t count) {
  if (bins_.n_rows > kMostRows) return;
  if (place_.empty()) sort_all();
  root_ = all_.data();
  if (static_cast<std::size_t>(count) == n_rows()) return;
  std::fill(bits_.begin(), bits_.end(), ~std::uint32_t{0});
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t row = row_of(entries[i]);
    bits_[row / kBits] &= ~(std::uint32_t{1} << row % kBits);
  }
  for (std::size_t from = 0; from < all_.size(); from += n_rows()) {
    SortedRow *to = lists_[0].data() + from, *others = lists_[1].data() + from;
    part_rows(all_.data() + from, n_rows(), bits_.data(), to, others);
  }
  root_ = lists_[0].data();
}

void SortedRows::part(const RowEntry* entries, const Parted& leaf) {
  if (all_.empty()) return;
  std::fill(bits_.begin(), bits_.end(), 0);
  const RowEntry* going_right = entries + leaf.begin + leaf.n_left;
  for (std::int64_t i = 0; i < leaf.n_right; ++i) {
    const std::uint32_t row = row_of(going_right[i]);
    bits_[row / kBits] |= std::uint32_t{1} << row % kBits;
  }
  auto* part = part_rows;
#if defined(BOUGH_LONG_REGISTERS)
  if (has_long_registers()) part = part_rows_by_long_registers;
#endif
  const auto count = static_cast<std::size_t>(leaf.n_left + leaf.n_right);
  for (std::size_t from = leaf.begin; from < all_.size(); from += n_rows()) {
    SortedRow* to = lists_[(leaf.depth + 1) % 2].data() + from;
    part(lists(leaf.depth) + from, count, bits_.data(), to, to + leaf.n_left);
  }
}

}  // namespace bough
