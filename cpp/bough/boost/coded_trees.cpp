#include "bough/boost/coded_trees.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bough {

namespace {

constexpr int kRows = CodedTrees::kRows;
constexpr int kLeastCode = -128, kMissingLast = 127;

constexpr int kRowsAhead = 32;  // rows whose memory is asked for before they are read

// The leaves of kRows rows, in registers as far as these reach. A step moves those on that are at a leaf and
// whose code is greater than a cut.
struct PlainRegisters {
  static constexpr int kRows = 128;
  std::uint8_t leaf[kRows] = {};

  BOUGH_INLINE void step(const std::int8_t* code, std::int8_t cut, std::uint8_t first, std::uint8_t step) {
    for (int i = 0; i < kRows; ++i)
      leaf[i] = static_cast<std::uint8_t>(leaf[i] + (code[i] > cut && leaf[i] == first ? step : 0));
  }
  BOUGH_INLINE void write(std::uint8_t* to) const { std::copy_n(leaf, kRows, to); }
};

#if defined(BOUGH_AVX2)
struct ShortRegisters {
  static constexpr int kMany = 8, kLong = 32, kRows = kMany * kLong;
  __m256i leaf[kMany];

  BOUGH_AVX2 ShortRegisters() {
    for (__m256i& each : leaf) each = _mm256_setzero_si256();
  }
  BOUGH_AVX2 void step(const std::int8_t* code, std::int8_t cut, std::uint8_t first, std::uint8_t step) {
    const __m256i cuts = _mm256_set1_epi8(cut), firsts = _mm256_set1_epi8(static_cast<char>(first)),
                  steps = _mm256_set1_epi8(static_cast<char>(step));
    for (int j = 0; j < kMany; ++j) {
      const __m256i codes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(code + j * kLong));
      const __m256i moves =
          _mm256_and_si256(_mm256_cmpgt_epi8(codes, cuts), _mm256_cmpeq_epi8(leaf[j], firsts));
      leaf[j] = _mm256_add_epi8(leaf[j], _mm256_and_si256(moves, steps));
    }
  }
  BOUGH_AVX2 void write(std::uint8_t* to) const {
    for (int j = 0; j < kMany; ++j) _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + j * kLong), leaf[j]);
  }
};
#endif

#if defined(BOUGH_LONG_REGISTERS)
struct LongRegisters {
  static constexpr int kMany = 8, kLong = 64, kRows = kMany * kLong;
  __m512i leaf[kMany];

  BOUGH_LONG_REGISTERS LongRegisters() {
    for (__m512i& each : leaf) each = _mm512_setzero_si512();
  }
  BOUGH_LONG_REGISTERS void step(const std::int8_t* code, std::int8_t cut, std::uint8_t first,
                                 std::uint8_t step) {
    const __m512i cuts = _mm512_set1_epi8(cut), firsts = _mm512_set1_epi8(static_cast<char>(first)),
                  steps = _mm512_set1_epi8(static_cast<char>(step));
    for (int j = 0; j < kMany; ++j) {
      const __mmask64 here = _mm512_cmpeq_epi8_mask(leaf[j], firsts);
      const __mmask64 moves = _mm512_mask_cmpgt_epi8_mask(here, _mm512_loadu_si512(code + j * kLong), cuts);
      leaf[j] = _mm512_mask_add_epi8(leaf[j], moves, leaf[j], steps);
    }
  }
  BOUGH_LONG_REGISTERS void write(std::uint8_t* to) const {
    for (int j = 0; j < kMany; ++j) _mm512_storeu_si512(to + j * kLong, leaf[j]);
  }
};
#endif

// Keeps a loop of loads from anywhere as it is: made of vectors, such loads are taken apart and put together.
BOUGH_INLINE void keep_scalar() {
#if defined(__GNUC__)
  asm volatile("");
#endif
}

BOUGH_INLINE void add_values(const double* value, const std::uint8_t* __restrict leaf,
                             double* __restrict score) {
  for (int i = 0; i < kRows; ++i) {
    keep_scalar();
    score[i] += value[leaf[i]];
  }
}

// The same for trees that follow each other.
BOUGH_INLINE void add_values_of_four(const double* const* value, const std::uint8_t* __restrict leaf,
                                     double* __restrict score) {
  const double *a = value[0], *b = value[1], *c = value[2], *d = value[3];
  for (int i = 0; i < kRows; ++i) {
    keep_scalar();
    score[i] = score[i] + a[leaf[i]] + b[leaf[kRows + i]] + c[leaf[2 * kRows + i]] + d[leaf[3 * kRows + i]];
  }
}

