#include "bough/optimal/search.hpp"

#include <memory>

#include "bough/machine/team.hpp"
#include "bough/optimal/solver.hpp"

namespace bough::optimal {

namespace {

// First splits that are examined at the same time, for any number of threads, so that the tree does not
// depend on it.
constexpr int kRound = 16;

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::vector<RowSet> row_keys(std::int64_t n) {
  std::vector<RowSet> keys(n);
  for (std::int64_t i = 0; i < n; ++i) keys[i] = {mixed(2 * i), mixed(2 * i + 1)};
  return keys;
}

NodeRows all_rows(const Problem& problem, const std::vector<RowSet>& keys) {
  NodeRows root;
  root.reserve(problem.rows.n, problem.axes.size());
  root.n = static_cast<int>(problem.rows.n);
  for (std::size_t a = 0; a < problem.axes.size(); ++a)
    std::copy(problem.axes[a].rows.begin(), problem.axes[a].rows.end(), root.order(a));
  for (const RowSet& key : keys) root.set = root.set ^ key;
  root.find_axes(problem);
  return root;
}

int position_of(const Axis& axis, const NodeRows& node, int a, std::uint32_t group) {
  const std::uint32_t* order = node.order(a);
  return static_cast<int>(std::partition_point(order, order + node.n,
                                               [&](std::uint32_t row) { return axis.group[row] < group; }) -
                          order);
}

// A row of the table whose value belongs to a group.
std::uint32_t row_of_group(const Axis& axis, std::uint32_t group) {
  return *std::partition_point(axis.rows.begin(), axis.rows.end(),
                               [&](std::uint32_t row) { return axis.group[row] < group; });
}

template <class Loss>
class Search {
 public:
  Search(const Problem& problem, const Loss& loss, int n_threads, const Monitor& monitor,
         const BoundsMonitor& bounds)
      : problem_(problem),
        keys_(row_keys(problem.rows.n)),
        root_(all_rows(problem, keys_)),
        watch_(monitor),
        team_(problem.limits.max_depth > 2 ? std::min(n_threads, kRound) : 1),
        bounds_(bounds) {
    const Cache* cache = problem.limits.max_depth > 3 ? &cache_ : nullptr;
    for (int t = 0; t < team_.size(); ++t)
      solvers_.push_back(std::make_unique<Solver<Loss>>(problem, keys_, loss, watch_, cache));
  }

  Best run() {
    const int leaves = problem_.limits.max_leaves, depth = std::min(problem_.limits.max_depth, leaves - 1);
    if (depth <= 2) {
      solvers_[0]->solve(root_, depth, leaves, kInfinity, nullptr, best_);
    } else {
      best_.value = greedy(root_, depth, best_.tree);
      improve(depth, leaves);
    }
    Best result;
    result.value = best_.value;
    result.lower = std::min(best_.lower, best_.value);
    result.stopped = watch_.stopped();
    result.n_examined = n_examined_;
    std::size_t next = 0;
    expand(root_, best_.tree, next, result.tree);
    return result;
  }

 private:
  // A tree that takes the first split of the best tree of depth 2 in every node.
  double greedy(const NodeRows& node, int depth, std::vector<Choice>& tree) {
    const int leaves = depth < 2 ? 1 << depth : std::min(4, problem_.limits.max_leaves);
    Answer answer;
    solvers_[0]->solve(node, std::min(depth, 2), leaves, kInfinity, nullptr, answer);
    const bool deeper = depth > 2 && answer.tree[0].kind == Choice::Kind::split &&
                        problem_.limits.max_leaves >= most_leaves(depth);
    if (!deeper) {
      tree.insert(tree.end(), answer.tree.begin(), answer.tree.end());
      return answer.value;
    }
    NodeRows left, right;
    part(node, answer.tree[0], left, right);
    tree.push_back(answer.tree[0]);
    const double first = greedy(left, depth - 1, tree);
    return first + greedy(right, depth - 1, tree) + problem_.limits.split_cost;
  }

  void part(const NodeRows& node, const Choice& choice, NodeRows& left, NodeRows& right) {
    const int position = position_of(problem_.axes[choice.axis], node, choice.axis, choice.group);
    left.reserve(node.n, problem_.axes.size());
    right.reserve(node.n, problem_.axes.size());
    solvers_[0]->parting().part(problem_, node, choice.axis, position, left, right);
  }

  void improve(int depth, int leaves) {
    using Examined = typename Solver<Loss>::Examined;
    const double cost = problem_.limits.split_cost, tolerance = problem_.tolerance;
    const double leaf = solvers_[0]->loss().leaf(root_);
    typename Solver<Loss>::DeepFrontier frontier;
    std::vector<Examined> round(kRound);
    best_.lower = leaf;
    frontier.start(problem_, root_, nullptr, best_.value - tolerance);
    while (true) {
      const double target = best_.value - tolerance;
      frontier.tighten(target);
      report(std::min({best_.lower, frontier.least_open(), frontier.least_unexamined()}));
      if (frontier.empty()) break;
      if (watch_.should_stop()) {
        frontier.give_up();
        break;
      }
      const std::size_t first = frontier.cuts.size();
      const int n = frontier.take(kRound);
      for (int k = 0; k < n; ++k) frontier.prepare(first + k, round[k]);
      team_.run(n, [&](int k, int member) {
        if (round[k].lower < target)
          solvers_[member]->examine(root_, depth, leaves, target + tolerance - cost, round[k]);
      });
      for (int k = 0; k < n; ++k) settle(round[k], frontier, first + k);
      remember();
      n_examined_ += n;
    }
    best_.lower = std::min({best_.lower, best_.value, frontier.least_unexamined()});
  }

