#include "bough/grow/parting.hpp"

#include <algorithm>
#include <numeric>

namespace bough {

namespace {

// From so many threads on, and for so many rows, it pays that each reads all rows.
constexpr int kFewestReaders = 6, kFewestRead = 1 << 14;

}  // namespace

// The first rows of a list go left, the others right.
template <class E>
void Parting<E>::set_sides(KnownEntries<E> known, int left) {
  if constexpr (std::same_as<E, std::uint64_t>)
    if (in_.team && in_.team->size() >= kFewestReaders && known.count >= kFewestRead)
      return set_sides_together(known, left);
  for (int i = 0; i < known.count; ++i) sides_.set(index_of(known.list[i]), i < left);
}

// All threads read the list side by side, and each sets the rows of a stretch of the table, so that no two
// write to the same word. Only the rows of the smaller side are set one by one.
template <class E>
void Parting<E>::set_sides_together(KnownEntries<E> known, int left)
  requires std::same_as<E, std::uint64_t>
{
  const bool most_left = left > known.count - left;
  const int from = most_left ? left : 0, to = most_left ? known.count : left;
  const std::size_t n_readers = in_.team->size(), each = (sides_.n_stretches() + n_readers - 1) / n_readers;
  in_.team->run(static_cast<int>(n_readers), [&](int reader, int) {
    const auto [begin, end] = sides_.fill(reader * each, (reader + 1) * each, most_left);
    for (int i = from; i < to; ++i)
      if (const std::uint32_t row = index_of(known.list[i]); row - begin < end - begin)
        sides_.set(row, !most_left);
  });
}

template <class E>
void Parting<E>::make_scratch() {
  const std::size_t n_members = in_.team ? in_.team->size() : 1;
  while (scratch_.size() < n_members) {
    own_scratch_.push_back(make_buffer<E>(capacity_));
    scratch_.push_back(own_scratch_.back().get());
  }
}

template <class E>
void Parting<E>::set_known(const Best& best, KnownEntries<E> known) {
  const int nb = best.n_branches;
  count_.assign(nb, 0);
  branch_weight_.assign(nb, 0.0);
  if (!best.levels && nb == 2 && in_.problem.unit_weights) {
    set_sides(known, best.left);
    branch_weight_[0] = count_[0] = best.left;
    branch_weight_[1] = count_[1] = known.count - best.left;
    return;
  }
  const bool two = nb == 2;
  if (!two) branch_.resize(in_.problem.data.n_rows);
  const std::vector<int> branch = in_.branches(best, known);
  for (int i = 0; i < known.count; ++i) {
    const std::uint32_t row = index_of(known.list[i]);
    if (two)
      sides_.set(row, branch[i] == 0);
    else
      branch_[row] = static_cast<std::uint32_t>(branch[i]);
    ++count_[branch[i]];
    branch_weight_[branch[i]] += in_.rows.own_at(row);
  }
}

template <class E>
void Parting<E>::part_own(const Range& range, const Best& best) {
  make_scratch();
  E* list = in_.lists[best.column] + range.begin;
  if (in_many(count_.size()))
    part_in_many(list, range.count, branch_, start_, scratch_[0]);
  else if (best.levels || count_[0] != best.left)  // else the cut has parted it
    part_in_two(list, range.count, sides_, scratch_[0]);
}

template <class E>
void Parting<E>::part_others(const Range& range, const std::vector<Range>& children, int split_column) {
  if (in_.sparse) {
    if (in_many(children.size()))
      return in_.sparse->part(range, children, [this](std::uint32_t row) { return branch_[row]; });
    return in_.sparse->part(range, children, [this](std::uint32_t row) { return 1 - sides_.left(row); });
  }
  const int n = range.count;
  const auto each = [&](const auto& part) {
    in_.for_columns(range, [&](int c, int member) {
      if (c != split_column) part(in_.lists[c] + range.begin, scratch_[member]);
    });
  };
  if (in_many(children.size()))
    return each([&](E* list, E* scratch) { part_in_many(list, n, branch_, start_, scratch); });
  const Kept kept = !children[1].live ? Kept::left : !children[0].live ? Kept::right : Kept::both;
  if (!parts_by_vectors()) return each([&](E* list, E* scratch) { part(list, n, sides_, kept, scratch); });
  PackedSides bits{};
  pack_sides(sides_, bits);
  each([&](E* list, E* scratch) { part_by_vectors(list, n, sides_, bits, kept, scratch); });
}

template class Parting<std::uint32_t>;
template class Parting<std::uint64_t>;

}  // namespace bough