// The number of cuts that each value reaches: those in the cells before its own, and within it those that
// a search by halves finds, whose first step is given.
template <int first_step>
BOUGH_INLINE void count_reached(const double* values, const std::int32_t* cell, const std::uint8_t* before,
                                const double* cuts, std::int32_t* __restrict reached) {
  for (int i = 0; i < kRows; ++i) {
    keep_scalar();
    const double x = values[i];
    std::int64_t n = before[cell[i]];
    for (int step = first_step; step > 0; step >>= 1)
      n += static_cast<std::int64_t>(x >= cuts[n + step - 1]) * step;
    reached[i] = static_cast<std::int32_t>(n);
  }
}

void read_values(const Column& column, std::int64_t begin, int count, double* values) {
  if (column.type == Column::Type::float64)
    for (int i = 0; i < count; ++i) {
      // The next rows of a matrix, whose columns lie next to each other.
      column.prefetch(begin + i + kRowsAhead);
      values[i] = column.at<double>(begin + i);
    }
  else
    for (int i = 0; i < count; ++i) values[i] = column.value(begin + i);
}

}  // namespace

BOUGH_INLINE int CodedTrees::Coder::cell(double x) const {
  // Every step keeps the order of values, so that values in a later cell are greater.
  double at = (x - least) * scale;
  at = at > 0 ? at : 0;
  at = at < kCells - 1 ? at : kCells - 1;
  return static_cast<int>(at);
}

void CodedTrees::Coder::place_cuts() {
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  double most = -HUGE_VAL;
  least = HUGE_VAL;
  for (const double cut : cuts)
    if (std::isfinite(cut)) {
      least = std::min(least, cut);
      most = std::max(most, cut);
    }
  if (!std::isfinite(least)) least = 0;
  const double wanted = kCells / (most - least);
  scale = std::isfinite(wanted) && wanted > 0 ? wanted : 0;
  std::vector<int> here(kCells, 0);
  for (const double cut : cuts) ++here[cell(cut)];
  before.assign(kCells, 0);
  for (int c = 1; c < kCells; ++c) before[c] = static_cast<std::uint8_t>(before[c - 1] + here[c - 1]);
  const auto most_here = static_cast<unsigned>(*std::max_element(here.begin(), here.end()));
  step = static_cast<int>(std::bit_floor(most_here));
  n_cuts = static_cast<int>(cuts.size());
  cuts.insert(cuts.end(), kMostCuts + 1, std::numeric_limits<double>::quiet_NaN());
}

CodedTrees::CodedTrees(const TreeNodes& sum, std::size_t first, std::size_t last)
    : n_scores_(sum.n_scores), width_(sum.width) {
  coders_.resize(sum.used.size());
  fits_ = 2 * sum.used.size() <= std::numeric_limits<decltype(Split::slot)>::max() + std::size_t{1};
  for (std::size_t j = 0; j < sum.used.size(); ++j) coders_[j].column = sum.used[j];
  for (std::size_t i = sum.first_node(first); i < sum.first_node(last); ++i) {
    const TreeNodes::Node& node = sum.nodes[i];
    if (sum.is_leaf(i)) continue;
    if (node.first_branch < 0)
      coders_[node.place].cuts.push_back(node.cut);
    else
      coders_[node.place].n_levels = static_cast<int>(node.cut);
  }
  for (Coder& coder : coders_) {
    if (coder.n_levels > 0) coder.place_of_levels = n_wide_++ * kRows;
    coder.place_cuts();
    fits_ &= coder.n_cuts <= kMostCuts;
  }
  for (std::size_t t = first; fits_ && t < last; ++t) add_tree(sum, t);
}

// Adds for every level of a column whether it takes a branch; returns where these begin.
int CodedTrees::add_branches(const TreeNodes& sum, const TreeNodes::Node& node, int branch) {
  const auto begin = static_cast<int>(branch_.size());
  for (int level = 0; level <= coders_[node.place].n_levels; ++level)
    branch_.push_back(sum.branch[node.first_branch + level] == branch);
  return begin;
}