  void settle(typename Solver<Loss>::Examined& now, typename Solver<Loss>::DeepFrontier& frontier,
              std::size_t index) {
    if (now.value < best_.value - problem_.tolerance) {
      best_.value = now.value;
      solvers_[0]->join(root_, now, best_.tree);
    } else if (now.value == kInfinity) {
      best_.lower = std::min(best_.lower, now.lower);
    }
    frontier.keep(index, now);
  }

  // Answers of this round serve the next one, whichever thread found them.
  void remember() {
    for (auto& solver : solvers_) {
      for (auto& [key, answer] : solver->found) {
        Answer& known = cache_[key];
        const bool exact = answer.lower >= answer.value - problem_.tolerance;
        if (known.tree.empty() || exact || answer.lower > known.lower) known = std::move(answer);
      }
      solver->found.clear();
    }
  }

  void report(double lower) {
    if (!bounds_) return;
    bounds_(std::min(lower, best_.value), best_.value);
  }

  // Writes the tree that the choices describe; a stump is searched again.
  void expand(const NodeRows& node, const std::vector<Choice>& choices, std::size_t& next,
              std::vector<TreeNode>& out) {
    Choice choice = choices[next++];
    const bool stump = choice.kind == Choice::Kind::stump;
    if (stump) {
      const Stump best = solvers_[0]->loss().stump(problem_, node);
      choice = {Choice::Kind::split, best.axis,
                problem_.axes[best.axis].group[node.order(best.axis)[best.position]]};
    }
    out.emplace_back();
    if (choice.kind == Choice::Kind::leaf) return;
    NodeRows left, right;
    part(node, choice, left, right);
    out.back() = described(node, choice, left.n);
    if (stump) {
      out.emplace_back();
      out.emplace_back();
      return;
    }
    expand(left, choices, next, out);
    expand(right, choices, next, out);
  }

  TreeNode described(const NodeRows& node, const Choice& choice, int position) const {
    const Axis& axis = problem_.axes[choice.axis];
    const std::uint32_t* order = node.order(choice.axis);
    TreeNode out;
    out.column = axis.column;
    const std::uint32_t below = axis.group[order[position - 1]], above = axis.group[order[position]];
    out.row_below = below == axis.missing_group ? row_of_group(axis, above - 1) : order[position - 1];
    out.row_above = above == axis.missing_group ? row_of_group(axis, below + 1) : order[position];
    const bool missing =
        axis.group[order[0]] == axis.missing_group || axis.group[order[node.n - 1]] == axis.missing_group;
    out.missing = missing ? axis.missing : MissingSide::none;
    out.levels = axis.levels;
    return out;
  }

  const Problem& problem_;
  const std::vector<RowSet> keys_;
  const NodeRows root_;
  Watch watch_;
  Team team_;
  const BoundsMonitor& bounds_;
  Cache cache_;
  std::vector<std::unique_ptr<Solver<Loss>>> solvers_;
  Answer best_;
  std::int64_t n_examined_ = 0;
};

template <class Loss>
Best search(const Problem& problem, const Loss& loss, int n_threads, const Monitor& monitor,
            const BoundsMonitor& bounds) {
  return Search<Loss>(problem, loss, n_threads, monitor, bounds).run();
}

template <class T>
Best search_by(const Problem& problem, int n_classes, const std::vector<double>& loss, int n_threads,
               const Monitor& monitor, const BoundsMonitor& bounds) {
  if (n_classes == 2) return search(problem, TwoClassLoss<T>(problem, loss), n_threads, monitor, bounds);
  return search(problem, ClassLoss<T>(problem, n_classes, loss), n_threads, monitor, bounds);
}

}  // namespace

Best search_classes(const Problem& problem, int n_classes, const std::vector<double>& loss, int n_threads,
                    const Monitor& monitor, const BoundsMonitor& bounds) {
  double most = problem.limits.min_cases + static_cast<double>(problem.rows.n);
  for (const double each : loss) most += each;
  for (const double cases : problem.rows.cases) most += cases;
  if (most < 0x1p15) return search_by<std::int16_t>(problem, n_classes, loss, n_threads, monitor, bounds);
  if (most < 0x1p31) return search_by<std::int32_t>(problem, n_classes, loss, n_threads, monitor, bounds);
  return search_by<double>(problem, n_classes, loss, n_threads, monitor, bounds);
}

Best search_numbers(const Problem& problem, const std::vector<double>& weight, const std::vector<double>& y,
                    int n_threads, const Monitor& monitor, const BoundsMonitor& bounds) {
  return search(problem, SquaredLoss(problem, weight, y), n_threads, monitor, bounds);
}

}  // namespace bough::optimal
