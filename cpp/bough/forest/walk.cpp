#include "bough/forest/walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/forest/random.hpp"

namespace bough {

namespace {

constexpr int kLanes = 8;  // rows taken down together: their loads overlap

}  // namespace

FloatRows::FloatRows(const std::vector<Column>& columns, const std::vector<bool>& used) : columns_(columns) {
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (used[c]) used_.push_back(static_cast<int>(c));
  direct_ = true;
  for (std::size_t c = 0; c < columns.size(); ++c)
    direct_ &= columns[c].type == Column::Type::float32 && columns[c].stride == columns[0].stride &&
               columns[c].data - columns[0].data == static_cast<std::int64_t>(c * sizeof(float));
}

std::int64_t FloatRows::block_rows(std::int64_t n_rows) const {
  // A tree is read once a block, so blocks are large; but every thread should get some.
  const auto width = static_cast<std::int64_t>(std::max<std::size_t>(1, columns_.size()));
  const std::int64_t most = std::clamp<std::int64_t>((std::int64_t{1} << 20) / width, 256, 16384);
  return std::clamp<std::int64_t>((n_rows + 15) / 16, 256, most);
}

void FloatRows::gather(const std::uint32_t* rows, int n) {
  rows_ = rows;
  n_ = n;
  replaced_ = -1;
  const std::size_t width = columns_.size();
  copy_.resize(static_cast<std::size_t>(n) * width);
  stride_ = static_cast<std::int64_t>(width * sizeof(float));
  base_ = reinterpret_cast<const char*>(copy_.data());
  for (int c : used_)
    for (int i = 0; i < n; ++i)
      copy_[static_cast<std::size_t>(i) * width + c] = rounded_down(columns_[c].value(rows[i]));
}

void FloatRows::load(std::int64_t begin, std::int64_t end) {
  begin_ = begin;
  rows_ = nullptr;
  if (direct_) {
    stride_ = columns_[0].stride;
    base_ = columns_[0].data + begin * stride_;
    return;
  }
  const std::size_t width = columns_.size();
  copy_.resize(static_cast<std::size_t>(end - begin) * width);
  stride_ = static_cast<std::int64_t>(width * sizeof(float));
  base_ = reinterpret_cast<const char*>(copy_.data());
  for (int c : used_) {
    const Column& column = columns_[c];
    float* to = copy_.data() + c;
    if (column.type == Column::Type::float32)
      for (std::int64_t i = begin; i < end; ++i, to += width) *to = column.at<float>(i);
    else
      for (std::int64_t i = begin; i < end; ++i, to += width) *to = rounded_down(column.value(i));
  }
}

void FloatRows::replace(int column, const std::uint32_t* from) {
  replaced_ = from ? column : -1;
  from_ = from;
  const std::size_t width = columns_.size();
  for (int i = 0; i < n_; ++i)
    copy_[static_cast<std::size_t>(i) * width + column] =
        rounded_down(columns_[column].value(from ? from[i] : rows_[i]));
}

ForestWalker::ForestWalker(ForestView forest) : forest_(std::move(forest)) {
  used_.assign(forest_.n_levels.size(), false);
  const int words = forest_.layout.words();
  const std::uint64_t mask = (std::uint64_t{1} << forest_.layout.column_bits) - 1;
  for (std::int64_t i = 0; i < forest_.node_start[forest_.n_trees]; ++i) {
    const std::uint64_t word = forest_.nodes[i * words];
    if (word & NodeLayout::kInner) used_[word >> NodeLayout::kColumnShift & mask] = true;
  }
}

int ForestWalker::vote(int tree, std::uint32_t leaf) const {
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

bool ForestWalker::special_right(int tree, std::uint64_t word, const FloatRows& rows,
                                 std::uint32_t at) const {
  const std::uint32_t* s = forest_.special + forest_.special_start[tree] + (word >> NodeLayout::kUpper);
  const bool otherwise = word & NodeLayout::kRight;
  const auto column = static_cast<int>(word >> NodeLayout::kColumnShift &
                                       ((std::uint64_t{1} << forest_.layout.column_bits) - 1));
  const float x = rows.row(at)[column];
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

template <bool kWide, bool kSpecial>
void ForestWalker::walk_as(int tree, const FloatRows& rows, const std::uint32_t* at, int n,
                           std::uint32_t* leaf) const {
  constexpr int kWords = kWide ? 2 : 1;
  const std::uint64_t* nodes = forest_.nodes + forest_.node_start[tree] * kWords;
  const std::uint64_t mask = (std::uint64_t{1} << forest_.layout.column_bits) - 1;
  const int shift = forest_.layout.child_shift();
  const auto step = [&](std::uint32_t node, const float* x, std::uint32_t row) -> std::uint32_t {
    const std::uint64_t word = nodes[static_cast<std::size_t>(node) * kWords];
    const std::uint32_t child =
        kWide ? static_cast<std::uint32_t>(nodes[static_cast<std::size_t>(node) * kWords + 1])
              : static_cast<std::uint32_t>(word) >> shift;
    std::uint32_t right;
    if (kSpecial && (word & NodeLayout::kSpecial)) {
      right = special_right(tree, word, rows, row);
    } else {
      const float value = x[word >> NodeLayout::kColumnShift & mask];
      const auto cut = std::bit_cast<float>(static_cast<std::uint32_t>(word >> NodeLayout::kUpper));
      right = static_cast<std::uint32_t>(value >= cut) |
              (static_cast<std::uint32_t>(word >> 2) & static_cast<std::uint32_t>(value != value));
    }
    return child + (right & static_cast<std::uint32_t>(word & NodeLayout::kInner));
  };
  const auto leaf_of = [&](std::uint32_t node) {
    return static_cast<std::uint32_t>(nodes[static_cast<std::size_t>(node) * kWords] >> NodeLayout::kUpper);
  };
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    std::uint32_t node[kLanes] = {};
    const float* x[kLanes];
    for (int j = 0; j < kLanes; ++j) x[j] = rows.row(at[i + j]);
    std::uint32_t moved;
    do {
      for (int deep = 0; deep < 3; ++deep)
        for (int j = 0; j < kLanes; ++j) node[j] = step(node[j], x[j], at[i + j]);
      moved = 0;
      for (int j = 0; j < kLanes; ++j) {
        const std::uint32_t next = step(node[j], x[j], at[i + j]);
        moved |= next ^ node[j];
        node[j] = next;
      }
    } while (moved);
    for (int j = 0; j < kLanes; ++j) leaf[i + j] = leaf_of(node[j]);
  }
  for (; i < n; ++i) {
    std::uint32_t node = 0;
    const float* x = rows.row(at[i]);
    for (;;) {
      const std::uint32_t next = step(node, x, at[i]);
      if (next == node) break;
      node = next;
    }
    leaf[i] = leaf_of(node);
  }
}

void ForestWalker::walk(int tree, const FloatRows& rows, const std::uint32_t* at, int n,
                        std::uint32_t* leaf) const {
  const bool special = !plain(tree);
  if (forest_.layout.wide)
    special ? walk_as<true, true>(tree, rows, at, n, leaf) : walk_as<true, false>(tree, rows, at, n, leaf);
  else
    special ? walk_as<false, true>(tree, rows, at, n, leaf) : walk_as<false, false>(tree, rows, at, n, leaf);
}

}  // namespace bough
