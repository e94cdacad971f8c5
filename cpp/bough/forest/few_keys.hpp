// Few rows put in order by several columns side by side: a vector holds the codes of eight columns in one
// row, and a network of comparisons orders the rows of all of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "bough/machine/processor.hpp"

namespace bough {

// The codes of the rows of a block, all columns of a row next to each other.
struct FewCodes {
  const std::uint32_t* cells = nullptr;
  std::size_t width = 0;
  const std::uint32_t* index = nullptr;  // of each row
};

// A cut of the column that comes at `order` among those searched, between the rows at two places.
struct FewCut {
  double value = 0;
  int order = -1;  // -1: none
  int below = 0, above = 0;
};

namespace few {

constexpr int kColumns = 8;  // side by side
// The place of a row is kept in the lowest bits of its code.
constexpr int kPlaceBits = 6;
constexpr std::uint32_t kPlaceMask = (1u << kPlaceBits) - 1;
constexpr std::uint32_t kMostCodes = 1u << (31 - kPlaceBits);
using Keys = std::int32_t __attribute__((vector_size(4 * kColumns)));

// Calls compare(i, j), i < j, for the comparisons of a network that sorts n keys (Batcher 1968, odd-even
// merging).
template <class Compare>
constexpr void for_each_comparison(int n, const Compare& compare) {
  for (int p = 1; p < n; p *= 2)
    for (int k = p; k >= 1; k /= 2)
      for (int j = k % p; j + k < n; j += 2 * k)
        for (int i = j; i < std::min(j + k, n - k); ++i)
          if (i / (2 * p) == (i + k) / (2 * p)) compare(i, i + k);
}

constexpr int n_comparisons(int n) {
  int count = 0;
  for_each_comparison(n, [&count](int, int) { ++count; });
  return count;
}

template <int N>
constexpr auto network() {
  std::array<std::pair<int, int>, n_comparisons(N)> list{};
  int count = 0;
  for_each_comparison(N, [&](int i, int j) { list[count++] = {i, j}; });
  return list;
}

BOUGH_INLINE void exchange(Keys& low, Keys& high) {
  const Keys a = low, b = high;
  low = a < b ? a : b;
  high = a < b ? b : a;
}

// The last comparisons of the network, which merge the first 32 of n keys with the others.
constexpr int kHalfOfMany = 32;

template <class Compare>
constexpr void for_each_merging(int n, const Compare& compare) {
  for (int k = kHalfOfMany; k >= 1; k /= 2)
    for (int j = k % kHalfOfMany; j + k < n; j += 2 * k)
      for (int i = j; i < std::min(j + k, n - k); ++i) compare(i, i + k);
}

template <int N>
constexpr int kMergings = [] {
  int count = 0;
  for_each_merging(N, [&count](int, int) { ++count; });
  return count;
}();

template <int N>
constexpr auto merging_network() {
  std::array<std::pair<int, int>, kMergings<N>> list{};
  int count = 0;
  for_each_merging(N, [&](int i, int j) { list[count++] = {i, j}; });
  return list;
}

template <int N, std::size_t... I>
BOUGH_INLINE void merge_keys_of(Keys* key, std::index_sequence<I...>) {
  constexpr auto comparisons = merging_network<N>();
  (exchange(key[comparisons[I].first], key[comparisons[I].second]), ...);
}

template <int N, std::size_t... I>
BOUGH_INLINE void sort_keys_of(Keys* key, std::index_sequence<I...>) {
  constexpr auto comparisons = network<N>();
  (exchange(key[comparisons[I].first], key[comparisons[I].second]), ...);
}

// Reads the codes of kColumns columns in a row one by one.
struct CodeReader {
  const int* column;

