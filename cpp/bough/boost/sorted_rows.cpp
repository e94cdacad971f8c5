#include "bough/boost/sorted_rows.hpp"

#include <algorithm>

#include "bough/machine/processor.hpp"

#if defined(BOUGH_LONG_REGISTERS)
#include <immintrin.h>
#endif

namespace bough {

namespace {

constexpr std::size_t kBits = 32;

// Writes the rows of a table in the order of a column; of equals in their own.
template <class Code>
void sort_rows(const Code* codes, std::size_t n_rows, int n_codes, SortedRow* to) {
  std::vector<std::uint32_t> next(static_cast<std::size_t>(n_codes) + 1, 0);
  for (std::size_t i = 0; i < n_rows; ++i) ++next[codes[i] + std::size_t{1}];
  for (int code = 0; code < n_codes; ++code) next[code + 1] += next[code];
  for (std::size_t i = 0; i < n_rows; ++i)
    to[next[codes[i]]++] = static_cast<SortedRow>(codes[i]) << 16 | static_cast<SortedRow>(i);
}

std::uint32_t number_of(RowEntry entry) { return row_of(entry); }
std::uint32_t number_of(SortedRow row) { return row_of_sorted(row); }

struct WantedSides {
  bool left = true, right = true;
};

// Writes the rows without a bit to `left` and the others to `right`, both in their order. Nothing branches on
// a bit: which rows are drawn, and where they go, no processor predicts. A side alone that is wanted may be
// written over the other one.
void part_rows(const SortedRow* rows, std::size_t count, const std::uint32_t* bits, SortedRow* left,
               SortedRow* right, WantedSides wants) {
  const auto bit_of = [&](SortedRow row) -> std::size_t {
    return bits[row_of_sorted(row) / kBits] >> row % kBits & 1;
  };
  std::size_t n_left = 0, n_right = 0;
  if (!wants.right) {
    for (std::size_t i = 0; i < count; ++i) {
      left[n_left] = rows[i];
      n_left += 1 - bit_of(rows[i]);
    }
    return;
  }
  const auto gap = static_cast<std::size_t>(right - left);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bit = bit_of(rows[i]);
    left[n_left + (gap + n_right - n_left) * bit] = rows[i];
    n_left += 1 - bit;
    n_right += bit;
  }
}

#if defined(BOUGH_LONG_REGISTERS)
// The same for one side or both, 16 rows at a time, with the bits of all rows in two registers.
BOUGH_LONG_REGISTERS void part_rows_by_long_registers(const SortedRow* rows, std::size_t count,
                                                      const std::uint32_t* bits, SortedRow* left,
                                                      SortedRow* right, WantedSides wants) {
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
    if (wants.left) {
      _mm512_mask_storeu_epi32(left, static_cast<__mmask16>((1U << n_left) - 1),
                               _mm512_maskz_compress_epi32(goes_left, row));
      left += n_left;
    }
    if (wants.right) {
      _mm512_mask_storeu_epi32(right, static_cast<__mmask16>((1U << n_right) - 1),
                               _mm512_maskz_compress_epi32(goes_right, row));
      right += n_right;
    }
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
  for (std::size_t c = 0; c < place_.size(); ++c)
    if (place_[c] >= 0) columns_.push_back(static_cast<int>(c));
  all_.resize(many * n_rows());
  for (std::vector<SortedRow>& lists : lists_) lists.resize(all_.size());
}

void SortedRows::start(const RowEntry* entries, std::int64_t count) {
  if (bins_.n_rows > kMostRows) return;
  if (place_.empty()) sort_all();
  root_ = all_.data();
  n_own_ = columns_.size();
  if (static_cast<std::size_t>(count) == n_rows()) return;
  std::fill_n(marks_.words, RowMarks::kWords, ~std::uint32_t{0});
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t row = row_of(entries[i]);
    marks_.words[row / kBits] &= ~(std::uint32_t{1} << row % kBits);
  }
  const Parted drawn{0, count, bins_.n_rows - count, 0, true, false};
  part(all_.data(), lists_[0].data(), n_rows(), columns_.size(), marks_, drawn);
  root_ = lists_[0].data();
}

