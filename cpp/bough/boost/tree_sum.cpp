#include "bough/boost/tree_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bough {

namespace {

constexpr int kRowsInStep = 8;
constexpr int kMostPadded = 8;  // terms of a node
constexpr int kBlock = 512;     // rows whose values are gathered at a time

// From this many rows on they are coded, if trees are so many that it pays: as many as a share of columns.
constexpr std::int64_t kRowsToCode = 128, kColumnsOfTree = 8;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What a coefficient is multiplied by.
double input(double x, double lowest, double highest, double substitute) {
  return std::isfinite(x) ? std::min(std::max(x, lowest), highest) : substitute;
}

}  // namespace

TreeSum::TreeSum(const TreeSumArrays& trees, int n_scores, bool vectors, const std::vector<int>& n_levels,
                 const NodeModels* models)
    : place_(n_levels.size(), -1) {
  sum_.n_scores = n_scores;
  sum_.width = vectors ? n_scores : 1;
  for (std::int64_t t = 0; t < trees.n_trees; ++t) add_tree(trees, t, n_levels);
  if (!models) return;
  models_ = *models;
  models_.lowest.resize(models_.column.size(), -kInfinity);
  models_.highest.resize(models_.column.size(), kInfinity);
  for (std::int32_t& column : models_.column) {
    use(column);
    column = place_[column];
  }
  pad_models();
}

void TreeSum::pad_models() {
  const auto n_terms = [&](std::size_t node) {
    return static_cast<int>(models_.start[numbers_[node] + 1] - models_.start[numbers_[node]]);
  };
  for (std::size_t t = 0; t < sum_.trees.size(); ++t) {
    PaddedTerms made{terms_.size(), 0};
    for (std::size_t node = sum_.first_node(t); node < sum_.first_node(t + 1); ++node)
      made.width = std::max(made.width, n_terms(node));
    if (made.width > kMostPadded) {
      made.width = -1;
    } else {
      for (std::size_t node = sum_.first_node(t); node < sum_.first_node(t + 1); ++node) {
        const std::size_t first = terms_.size();
        terms_.resize(first + made.width);
        for (int k = 0; k < n_terms(node); ++k) {
          const std::int64_t term = models_.start[numbers_[node]] + k;
          terms_[first + k] = {models_.coefficient[term], models_.lowest[term], models_.highest[term],
                               models_.substitute[term], models_.column[term]};
        }
      }
    }
    padded_.push_back(made);
  }
}

void TreeSum::use(int column) {
  if (place_[column] >= 0) return;
  place_[column] = static_cast<int>(sum_.used.size());
  sum_.used.push_back(column);
}

void TreeSum::add_tree(const TreeSumArrays& trees, std::int64_t tree, const std::vector<int>& n_levels) {
  const std::int64_t begin = trees.tree_start[tree], end = trees.tree_start[tree + 1];
  const std::size_t root = sum_.nodes.size();
  TreeNodes::Tree made{root, 0, false};
  std::vector<int> depth(end - begin, 0);
  std::vector<std::size_t> place(end - begin, root);  // of each node among all
  add_leaf(trees, begin);
  for (std::int64_t i = begin; i < end; ++i) {
    if (trees.first_child[i] < 0) continue;
    const std::size_t first = sum_.nodes.size();
    for (int j = 0; j < trees.n_children[i]; ++j) {
      const std::int64_t child = trees.first_child[i] + j;
      place[child] = first + j;
      depth[child] = depth[i - begin] + 1;
      add_leaf(trees, begin + child);
    }
    made.depth = std::max(made.depth, depth[i - begin] + 1);
    const bool stops = trees.default_branch[i] < 0;
    if (stops) add_leaf(trees, i);
    Node& node = sum_.nodes[place[i - begin]];
    node.child = static_cast<std::int32_t>(first);
    node.missing_branch = stops ? 2 : trees.default_branch[i];
    set_split(trees, i, n_levels, node);
    made.has_levels |= node.first_branch >= 0;
  }
  sum_.trees.push_back(made);
}

