#include "bough/c50/flat.hpp"

#include <algorithm>

#include "bough/machine/team.hpp"

namespace bough::c50 {

namespace {

// A test whose branches were all merged into one tells nothing apart.
const Node* telling(const Node* node) {
  while (node->n_branches() == 1) node = node->branches[0].get();
  return node;
}

}  // namespace

FlatTree flatten(const Node& tree, int n_classes) {
  FlatTree flat;
  flat.n_classes = n_classes;
  std::vector<const Node*> queue{telling(&tree)};
  flat.parent.push_back(-1);
  flat.level_start.push_back(0);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Node& node = *queue[i];
    flat.first_child.push_back(node.is_leaf() ? -1 : static_cast<std::int32_t>(queue.size()));
    flat.n_children.push_back(node.n_branches());
    flat.column.push_back(node.is_leaf() ? -1 : node.column);
    flat.label.push_back(node.label);
    flat.test.push_back(static_cast<std::uint8_t>(node.test));
    flat.cut.push_back(node.cut);
    flat.lower.push_back(node.lower);
    // Prediction asks for the middle only between bounds that differ.
    flat.mid.push_back(node.lower < node.upper ? node.mid : node.cut);
    flat.upper.push_back(node.upper);
    flat.cases.push_back(node.cases);
    flat.gain.push_back(node.gain);
    flat.dist.insert(flat.dist.end(), node.dist.begin(), node.dist.end());
    for (int v = 0; v < node.n_branches(); ++v) {
      queue.push_back(telling(node.branches[v].get()));
      flat.parent.push_back(static_cast<std::int32_t>(i));
      if (node.test == Test::discrete) {
        flat.level_code.push_back(v);
        flat.level_branch.push_back(v);
      } else if (node.test == Test::subset) {
        for (std::size_t l = 0; l < node.subsets[v].size(); ++l) {
          if (!node.subsets[v][l]) continue;
          flat.level_code.push_back(static_cast<std::int32_t>(l));
          flat.level_branch.push_back(v);
        }
      }
    }
    flat.level_start.push_back(static_cast<std::int64_t>(flat.level_code.size()));
  }
  return flat;
}

Predictor::Predictor(std::vector<FlatTree> trees, std::vector<float> cost, std::vector<int> n_levels)
    : trees_(std::move(trees)),
      cost_(std::move(cost)),
      n_levels_(std::move(n_levels)),
      n_classes_(trees_.front().n_classes) {
  for (const FlatTree& tree : trees_) {
    std::vector<std::int64_t> start(tree.n_nodes(), -1);
    std::vector<std::int32_t> map;
    for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
      if (tree.column[i] < 0 || static_cast<Test>(tree.test[i]) == Test::threshold) continue;
      start[i] = static_cast<std::int64_t>(map.size());
      map.resize(map.size() + n_levels_[tree.column[i]], -1);
      for (std::int64_t p = tree.level_start[i]; p < tree.level_start[i + 1]; ++p)
        map[start[i] + tree.level_code[p]] = tree.level_branch[p];
    }
    map_start_.push_back(std::move(start));
    map_.push_back(std::move(map));
  }
}

// One case on its way down a tree, in parts where it must part.
class Predictor::Walk {
 public:
  Walk(const FlatTree& tree, const std::vector<std::int64_t>& map_start, const std::vector<std::int32_t>& map,
       const float* row, double* sums)
      : tree_(tree), map_start_(map_start), map_(map), row_(row), sums_(sums) {}

  double cases = 0;

  void go(int node, float share) {
    while (tree_.column[node] >= 0) {
      const float value = row_[tree_.column[node]];
      if (std::isnan(value)) return spread(node, share);
      if (static_cast<Test>(tree_.test[node]) != Test::threshold) {
        const std::int32_t branch = map_[map_start_[node] + static_cast<std::int64_t>(value)];
        if (branch < 0) break;
        node = tree_.first_child[node] + branch;
        continue;
      }
      const double low = lower_share(node, value);
      const double shares[2] = {share * low, share * (1 - low)};
      if (shares[0] >= 1e-6 && shares[1] >= 1e-6) go(tree_.first_child[node], static_cast<float>(shares[0]));
      const int last = shares[1] >= 1e-6 ? 1 : 0;
      if (!(shares[last] >= 1e-6)) return;
      node = tree_.first_child[node] + last;
      share = static_cast<float>(shares[last]);
    }
    answer(node, share);
  }

