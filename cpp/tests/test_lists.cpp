// Entries and the partitions of sorted lists.
#include <algorithm>

#include "bough/grow/lists.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// A list of the indices 0 to n - 1 in random order with ascending codes.
template <class E>
std::vector<E> draw_list(Draws& draws, int n) {
  std::vector<std::uint32_t> index(n);
  for (int i = 0; i < n; ++i) index[i] = static_cast<std::uint32_t>(i);
  for (int i = n - 1; i > 0; --i) std::swap(index[i], index[draws.below(i + 1)]);
  std::vector<E> list;
  for (int i = 0; i < n; ++i)
    list.push_back(make_entry<E>(static_cast<std::uint32_t>(i / 2), index[i], draws.below(2)));
  return list;
}

template <class E, class Takes>
std::vector<E> those(const std::vector<E>& list, Takes takes) {
  std::vector<E> kept;
  std::copy_if(list.begin(), list.end(), std::back_inserter(kept), takes);
  return kept;
}

// Where one side alone is needed, it stands where it would if the list were parted.
template <class E, class Part>
void check_kept(const std::vector<E>& list, const std::vector<E>& left, const std::vector<E>& right,
                const Part& part_list) {
  std::vector<E> kept = list;
  part_list(kept.data(), Kept::left);
  CHECK(std::equal(left.begin(), left.end(), kept.begin()));
  kept = list;
  part_list(kept.data(), Kept::right);
  CHECK(std::equal(right.begin(), right.end(), kept.end() - static_cast<std::ptrdiff_t>(right.size())));
}

template <class E>
void check_sides_of(int n, int share_left) {
  Draws draws(50 + sizeof(E) + n);
  const std::vector<E> list = draw_list<E>(draws, n);
  Sides<E> sides(n);
  for (int i = 0; i < n; ++i) sides.set(static_cast<std::uint32_t>(i), true);  // what stood there must go
  for (int i = 0; i < n; ++i) sides.set(static_cast<std::uint32_t>(i), draws.below(10) < share_left);
  const std::vector<E> left = those(list, [&](E e) { return sides.left(index_of(e)) == 1; });
  const std::vector<E> right = those(list, [&](E e) { return sides.left(index_of(e)) == 0; });

  std::vector<E> parted = list, spare(n), expected = left;
  expected.insert(expected.end(), right.begin(), right.end());
  part(parted.data(), n, sides, Kept::both, spare.data());
  CHECK(parted == expected);
  check_kept(list, left, right, [&](E* kept, Kept which) { part(kept, n, sides, which, spare.data()); });
  if (!parts_by_vectors()) return;
  PackedSides bits{};
  pack_sides(sides, bits);
  parted = list;
  part_by_vectors(parted.data(), n, sides, bits, Kept::both, spare.data());
  CHECK(parted == expected);
  check_kept(list, left, right,
             [&](E* kept, Kept which) { part_by_vectors(kept, n, sides, bits, which, spare.data()); });
}

template <class E>
void check_two_sides() {
  for (int n : {1, 2, 5, 63, 64, 65, 300, 4096, 4097, 9001})
    for (int share_left : {0, 1, 5, 10}) check_sides_of<E>(n, share_left);
}

template <class E>
void check_many_branches() {
  Draws draws(60 + sizeof(E));
  for (int n : {1, 7, 200})
    for (int n_branches : {3, 9}) {
      const std::vector<E> list = draw_list<E>(draws, n);
      std::vector<std::uint32_t> branch(n);
      std::vector<int> count(n_branches, 0), first(n_branches, 0);
      for (auto& b : branch) ++count[b = static_cast<std::uint32_t>(draws.below(n_branches))];
      std::vector<E> expected, parted = list, spare(n);
      for (int b = 0; b < n_branches; ++b) {
        first[b] = static_cast<int>(expected.size());
        for (E e : list)
          if (branch[index_of(e)] == static_cast<std::uint32_t>(b)) expected.push_back(e);
      }
      part_in_many(parted.data(), n, branch, first, spare.data());
      CHECK(parted == expected);
    }
}

template <class E>
void check_known() {
  for (int n = 0; n < 40; ++n)
    for (int known = 0; known <= n; ++known) {
      std::vector<E> list;
      for (int i = 0; i < n; ++i) {
        const std::uint32_t code = i < known ? static_cast<std::uint32_t>(i / 3) : EntryTraits<E>::kMissing;
        list.push_back(make_entry<E>(code, static_cast<std::uint32_t>(i), 1));
      }
      CHECK_EQUAL(known_entries(list.data(), n), known);
    }
}

template <class E>
void check_entry(std::uint32_t code, std::uint32_t index) {
  for (std::uint32_t label : {0u, 1u}) {
    const E entry = make_entry<E>(code, index, label);
    CHECK_EQUAL(code_of(entry), code);
    CHECK_EQUAL(index_of(entry), index);
    CHECK_EQUAL(label_bit(entry), label);
  }
}

}  // namespace

TEST(an_entry_gives_back_its_parts) {
  for (std::uint32_t code : {0u, 1u, 0xfffeu, 0xffffu})
    for (std::uint32_t index : {0u, 1u, static_cast<std::uint32_t>(kMaxPackedRows - 1)}) {
      check_entry<std::uint32_t>(code, index);
      check_entry<std::uint64_t>(code, index);
    }
  check_entry<std::uint64_t>(0xffffffffu, 0x7fffffffu);
  check_entry<std::uint64_t>(0x80000000u, 0x40000000u);
}

TEST(two_sides_keep_their_order) {
  check_two_sides<std::uint32_t>();
  check_two_sides<std::uint64_t>();
}

// So many that they are fetched ahead, past the end of the list.
TEST(two_sides_of_many_rows_keep_their_order) { check_sides_of<std::uint64_t>(70000, 5); }

TEST(many_branches_keep_their_order) {
  check_many_branches<std::uint32_t>();
  check_many_branches<std::uint64_t>();
}

TEST(known_entries_end_where_the_missing_begin) {
  check_known<std::uint32_t>();
  check_known<std::uint64_t>();
}

}  // namespace bough::tests
