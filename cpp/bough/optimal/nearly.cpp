#include "bough/optimal/nearly.hpp"

#include <map>
#include <set>
#include <tuple>

#include "bough/optimal/expansion.hpp"

namespace bough::optimal {

namespace {

struct Listed {
  double value;
  std::vector<Choice> tree;
};

// Trees of numbers, and of weights that are not whole, have few values in common: so many can be held.
constexpr std::size_t kMostValues = 2'000'000;

// Numbers of trees by their value, or the trees themselves.
struct Trees {
  std::map<double, double> count;
  std::vector<Listed> listed;
};

class Enumeration {
 public:
  Enumeration(const Problem& problem, const Loss& loss, const Monitor& monitor)
      : problem_(problem),
        keys_(row_keys(problem.rows.n)),
        watch_(monitor),
        solver_(problem, keys_, loss, watch_, nullptr),
        parting_(problem.rows.n, keys_) {}

  NearlyOptimal run(double most, std::int64_t max_trees) {
    const NodeRows root = all_rows(problem_, keys_);
    most_trees_ = static_cast<std::size_t>(max_trees);
    Trees all;
    NearlyOptimal out;
    find(root, problem_.limits.max_depth, most, false, all);
    if ((out.too_many = too_many_)) return out;
    double listed = 0, listed_to = -kInfinity;
    for (const auto& [value, count] : all.count) {
      out.count += count;
      if (listed == 0 || out.count <= static_cast<double>(max_trees)) listed = out.count, listed_to = value;
    }
    if (listed == 0) return out;
    Trees best;
    find(root, problem_.limits.max_depth, listed_to, true, best);
    std::stable_sort(best.listed.begin(), best.listed.end(),
                     [](const Listed& a, const Listed& b) { return a.value < b.value; });
    best.listed.resize(std::min(best.listed.size(), most_trees_));
    for (const Listed& each : best.listed)
      out.trees.emplace_back(each.value, expanded(problem_, keys_, solver_.loss(), root, each.tree));
    return out;
  }

 private:
  // All trees of a node of value at most `most`.
  void find(const NodeRows& node, int depth, double most, bool list, Trees& out) {
    const double leaf = solver_.loss().leaf(node), limit = most + problem_.tolerance;
    if (leaf <= limit) add(leaf, {{}}, list, out);
    if (depth == 0 || node.axes().empty() || problem_.limits.split_cost > limit) return;
    std::set<std::tuple<std::int32_t, std::uint64_t, std::uint64_t>> seen;
    Frontier frontier;
    frontier.start(problem_, node, nullptr, limit);
    while (true) {
      frontier.tighten(limit);
      if (frontier.empty()) break;
      watch_.poll_or_throw();
      if (too_many_) return;
      if (frontier.take(1) == 0) continue;
      Cut& cut = frontier.cuts.back();
      NodeRows side[2];
      const Choice split{Choice::Kind::split, cut.axis,
                         problem_.axes[cut.axis].group[node.order(cut.axis)[cut.position]]};
      part_by(problem_, parting_, node, split, side[0], side[1]);
      double lower[2];
      for (int s = 0; s < 2; ++s) lower[s] = bound(side[s], depth - 1, limit);
      cut.left = lower[0];
      cut.right = lower[1];
      // Two axes of a column may divide the rows of a node alike.
      const RowSet &left = side[0].set, &right = side[1].set;
      const RowSet& first =
          std::tie(left.first, left.second) < std::tie(right.first, right.second) ? left : right;
      const bool is_new =
          seen.emplace(problem_.axes[cut.axis].sources[0].column, first.first, first.second).second;
      if (is_new && enough(side[0]) && enough(side[1]))
        combine(side, lower, split, leaf, depth, most, list, out);
    }
  }

  // The least loss of a side, or a bound of it that exceeds the limit.
  double bound(const NodeRows& node, int depth, double limit) {
    solver_.solve(node, depth, most_leaves(depth), limit + problem_.tolerance, nullptr, answer_);
    watch_.throw_if_stopped();
    return answer_.relaxed;
  }

  bool enough(const NodeRows& node) const {
    double cases = 0;
    for (int i = 0; i < node.n; ++i)
      cases += problem_.rows.cases.empty() ? 1 : problem_.rows.cases[node.order(0)[i]];
    return cases >= problem_.limits.min_cases;
  }

  // Every tree of the left side with every tree of the right side.
  void combine(const NodeRows* side, const double* lower, const Choice& split, double leaf, int depth,
               double most, bool list, Trees& out) {
    const double cost = problem_.limits.split_cost, room = most - cost;
    if (lower[0] + lower[1] > room + problem_.tolerance) return;
    Trees below[2];
    for (int s = 0; s < 2; ++s) find(side[s], depth - 1, room - lower[1 - s], list, below[s]);
    const double leaves = solver_.loss().leaf(side[0]) + solver_.loss().leaf(side[1]);
    const bool useless = leaves >= leaf - problem_.tolerance;
    if (list) return join(below, split, useless, most, out);
    for (const auto& [first, n] : below[0].count) {
      for (const auto& [second, m] : below[1].count) {
        if (first + second > room + problem_.tolerance) break;
        out.count[first + second + cost] += n * m;
      }
      too_many_ |= out.count.size() > kMostValues;
      if (too_many_) return;
      watch_.poll_or_throw();
    }
    if (useless && leaves <= room + problem_.tolerance) out.count[leaves + cost] -= 1;
  }

  void join(const Trees* below, const Choice& split, bool useless, double most, Trees& out) const {
    const double cost = problem_.limits.split_cost;
    for (const Listed& first : below[0].listed)
      for (const Listed& second : below[1].listed) {
        const double value = first.value + second.value + cost;
        if (value > most + problem_.tolerance) continue;
        if (useless && first.tree.size() == 1 && second.tree.size() == 1) continue;
        std::vector<Choice> tree{split};
        tree.insert(tree.end(), first.tree.begin(), first.tree.end());
        tree.insert(tree.end(), second.tree.begin(), second.tree.end());
        add(value, std::move(tree), true, out);
      }
  }

  void add(double value, std::vector<Choice> tree, bool list, Trees& out) const {
    if (!list)
      out.count[value] += 1;
    else if (out.listed.size() < most_trees_)
      out.listed.push_back({value, std::move(tree)});
  }

  const Problem& problem_;
  const std::vector<RowSet> keys_;
  Watch watch_;
  Solver solver_;
  Parting parting_;
  Answer answer_;
  std::size_t most_trees_ = 0;
  bool too_many_ = false;
};

}  // namespace

NearlyOptimal nearly_optimal_classes(const Problem& problem, int n_classes, const std::vector<double>& loss,
                                     double most, std::int64_t max_trees, const Monitor& monitor) {
  return Enumeration(problem, ClassLoss<double>(problem, n_classes, loss), monitor).run(most, max_trees);
}

NearlyOptimal nearly_optimal_numbers(const Problem& problem, const std::vector<double>& weight,
                                     const std::vector<double>& y, double most, std::int64_t max_trees,
                                     const Monitor& monitor) {
  return Enumeration(problem, SquaredLoss(problem, weight, y), monitor).run(most, max_trees);
}

}  // namespace bough::optimal
