#include "bough/quinlan/fold.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "bough/machine/java_random.hpp"

namespace bough::quinlan {

namespace {

// Brings rows of the same class next to each other, in Weka's way: each class is looked for among all rows
// left.
void group_by_class(std::vector<std::uint32_t>& rows, const std::int32_t* label) {
  const std::size_t n = rows.size();
  for (std::size_t index = 1; index < n; ++index) {
    const std::int32_t wanted = label[rows[index - 1]];
    for (std::size_t j = index; j < n; ++j)
      if (label[rows[j]] == wanted) std::swap(rows[index++], rows[j]);
  }
}

// Groups the rows by class and deals them out to the folds in turn. With very many classes Weka's way would
// take too long, and they are sorted.
void stratify(std::vector<std::uint32_t>& rows, const std::int32_t* label, int n_folds) {
  constexpr std::int32_t kManyClasses = 1000;
  const std::size_t n = rows.size();
  if (*std::max_element(label, label + n) < kManyClasses)
    group_by_class(rows, label);
  else
    std::stable_sort(rows.begin(), rows.end(),
                     [label](std::uint32_t a, std::uint32_t b) { return label[a] < label[b]; });
  std::vector<std::uint32_t> dealt;
  dealt.reserve(n);
  for (int start = 0; start < n_folds; ++start)
    for (std::size_t j = start; j < n; j += n_folds) dealt.push_back(rows[j]);
  rows = std::move(dealt);
}

void shuffle(std::vector<std::uint32_t>& rows, JavaRandom& random) {
  for (auto j = static_cast<std::int64_t>(rows.size()) - 1; j > 0; --j)
    std::swap(rows[j], rows[random.below(static_cast<std::int32_t>(j) + 1)]);
}

std::vector<std::uint32_t> all_rows(std::int64_t n_rows) {
  std::vector<std::uint32_t> rows(n_rows);
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

}  // namespace

std::vector<std::uint8_t> fold_of_rows(const std::int32_t* label, std::int64_t n_rows, int n_folds, int fold,
                                       std::optional<std::int32_t> seed) {
  std::vector<std::uint32_t> rows = all_rows(n_rows);
  if (seed) {
    JavaRandom random(*seed);
    shuffle(rows, random);
  }
  if (label) stratify(rows, label, n_folds);
  const std::int64_t size = n_rows / n_folds, larger = n_rows % n_folds;
  const std::int64_t first = fold * size + std::min<std::int64_t>(fold, larger);
  std::vector<std::uint8_t> held_out(n_rows, 0);
  for (std::int64_t i = first; i < first + size + (fold < larger); ++i) held_out[rows[i]] = 1;
  return held_out;
}

std::vector<std::uint32_t> grown_rows(const std::int32_t* label, std::int64_t n_rows, int n_folds,
                                      std::int32_t seed, bool holds_out) {
  std::vector<std::uint32_t> rows = all_rows(n_rows);
  JavaRandom random(seed);
  shuffle(rows, random);
  if (label) stratify(rows, label, n_folds);
  if (!holds_out) return rows;
  rows.erase(rows.begin(), rows.begin() + n_rows / n_folds + (n_rows % n_folds > 0));
  shuffle(rows, random);
  return rows;
}

std::vector<std::uint32_t> stratified_rows(const std::int32_t* label, std::int64_t n_rows,
                                           std::int64_t n_kept, int n_folds, std::int32_t seed) {
  std::vector<std::uint32_t> rows = all_rows(n_rows);
  JavaRandom random(seed);
  shuffle(rows, random);
  rows.resize(n_kept);
  if (!rows.empty()) stratify(rows, label, n_folds);
  return rows;
}

}  // namespace bough::quinlan