  BOUGH_INLINE CodeReader(const FewCodes&, const int* columns) : column(columns) {}
  BOUGH_INLINE void read(const std::uint32_t* row, Keys& to) const {
    to = Keys{static_cast<std::int32_t>(row[column[0]]), static_cast<std::int32_t>(row[column[1]]),
              static_cast<std::int32_t>(row[column[2]]), static_cast<std::int32_t>(row[column[3]]),
              static_cast<std::int32_t>(row[column[4]]), static_cast<std::int32_t>(row[column[5]]),
              static_cast<std::int32_t>(row[column[6]]), static_cast<std::int32_t>(row[column[7]])};
  }
};

// Reads the codes of kColumns columns in n rows, adds the places of the rows, and puts them in order.
template <int N, class Reader = CodeReader>
BOUGH_INLINE void sorted_keys(const FewCodes& codes, const int* column, int n, Keys* to) {
  const Reader reader(codes, column);
  Keys key[N];
  for (int i = 0; i < N; ++i) {
    if (i < n) {
      Keys own;
      reader.read(codes.cells + codes.index[i] * codes.width, own);
      key[i] = (own << kPlaceBits) | i;
    } else {
      key[i] = Keys{} + std::numeric_limits<std::int32_t>::max();
    }
  }
  if constexpr (N <= kHalfOfMany) {
    sort_keys_of<N>(key, std::make_index_sequence<n_comparisons(N)>{});
  } else {
    constexpr int kRest = N - kHalfOfMany;
    sort_keys_of<kHalfOfMany>(key, std::make_index_sequence<n_comparisons(kHalfOfMany)>{});
    sort_keys_of<kRest>(key + kHalfOfMany, std::make_index_sequence<n_comparisons(kRest)>{});
    merge_keys_of<N>(key, std::make_index_sequence<kMergings<N>>{});
  }
  for (int i = 0; i < N; ++i) std::memcpy(to + i, key + i, sizeof key[i]);
}

// Takes the best of the columns searched side by side: value and last row below of each. A value of `enough`
// is the last.
BOUGH_INLINE void take_first(const double* value, const std::int64_t* at, const Keys* key, int first, int n,
                             FewCut& best, double enough) {
  for (int c = 0; c < n && best.value < enough; ++c) {
    if (!(value[c] > best.value)) continue;
    best.value = value[c];
    best.order = first + c;
    best.below = static_cast<int>(static_cast<std::uint32_t>(key[at[c]][c]) & kPlaceMask);
    best.above = static_cast<int>(static_cast<std::uint32_t>(key[at[c] + 1][c]) & kPlaceMask);
  }
}

// The columns from `first` on, of which `many` are to be searched; the last is repeated.
BOUGH_INLINE void own_columns(const int* columns, int first, int many, int* own) {
  for (int c = 0; c < kColumns; ++c) own[c] = columns[first + std::min(c, many - 1)];
}

constexpr int kHalf = kColumns / 2;
using HalfKeys = std::int32_t __attribute__((vector_size(4 * kHalf)));

// The keys beside a cut of the columns from `half` on.
struct HalfCut {
  HalfKeys below, above;

  BOUGH_INLINE HalfCut(const Keys* key, int half) {
    std::memcpy(&below, reinterpret_cast<const std::int32_t*>(key) + half, sizeof below);
    std::memcpy(&above, reinterpret_cast<const std::int32_t*>(key + 1) + half, sizeof above);
  }
  // The row below the cut of a column.
  BOUGH_INLINE std::uint32_t row(int column) const {
    return static_cast<std::uint32_t>(below[column]) & kPlaceMask;
  }
  // Whether the values beside the cut are different.
  BOUGH_INLINE void differ(HalfKeys& to) const { to = (below >> kPlaceBits) != (above >> kPlaceBits); }
};

// Searches columns side by side: the sweep finds the best cut of each from keys in order. Columns after one
// whose value is `enough` are left out.
template <template <int> class Sweep, class Reader = CodeReader>
struct SweptColumns {
  template <int N>
  struct Of {
    template <class Rows>
    BOUGH_INLINE static void run(const Rows& rows, const FewCodes& codes, const int* columns, int n,
                                 double enough, FewCut& best) {
      Keys key[N];
      alignas(64) double value[kColumns];
      alignas(64) std::int64_t at[kColumns];
      for (int first = 0; first < n && best.value < enough; first += kColumns) {
        const int many = std::min(kColumns, n - first);
        int own[kColumns];
        own_columns(columns, first, many, own);
        sorted_keys<N, Reader>(codes, own, rows.n, key);
        Sweep<N>::run(rows, key, many, best.value, value, at);
        take_first(value, at, key, first, many, best, enough);
      }
    }
  };
};

// Runs the search for the least number of rows that is at least n, or for the last one.
template <template <int> class Search, int kFirst, int... kMore, class... Arguments>
BOUGH_INLINE void search_few(int n, Arguments&&... arguments) {
  if constexpr (sizeof...(kMore) == 0) {
    Search<kFirst>::run(arguments...);
  } else {
    if (n <= kFirst) return Search<kFirst>::run(arguments...);
    search_few<Search, kMore...>(n, arguments...);
  }
}

}  // namespace few

// A search of columns among few rows of several classes.
template <class Rows>
struct FewClassSearch {
  int most_rows;  // that it takes: for which it is faster than other searches; 0: none
  // Betters `best` by the cuts of n columns; of equals the first column and its lowest cut win. No column
  // after one whose value is `enough` is looked at.
  void (*search)(const Rows& rows, const FewCodes& codes, const int* columns, int n, double enough,
                 FewCut& best);
};

}  // namespace bough
