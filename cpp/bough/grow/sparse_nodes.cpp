#include "bough/grow/sparse_nodes.hpp"

#include <algorithm>
#include <cmath>

#include "bough/grow/lists.hpp"

namespace bough {

RowsWithZeros::RowsWithZeros(const Rows& table, const Data& data, const Evaluator& evaluator, int n_slots)
    : n_rows_(data.n_rows),
      width_(data.n_classes ? JointRows(data.classes_of_targets()).most() : 1),
      rows_(table) {
  const auto n = static_cast<std::size_t>(n_rows_), k = static_cast<std::size_t>(table.n_targets),
             all = n + static_cast<std::size_t>(width_) * n_slots;
  weight_.assign(all, 1.0);
  if (table.weight) std::copy_n(table.weight, n, weight_.begin());
  cases_.assign(all, 1.0);
  if (table.cases) std::copy_n(table.cases, n, cases_.begin());
  rows_.weight = weight_.data();
  rows_.cases = cases_.data();
  grid_.resize(all * table.grid_width);
  rows_.grid = table.grid_width ? grid_.data() : nullptr;
  if (!data.n_classes) return;
  label_.assign(table.label, table.label + n * k);
  label_.resize(all * k);
  rows_.label = label_.data();
  if (!rows_.grid) return;
  columns_.emplace(evaluator);
  columns_->write_all(rows_, n_rows_);
}

void SparseNodes::set_root(const SparseSorted& sorted, const std::vector<std::uint32_t>& rows,
                           const std::uint8_t* bit) {
  node_rows_.clear();
  for (const std::uint32_t row : rows) node_rows_.push_back(make_entry<Entry>(0, row, bit ? bit[row] : 0));
  own_.resize(rows.size() + 1);
  parts_.set_root(sorted.start);
}

void SparseNodes::adopt(SparseNodes& other, const Range& at) {
  const Entry* first = other.node_rows_.data() + at.begin;
  node_rows_.assign(first, first + at.count);
  own_.resize(std::max(own_.size(), node_rows_.size() + 1));
  parts_.adopt(other.parts_, at.node);
}

void SparseNodes::open(const Range& range, const Branching& out) {
  parts_.open(range.node);
  (*lists_)[0] = node_rows_.data();
  cases_ = out.nodes[range.node].cases;
  const Rows& rows = rows_.rows();
  const bool classes = rows.label != nullptr;
  if (!classes && rows.n_targets == 1) {
    sums_ = {range.weight, range.sum};
    return;
  }
  if (whole_lists_) return;
  sums_.assign(n_sums_, 0.0);
  for (int i = range.begin; i < range.begin + range.count; ++i)
    add_row(sums_.data(), rows, index_of(node_rows_[i]), classes);
}

bool SparseNodes::is_constant(int column, const Range& range, bool tells_missing) const {
  const StoredEntries stored = parts_.stored(column);
  const int known = stored.count == 0 ? 0 : known_entries(stored.list, stored.count);
  const int n_zeros = range.count - stored.count;
  if (known + n_zeros == 0) return true;
  if (known < stored.count && tells_missing) return false;
  if (n_zeros > 0) return known == 0;
  return code_of(stored.list[0]) == code_of(stored.list[known - 1]);
}

// Zeros lie between the negative entries and the others, so the smaller side of each cut is summed from the
// nearer end of the list.
template <class Reached>
bool SparseNodes::any_cut_reached(StoredEntries stored, const Entry* middle, const Reached& reached) const {
  double count = 0, sum = 0;
  for (const Entry* entry = stored.end(); entry > middle;) {
    --entry;
    if (reached(*entry, count, sum) && (entry == middle || code_of(*entry) != code_of(entry[-1])))
      return true;
  }
  count = sum = 0;
  for (const Entry* entry = stored.list; entry < middle; ++entry)
    if (reached(*entry, count, sum) && (entry + 1 == middle || code_of(*entry) != code_of(entry[1])))
      return true;
  return false;
}

bool SparseNodes::may_better(int column, const Range& range, double floor) const {
  constexpr double kNearly = 1 - 1e-9, kRounding = 1e-15;
  if (!(floor > 0)) return true;
  const StoredEntries stored = parts_.stored(column);
  const Entry* middle = stored.first_from(zero_[column]);
  const double n = range.count, total = range.sum;
  if (rows_.rows().label) {
    const double bar = floor * kNearly * n * n / 2;
    return any_cut_reached(stored, middle, [=](Entry entry, double& count, double& ones) {
      count += 1;
      ones += label_bit(entry);
      const double d = ones * n - total * count;
      return d * d >= bar * (count * (n - count));
    });
  }
  const double bar = floor * kNearly * n * n;
  return any_cut_reached(
      stored, middle, [=, grid = rows_.rows().grid](Entry entry, double& count, double& sum) {
        count += 1;
        sum += grid[index_of(entry)];
        const double here = sum * n, there = total * count;
        const double d = std::abs(here - there) + kRounding * (std::abs(here) + std::abs(there));
        return d * d >= bar * (count * (n - count));
      });
}

// The rows that stand for the zeros of the column: what the node has and the stored entries have not.
SparseNodes::Entry* SparseNodes::append_zeros(int column, StoredEntries stored, Space& space, Entry* to,
                                              int slot) {
  const Rows& rows = rows_.rows();
  const std::uint32_t code = zero_[column];
  const bool classes = rows.label != nullptr;
  double cases = cases_;
  for (int i = 0; i < stored.count; ++i) cases -= rows.cases[index_of(stored.list[i])];
  space.sums = sums_;
  for (int i = 0; i < stored.count; ++i)
    subtract_row(space.sums.data(), rows, index_of(stored.list[i]), classes);
  if (!classes) {
    const std::uint32_t row = rows_.zero(slot, 0);
    rows_.set(row, nullptr, space.sums[0], cases);
    std::copy_n(space.sums.data() + 1, rows.n_targets, rows.grids_at(row));
    *to++ = make_entry<Entry>(code, row, 0);
    return to;
  }
  int which = 0;
  space.joint.write(space.sums.data(), [&](const std::int32_t* labels, double weight) {
    const std::uint32_t row = rows_.zero(slot, which++);
    rows_.set(row, labels, weight, std::exchange(cases, 0.0));
    *to++ = make_entry<Entry>(code, row, static_cast<std::uint32_t>(labels[0]) & 1);
  });
  return to;
}

SparseNodes::Entry* SparseNodes::write_whole(int column, StoredEntries stored, const Range& range,
                                             Space& space, Entry* to) const {
  if (space.is_stored.empty()) space.is_stored.resize(rows_.size());
  for (int i = 0; i < stored.count; ++i) space.is_stored[index_of(stored.list[i])] = 1;
  const Entry *middle = stored.first_from(zero_[column]), *end = stored.end();
  to = std::copy(stored.list, middle, to);
  const Entry code = static_cast<Entry>(zero_[column]) << EntryTraits<Entry>::kCodeShift;
  for (int i = range.begin; i < range.begin + range.count; ++i)
    if (!space.is_stored[index_of(node_rows_[i])]) *to++ = code | node_rows_[i];
  to = std::copy(middle, end, to);
  for (int i = 0; i < stored.count; ++i) space.is_stored[index_of(stored.list[i])] = 0;
  return to;
}

Range SparseNodes::load(int column, const Range& range, int member) {
  Space& space = space_[member];
  const StoredEntries stored = parts_.stored(column);
  const std::size_t most = whole_lists_ ? range.count : stored.count + rows_.width();
  if (space.list.size() < most + 1) space.list.resize(most + 1);
  Entry *begin = space.list.data(), *end = begin;
  space.n_zeros = range.count - stored.count;
  const Entry* middle = stored.first_from(zero_[column]);
  space.below = static_cast<int>(middle - stored.list);
  if (whole_lists_) {
    end = write_whole(column, stored, range, space, begin);
    space.n_standing = space.n_zeros;
  } else {
    end = std::copy(stored.list, middle, end);
    Entry* zeros = end;
    if (space.n_zeros > 0) end = append_zeros(column, stored, space, end, first_slot_ + member);
    space.n_standing = static_cast<int>(end - zeros);
    end = std::copy(middle, stored.end(), end);
  }
  (*lists_)[column] = begin;
  Range brief = range;
  brief.begin = 0;
  brief.count = static_cast<int>(end - begin);
  return brief;
}

void SparseNodes::list_whole(int column, const Range& range) {
  const StoredEntries stored = parts_.find(column, range.node);
  write_whole(column, stored, range, space_[0], own_.data() + range.begin);
  (*lists_)[column] = own_.data();
}

}  // namespace bough