void CodedTrees::add_tree(const TreeNodes& sum, std::size_t t) {
  const std::size_t root = sum.first_node(t), end = sum.first_node(t + 1);
  // Children come after their parent.
  std::vector<int> n_leaves(end - root, 1), first(end - root, 0);
  const auto n_children = [&](const TreeNodes::Node& node) { return node.missing_branch == 2 ? 3 : 2; };
  for (std::size_t i = end; i-- > root;) {
    const TreeNodes::Node& node = sum.nodes[i];
    if (sum.is_leaf(i)) continue;
    n_leaves[i - root] = 0;
    for (int j = 0; j < n_children(node); ++j) n_leaves[i - root] += n_leaves[node.child + j - root];
  }
  Tree tree{splits_.size(), values_.size(), 0};
  fits_ &= n_leaves[0] <= 256;
  values_.resize(values_.size() + static_cast<std::size_t>(n_leaves[0]) * width_);
  for (std::size_t i = root; fits_ && i < end; ++i) {
    const TreeNodes::Node& node = sum.nodes[i];
    const int here = first[i - root];
    if (sum.is_leaf(i)) {
      std::copy_n(sum.value.begin() + static_cast<std::ptrdiff_t>(i * width_), width_,
                  values_.begin() + static_cast<std::ptrdiff_t>(tree.first_value +
                                                                static_cast<std::size_t>(here) * width_));
      continue;
    }
    int next = here;
    for (int j = 0; j < n_children(node); ++j) {
      first[node.child + j - root] = next;
      next += n_leaves[node.child + j - root];
    }
    const bool by_levels = node.first_branch >= 0;
    const auto add = [&](int slot, int cut, int child) {
      splits_.push_back({static_cast<std::uint16_t>(slot), static_cast<std::int8_t>(by_levels ? 0 : cut),
                         static_cast<std::uint8_t>(here),
                         static_cast<std::uint8_t>(first[node.child + child - root] - here),
                         by_levels ? add_branches(sum, node, child) : -1});
      ++tree.n_splits;
    };
    if (node.missing_branch == 2) add(2 * node.place, kMissingLast - 1, 2);
    const Coder& coder = coders_[node.place];
    const double* cuts = coder.cuts.data();
    const auto cut = by_levels ? 0 : std::lower_bound(cuts, cuts + coder.n_cuts, node.cut) - cuts;
    add(2 * node.place + (node.missing_branch == 0), kLeastCode + static_cast<int>(cut), 1);
  }
  trees_.push_back(tree);
}

BOUGH_INLINE void CodedTrees::code_block(const std::vector<Column>& columns, const Block& block,
                                         Space& space) const {
  constexpr int kTile = 32;  // so that the rows of a matrix are read once
  for (int done = 0; done < block.count; done += kTile)
    for (std::size_t j = 0; j < coders_.size(); ++j)
      if (coders_[j].is_used())
        read_values(columns[coders_[j].column], block.begin + done, std::min(kTile, block.count - done),
                    space.values.data() + j * kRows + done);
  space.slots.resize(2 * coders_.size());
  for (std::size_t j = 0; j < coders_.size(); ++j) {
    const Coder& coder = coders_[j];
    if (!coder.is_used()) continue;
    const double* values = space.values.data() + j * kRows;
    if (coder.n_levels > 0) {
      std::int32_t* levels = space.levels.data() + coder.place_of_levels;
      for (int i = 0; i < block.count; ++i)
        levels[i] = values[i] == values[i] ? static_cast<std::int32_t>(values[i]) : coder.n_levels;
      std::fill(levels + block.count, levels + kRows, 0);
    }
    std::int8_t* last = space.codes.data() + 2 * j * kRows;
    std::int32_t cell[kRows], code[kRows];
    for (int i = 0; i < kRows; ++i) cell[i] = coder.cell(values[i]);
    const auto count = [&]<int first_step>() {
      count_reached<first_step>(values, cell, coder.before.data(), coder.cuts.data(), code);
    };
    if (coder.step <= 1)
      count.template operator()<1>();
    else if (coder.step == 2)
      count.template operator()<2>();
    else
      count.template operator()<kMostCuts / 2 + 1>();
    int missing = 0;
    for (int i = 0; i < kRows; ++i) {
      const bool known = values[i] == values[i];
      missing += !known;
      last[i] = static_cast<std::int8_t>(known ? kLeastCode + code[i] : kMissingLast);
    }
    space.slots[2 * j] = space.slots[2 * j + 1] = last;
    if (missing == 0) continue;
    std::int8_t* first = last + kRows;
    for (int i = 0; i < kRows; ++i)
      first[i] = last[i] == kMissingLast ? static_cast<std::int8_t>(kLeastCode) : last[i];
    space.slots[2 * j + 1] = first;
  }
}

