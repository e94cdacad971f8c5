#include "bough/forest/careful_walk.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "bough/data/entry.hpp"

namespace bough {

namespace {

constexpr int kTreesTogether = 128;  // whose loads overlap

void require(bool holds) {
  if (!holds) throw std::invalid_argument("the nodes and leaves of a tree do not make one tree");
}

// A row on its way down one tree.
class CarefulStep {
 public:
  CarefulStep() = default;
  CarefulStep(const ForestView& forest, int tree)
      : forest_(&forest),
        tree_(tree),
        n_nodes_(forest.node_start[tree + 1] - forest.node_start[tree]),
        nodes_(forest.nodes + forest.node_start[tree] * forest.layout.words()) {
    __builtin_prefetch(nodes_);
  }

  // Takes a step; returns whether it was at a leaf already. row: its numbers, and the same as floats.
  template <class T>
  bool ends(const T* row, const float* rounded) {
    const NodeLayout& layout = forest_->layout;
    require(node_ < n_nodes_);
    const std::uint64_t* word = nodes_ + node_ * layout.words();
    if (NodeLayout::is_leaf(*word)) {
      __builtin_prefetch(leaf());
      return true;
    }
    require(++steps_ < n_nodes_);
    const int column = layout.column(*word);
    require(column < static_cast<int>(forest_->n_levels.size()));
    const float value = rounded[column];
    bool right;
    if (value != value)
      right = *word & NodeLayout::kRight;
    else if (*word & NodeLayout::kSpecial)
      right = row[column] >= special_cut(*word);
    else
      right = value >= std::bit_cast<float>(static_cast<std::uint32_t>(*word >> NodeLayout::kUpper));
    node_ = static_cast<std::int64_t>(layout.child(word)) + right;
    __builtin_prefetch(nodes_ + std::min(node_, n_nodes_ - 1) * layout.words());
    return false;
  }

  // The numbers of the leaf where it ended.
  const double* leaf() const {
    const std::int64_t begin = forest_->leaf_start[tree_], n = forest_->leaf_start[tree_ + 1] - begin;
    const std::int64_t leaf = forest_->layout.leaf(nodes_ + node_ * forest_->layout.words());
    require(leaf < n);
    return forest_->leaf + (begin + leaf) * forest_->width;
  }

 private:
  double special_cut(std::uint64_t word) const {
    const std::int64_t begin = forest_->special_start[tree_],
                       size = forest_->special_start[tree_ + 1] - begin;
    const auto at = static_cast<std::int64_t>(word >> NodeLayout::kUpper);
    require(at + 4 <= size);
    const std::uint32_t* s = forest_->special + begin + at;
    require(s[0] == static_cast<std::uint32_t>(Special::cut));
    return std::bit_cast<double>(s[2] | static_cast<std::uint64_t>(s[3]) << 32);
  }

  const ForestView* forest_ = nullptr;
  int tree_ = 0;
  std::int64_t n_nodes_ = 0, node_ = 0, steps_ = 0;
  const std::uint64_t* nodes_ = nullptr;
};

void add_leaf(const ForestView& forest, const double* leaf, double* sums) {
  double weight = 1;
  if (forest.n_classes) {
    weight = 0;
    for (int c = 0; c < forest.width; ++c) weight += leaf[c];
  }
  for (int c = 0; c < forest.width; ++c) sums[c] += leaf[c] / weight;
}

}  // namespace

template <class T>
std::vector<double> careful_sums(const ForestView& forest, const T* matrix, std::int64_t n_rows) {
  const std::size_t width = forest.n_levels.size(), k = forest.width;
  std::vector<double> sums(static_cast<std::size_t>(n_rows) * k, 0.0);
  std::vector<float> rounded(width);
  CarefulStep step[kTreesTogether];
  int on_the_way[kTreesTogether];
  for (std::int64_t i = 0; i < n_rows; ++i) {
    const T* row = matrix + static_cast<std::size_t>(i) * width;
    std::transform(row, row + width, rounded.begin(), [](T x) { return rounded_down(x); });
    for (int first = 0; first < forest.n_trees; first += kTreesTogether) {
      const int n = std::min(kTreesTogether, forest.n_trees - first);
      for (int t = 0; t < n; ++t) {
        step[t] = CarefulStep(forest, first + t);
        on_the_way[t] = t;
      }
      for (int left = n, kept; left > 0; left = kept) {
        kept = 0;
        for (int j = 0; j < left; ++j) {
          const int t = on_the_way[j];
          on_the_way[kept] = t;
          kept += !step[t].ends(row, rounded.data());
        }
      }
      for (int t = 0; t < n; ++t) add_leaf(forest, step[t].leaf(), sums.data() + i * k);
    }
  }
  return sums;
}

template std::vector<double> careful_sums(const ForestView&, const float*, std::int64_t);
template std::vector<double> careful_sums(const ForestView&, const double*, std::int64_t);

}  // namespace bough