 private:
  float lower_share(int node, float value) const {
    const float lower = tree_.lower[node], upper = tree_.upper[node], cut = tree_.cut[node];
    if (value <= lower) return 1.0f;
    if (value >= upper) return 0.0f;
    return static_cast<float>(value <= cut ? 1 - 0.5 * (value - lower) / (cut - lower + 1e-10)
                                           : 0.5 * (value - upper) / (cut - upper + 1e-10));
  }

  void spread(int node, float share) {
    for (int v = 0; v < tree_.n_children[node]; ++v) {
      const int child = tree_.first_child[node] + v;
      if (tree_.cases[child] > kEpsilon) go(child, (share * tree_.cases[child]) / tree_.cases[node]);
    }
  }

  void answer(int node, float share) {
    if (tree_.cases[node] < kEpsilon && tree_.parent[node] >= 0) node = tree_.parent[node];
    const float* dist = tree_.dist.data() + static_cast<std::size_t>(node) * tree_.n_classes;
    for (int c = 0; c < tree_.n_classes; ++c) sums_[c] += share * dist[c] / tree_.cases[node];
    cases += share * tree_.cases[node];
  }

  const FlatTree& tree_;
  const std::vector<std::int64_t>& map_start_;
  const std::vector<std::int32_t>& map_;
  const float* row_;
  double* sums_;
};

int Predictor::select(const double* weight, int first, bool by_cost) const {
  int best = first;
  if (!by_cost) {
    for (int c = 0; c < n_classes_; ++c)
      if (weight[c] > weight[best]) best = c;
    return best;
  }
  double least = 1e10;
  for (int c = 0; c < n_classes_; ++c) {
    if (weight[c] == 0) continue;
    double expected = 0;
    for (int actual = 0; actual < n_classes_; ++actual)
      if (actual != c) expected += weight[actual] * cost_[c * n_classes_ + actual];
    if (expected < least) {
      best = c;
      least = expected;
    }
  }
  return best;
}

// The class a tree answers with, and the probabilities drawn by one case towards those at the root.
int Predictor::ask(const FlatTree& tree, const float* row, double* probability) const {
  const std::size_t which = static_cast<std::size_t>(&tree - trees_.data());
  std::fill_n(probability, n_classes_, 0.0);
  Walk walk(tree, map_start_[which], map_[which], row, probability);
  walk.go(0, 1.0f);
  const int label = select(probability, tree.label[0], !cost_.empty());
  for (int c = 0; c < n_classes_; ++c) {
    const double prior = tree.dist[c] / tree.cases[0];
    probability[c] = (walk.cases * probability[c] + prior) / (walk.cases + 1);
  }
  return label;
}

void Predictor::answer(const float* row, std::size_t n_trees, double* probability,
                       std::int32_t& label) const {
  if (n_trees == 1) {
    label = ask(trees_[0], row, probability);
  } else {
    std::vector<float> votes(n_classes_, 0.0f);
    double total = 0;
    for (std::size_t t = 0; t < n_trees; ++t) {
      const int voted = ask(trees_[t], row, probability);
      votes[voted] = static_cast<float>(votes[voted] + probability[voted]);
      total += probability[voted];
    }
    for (int c = 0; c < n_classes_; ++c) probability[c] = votes[c] / total;
    label = select(probability, trees_[0].label[0], false);
  }
  double sum = 0;
  for (int c = 0; c < n_classes_; ++c) sum += probability[c];
  for (int c = 0; c < n_classes_; ++c) probability[c] = sum > 0 ? probability[c] / sum : 1.0 / n_classes_;
}

Prediction Predictor::predict(const std::vector<Column>& columns, std::int64_t n_rows, int n_trees,
                              int n_threads) const {
  constexpr std::int64_t kChunk = 1024;
  Prediction prediction;
  prediction.probability.resize(static_cast<std::size_t>(n_rows) * n_classes_);
  prediction.label.resize(n_rows);
  const std::size_t asked = n_trees > 0 ? std::min<std::size_t>(n_trees, trees_.size()) : trees_.size();
  const auto n_chunks = static_cast<int>((n_rows + kChunk - 1) / kChunk);
  Team team(std::max(1, std::min(n_threads, n_chunks)));
  team.run(n_chunks, [&](int chunk, int) {
    std::vector<float> row(columns.size());
    const std::int64_t last = std::min(n_rows, (chunk + 1) * kChunk);
    for (std::int64_t i = chunk * kChunk; i < last; ++i) {
      for (std::size_t c = 0; c < columns.size(); ++c) row[c] = static_cast<float>(columns[c].value(i));
      answer(row.data(), asked, prediction.probability.data() + i * n_classes_, prediction.label[i]);
    }
  });
  return prediction;
}

}  // namespace bough::c50
