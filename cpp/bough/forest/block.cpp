#include "bough/forest/block.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "bough/forest/count_kernels.hpp"

namespace bough {

namespace {

// A block should stay in the cache. Where columns are put in order a row takes more room than its codes.
constexpr int kMostCoded = 8192, kMostOrdered = 2048, kMostListed = SideBits::kMostRows;
constexpr int kIndexBits = 16;  // of a key
constexpr int kFewCodes = 256;  // with that of missing values
static_assert(kMostOrdered <= kMostCoded && kMostCoded <= kMaxPackedRows);
static_assert(kMostSummedCodes < kFewCodes && std::has_single_bit(static_cast<unsigned>(kMostListed)));

bool puts_in_order(const ForestPlan& plan) {
  return plan.recipe.splitter == Splitter::best && !plan.counts && !plan.counts_classes;
}

// Lists of all columns are parted with each node. That pays where a good share of the columns is looked at
// and bounds follow from lists.
bool should_keep_lists(const ForestPlan& plan) {
  const int share = parts_lists_by_vectors() ? 6 : 2;
  return puts_in_order(plan) && !plan.sparse && plan.data.n_targets() == 1 && !plan.data.weight &&
         !plan.recipe.balance && !plan.sampler.has_weights() && plan.recipe.criterion.reads_moments() &&
         plan.recipe.monotonic.empty() &&
         static_cast<std::size_t>(plan.recipe.max_features) * share >= plan.data.columns.size();
}

// The lists of all columns take no more memory than the rows of a small table need.
int most_listed(const ForestPlan& plan) {
  constexpr std::int64_t kWord = 64;  // rows that share a word of marks
  return static_cast<int>(std::min<std::int64_t>(kMostListed, (plan.data.n_rows / kWord + 2) * kWord));
}

// Puts rows in order by counting them, in four runs side by side: those of one code would wait for each
// other's place. row_at: the index of each.
template <class RowAt>
void order_by_counts(const std::uint8_t* code, int n_codes, int n, const RowAt& row_at, std::uint32_t* list) {
  constexpr int kRuns = 4;
  std::uint32_t place[kFewCodes][kRuns];
  std::fill_n(place[0], (n_codes + 1) * kRuns, 0u);
  const int step = (n + kRuns - 1) / kRuns;
  const auto for_each_row = [&](const auto& take) {
    for (int i = 0; i < step; ++i)
      for (int run = 0; run < kRuns; ++run)
        if (const int at = run * step + i; at < n) take(row_at(at), run);
  };
  for_each_row([&](std::uint32_t row, int run) { ++place[code[row]][run]; });
  std::uint32_t sum = 0;
  for (int c = 0; c <= n_codes; ++c)
    for (std::uint32_t& own : place[c]) sum += std::exchange(own, sum);
  constexpr std::uint32_t kMissing = EntryTraits<std::uint32_t>::kMissing;
  for_each_row([&](std::uint32_t row, int run) {
    const int own = code[row];
    list[place[own][run]++] =
        make_entry<std::uint32_t>(own == n_codes ? kMissing : static_cast<std::uint32_t>(own), row, 0);
  });
}

}  // namespace

Block::Block(const ForestPlan& plan)
    : plan_(plan),
      most_rows_(should_keep_lists(plan) ? most_listed(plan)
                 : puts_in_order(plan)   ? kMostOrdered
                                         : kMostCoded),
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
  if (should_keep_lists(plan)) {
    list_ = make_buffer<std::uint32_t>(cells + kListPadding);
    ties_.resize(plan.data.columns.size());
    packed_.emplace(most_rows_);
    few_code_ = make_buffer<std::uint8_t>(cells);
    short_keys_.resize(most);
    short_spare_.resize(most);
  }
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
  if (!keeps_lists()) return;
  packed_->load(weight_.data(), grid_.data(), n);
  for (int c = 0; c < static_cast<int>(sorted_.size()); ++c) make_list(c);
}

// Copies the several targets of a row to where those of index i are.
void Block::load_targets(const Rows& from, std::uint32_t row, int i) {
  const std::size_t k = from.n_targets, width = from.grid_width;
  if (from.label) std::copy_n(from.labels_at(row), k, label_.data() + i * k);
  if (from.y) std::copy_n(from.ys_at(row), k, y_.data() + i * k);
  if (from.grid) std::copy_n(from.grids_at(row), width, grid_.data() + i * width);
}

// The codes of all rows in order, with their indices in the lowest bits.
const std::uint64_t* Block::sorted_keys(int column) {
  const Cells<std::uint32_t> cells = codes(column);
  for (int i = 0; i < size_; ++i)
    keys_[i] = static_cast<std::uint64_t>(cells[i]) << kIndexBits | static_cast<std::uint32_t>(i);
  return radix_sort(keys_.data(), spare_.data(), size_, kIndexBits, plan_.coded.columns[column].bits);
}

