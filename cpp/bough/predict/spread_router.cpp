#include "bough/predict/spread_router.hpp"

#include <algorithm>

#include "bough/data/split_kind.hpp"
#include "bough/machine/team.hpp"

namespace bough {

namespace {

constexpr std::int64_t kSpreadRows = 1024;

// The branch of a row; -1: the split cannot say.
std::int32_t branch_of(const TreeView& tree, std::int32_t node, const Column& column, std::int64_t row) {
  const auto kind = static_cast<SplitKind>(tree.kind[node]);
  if (kind == SplitKind::threshold || kind == SplitKind::at_most) {
    const double x = column.value(row);
    if (x != x) return -1;
    return kind == SplitKind::at_most ? x > tree.cut[node] : x >= tree.cut[node];
  }
  const std::int32_t level = column.code(row);
  const std::int64_t begin = tree.level_start[node], end = tree.level_start[node + 1];
  // Levels mostly stand in order and in full.
  if (level >= 0 && level < end - begin && tree.level_code[begin + level] == level)
    return tree.level_branch[begin + level];
  for (std::int64_t p = begin; p < end; ++p)
    if (tree.level_code[p] == level) return tree.level_branch[p];
  return -1;
}

struct Part {
  std::int32_t node;
  double weight;
};

// Calls passing(node, part) for each node that a part of the row passes or ends at, and at_end(node, part)
// for each where one ends. whole: what the parts are parts of.
template <class Passing, class AtEnd>
void each_node(const TreeView& tree, const std::int32_t* n_children, const double* share,
               const std::vector<Column>& columns, std::int64_t row, double whole, std::vector<Part>& parts,
               const Passing& passing, const AtEnd& at_end) {
  parts.push_back({0, whole});
  while (!parts.empty()) {
    const Part part = parts.back();
    parts.pop_back();
    std::int32_t node = part.node;
    passing(node, part.weight);
    while (n_children[node] > 0) {
      std::int32_t branch = branch_of(tree, node, columns[tree.column[node]], row);
      if (branch < 0 && !share) branch = tree.default_branch[node];
      if (branch < 0) break;
      node = tree.first_child[node] + branch;
      passing(node, part.weight);
    }
    if (n_children[node] == 0 || !share) {
      at_end(node, part.weight);
      continue;
    }
    for (std::int32_t k = n_children[node] - 1; k >= 0; --k)
      if (const std::int32_t child = tree.first_child[node] + k; share[child] > 0)
        parts.push_back({child, part.weight * share[child]});
  }
}

template <class AtEnd>
void each_end(const TreeView& tree, const std::int32_t* n_children, const double* share,
              const std::vector<Column>& columns, std::int64_t row, std::vector<Part>& parts,
              const AtEnd& at_end) {
  each_node(tree, n_children, share, columns, row, 1.0, parts, [](std::int32_t, double) {}, at_end);
}

// A split whose value is missing in the row, on the way down: what its branches sum to so far is kept aside.
struct OpenSplit {
  std::int32_t node, next_branch;
  double share;  // of the open split above
};

// Averages the values below each split whose value is missing, from the leaves up.
class NestedAverage {
 public:
  NestedAverage(const TreeView& tree, const std::int32_t* n_children, const double* share,
                const double* values, int width)
      : tree_(tree), n_children_(n_children), share_(share), values_(values), width_(width) {}

  void of_row(const std::vector<Column>& columns, std::int64_t row, double* sums) {
    sums_ = sums;
    descend(columns, row, 0, 1.0);
    while (!open_.empty()) {
      OpenSplit& split = open_.back();
      while (split.next_branch < n_children_[split.node] && !(share_[child_of(split)] > 0))
        ++split.next_branch;
      if (split.next_branch < n_children_[split.node]) {
        const std::int32_t child = child_of(split);
        ++split.next_branch;
        descend(columns, row, child, share_[child]);
        continue;
      }
      const double share = split.share;
      open_.pop_back();
      const std::vector<double> below(sums_below_.end() - width_, sums_below_.end());
      sums_below_.resize(sums_below_.size() - width_);
      add(below.data(), share);
    }
  }

 private:
  std::int32_t child_of(const OpenSplit& split) const {
    return tree_.first_child[split.node] + split.next_branch;
  }
  void descend(const std::vector<Column>& columns, std::int64_t row, std::int32_t node, double share) {
    while (n_children_[node] > 0) {
      const std::int32_t branch = branch_of(tree_, node, columns[tree_.column[node]], row);
      if (branch < 0) {
        open_.push_back({node, 0, share});
        sums_below_.resize(sums_below_.size() + width_, 0.0);
        return;
      }
      node = tree_.first_child[node] + branch;
    }
    add(values_ + std::int64_t{node} * width_, share);
  }
  void add(const double* values, double share) {
    double* sums = open_.empty() ? sums_ : sums_below_.data() + sums_below_.size() - width_;
    for (int k = 0; k < width_; ++k) sums[k] += share * values[k];
  }

