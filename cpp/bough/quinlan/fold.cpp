#include "bough/quinlan/fold.hpp"

#include <numeric>
#include <utility>

namespace bough::quinlan {

namespace {

// java.util.Random: a linear congruential generator of 48 bits, specified in Java's documentation.
class JavaRandom {
 public:
  explicit JavaRandom(std::int32_t seed)
      : state_((static_cast<std::uint64_t>(static_cast<std::int64_t>(seed)) ^ kMultiplier) & kMask) {}

  // A whole number from 0 to below the bound.
  std::int32_t below(std::int32_t bound) {
    if ((bound & -bound) == bound) return static_cast<std::int32_t>((std::int64_t{bound} * next()) >> 31);
    std::int32_t bits, value;
    do {
      bits = next();
      value = bits % bound;
      // Numbers of the last, incomplete round would come up too often.
    } while (std::int64_t{bits} - value + (bound - 1) > 0x7fffffff);
    return value;
  }

 private:
  static constexpr std::uint64_t kMultiplier = 0x5DEECE66Du, kMask = (std::uint64_t{1} << 48) - 1;

  std::int32_t next() {
    state_ = (state_ * kMultiplier + 0xB) & kMask;
    return static_cast<std::int32_t>(state_ >> 17);
  }

  std::uint64_t state_;
};

// Brings rows of the same class next to each other, then deals them out to the folds in turn.
void stratify(std::vector<std::uint32_t>& rows, const std::int32_t* label, int n_folds) {
  const std::size_t n = rows.size();
  for (std::size_t index = 1; index < n; ++index) {
    const std::int32_t wanted = label[rows[index - 1]];
    for (std::size_t j = index; j < n; ++j)
      if (label[rows[j]] == wanted) std::swap(rows[index++], rows[j]);
  }
  std::vector<std::uint32_t> dealt;
  dealt.reserve(n);
  for (int start = 0; start < n_folds; ++start)
    for (std::size_t j = start; j < n; j += n_folds) dealt.push_back(rows[j]);
  rows = std::move(dealt);
}

}  // namespace

std::vector<std::uint8_t> fold_of_rows(const std::int32_t* label, std::int64_t n_rows, int n_folds, int fold,
                                       std::optional<std::int32_t> seed) {
  std::vector<std::uint32_t> rows(n_rows);
  std::iota(rows.begin(), rows.end(), 0u);
  if (seed) {
    JavaRandom random(*seed);
    for (std::int64_t j = n_rows - 1; j > 0; --j)
      std::swap(rows[j], rows[random.below(static_cast<std::int32_t>(j) + 1)]);
  }
  if (label) stratify(rows, label, n_folds);
  const std::int64_t size = n_rows / n_folds, larger = n_rows % n_folds;
  const std::int64_t first = fold * size + std::min<std::int64_t>(fold, larger);
  std::vector<std::uint8_t> held_out(n_rows, 0);
  for (std::int64_t i = first; i < first + size + (fold < larger); ++i) held_out[rows[i]] = 1;
  return held_out;
}

}  // namespace bough::quinlan
