#include "bough/grow/level_rows.hpp"

#include <algorithm>
#include <numeric>

namespace bough {

namespace {

// With more folds or classes than this, tables of counts are larger than what they save.
constexpr int kMostFolds = 32;
constexpr int kMostClasses = 31;
// There must be so many rows for every number of the table.
constexpr std::size_t kRowsPerNumber = 2;
constexpr int kMostLevels = 1 << 16;
constexpr int kBlock = 512;  // rows whose targets are fetched once for all columns

}  // namespace

std::optional<LevelRows> LevelRows::of(const Data& data, const std::int32_t* fold, int n_folds) {
  LevelRows own;
  if (n_folds > kMostFolds || data.n_classes > kMostClasses || data.columns.empty()) return {};
  own.n_rows_ = static_cast<int>(data.n_rows);
  own.classes_ = data.n_classes > 0;
  own.width_ = own.classes_ ? data.n_classes : 2;
  const bool some_in_none =
      n_folds > 0 && std::any_of(fold, fold + data.n_rows, [](std::int32_t f) { return f < 0; });
  own.n_folds_ = std::max(1, n_folds + some_in_none);
  own.start_.push_back(0);
  for (const Column& column : data.columns) {
    if (column.scale != Scale::nominal || column.type != Column::Type::code) return {};
    if (column.n_levels > kMostLevels) return {};
    own.n_levels_.push_back(column.n_levels);
    own.start_.push_back(own.start_.back() + own.stride() * column.n_levels);
  }
  if (own.size() * kRowsPerNumber > static_cast<std::size_t>(data.n_rows) || !own.read(data)) return {};
  own.offset_.resize(data.n_rows);
  own.fold_.resize(data.n_rows);
  for (std::int64_t i = 0; i < data.n_rows; ++i) {
    const int of_row = n_folds == 0 ? 0 : fold[i] < 0 ? n_folds : fold[i];
    own.fold_[i] = static_cast<std::uint8_t>(of_row);
    own.offset_[i] = static_cast<std::uint16_t>(of_row * own.width_ + (own.classes_ ? data.label[i] : 0));
  }
  return own;
}

// Copies the codes; returns false if one is missing.
bool LevelRows::read(const Data& data) {
  level_.resize(static_cast<std::size_t>(n_rows_) * data.columns.size());
  for (std::size_t c = 0; c < data.columns.size(); ++c) {
    const Column& column = data.columns[c];
    std::uint16_t* to = level_.data() + c * n_rows_;
    bool known = true;
    for (int i = 0; i < n_rows_; ++i) {
      const int code = column.code(i);
      known &= code >= 0;
      to[i] = static_cast<std::uint16_t>(code);
    }
    if (!known) return false;
  }
  return true;
}

void LevelRows::count(const std::vector<std::uint32_t>& rows, const std::int64_t* number, int begin, int end,
                      LevelCounts& counts) const {
  std::int64_t numbers[kBlock] = {};
  std::uint32_t offset[kBlock];
  const std::size_t stride = this->stride();
  for (std::size_t first = 0; first < rows.size(); first += kBlock) {
    const int n = static_cast<int>(std::min<std::size_t>(kBlock, rows.size() - first));
    const std::uint32_t* own = rows.data() + first;
    for (int i = 0; i < n; ++i) offset[i] = offset_[own[i]];
    if (number) std::copy_n(number + first, n, numbers);
    for (int c = begin; c < end; ++c) {
      const std::uint16_t* level = level_.data() + static_cast<std::size_t>(c) * n_rows_;
      std::int64_t* cells = counts.data() + start_[c];
      if (classes_) {
        for (int i = 0; i < n; ++i) ++cells[level[own[i]] * stride + offset[i]];
        continue;
      }
      for (int i = 0; i < n; ++i) {
        std::int64_t* cell = cells + level[own[i]] * stride + offset[i];
        ++cell[0];
        cell[1] += numbers[i];
      }
    }
  }
}

LevelCounts LevelRows::totals(const LevelCounts& counts) const {
  LevelCounts totals(counts.size() / n_folds_, 0);
  const std::int64_t* cell = counts.data();
  for (std::size_t at = 0; at < totals.size(); at += width_)
    for (int f = 0; f < n_folds_; ++f)
      for (int k = 0; k < width_; ++k) totals[at + k] += *cell++;
  return totals;
}

}  // namespace bough
