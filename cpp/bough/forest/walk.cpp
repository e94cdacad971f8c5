#include "bough/forest/walk.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "bough/machine/random.hpp"

namespace bough {

namespace {

constexpr int kWalkLanes = 12;               // rows taken down together: their loads overlap
constexpr int kWalkRows = 2048;              // loaded by one member of a team
constexpr std::int64_t kLeastTogether = 64;  // sparse rows of a block that are loaded by column too

// Half of a word, read alone: that is quicker than to take the word apart.
template <class T>
T half_of(const std::uint64_t* word, bool upper) {
  T half;
  const bool second = upper == (std::endian::native == std::endian::little);
  std::memcpy(&half, reinterpret_cast<const char*>(word) + (second ? sizeof(T) : 0), sizeof(T));
  return half;
}

// Whether any of some floats is NaN.
bool any_missing(const float* x, std::int64_t n) {
  bool found = false;
  for (std::int64_t i = 0; i < n; ++i) found |= x[i] != x[i];
  return found;
}

}  // namespace

FloatRows::FloatRows(const std::vector<Column>& columns, const std::vector<bool>& used) : columns_(columns) {
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (used[c]) used_.push_back(static_cast<int>(c));
  direct_ = true;
  for (std::size_t c = 0; c < columns.size(); ++c)
    direct_ &= columns[c].type == Column::Type::float32 && columns[c].stride == columns[0].stride &&
               columns[c].data - columns[0].data == static_cast<std::int64_t>(c * sizeof(float));
}

std::int64_t FloatRows::block_rows() const {
  const auto width = static_cast<std::int64_t>(std::max<std::size_t>(1, columns_.size()));
  return std::clamp<std::int64_t>((std::int64_t{1} << 22) / width, 1024, 32768);
}

void FloatRows::gather(const std::uint32_t* rows, int n) {
  rows_ = rows;
  n_ = n;
  replaced_ = -1;
  const std::size_t width = columns_.size();
  copy_.resize(static_cast<std::size_t>(n) * width);
  stride_ = static_cast<std::int64_t>(width * sizeof(float));
  base_ = reinterpret_cast<const char*>(copy_.data());
  missing_ = false;
  for (int c : used_)
    for (int i = 0; i < n; ++i) {
      const float x = rounded_down(columns_[c].value(rows[i]));
      copy_[static_cast<std::size_t>(i) * width + c] = x;
      missing_ |= x != x;
    }
}

void FloatRows::load(std::int64_t begin, std::int64_t end, Team* team) {
  begin_ = begin;
  n_ = static_cast<int>(end - begin);
  rows_ = nullptr;
  if (direct_) {
    stride_ = columns_[0].stride;
    base_ = columns_[0].data + begin * stride_;
  } else {
    const std::size_t width = columns_.size();
    copy_.resize(static_cast<std::size_t>(n_) * width);
    stride_ = static_cast<std::int64_t>(width * sizeof(float));
    base_ = reinterpret_cast<const char*>(copy_.data());
  }
  const int n_pieces = (n_ + kWalkRows - 1) / kWalkRows;
  std::vector<char> missing(n_pieces);
  const auto piece = [&](int p, int) {
    missing[p] = load_piece(p * kWalkRows, std::min(n_, (p + 1) * kWalkRows));
  };
  if (team)
    team->run(n_pieces, piece);
  else
    for (int p = 0; p < n_pieces; ++p) piece(p, 0);
  missing_ = std::find(missing.begin(), missing.end(), 1) != missing.end();
}

bool FloatRows::load_piece(int begin, int end) {
  const auto width = static_cast<std::int64_t>(columns_.size());
  bool missing = false;
  if (direct_) {
    for (int i = begin; i < end; ++i) missing |= any_missing(row(static_cast<std::uint32_t>(i)), width);
    return missing;
  }
  for (int c : used_) {
    const Column& column = columns_[c];
    float* to = copy_.data() + begin * width + c;
    if (column.type == Column::Type::float32)
      for (int i = begin; i < end; ++i, to += width) *to = column.at<float>(begin_ + i);
    else
      for (int i = begin; i < end; ++i, to += width) *to = rounded_down(column.value(begin_ + i));
    to = copy_.data() + begin * width + c;
    for (int i = begin; i < end; ++i, to += width) missing |= *to != *to;
  }
  return missing;
}

void FloatRows::replace(int column, const std::uint32_t* from) {
  replaced_ = from ? column : -1;
  from_ = from;
  const std::size_t width = columns_.size();
  for (int i = 0; i < n_; ++i) {
    const float x = rounded_down(columns_[column].value(from ? from[i] : rows_[i]));
    copy_[static_cast<std::size_t>(i) * width + column] = x;
    missing_ |= x != x;
  }
}

StoredRows::StoredRows(const SparseRows& table, const std::vector<bool>& used) : table_(table), used_(used) {
  constexpr std::int64_t kBitsPerNumber = 16, kMostWords = 64;
  const std::int64_t n_stored = table.n_rows ? table.start[table.n_rows] / table.n_rows : 0;
  n_words_ = std::bit_ceil(
      static_cast<std::size_t>(std::clamp<std::int64_t>(n_stored * kBitsPerNumber / 64, 4, kMostWords)));
  mask_ = static_cast<std::uint32_t>(n_words_ * 64 - 1);
}

std::int64_t StoredRows::block_rows() const {
  constexpr std::int64_t kMostBytes = 1 << 20;  // of filters, which should stay in the cache
  return std::clamp<std::int64_t>(kMostBytes / static_cast<std::int64_t>(n_words_ * 8), 1024, 32768);
}

void StoredRows::load(std::int64_t begin, std::int64_t end, Team* team) {
  begin_ = begin;
  filter_.assign(static_cast<std::size_t>(end - begin) * n_words_, 0);
  const auto n_pieces = static_cast<int>((end - begin + kWalkRows - 1) / kWalkRows);
  std::vector<char> missing(n_pieces);
  const auto piece = [&](int p, int) {
    const std::int64_t first = begin + static_cast<std::int64_t>(p) * kWalkRows;
    missing[p] = load_piece(first, std::min(end, first + kWalkRows));
  };
  if (team)
    team->run(n_pieces, piece);
  else
    for (int p = 0; p < n_pieces; ++p) piece(p, 0);
  missing_ = std::find(missing.begin(), missing.end(), 1) != missing.end();
  if (end - begin >= kLeastTogether)
    columns_.load(table_, begin, end, used_, [this](std::int64_t i) { return stored_at(i); });
  else
    columns_ = {};
}

bool StoredRows::load_piece(std::int64_t begin, std::int64_t end) {
  std::uint64_t* filter = filter_.data() + static_cast<std::size_t>(begin - begin_) * n_words_;
  for (std::int64_t row = begin; row < end; ++row, filter += n_words_)
    for (std::int64_t i = table_.start[row]; i < table_.start[row + 1]; ++i) {
      const std::uint32_t bit = static_cast<std::uint32_t>(table_.column[i]) & mask_;
      filter[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
  bool missing = false;
  for (std::int64_t i = table_.start[begin]; i < table_.start[end]; ++i) {
    const double x = table_.stored(i);
    missing |= x != x;
  }
  return missing;
}

float StoredRows::stored(const Row& row, std::int32_t column) const {
  const std::int32_t *end = table_.column + row.end,
                     *found = std::lower_bound(table_.column + row.begin, end, column);
  if (found == end || *found != column) return 0;
  return stored_at(found - table_.column);
}

ForestWalker::ForestWalker(ForestView forest) : forest_(std::move(forest)) {
  const int words = forest_.layout.words();
  std::vector<char> used(forest_.n_levels.size(), 0);
  for (std::int64_t i = 0; i < forest_.node_start[forest_.n_trees]; ++i) {
    const std::uint64_t word = forest_.nodes[i * words];
    used[forest_.layout.column(word)] |= !NodeLayout::is_leaf(word);
  }
  used_.assign(used.begin(), used.end());
  if (forest_.n_classes == 0) return;
  only_class_.resize(forest_.leaf_start[forest_.n_trees]);
  const double* weight = forest_.leaf;
  for (std::uint8_t& only : only_class_) {
    int n_present = 0, last = 0;
    for (int c = 0; c < forest_.n_classes; ++c, ++weight) {
      n_present += *weight > 0;
      last = *weight > 0 ? c : last;
    }
    only = n_present == 1 && last < kMixed ? static_cast<std::uint8_t>(last) : kMixed;
  }
}

int ForestWalker::vote(int tree, std::uint32_t leaf) const {
  if (const std::uint8_t only = only_class(tree)[leaf]; only != kMixed) return only;
  const int k = forest_.n_classes;
  const double* weight = forest_.leaf + (forest_.leaf_start[tree] + leaf) * forest_.width;
  int most = 0, equals = 1;
  for (int c = 1; c < k; ++c) {
    if (weight[c] > weight[most])
      most = c, equals = 1;
    else
      equals += weight[c] == weight[most];
  }
  if (equals == 1) return most;
  std::uint32_t drawn =
      Random(static_cast<std::uint64_t>(tree), leaf).below(static_cast<std::uint32_t>(equals));
  for (int c = most; c < k; ++c)
    if (weight[c] == weight[most] && drawn-- == 0) return c;
  return most;
}

template <class Block>
bool ForestWalker::special_right(int tree, std::uint64_t word, const Block& rows, std::uint32_t at) const {
  const std::uint32_t* s = forest_.special + forest_.special_start[tree] + (word >> NodeLayout::kUpper);
  const bool otherwise = word & NodeLayout::kRight;
  const int column = forest_.layout.column(word);
  const float x = rows.at(rows.row(at), static_cast<std::uint32_t>(column) * sizeof(float));
  if (x != x) return otherwise;
  if (s[0] == static_cast<std::uint32_t>(Special::cut)) {
    const double cut = std::bit_cast<double>(s[2] | static_cast<std::uint64_t>(s[3]) << 32);
    return rows.value(column, at) >= cut;
  }
  const auto level = static_cast<std::uint32_t>(x);
  if (s[0] == static_cast<std::uint32_t>(Special::bits)) {
    const bool other = level / 32 < s[1] && (s[2 + level / 32] >> (level % 32) & 1);
    return other != otherwise;
  }
  return std::binary_search(s + 2, s + 2 + s[1], level) != otherwise;
}

template <bool kWide, bool kSpecial, bool kMissing, class Block>
void ForestWalker::walk_lanes(int tree, const Block& rows, const std::uint32_t* at,
                              std::uint32_t* leaf) const {
  constexpr std::size_t kWords = kWide ? 2 : 1;
  const std::uint64_t* nodes = forest_.nodes + forest_.node_start[tree] * static_cast<std::int64_t>(kWords);
  const std::uint32_t mask = forest_.layout.column_mask();
  const int shift = forest_.layout.child_shift();
  const auto step = [&](std::uint32_t node, const typename Block::Row& x,
                        std::uint32_t row) -> std::uint32_t {
    const std::uint64_t* word = nodes + node * kWords;
    const auto low = half_of<std::uint32_t>(word, false);
    const std::uint32_t child = kWide ? static_cast<std::uint32_t>(word[1]) : low >> shift;
    if (kSpecial && (low & NodeLayout::kSpecial)) return child + special_right(tree, *word, rows, row);
    const float value = rows.at(x, low & mask);
    auto right = static_cast<std::uint32_t>(value >= half_of<float>(word, true));
    if (kMissing) right |= low & static_cast<std::uint32_t>(NodeLayout::kRight) & (value != value);
    return child + right;
  };
  std::uint32_t node[kWalkLanes] = {}, moved;
  typename Block::Row x[kWalkLanes];
  for (int j = 0; j < kWalkLanes; ++j) x[j] = rows.row(at[j]);
  do {
    moved = 0;
    for (int j = 0; j < kWalkLanes; ++j) node[j] = step(node[j], x[j], at[j]);
    for (int j = 0; j < kWalkLanes; ++j) {
      const std::uint32_t next = step(node[j], x[j], at[j]);
      moved |= next ^ node[j];
      node[j] = next;
    }
  } while (moved);
  for (int j = 0; j < kWalkLanes; ++j) leaf[j] = forest_.layout.leaf(nodes + node[j] * kWords);
}

// The leaf of one row that is at a node. Rows of zeros take the same way, which the processor soon foresees:
// it runs ahead of the values that it waits for, as long as each step is a jump.
template <bool kWide, bool kSpecial, class Block>
std::uint32_t ForestWalker::walk_one(int tree, const Block& rows, std::uint32_t at,
                                     std::uint32_t from) const {
  constexpr std::size_t kWords = kWide ? 2 : 1;
  const std::uint64_t* nodes = forest_.nodes + forest_.node_start[tree] * static_cast<std::int64_t>(kWords);
  const std::uint32_t mask = forest_.layout.column_mask();
  const int shift = forest_.layout.child_shift();
  const typename Block::Row x = rows.row(at);
  for (const std::uint64_t* word = nodes + from * kWords;;) {
    const auto low = half_of<std::uint32_t>(word, false);
    const float cut = half_of<float>(word, true);
    const bool special = kSpecial && (low & NodeLayout::kSpecial);
    if (cut != cut && !special) return forest_.layout.leaf(word);
    const std::uint32_t child = kWide ? static_cast<std::uint32_t>(word[1]) : low >> shift;
    bool right;
    if (special) {
      right = special_right(tree, *word, rows, at);
    } else {
      const float value = rows.at(x, low & mask);
      right = value >= cut || (value != value && (low & NodeLayout::kRight));
    }
    word = nodes + child * kWords;
    if (right) {
      word += kWords;
      asm volatile("" : "+r"(word));  // a jump, and no sum that would have to wait
    }
  }
}

// A tree of the forest as ZeroPaths asks it.
template <bool kWide, bool kSpecial>
class ForestWalker::PackedTree {
  static constexpr std::size_t kWords = kWide ? 2 : 1;

 public:
  PackedTree(const ForestWalker& walker, int tree, const StoredRows& rows)
      : walker_(walker),
        tree_(tree),
        rows_(rows),
        nodes_(walker.forest_.nodes + walker.forest_.node_start[tree] * static_cast<std::int64_t>(kWords)) {}

  struct Step {
    std::uint32_t low, column_, child_;
    float cut;

    bool is_plain() const { return !kSpecial || !(low & NodeLayout::kSpecial); }
    bool is_leaf() const { return cut != cut && is_plain(); }
    std::uint32_t column() const { return column_; }
    std::uint32_t child() const { return child_; }
    bool right(float value) const { return value >= cut || (value != value && (low & NodeLayout::kRight)); }
  };
  Step step(std::uint32_t node) const {
    const std::uint64_t* word = nodes_ + node * kWords;
    const auto low = half_of<std::uint32_t>(word, false);
    const NodeLayout& layout = walker_.forest_.layout;
    return {low, static_cast<std::uint32_t>((low & layout.column_mask()) / sizeof(float)),
            kWide ? static_cast<std::uint32_t>(word[1]) : low >> layout.child_shift(),
            half_of<float>(word, true)};
  }
  std::uint32_t leaf(std::uint32_t node) const { return walker_.forest_.layout.leaf(nodes_ + node * kWords); }
  std::uint32_t walk_from(std::uint32_t node, std::uint32_t row) const {
    return walker_.walk_one<kWide, kSpecial>(tree_, rows_, row, node);
  }

 private:
  const ForestWalker& walker_;
  int tree_;
  const StoredRows& rows_;
  const std::uint64_t* nodes_;
};

template <bool kWide, bool kSpecial, bool kMissing, class Block>
void ForestWalker::walk_as(int tree, const Block& rows, const std::uint32_t* at, int n,
                           std::uint32_t* leaf) const {
  if constexpr (Block::kMostlyZeros) {
    const PackedTree<kWide, kSpecial> own(*this, tree, rows);
    if (rows.columns().n_rows() > 0 && n >= kLeastTogether)
      return ZeroPaths(own, rows.columns()).walk(at, n, leaf);
    for (int i = 0; i < n; ++i) leaf[i] = own.walk_from(0, at[i]);
  } else {
    int i = 0;
    for (; i + kWalkLanes <= n; i += kWalkLanes)
      walk_lanes<kWide, kSpecial, kMissing>(tree, rows, at + i, leaf + i);
    if (i == n) return;
    std::uint32_t last[kWalkLanes], end[kWalkLanes];  // the rest, the last of them more than once
    for (int j = 0; j < kWalkLanes; ++j) last[j] = at[std::min(i + j, n - 1)];
    walk_lanes<kWide, kSpecial, kMissing>(tree, rows, last, end);
    std::copy(end, end + (n - i), leaf + i);
  }
}

template <class Block>
void ForestWalker::walk(int tree, const Block& rows, const std::uint32_t* at, int n,
                        std::uint32_t* leaf) const {
  constexpr auto choose = []<bool kWide>(bool special, bool missing) {
    if (special)
      return missing ? &ForestWalker::walk_as<kWide, true, true, Block>
                     : &ForestWalker::walk_as<kWide, true, false, Block>;
    return missing ? &ForestWalker::walk_as<kWide, false, true, Block>
                   : &ForestWalker::walk_as<kWide, false, false, Block>;
  };
  const int words = forest_.layout.words();
  warm(forest_.nodes + forest_.node_start[tree] * words,
       static_cast<std::size_t>(forest_.node_start[tree + 1] - forest_.node_start[tree]) * words *
           sizeof(std::uint64_t),
       n);
  const bool special = !plain(tree), missing = rows.missing();
  const auto walk = forest_.layout.wide ? choose.template operator()<true>(special, missing)
                                        : choose.template operator()<false>(special, missing);
  (this->*walk)(tree, rows, at, n, leaf);
}

template void ForestWalker::walk(int, const FloatRows&, const std::uint32_t*, int, std::uint32_t*) const;
template void ForestWalker::walk(int, const StoredRows&, const std::uint32_t*, int, std::uint32_t*) const;

void warm(const void* begin, std::size_t bytes, std::int64_t n_rows) {
  constexpr std::size_t kLine = 64, kLinesPerRow = 16;
  if (bytes / kLine > static_cast<std::size_t>(n_rows) * kLinesPerRow) return;
  const auto* data = static_cast<const volatile char*>(begin);
  for (std::size_t i = 0; i < bytes; i += kLine) static_cast<void>(data[i]);
}

}  // namespace bough