template <class Row>
const RowMarks& SortedRows::mark_rows(const Row* rows, const Parted& leaf) {
  // Bits of other rows are not read, so that those of the smaller side can be changed.
  const bool few_left = leaf.n_left < leaf.n_right;
  std::fill_n(marks_.words, RowMarks::kWords, few_left ? ~std::uint32_t{0} : 0);
  const Row* few = rows + (few_left ? 0 : leaf.n_left);
  for (std::int64_t i = 0; i < std::min(leaf.n_left, leaf.n_right); ++i) {
    const std::uint32_t row = number_of(few[i]);
    marks_.words[row / kBits] ^= std::uint32_t{1} << row % kBits;
  }
  return marks_;
}

const RowMarks& SortedRows::mark(const RowEntry* rows, const Parted& leaf) { return mark_rows(rows, leaf); }

const RowMarks& SortedRows::mark(const SortedRow* rows, const Parted& leaf) { return mark_rows(rows, leaf); }

void SortedRows::part(const Parted& leaf) {
  if (n_own_ < columns_.size()) parted_.push_back(leaf);
  part(lists(leaf.depth), lists_[(leaf.depth + 1) % 2].data(), n_rows(), n_own_, marks_, leaf);
}

void SortedRows::part(const SortedRow* from, SortedRow* to, std::size_t stride, std::size_t n_columns,
                      const RowMarks& marks, const Parted& leaf) {
  auto* part = part_rows;
#if defined(BOUGH_LONG_REGISTERS)
  if (has_long_registers()) part = part_rows_by_long_registers;
#endif
  const auto count = static_cast<std::size_t>(leaf.n_left + leaf.n_right);
  for (std::size_t i = 0, at = leaf.begin; i < n_columns; ++i, at += stride)
    part(from + at, count, marks.words, to + at, to + at + leaf.n_left, {leaf.wants_left, leaf.wants_right});
}

void SortedRows::share(std::size_t n_own) {
  n_own_ = n_own;
  parted_.clear();
}

void SortedRows::take_back() {
  struct Leaf {
    std::int64_t begin, count;
    int depth;
    bool wanted;
  };
  std::vector<Leaf> leaves = {{0, bins_.n_rows, 0, true}};
  for (const Parted& split : parted_) {
    const auto leaf = std::find_if(leaves.begin(), leaves.end(), [&](const Leaf& each) {
      return each.begin == split.begin && each.count == split.n_left + split.n_right;
    });
    *leaf = {split.begin, split.n_left, split.depth + 1, split.wants_left};
    leaves.push_back({split.begin + split.n_left, split.n_right, split.depth + 1, split.wants_right});
  }
  // Of leaves that are not searched, rows were not parted in any order.
  const std::size_t none = leaves.size();
  std::vector<std::size_t> leaf_of(n_rows(), none);
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf)
    for (std::int64_t i = 0; leaves[leaf].wanted && i < leaves[leaf].count; ++i)
      leaf_of[row_of_sorted(lists(leaves[leaf].depth)[leaves[leaf].begin + i])] = leaf;
  for (std::size_t place = n_own_; place < columns_.size(); ++place) {
    std::vector<std::int64_t> next;
    for (const Leaf& leaf : leaves) next.push_back(leaf.begin);
    for (std::size_t i = 0; i < n_rows(); ++i) {
      const SortedRow row = all_rows(place)[i];
      const std::size_t leaf = leaf_of[row_of_sorted(row)];
      if (leaf != none) lists_[leaves[leaf].depth % 2][place * n_rows() + next[leaf]++] = row;
    }
  }
  n_own_ = columns_.size();
}

}  // namespace bough