void TreeSum::add_leaf(const TreeSumArrays& trees, std::int64_t node) {
  sum_.nodes.push_back(
      {std::numeric_limits<double>::quiet_NaN(), 0, static_cast<std::int32_t>(sum_.nodes.size()), 0, -1});
  const double* value = trees.value + node * sum_.width;
  sum_.value.insert(sum_.value.end(), value, value + sum_.width);
  numbers_.push_back(node);
}

void TreeSum::set_split(const TreeSumArrays& trees, std::int64_t i, const std::vector<int>& n_levels,
                        Node& node) {
  const int c = trees.column[i];
  use(c);
  node.place = place_[c];
  if (trees.kind[i] == static_cast<std::uint8_t>(SplitKind::threshold)) {
    node.cut = trees.cut[i];
    return;
  }
  node.first_branch = static_cast<std::int32_t>(sum_.branch.size());
  sum_.branch.resize(sum_.branch.size() + n_levels[c] + 1, static_cast<std::uint8_t>(node.missing_branch));
  for (std::int64_t l = trees.level_start[i]; l < trees.level_start[i + 1]; ++l)
    sum_.branch[node.first_branch + trees.level_code[l]] = static_cast<std::uint8_t>(trees.level_branch[l]);
  node.cut = n_levels[c];  // the place of the branch of missing values
}

std::int32_t TreeSum::branch_of(const Node& node, double x) {
  // All bits of -1 are set.
  return static_cast<std::int32_t>(x >= node.cut) |
         (-static_cast<std::int32_t>(x != x) & node.missing_branch);
}

std::size_t TreeSum::step(const Node& node, const double* row) const {
  const double x = row[node.place];
  if (node.first_branch >= 0) {
    const auto code = static_cast<std::int32_t>(x == x ? x : node.cut);
    return node.child + sum_.branch[node.first_branch + code];
  }
  return node.child + branch_of(node, x);
}

void TreeSum::add_values(std::size_t node, const double* row, double* scores) const {
  if (!models_.intercept.empty()) {
    const std::int64_t number = numbers_[node];
    double sum = models_.intercept[number];
    for (std::int64_t term = models_.start[number]; term < models_.start[number + 1]; ++term) {
      const double x = row[models_.column[term]];
      sum += models_.coefficient[term] *
             input(x, models_.lowest[term], models_.highest[term], models_.substitute[term]);
    }
    if (std::isfinite(sum)) {
      scores[0] += sum;
      return;
    }
  }
  for (int k = 0; k < sum_.width; ++k) scores[k] += sum_.value[node * sum_.width + k];
}

// Adds the models of the nodes that the rows of a step reach.
void TreeSum::add_models(std::size_t tree, const std::int32_t* nodes, const double* const* rows,
                         double* scores) const {
  const PaddedTerms& padded = padded_[tree];
  const std::size_t root = sum_.trees[tree].root;
  double sum[kRowsInStep];
  const Term* term[kRowsInStep];
  for (int j = 0; j < kRowsInStep; ++j) {
    sum[j] = models_.intercept[numbers_[nodes[j]]];
    term[j] = terms_.data() + padded.first + (nodes[j] - root) * padded.width;
  }
  for (int k = 0; k < padded.width; ++k)
    for (int j = 0; j < kRowsInStep; ++j) {
      const Term& own = term[j][k];
      sum[j] += own.coefficient * input(rows[j][own.place], own.lowest, own.highest, own.substitute);
    }
  for (int j = 0; j < kRowsInStep; ++j)
    scores[j * sum_.n_scores] += std::isfinite(sum[j]) ? sum[j] : sum_.value[nodes[j]];
}

