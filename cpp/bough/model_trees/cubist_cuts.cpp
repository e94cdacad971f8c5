#include "bough/model_trees/cubist_cuts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "bough/machine/radix_sort.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace bough::model_trees::cubist {

namespace {

// Bits that ascend as the numbers do; both zeros have the same.
std::uint32_t ascending_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value == 0 ? 0.0f : value);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

// Cubist's quicksort: the pivot is the middle value, and equal values end in an order of their own.
void sort(std::span<SortedLists::Item> items, int first, int last) {
  while (first < last) {
    const float pivot = items[(first + last) / 2].value;
    int middle = first, high = last;
    while (items[middle].value < pivot) ++middle;
    while (items[high].value > pivot) --high;
    for (int i = middle; i <= high;) {
      if (items[i].value < pivot) {
        std::swap(items[middle++], items[i++]);
      } else if (items[i].value > pivot) {
        std::swap(items[high--], items[i]);
      } else {
        ++i;
      }
    }
    sort(items, first, middle - 1);
    first = high + 1;
  }
}

// A figure of the cases below a cut, and of those above.
using Sides [[gnu::vector_size(16)]] = double;

Sides square_root(Sides of) {
#if defined(__SSE2__)
  return reinterpret_cast<Sides>(_mm_sqrt_pd(reinterpret_cast<__m128d>(of)));
#else
  return Sides{std::sqrt(of[0]), std::sqrt(of[1])};
#endif
}

// The sums of both sides of a cut: x is the column, y the residual.
struct Lines {
  Sides n{}, x{}, xx{}, y{}, yy{}, xy{};

  void add_above(double a, double b) { add(Sides{0, 1}, a, b); }
  void move_below(double a, double b) { add(Sides{1, -1}, a, b); }
  void add(Sides times, double a, double b) {
    n += times;
    x += a * times;
    xx += a * a * times;
    y += b * times;
    yy += b * b * times;
    xy += a * b * times;
  }
  // The deviation left on both sides, weighted by their cases: that of a line, if its slope is significant,
  // or of the mean. critical: the least correlation that is significant.
  double spread(const std::vector<double>& critical) const {
    const Sides mean_x = x / n, var_x = xx / n - mean_x * mean_x;
    const Sides mean_y = y / n, var_y = yy / n - mean_y * mean_y;
    Sides r = (xy - x * y / n) / (n * square_root(var_x * var_y + 1e-10));
    const Sides least{critical[static_cast<std::size_t>(n[0])], critical[static_cast<std::size_t>(n[1])]};
    r = (r < 0 ? -r : r) < least ? Sides{} : r;
    const Sides squares = (1 - r * r) * n * var_y;
    const Sides each = n * square_root((squares + 1e-3) / (n - 1));
    return (each[0] + each[1]) / (n[0] + n[1]);
  }
};

}  // namespace

SortedLists::SortedLists(const Data& data) : second_(data.y.size()), aside_(data.y.size()) {
  const std::size_t n = data.y.size();
  std::vector<std::uint64_t> keys(n), scratch(n);
  for (const Column& column : data.columns) {
    std::vector<Entry>& list = lists_.emplace_back();
    repeats_.push_back(false);
    if (!column.continuous || !column.used) continue;
    for (std::size_t row = 0; row < n; ++row)
      keys[row] = static_cast<std::uint64_t>(ascending_bits(column.value[row])) << 32 | row;
    const std::uint64_t* sorted =
        radix_sort(keys.data(), scratch.data(), static_cast<std::int64_t>(n), 32, 32);
    std::size_t n_equal = 0;
    for (std::size_t i = 1; i < n; ++i) n_equal += sorted[i] >> 32 == sorted[i - 1] >> 32;
    repeats_.back() = n_equal > 0;
    if (2 * n_equal > n) continue;
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = static_cast<int>(sorted[i] & 0xffffffffu);
      list.push_back({column.value[row], row});
    }
  }
}

bool SortedLists::read(int column, int first, const std::vector<float>& residual,
                       std::span<Item> items) const {
  if (lists_[column].empty()) return false;
  const Entry* entry = lists_[column].data() + first;
  const std::size_t n = items.size();
  if (repeats_[column]) {
    int equal = 0;
    for (std::size_t i = 1; i < n; ++i) equal |= entry[i].value == entry[i - 1].value;
    if (equal) return false;
  }
  for (std::size_t i = 0; i < n; ++i) items[i] = {entry[i].value, residual[entry[i].row]};
  return true;
}

void SortedLists::divide(const std::vector<int>& rows, int first, int middle, int last) {
  for (int i = first; i <= last; ++i) second_[rows[i]] = i >= middle;
  for (std::vector<Entry>& list : lists_) {
    if (list.empty()) continue;
    Entry *to = list.data() + first, *aside = aside_.data();
    for (int i = first; i <= last; ++i) {
      const Entry entry = list[i];
      const bool second = second_[entry.row] != 0;
      *to = entry;
      *aside = entry;
      to += !second;
      aside += second;
    }
    std::copy(aside_.data(), aside, to);
  }
}

CutSearch::CutSearch(int n_rows) : critical_(n_rows + 1, 1.0), items_(n_rows) {
  // Fisher's z; fewer than six cases have no significant slope.
  for (int n = 6; n <= n_rows; ++n) {
    const double z = std::exp(2 * 1.96 * std::sqrt(1.0 / (n - 3.0)));
    critical_[n] = (z - 1) / (z + 1);
  }
}

Cut CutSearch::best(const Column& column, int index, std::span<const int> rows, int first,
                    const SortedLists& lists, const std::vector<float>& residual, double deviation,
                    int edge) {
  const int cases = static_cast<int>(rows.size());
  const std::span items(items_.data(), rows.size());
  Lines lines;
  for (int i = cases - 1; i >= 0; --i) lines.add_above(column.value[rows[i]], residual[rows[i]]);
  if (!lists.read(index, first, residual, items)) {
    for (int i = 0; i < cases; ++i) items[i] = {column.value[rows[i]], residual[rows[i]]};
    sort(items, 0, cases - 1);
  }
  Cut best;
  for (int i = 0; i + edge < cases; ++i) {
    lines.move_below(items[i].value, items[i].target);
    if (!(items[i + 1].value > items[i].value) || i < edge - 1) continue;
    const double gain = deviation - lines.spread(critical_);
    if (gain > best.gain) best = {gain, items[i].value, items[i + 1].value};
  }
  return best;
}

}  // namespace bough::model_trees::cubist
