#include "bough/forest/block.hpp"

#include <algorithm>

#include "bough/forest/count_kernels.hpp"

namespace bough {

namespace {

// A block should stay in the cache. Where columns are put in order a row takes more room than its codes.
constexpr int kMostCoded = 8192, kMostOrdered = 2048;
static_assert(kMostOrdered <= kMostCoded && kMostCoded <= kMaxPackedRows);

bool puts_in_order(const ForestPlan& plan) {
  return plan.recipe.splitter == Splitter::best && !plan.counts && !plan.counts_classes;
}

}  // namespace

Block::Block(const ForestPlan& plan)
    : plan_(plan),
      most_rows_(puts_in_order(plan) ? kMostOrdered : kMostCoded),
      row_(most_rows_),
      out_(most_rows_ + 16),
      keys_(most_rows_),
      spare_(most_rows_),
      marks_(most_rows_ / 64, 0),
      sorted_(plan.data.columns.size(), false) {
  if (plan.sparse) return;
  const std::size_t cells = at(static_cast<int>(plan.data.columns.size()));
  if (plan.recipe.splitter == Splitter::random) {
    value_ = make_buffer<float>(cells + kLanes);
  } else {
    code_ = make_buffer<std::uint32_t>(cells);
    if (!plan.counts || plan.recipe.nominal != ForestNominal::ordered) {
      rank_ = make_buffer<std::uint16_t>(cells);
      entry_ = make_buffer<std::uint32_t>(cells);
    }
  }
  const std::size_t most = most_rows_, n_targets = plan.data.n_targets();
  for (auto* numbers : {&weight_, &cases_}) numbers->resize(most);
  y_.resize(most * n_targets);
  grid_.resize(most * std::max(1, grid_width_of(plan.data, plan.recipe.criterion)));
  label_.resize(most * n_targets);
  counted_.resize(most_rows_);
}

// Cells stay row by row: those of a few rows, of whatever column, are then near each other.
template <class T>
void Block::copy_rows(const T* from, T* to) const {
  constexpr int kAhead = 16;
  const std::size_t width = sorted_.size();
  for (int i = 0; i < size_; ++i) {
    if (i + kAhead < size_) {
      const T* later = from + row_[i + kAhead] * width;
      for (std::size_t c = 0; c < width; c += 64 / sizeof(T)) __builtin_prefetch(later + c);
      __builtin_prefetch(later + width - 1);
    }
    std::copy_n(from + row_[i] * width, width, to + i * width);
  }
}

void Block::load(const std::uint32_t* rows, int n, const RowView& table) {
  size_ = n;
  std::copy_n(rows, n, row_.data());
  sorted_.assign(sorted_.size(), false);
  if (code_) {
    copy_rows(plan_.coded.rows.get(), code_.get());
    for (std::size_t c = 0; c < ranks_->size(); ++c) {
      const std::vector<std::uint32_t>& rank = (*ranks_)[c];
      if (rank.empty()) continue;
      for (int i = 0; i < n; ++i) {
        std::uint32_t& code = code_[i * sorted_.size() + c];
        code = rank[code];
      }
    }
  } else {
    copy_rows(plan_.coded.value_rows.get(), value_.get());
  }
  view_ = {};
  view_.row = row_.data();
  if (table.counted) {
    for (int i = 0; i < n; ++i) counted_[i] = table.counted[rows[i]];
    view_.counted = counted_.data();
  }
  const Rows& from = table.rows;
  for (int i = 0; i < n; ++i) {
    const std::uint32_t row = rows[i];
    if (from.n_targets > 1) {
      load_targets(from, row, i);
    } else {
      if (from.label) label_[i] = from.label[row];
      if (from.y) y_[i] = from.y[row], grid_[i] = from.grid[row];
    }
    if (from.weight) weight_[i] = from.weight[row];
    if (from.cases) cases_[i] = from.cases[row];
  }
  view_.rows.label = from.label ? label_.data() : nullptr;
  view_.rows.y = from.y ? y_.data() : nullptr;
  view_.rows.grid = from.grid ? grid_.data() : nullptr;
  view_.rows.n_targets = from.n_targets;
  view_.rows.grid_width = from.grid_width;
  view_.rows.weight = from.weight ? weight_.data() : nullptr;
  view_.rows.cases = from.cases ? cases_.data() : nullptr;
}

// Copies the several targets of a row to where those of index i are.
void Block::load_targets(const Rows& from, std::uint32_t row, int i) {
  const std::size_t k = from.n_targets, width = from.grid_width;
  if (from.label) std::copy_n(from.labels_at(row), k, label_.data() + i * k);
  if (from.y) std::copy_n(from.ys_at(row), k, y_.data() + i * k);
  if (from.grid) std::copy_n(from.grids_at(row), width, grid_.data() + i * width);
}

void Block::sort(int column) {
  const CodedColumn& coded = plan_.coded.columns[column];
  constexpr int kIndexBits = 16;
  const Cells<std::uint32_t> cells = codes(column);
  for (int i = 0; i < size_; ++i)
    keys_[i] = static_cast<std::uint64_t>(cells[i]) << kIndexBits | static_cast<std::uint32_t>(i);
  const std::uint64_t* keys = radix_sort(keys_.data(), spare_.data(), size_, kIndexBits, coded.bits);
  std::uint16_t* own_rank = rank_.get() + at(column);
  std::uint32_t* entry = entry_.get() + at(column);
  std::uint32_t rank = 0;
  std::uint64_t last = keys[0] >> kIndexBits;
  for (int p = 0; p < size_; ++p) {
    const std::uint64_t code = keys[p] >> kIndexBits;
    const auto index = static_cast<std::uint32_t>(keys[p] & 0xffff);
    rank += code != last;
    last = code;
    own_rank[index] = static_cast<std::uint16_t>(p);
    entry[p] = make_entry<std::uint32_t>(code == coded.n_codes ? EntryTraits<std::uint32_t>::kMissing : rank,
                                         index, 0);
  }
  sorted_[column] = true;
}

const std::uint32_t* Block::ordered(int column, const std::uint32_t* index, int n) {
  if (!sorted_[column]) sort(column);
  const std::uint32_t* entry = entries(column);
  if (n == size_) return entry;
  if (n <= kFewRows)
    order_few(ranks(column), index, n, entry, out_.data());
  else
    order_marked(ranks(column), index, n, size_, entry, marks_.data(), out_.data());
  return out_.data();
}

}  // namespace bough
