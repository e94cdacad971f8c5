#include "bough/grow/distinct_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace bough {

namespace {

// Tables of fewer rows are grown as they are.
constexpr std::int64_t kLeastRows = 4096;
// There may be so many distinct rows, and every one must occur so often in the mean.
constexpr std::uint32_t kMostDistinct = 1 << 14;
constexpr std::int64_t kLeastRepeats = 8;
// If as many distinct rows are drawn at random, some of these come twice but for a probability of e^-32.
constexpr std::int64_t kTried = 1024;
constexpr std::int64_t kRowsBetweenPolls = 1 << 16;
// Whole numbers whose squares, summed over all rows, are exact in quarters.
constexpr double kMostSquares = 0x1p50;

// What tells a cell from others; missing numbers are alike.
std::uint64_t bits_of_cell(const Column& column, std::int64_t row) {
  switch (column.type) {
    case Column::Type::float32: {
      const float x = column.at<float>(row);
      return std::bit_cast<std::uint32_t>(x == x ? x : std::numeric_limits<float>::quiet_NaN());
    }
    case Column::Type::float64: {
      const double x = column.at<double>(row);
      return std::bit_cast<std::uint64_t>(x == x ? x : std::numeric_limits<double>::quiet_NaN());
    }
    default:
      return static_cast<std::uint32_t>(column.code(row));
  }
}

std::uint64_t bits_of_target(const Data& data, std::int64_t row) {
  return data.label ? static_cast<std::uint32_t>(data.label[row]) : std::bit_cast<std::uint64_t>(data.y[row]);
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t bits) {
  hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

std::uint64_t hash_of_row(const Data& data, std::int64_t row) {
  std::uint64_t hash = mixed(0, bits_of_target(data, row));
  for (const Column& column : data.columns) hash = mixed(hash, bits_of_cell(column, row));
  hash *= 0xbf58476d1ce4e5b9u;
  return hash ^ hash >> 32;
}

bool same_rows(const Data& data, std::int64_t a, std::int64_t b) {
  if (bits_of_target(data, a) != bits_of_target(data, b)) return false;
  for (const Column& column : data.columns)
    if (bits_of_cell(column, a) != bits_of_cell(column, b)) return false;
  return true;
}

// Whether any two of some rows are alike, by their hashes.
bool some_repeat(const Data& data) {
  std::vector<std::uint64_t> hashes;
  for (std::int64_t i = 0; i < kTried; ++i) hashes.push_back(hash_of_row(data, i * data.n_rows / kTried));
  std::sort(hashes.begin(), hashes.end());
  return std::adjacent_find(hashes.begin(), hashes.end()) != hashes.end();
}

bool reads_sums_alone(const Data& data, const Recipe& recipe) {
  return data.n_targets() == 1 && !data.weight && !data.own && !data.cases && !data.columns.empty() &&
         !data.columns[0].sparse() && !recipe.draw.any() && !recipe.criterion.reads_values();
}

// Whether 0 and -0 are in a column. They are equal, and which of them stands beside a cut depends on the
// rows.
bool has_both_zeros(const Column& column, int n_rows) {
  bool minus = false, plus = false;
  for (int i = 0; i < n_rows; ++i) {
    const double x = column.value(i);
    if (x == 0) (std::signbit(x) ? minus : plus) = true;
  }
  return minus && plus;
}

}  // namespace

bool sums_are_exact(const Data& data) {
  double low = data.y[0], high = low;
  for (std::int64_t i = 0; i < data.n_rows; ++i) {
    if (data.y[i] != std::floor(data.y[i])) return false;
    low = std::min(low, data.y[i]);
    high = std::max(high, data.y[i]);
  }
  const double most = std::max({high - low, std::abs(low), std::abs(high), 1.0});
  return most * most * static_cast<double>(data.n_rows) < kMostSquares;
}

std::optional<DistinctRows> DistinctRows::of(const Data& data, const Recipe& recipe, Watch& watch) {
  if (data.n_rows < kLeastRows || !reads_sums_alone(data, recipe) || !some_repeat(data)) return {};
  if (!data.n_classes && !sums_are_exact(data)) return {};
  DistinctRows distinct;
  if (!distinct.collect(data, watch)) return {};
  distinct.copy(data);
  for (const Column& column : distinct.columns_)
    if (has_both_zeros(column, distinct.size())) return {};
  return distinct;
}

// Numbers the distinct rows; returns false if they turn out to be too many.
bool DistinctRows::collect(const Data& data, Watch& watch) {
  const std::int64_t most = std::min<std::int64_t>(kMostDistinct, data.n_rows / kLeastRepeats);
  constexpr std::size_t kPlaces = 4 * std::size_t{kMostDistinct};
  static_assert(kPlaces == 1 << 16);  // as many as 16 bits number
  constexpr std::uint32_t kFree = ~std::uint32_t{0};
  std::vector<std::uint32_t> place(kPlaces, kFree);  // open addressing
  id_.resize(data.n_rows);
  for (std::int64_t i = 0; i < data.n_rows; ++i) {
    if (i % kRowsBetweenPolls == 0) watch.poll_or_throw();
    std::size_t at = hash_of_row(data, i) >> 48;
    while (place[at] != kFree && !same_rows(data, first_[place[at]], i)) at = (at + 1) % kPlaces;
    if (place[at] == kFree) {
      if (size() == most) return false;
      place[at] = static_cast<std::uint32_t>(first_.size());
      first_.push_back(static_cast<std::uint32_t>(i));
    }
    id_[i] = place[at];
  }
  return true;
}

void DistinctRows::copy(const Data& data) {
  for (const Column& from : data.columns) {
    const std::size_t width = from.type == Column::Type::float64 ? sizeof(double) : sizeof(std::int32_t);
    std::vector<char>& cells = cells_.emplace_back(width * first_.size());
    for (std::size_t d = 0; d < first_.size(); ++d)
      std::memcpy(cells.data() + d * width, from.data + first_[d] * from.stride, width);
    Column& own = columns_.emplace_back(from);
    own.data = cells.data();
    own.stride = static_cast<std::int64_t>(width);
  }
  for (const std::uint32_t row : first_) {
    if (data.label) label_.push_back(data.label[row]);
    if (data.y) y_.push_back(data.y[row]);
  }
}

std::vector<std::vector<double>> DistinctRows::weights(const std::int32_t* fold, int n_folds) const {
  std::vector<std::vector<double>> weight(n_folds + 1, std::vector<double>(first_.size(), 0.0));
  for (std::size_t i = 0; i < id_.size(); ++i) {
    weight[0][id_[i]] += 1;
    if (fold && fold[i] >= 0) weight[fold[i] + 1][id_[i]] -= 1;
  }
  for (int f = 1; f <= n_folds; ++f)
    for (std::size_t d = 0; d < first_.size(); ++d) weight[f][d] += weight[0][d];
  return weight;
}

Data DistinctRows::data(const Data& table, const double* weight) const {
  Data own = table;
  own.columns = columns_;
  own.n_rows = size();
  own.label = table.label ? label_.data() : nullptr;
  own.y = table.y ? y_.data() : nullptr;
  own.weight = own.cases = weight;
  return own;
}

}  // namespace bough