// values: of the used columns, row by row.
void TreeSum::add_block(std::size_t which, const double* values, int count, double* scores) const {
  const TreeNodes::Tree& tree = sum_.trees[which];
  const bool is_padded = !padded_.empty() && padded_[which].width >= 0;
  const std::size_t width = sum_.used.size();
  const Node* nodes = sum_.nodes.data();
  int i = 0;
  for (; (is_padded || !tree.has_levels) && i + kRowsInStep <= count; i += kRowsInStep) {
    std::int32_t at[kRowsInStep];
    const double* row[kRowsInStep];
    for (int j = 0; j < kRowsInStep; ++j) {
      at[j] = static_cast<std::int32_t>(tree.root);
      row[j] = values + static_cast<std::size_t>(i + j) * width;
    }
    for (int level = 0; level < tree.depth; ++level)
      for (int j = 0; j < kRowsInStep; ++j) {
        const Node& node = nodes[at[j]];
        at[j] = tree.has_levels ? static_cast<std::int32_t>(step(node, row[j]))
                                : node.child + branch_of(node, row[j][node.place]);
      }
    if (is_padded) {
      add_models(which, at, row, scores + i * sum_.n_scores);
      continue;
    }
    for (int j = 0; j < kRowsInStep; ++j) add_values(at[j], row[j], scores + (i + j) * sum_.n_scores);
  }
  for (; i < count; ++i) {
    std::size_t at = tree.root;
    for (std::size_t next = step(nodes[at], values + i * width); next != at;
         next = step(nodes[at], values + i * width))
      at = next;
    add_values(at, values + i * width, scores + static_cast<std::ptrdiff_t>(i) * sum_.n_scores);
  }
}

void TreeSum::add(const std::vector<Column>& columns, std::int64_t n_rows, std::int64_t first,
                  std::int64_t last, double* scores, Team& team) const {
  if (n_rows >= kRowsToCode && models_.intercept.empty() &&
      (last - first) * kColumnsOfTree >= static_cast<std::int64_t>(sum_.used.size())) {
    std::call_once(coding_, [&] { coded_ = std::make_unique<CodedSum>(sum_); });
    if (coded_->fits()) return add_coded(columns, n_rows, first, last, scores, team);
  }
  const std::size_t width = std::max<std::size_t>(sum_.used.size(), 1);
  const std::int64_t block_rows = std::min<std::int64_t>(kBlock, n_rows);
  std::vector<std::vector<double>> space(team.size());
  team.run(static_cast<int>((n_rows + kBlock - 1) / kBlock), [&](int block, int member) {
    std::vector<double>& values = space[member];
    values.resize(width * block_rows);
    const std::int64_t begin = static_cast<std::int64_t>(block) * kBlock;
    const auto count = static_cast<int>(std::min<std::int64_t>(kBlock, n_rows - begin));
    for (std::size_t j = 0; j < sum_.used.size(); ++j)
      for (int i = 0; i < count; ++i) values[i * width + j] = columns[sum_.used[j]].value(begin + i);
    for (std::int64_t t = first; t < last; ++t)
      add_block(t, values.data(), count,
                scores + begin * sum_.n_scores + (sum_.width > 1 ? 0 : t % sum_.n_scores));
  });
}

void TreeSum::add_coded(const std::vector<Column>& columns, std::int64_t n_rows, std::int64_t first,
                        std::int64_t last, double* scores, Team& team) const {
  constexpr std::int64_t kRows = CodedTrees::kRows;
  std::vector<CodedSum::Space> space(team.size());
  team.run(static_cast<int>((n_rows + kRows - 1) / kRows), [&](int block, int member) {
    const auto rows_at = [&](std::int64_t begin) {
      return RowRange{begin, static_cast<int>(std::clamp<std::int64_t>(n_rows - begin, 0, kRows))};
    };
    const RowRange rows = rows_at(block * kRows);
    // Threads take turns.
    const RowRange next = rows_at((block + team.size()) * kRows);
    coded_->add(columns, {rows.begin, rows.count, scores + rows.begin * sum_.n_scores, first, last, next},
                space[member]);
  });
}

}  // namespace bough