// The codes by which a split parts some rows: of levels, their branches.
BOUGH_INLINE const std::int8_t* CodedTrees::codes_of(const Split& split, int begin, int count,
                                                     Space& space) const {
  if (split.first_branch < 0) return space.slots[split.slot] + begin;
  const std::int32_t* level = space.levels.data() + coders_[split.slot / 2].place_of_levels + begin;
  const std::uint8_t* branch = branch_.data() + split.first_branch;
  for (int i = 0; i < count; ++i) space.branches[i] = static_cast<std::int8_t>(branch[level[i]]);
  return space.branches.data();
}

// Finds the leaf of each row in a tree.
template <class Registers>
BOUGH_INLINE void CodedTrees::find_leaves(const Tree& tree, Space& space, std::uint8_t* leaf) const {
  const Split *begin = splits_.data() + tree.first_split, *end = begin + tree.n_splits;
  for (int done = 0; done < kRows; done += Registers::kRows) {
    Registers rows;
    for (const Split* split = begin; split != end; ++split)
      rows.step(codes_of(*split, done, Registers::kRows, space), split->cut, split->first, split->step);
    rows.write(leaf + done);
  }
}

template <class Registers>
BOUGH_INLINE void CodedTrees::add_trees(std::int64_t first, std::int64_t last, Space& space) const {
  std::uint8_t* leaf = space.leaves.data();
  if (width_ > 1) {
    for (std::int64_t t = first; t < last; ++t) {
      find_leaves<Registers>(trees_[t], space, leaf);
      const double* values = values_.data() + trees_[t].first_value;
      for (int k = 0; k < width_; ++k) {
        double* score = space.scores.data() + static_cast<std::ptrdiff_t>(k) * kRows;
        for (int i = 0; i < kRows; ++i) score[i] += values[leaf[i] * width_ + k];
      }
    }
    return;
  }
  for (int k = 0; k < n_scores_; ++k) {
    double* score = space.scores.data() + (first + k) % n_scores_ * kRows;
    std::int64_t t = first + k;
    for (; t + (kTreesAtOnce - 1) * n_scores_ < last; t += kTreesAtOnce * n_scores_) {
      const double* values[kTreesAtOnce];
      for (int j = 0; j < kTreesAtOnce; ++j) {
        const Tree& tree = trees_[t + j * n_scores_];
        find_leaves<Registers>(tree, space, leaf + j * kRows);
        values[j] = values_.data() + tree.first_value;
      }
      add_values_of_four(values, leaf, score);
    }
    for (; t < last; t += n_scores_) {
      find_leaves<Registers>(trees_[t], space, leaf);
      add_values(values_.data() + trees_[t].first_value, leaf, score);
    }
  }
}

template <class Registers>
BOUGH_INLINE void CodedTrees::answer(const std::vector<Column>& columns, const Block& block,
                                     Space& space) const {
  code_block(columns, block, space);
  for (int i = 0; i < block.count; ++i)
    for (int k = 0; k < n_scores_; ++k) space.scores[k * kRows + i] = block.scores[i * n_scores_ + k];
  add_trees<Registers>(block.first, block.last, space);
  for (int i = 0; i < block.count; ++i)
    for (int k = 0; k < n_scores_; ++k) block.scores[i * n_scores_ + k] = space.scores[k * kRows + i];
}

#if defined(BOUGH_LONG_REGISTERS)
BOUGH_LONG_REGISTERS void CodedTrees::answer_by_long_registers(const std::vector<Column>& columns,
                                                               const Block& block, Space& space) const {
  answer<LongRegisters>(columns, block, space);
}
#endif

#if defined(BOUGH_AVX2)
BOUGH_AVX2 void CodedTrees::answer_avx2(const std::vector<Column>& columns, const Block& block,
                                        Space& space) const {
  answer<ShortRegisters>(columns, block, space);
}
#endif

void CodedTrees::add(const std::vector<Column>& columns, const Block& block, Space& space) const {
  space.values.resize(coders_.size() * kRows);
  space.scores.resize(static_cast<std::size_t>(n_scores_) * kRows);
  space.codes.resize(2 * coders_.size() * kRows);
  space.levels.resize(n_wide_ * kRows);
  space.branches.resize(n_wide_ > 0 ? kRows : 0);
  space.leaves.resize(kTreesAtOnce * kRows);
#if defined(BOUGH_LONG_REGISTERS)
  if (has_long_registers()) return answer_by_long_registers(columns, block, space);
#endif
#if defined(BOUGH_AVX2)
  if (has_avx2()) return answer_avx2(columns, block, space);
#endif
  answer<PlainRegisters>(columns, block, space);
}

}  // namespace bough
