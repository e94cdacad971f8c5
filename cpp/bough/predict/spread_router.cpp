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
            int width, const std::vector<Column>& columns, std::int64_t n_rows, int n_threads, double* sums,
            const Monitor& monitor) {
  std::fill_n(sums, n_rows * width, 0.0);
  const auto n_blocks = static_cast<int>((n_rows + kSpreadRows - 1) / kSpreadRows);
  Team team(std::min(n_threads, std::max(n_blocks, 1)));
  std::vector<std::vector<Part>> waiting(team.size());
  Watch watch(monitor, n_blocks);
  team.run(n_blocks, [&](int block, int member) {
    if (watch.should_stop()) return;
    const std::int64_t first = block * kSpreadRows, last = std::min(n_rows, first + kSpreadRows);
    for (std::int64_t row = first; row < last; ++row)
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