// The codes of a column by index. A table a good part of whose rows is in the block is read column by column.
template <class Code>
void Block::fetch_codes(int column, Code* to) const {
  const std::vector<std::uint32_t>& rank = (*ranks_)[column];
  if (plan_.data.n_rows > 4 * static_cast<std::int64_t>(size_)) {
    const Cells<std::uint32_t> cells = codes(column);
    for (int i = 0; i < size_; ++i) to[i] = static_cast<Code>(cells[i]);
  } else if (rank.empty()) {
    const std::uint32_t* code = plan_.coded.columns[column].code;
    for (int i = 0; i < size_; ++i) to[i] = static_cast<Code>(code[row_[i]]);
  } else {
    const std::uint32_t* code = plan_.coded.columns[column].code;
    for (int i = 0; i < size_; ++i) to[i] = static_cast<Code>(rank[code[row_[i]]]);
  }
}

void Block::make_list(int column) {
  const std::uint32_t n_codes = plan_.coded.columns[column].n_codes;
  if (!has_list(column)) return fetch_codes(column, few_code_.get() + at(column));
  if (n_codes < kFewCodes) {
    std::uint8_t* code = few_code_.get() + at(column);
    fetch_codes(column, code);
    order_by_counts(
        code, static_cast<int>(n_codes), size_, [](int i) { return static_cast<std::uint32_t>(i); },
        list_.get() + at(column));
    ties_[column] = true;
  } else if (n_codes < EntryTraits<std::uint32_t>::kMissing) {
    make_list_of_short(column);
  } else {
    make_list_of_long(column);
  }
}

// Of codes of 16 bits, entries are their own keys.
void Block::make_list_of_short(int column) {
  constexpr int kShift = EntryTraits<std::uint32_t>::kCodeShift;
  const CodedColumn& coded = plan_.coded.columns[column];
  std::uint32_t* list = list_.get() + at(column);
  fetch_codes(column, list);
  for (int i = 0; i < size_; ++i)
    list[i] = make_entry<std::uint32_t>(list[i], static_cast<std::uint32_t>(i), 0);
  const std::uint32_t* sorted = radix_sort(list, short_spare_.data(), size_, kShift, coded.bits);
  if (sorted != list) std::copy_n(sorted, size_, list);
  for (int p = size_; p > 0 && code_of(list[p - 1]) == coded.n_codes; --p)
    list[p - 1] |= EntryTraits<std::uint32_t>::kMissing << kShift;
  int ties = 0;
  for (int p = 0; p + 1 < size_; ++p) ties |= code_of(list[p]) == code_of(list[p + 1]);
  ties_[column] = ties;
}

// Of longer codes, entries hold the ranks within the block.
void Block::make_list_of_long(int column) {
  constexpr int kRowBits = std::bit_width(static_cast<unsigned>(kMostListed)) - 1, kKeyBits = 32;
  const CodedColumn& coded = plan_.coded.columns[column];
  std::uint32_t* list = list_.get() + at(column);
  std::uint32_t rank = 0;
  const auto write = [&](const auto* keys, int shift) {
    auto last = keys[0] >> shift;
    for (int p = 0; p < size_; ++p) {
      const auto code = keys[p] >> shift;
      rank += code != last;
      last = code;
      list[p] = make_entry<std::uint32_t>(code == coded.n_codes ? EntryTraits<std::uint32_t>::kMissing : rank,
                                          static_cast<std::uint32_t>(keys[p]) & ((1u << kRowBits) - 1), 0);
    }
  };
  if (coded.bits + kRowBits > kKeyBits) {
    write(sorted_keys(column), kIndexBits);
  } else {
    fetch_codes(column, short_keys_.data());
    for (int i = 0; i < size_; ++i)
      short_keys_[i] = short_keys_[i] << kRowBits | static_cast<std::uint32_t>(i);
    write(radix_sort(short_keys_.data(), short_spare_.data(), size_, kRowBits, coded.bits), kRowBits);
  }
  ties_[column] = static_cast<int>(rank) + 1 < size_;
}

const std::uint32_t* Block::ordered_by_few(int column, const std::uint32_t* index, int n) {
  order_by_counts(
      few_codes(column), static_cast<int>(plan_.coded.columns[column].n_codes), n,
      [index](int i) { return index[i]; }, out_.data());
  return out_.data();
}

void Block::part_lists(const int* columns, int n, const std::uint32_t* index, int begin, int count, int left,
                       Kept kept) {
  sides_.clear();
  for (int i = 0; i < left; ++i) sides_.set_left(index[i]);
  for (int c = 0; c < n; ++c)
    if (has_list(columns[c]))
      part_list_(list_.get() + at(columns[c]) + begin, count, sides_, kept, out_.data());
}

void Block::sort(int column) {
  const CodedColumn& coded = plan_.coded.columns[column];
  const std::uint64_t* keys = sorted_keys(column);
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