  const TreeView& tree_;
  const std::int32_t* n_children_;
  const double *share_, *values_;
  int width_;
  double* sums_ = nullptr;
  std::vector<OpenSplit> open_;
  std::vector<double> sums_below_;  // of each open split, one after the other
};

// Calls visit(row, parts) for every row; parts is memory for the parts of a row.
template <class Visit>
void each_row(std::int64_t n_rows, const Monitor& monitor, const Visit& visit) {
  std::vector<Part> parts;
  Watch watch(monitor);
  for (std::int64_t row = 0; row < n_rows; ++row) {
    if (row % kSpreadRows == 0) watch.poll_or_throw();
    visit(row, parts);
  }
}

}  // namespace

void spread(const TreeView& tree, const std::int32_t* n_children, const double* share, const double* values,
            int width, const std::vector<Column>& columns, std::int64_t n_rows, bool nested, int n_threads,
            double* sums, const Monitor& monitor) {
  std::fill_n(sums, n_rows * width, 0.0);
  const auto n_blocks = static_cast<int>((n_rows + kSpreadRows - 1) / kSpreadRows);
  Team team(std::min(n_threads, std::max(n_blocks, 1)));
  std::vector<std::vector<Part>> waiting(team.size());
  Watch watch(monitor, n_blocks);
  team.run(n_blocks, [&](int block, int member) {
    if (watch.should_stop()) return;
    const std::int64_t first = block * kSpreadRows, last = std::min(n_rows, first + kSpreadRows);
    NestedAverage average(tree, n_children, share, values, width);
    for (std::int64_t row = first; nested && row < last; ++row)
      average.of_row(columns, row, sums + row * width);
    for (std::int64_t row = first; !nested && row < last; ++row)
      each_end(tree, n_children, share, columns, row, waiting[member], [&](std::int32_t node, double part) {
        for (int k = 0; k < width; ++k)
          sums[row * width + k] += part * values[std::int64_t{node} * width + k];
      });
  });
  watch.throw_if_stopped();
}

void collect(const TreeView& tree, const std::int32_t* n_children, const double* share, const double* figures,
             int width, const std::vector<Column>& columns, std::int64_t n_rows, double* sums,
             const Monitor& monitor) {
  std::fill_n(sums, std::int64_t{tree.n_nodes} * width, 0.0);
  each_row(n_rows, monitor, [&](std::int64_t row, std::vector<Part>& waiting) {
    each_end(tree, n_children, share, columns, row, waiting, [&](std::int32_t node, double part) {
      for (int k = 0; k < width; ++k) sums[std::int64_t{node} * width + k] += part * figures[row * width + k];
    });
  });
}

void collect_classes(const TreeView& tree, const std::int32_t* n_children, const double* share,
                     const std::int32_t* label, const double* weight, int n_classes,
                     const std::vector<Column>& columns, std::int64_t n_rows, double* sums,
                     const Monitor& monitor) {
  std::fill_n(sums, std::int64_t{tree.n_nodes} * n_classes, 0.0);
  each_row(n_rows, monitor, [&](std::int64_t row, std::vector<Part>& waiting) {
    each_end(tree, n_children, share, columns, row, waiting, [&](std::int32_t node, double part) {
      sums[std::int64_t{node} * n_classes + label[row]] += part * (weight ? weight[row] : 1.0);
    });
  });
}

void errors_of_passing_rows(const TreeView& tree, const std::int32_t* n_children, const double* share,
                            const double* answer, const double* truth, bool classes, const double* weight,
                            const std::vector<Column>& columns, std::int64_t n_rows, double* sums,
                            const Monitor& monitor) {
  std::fill_n(sums, tree.n_nodes, 0.0);
  each_row(n_rows, monitor, [&](std::int64_t row, std::vector<Part>& waiting) {
    const auto add = [&](std::int32_t node, double part) {
      const double apart = answer[node] - truth[row];
      sums[node] += classes ? (apart != 0 ? part : 0.0) : apart * apart * part;
    };
    each_node(tree, n_children, share, columns, row, weight ? weight[row] : 1.0, waiting, add,
              [](std::int32_t, double) {});
  });
}

}  // namespace bough
