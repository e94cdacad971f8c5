#include "bough/histogram/row_list.hpp"

#include <cstring>
#include <vector>

#include "bough/machine/processor.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bough {

namespace {

// Writes the rows of branch 0 to `left` and the others to `right`, either of which may be the list itself;
// returns how many have branch 0.
template <class Code>
std::int64_t part_by_one(const Code* code, const std::uint8_t* branch, const RowEntry* list,
                         std::int64_t count, RowEntry* left, RowEntry* right) {
  std::int64_t l = 0, r = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const RowEntry entry = list[i];
    const std::int64_t goes_right = branch[code[row_of(entry)]];
    left[l] = entry;
    right[r] = entry;
    l += 1 - goes_right;
    r += goes_right;
  }
  return l;
}

#if defined(BOUGH_LONG_REGISTERS)

// The same, eight rows at a time. Codes are loaded one by one: an instruction that gathers them takes longer.
template <class Code>
BOUGH_LONG_REGISTERS std::int64_t part_by_eights(const Code* code, const std::uint8_t* branch,
                                                 const RowEntry* list, std::int64_t count, RowEntry* left,
                                                 RowEntry* right) {
  constexpr int kLanes = 8;
  std::int64_t l = 0, i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    unsigned goes_right = 0;
    for (int lane = kLanes - 1; lane >= 0; --lane)
      goes_right = 2 * goes_right + branch[code[row_of(list[i + lane])]];
    const __m512i entries = _mm512_loadu_si512(list + i);
    _mm512_storeu_si512(left + l, _mm512_maskz_compress_epi64(static_cast<__mmask8>(~goes_right), entries));
    _mm512_storeu_si512(right + (i - l),
                        _mm512_maskz_compress_epi64(static_cast<__mmask8>(goes_right), entries));
    l += kLanes - __builtin_popcount(goes_right);
  }
  return l + part_by_one(code, branch, list + i, count - i, left + l, right + (i - l));
}

#endif

template <class Code>
std::int64_t part_rows(const Code* code, const std::uint8_t* branch, const RowEntry* list, std::int64_t count,
                       RowEntry* left, RowEntry* right) {
#if defined(BOUGH_LONG_REGISTERS)
  if (has_avx2() && has_long_registers()) return part_by_eights(code, branch, list, count, left, right);
#endif
  return part_by_one(code, branch, list, count, left, right);
}

void move_entries(RowEntry* to, const RowEntry* from, std::int64_t count) {
  if (to != from) std::memmove(to, from, static_cast<std::size_t>(count) * sizeof(RowEntry));
}

}  // namespace

std::int64_t RowList::part(const BinnedTable& table, int column, const std::uint8_t* branch,
                           std::int64_t begin, std::int64_t count, Team& team) {
  if (table.columns[column].is_wide()) return part(table.wide[column].get(), branch, begin, count, team);
  return part(table.narrow[column].get(), branch, begin, count, team);
}

// Each member of the team parts some of the rows. What must move on is brought to the scratch, so that all
// can be moved to its place at once: of the first rows those of branch 1, of the last ones those of branch 0,
// whose others are moved to the end of the list right away, and of the rows between them both.
template <class Code>
std::int64_t RowList::part(const Code* code, const std::uint8_t* branch, std::int64_t begin,
                           std::int64_t count, Team& team) {
  const int n_chunks = count < kRowsForTeam ? 1 : team.size();
  RowEntry *list = entries_.get(), *scratch = scratch_.get();
  if (n_chunks == 1) {
    const std::int64_t n_left = part_rows(code, branch, list + begin, count, list + begin, scratch + begin);
    move_entries(list + begin + n_left, scratch + begin, count - n_left);
    return n_left;
  }
  std::vector<std::int64_t> left(n_chunks);
  const auto start = [&](int chunk) { return begin + count * chunk / n_chunks; };
  team.run(n_chunks, [&](int chunk, int) {
    const std::int64_t first = start(chunk), own = start(chunk + 1) - first;
    if (chunk == 0) {
      left[0] = part_rows(code, branch, list + first, own, list + first, scratch + first);
      return;
    }
    left[chunk] = part_rows(code, branch, list + first, own, scratch + first, list + first);
    RowEntry* others = chunk + 1 == n_chunks ? list : scratch;
    move_entries(others + first + left[chunk], list + first, own - left[chunk]);
  });
  std::int64_t n_left = 0;
  for (const std::int64_t own : left) n_left += own;
  team.run(n_chunks, [&](int chunk, int) {
    const std::int64_t first = start(chunk), own = start(chunk + 1) - first;
    std::int64_t left_before = 0;
    for (int before = 0; before < chunk; ++before) left_before += left[before];
    const std::int64_t right_before = first - begin - left_before;
    if (chunk > 0) move_entries(list + begin + left_before, scratch + first, left[chunk]);
    if (chunk == 0 || chunk + 1 < n_chunks)
      move_entries(list + begin + n_left + right_before, scratch + first + (chunk > 0 ? left[chunk] : 0),
                   own - left[chunk]);
  });
  return n_left;
}

}  // namespace bough
