#include "bough/optimal/search.hpp"

#include <memory>

#include "bough/machine/team.hpp"
#include "bough/optimal/expansion.hpp"

namespace bough::optimal {

namespace {

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
      solvers_.push_back(std::make_unique<Solver>(problem, keys_, loss, watch_, cache));
  }

  Best run() {
    const int leaves = problem_.limits.max_leaves, depth = std::min(problem_.limits.max_depth, leaves - 1);
    best_.value = by_stumps(root_, depth, best_.tree);
    Answer better;
    if (depth <= 2) {
      solvers_[0]->solve(root_, depth, leaves, kInfinity, nullptr, better);
      best_.lower = better.lower;
    } else {
      better.value = greedy(root_, depth, better.tree);
    }
    if (better.value < best_.value) {
      best_.value = better.value;
      best_.tree = better.tree;
    }
    if (depth > 2) improve(depth, leaves);
    Best result;
    result.value = best_.value;
    result.lower = std::min(best_.lower, best_.value);
    result.stopped = watch_.stopped();
    result.n_examined = n_examined_;
    result.tree = expanded(problem_, keys_, solvers_[0]->loss(), root_, best_.tree);
    return result;
  }

 private:
  // A tree that takes the best split in every node: there is always this one.
  double by_stumps(const NodeRows& node, int depth, std::vector<Choice>& tree) {
    const double leaf = solvers_[0]->loss().leaf(node);
    const std::size_t at = tree.size();
    tree.emplace_back();
    if (depth == 0 || problem_.limits.max_leaves < most_leaves(depth)) return leaf;
    const Stump best = solvers_[0]->loss().stump(problem_, node);
    if (best.loss + problem_.limits.split_cost >= leaf - problem_.tolerance) return leaf;
    tree[at] = {Choice::Kind::split, best.axis,
                problem_.axes[best.axis].group[node.order(best.axis)[best.position]]};
    NodeRows left, right;
    part_by(problem_, solvers_[0]->parting(), node, tree[at], left, right);
    const double first = by_stumps(left, depth - 1, tree);
    return first + by_stumps(right, depth - 1, tree) + problem_.limits.split_cost;
  }

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
    part_by(problem_, solvers_[0]->parting(), node, answer.tree[0], left, right);
    tree.push_back(answer.tree[0]);
    const double first = greedy(left, depth - 1, tree);
    return first + greedy(right, depth - 1, tree) + problem_.limits.split_cost;
  }

  void improve(int depth, int leaves) {
    using Examined = Solver::Examined;
    const double cost = problem_.limits.split_cost, tolerance = problem_.tolerance;
    const double leaf = solvers_[0]->loss().leaf(root_);
    Solver::DeepFrontier frontier;
    std::vector<Examined> round(kRound);
    best_.lower = leaf;
    frontier.start(problem_, root_, nullptr, best_.value - tolerance);
    // The first cut is that of the tree found greedily, the next ones are few: each may find a better tree,
    // which those of the same round would not know of.
    const Choice first_choice = best_.tree[0];
    int size = 1;
    if (first_choice.kind == Choice::Kind::split)
      frontier.take_at(first_choice.axis, position_of(problem_.axes[first_choice.axis], root_,
                                                      first_choice.axis, first_choice.group));
    while (true) {
      const double target = best_.value - tolerance;
      frontier.tighten(target);
      report(std::min({best_.lower, frontier.least_open(), frontier.least_unexamined()}));
      if (frontier.empty()) break;
      if (watch_.should_stop()) {
        frontier.give_up();
        break;
      }
      const bool is_start = size == 1 && frontier.cuts.size() == 1;
      const std::size_t first = is_start ? 0 : frontier.cuts.size();
      const int n = is_start ? 1 : frontier.take(size);
      size = std::min(2 * size, kRound);
      for (int k = 0; k < n; ++k) frontier.prepare(first + k, round[k]);
      const auto examine = [&](int k, Solver& solver, const Together* inner) {
        if (round[k].lower < target)
          solver.examine_apart(root_, depth, leaves, target + tolerance - cost, inner, round[k]);
      };
      if (n == 1)
        examine(0, *solvers_[0], &together_);
      else
        together_(n, [&](int k, Solver& solver) { examine(k, solver, nullptr); });
      for (int k = 0; k < n; ++k) settle(round[k], frontier, first + k);
      n_examined_ += n;
    }
    best_.lower = std::min({best_.lower, best_.value, frontier.least_unexamined()});
  }

  void settle(Solver::Examined& now, Solver::DeepFrontier& frontier, std::size_t index) {
    if (now.value < best_.value - problem_.tolerance) {
      best_.value = now.value;
      solvers_[0]->join(root_, now, best_.tree);
    } else if (now.value == kInfinity) {
      best_.lower = std::min(best_.lower, now.lower);
    }
    frontier.keep(index, now);
    remember(now.found);
  }

  // Answers of this round serve the next one. They are kept in the order of the cuts, whichever thread found
  // them, until the memory for them is full.
  void remember(FoundAnswers& found) {
    for (auto& [key, answer] : found.answers) {
      const auto entry = cache_.find(key);
      if (entry == cache_.end()) {
        if (cached_bytes_ + bytes_of(answer) > problem_.cache_bytes) continue;
        cached_bytes_ += bytes_of(answer);
        cache_.emplace(key, std::move(answer));
        continue;
      }
      Answer& known = entry->second;
      const bool exact = answer.lower >= answer.value - problem_.tolerance;
      if (!exact && answer.lower <= known.lower) continue;
      cached_bytes_ += bytes_of(answer) - bytes_of(known);
      known = std::move(answer);
    }
    found.clear();
  }

  void report(double lower) {
    if (!bounds_) return;
    bounds_(std::min(lower, best_.value), best_.value);
  }

  const Problem& problem_;
  const std::vector<RowSet> keys_;
  const NodeRows root_;
  Watch watch_;
  Team team_;
  const BoundsMonitor& bounds_;
  using Together = Solver::Together;
  const Together together_ = [this](int n, const std::function<void(int, Solver&)>& work) {
    team_.run(n, [&](int item, int member) { work(item, *solvers_[member]); });
  };
  Cache cache_;
  std::int64_t cached_bytes_ = 0;
  std::vector<std::unique_ptr<Solver>> solvers_;
  Answer best_;
  std::int64_t n_examined_ = 0;
};

Best search(const Problem& problem, const Loss& loss, int n_threads, const Monitor& monitor,
            const BoundsMonitor& bounds) {
  return Search(problem, loss, n_threads, monitor, bounds).run();
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
