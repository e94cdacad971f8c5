// The best tree of a node within a depth and a number of leaves, by branch and bound.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bough/machine/watch.hpp"
#include "bough/optimal/loss.hpp"

namespace bough::optimal {

// A node of a tree in preorder. A stump stands for the best single split of its rows.
struct Choice {
  enum class Kind : std::uint8_t { leaf, split, stump };
  Kind kind = Kind::leaf;
  std::int32_t axis = -1;
  std::uint32_t group = 0;  // rows of groups below this one go to the left
};

// What is known of a node: the loss of the best tree found, and bounds of the loss of every tree.
struct Answer {
  double value = kInfinity;  // with the cost of its splits
  double lower = 0;
  double relaxed = 0;  // a bound also for trees with smaller leaves: it cannot rise when rows are taken away
  std::vector<Choice> tree;
  std::vector<double> axis_bound;  // of the trees whose first split is on the axis; empty: not known

  int n_leaves() const {
    int n = 0;
    for (const Choice& choice : tree)
      n += choice.kind == Choice::Kind::leaf ? 1 : choice.kind == Choice::Kind::stump ? 2 : 0;
    return n;
  }
};

struct CacheKey {
  RowSet set;
  std::int32_t depth, leaves;
  bool operator==(const CacheKey&) const = default;
};

struct CacheHash {
  std::size_t operator()(const CacheKey& key) const {
    return key.set.first + 0x9e3779b97f4a7c15ULL * static_cast<std::size_t>(key.depth * 64 + key.leaves);
  }
};

using Cache = std::unordered_map<CacheKey, Answer, CacheHash>;

// About as much memory as an answer takes in a cache.
inline std::int64_t bytes_of(const Answer& answer) {
  constexpr std::int64_t kFixed = sizeof(CacheKey) + sizeof(Answer) + 64;
  return kFixed + static_cast<std::int64_t>(answer.tree.capacity() * sizeof(Choice) +
                                            answer.axis_bound.capacity() * sizeof(double));
}

// Answers that one piece of work has found, up to a number of bytes.
struct FoundAnswers {
  std::vector<std::pair<CacheKey, Answer>> answers;
  std::int64_t bytes = 0;

  void add(const CacheKey& key, Answer answer, std::int64_t most) {
    const std::int64_t more = bytes_of(answer);
    if (bytes + more > most) return;
    bytes += more;
    answers.emplace_back(key, std::move(answer));
  }
  // Takes over the answers of another piece of work.
  void take(FoundAnswers& other, std::int64_t most) {
    for (auto& [key, answer] : other.answers) add(key, std::move(answer), most);
    other.clear();
  }
  void clear() {
    answers.clear();
    bytes = 0;
  }
};

// The greatest number of leaves at a depth, as far as it matters.
inline int most_leaves(int depth) { return depth < 24 ? 1 << depth : 1 << 24; }

// First splits of the table that are examined at the same time, and cuts of a side of one that is examined
// alone: the same for any number of threads, so that the tree does not depend on it.
inline constexpr int kRound = 16, kInnerRound = 4;

// A side is searched somewhat further than it is needed: a higher bound closes more of its neighbours.
inline constexpr double kFurther = 0.1;

class Solver {
 public:
  // cache: answers of earlier work, or null.
  Solver(const Problem& problem, const std::vector<RowSet>& keys, const Loss& loss, Watch& watch,
         const Cache* cache)
      : problem_(problem),
        loss_(loss.copy()),
        watch_(watch),
        cache_(cache),
        parting_(problem.rows.n, keys),
        most_found_(problem.cache_bytes / kRound) {
    const int depth = problem.limits.max_depth;
    levels_.resize(depth + 1);
    for (int d = 2; d <= depth; ++d)
      for (NodeRows* rows : {&levels_[d].left, &levels_[d].right})
        rows->reserve(problem.rows.n, problem.axes.size());
  }

  // Calls work(item, solver) for each of n items, on several threads.
  using Together = std::function<void(int n, const std::function<void(int item, Solver& solver)>& work)>;

  const Loss& loss() const { return *loss_; }
  Parting& parting() { return parting_; }
  bool stopped() const { return watch_.stopped(); }

  // Finds the best tree that loses less than the limit, or proves that there is none. known: bounds by axis.
  void solve(const NodeRows& node, int depth, int leaves, double limit, const double* known, Answer& out) {
    depth = std::min(depth, leaves - 1);
    leaves = std::min(leaves, most_leaves(depth));
    const double leaf = loss_->leaf(node);
    out.value = leaf;
    out.tree.assign(1, {});
    out.axis_bound.clear();
    const double target = std::min(leaf, limit) - problem_.tolerance;
    out.lower = out.relaxed = leaf;
    if (depth == 0 || leaf <= problem_.tolerance) return;
    if (node.axes().empty()) return;
    if (target <= problem_.limits.split_cost) {
      out.lower = out.relaxed = std::min(leaf, problem_.limits.split_cost);
      return;
    }
    if (depth == 1)
      solve_one(node, leaf, out);
    else if (depth == 2)
      solve_two(node, leaves, leaf, limit, known, out);
    else
      solve_deep(node, depth, leaves, leaf, limit, known, out);
  }

  // A cut of a node, examined: bounds and trees of both sides.
  struct Examined {
    Cut cut;
    double value = kInfinity, lower = 0;  // of the node split here
    Answer side[2];
    std::vector<double> known[2];  // bounds of the sides, by axis, before they were examined
    FoundAnswers found;            // on the way
  };

  // The cuts of a node whose sides are split more than once, with bounds of their sides by axis.
  struct DeepFrontier : Frontier {
    std::vector<std::vector<double>> of_side[2];  // of each cut

    void start(const Problem& problem, const NodeRows& node, const double* known, double limit) {
      for (auto& bounds : of_side) bounds.clear();
      Frontier::start(problem, node, known, limit);
    }

    // Bounds of both sides of a cut from those examined before.
    void prepare(std::size_t index, Examined& out) const {
      out.cut = this->cuts[index];
      out.value = kInfinity;
      std::int32_t near[2];
      this->bound_sides(out.cut, near[0], near[1]);
      out.lower = out.cut.left + out.cut.right + this->split_cost();
      for (int s = 0; s < 2; ++s) {
        out.side[s].axis_bound.clear();
        out.known[s].assign(this->axis_bound.size(), 0.0);
        for (const std::int32_t k : near) raise_known(k, s, out);
      }
    }

    void keep(std::size_t index, Examined& examined) {
      this->cuts[index] = examined.cut;
      this->close_cut(examined.cut);
      for (int s = 0; s < 2; ++s) {
        of_side[s].resize(this->cuts.size());
        of_side[s][index] = std::move(examined.side[s].axis_bound);
      }
    }

   private:
    void raise_known(std::int32_t near, int s, Examined& out) const {
      if (near < 0 || of_side[s][near].empty()) return;
      const Cut &cut = out.cut, &other = this->cuts[near];
      const int low = std::min(cut.position, other.position), high = std::max(cut.position, other.position);
      // Rows that the other cut has on this side and this cut has not.
      const bool more = (other.position > cut.position) == (s == 0);
      const double lost = more ? this->margin(cut.axis, low, high) : 0.0;
      for (std::size_t a = 0; a < out.known[s].size(); ++a)
        out.known[s][a] = std::max(out.known[s][a], of_side[s][near][a] - lost);
    }
  };

  // Examines a cut; what is found on the way is kept with it. together: whether cuts of its sides are
  // examined at the same time. need: what both sides together must lose less than.
  void examine_apart(const NodeRows& node, int depth, int leaves, double need, const Together* together,
                     Examined& out) {
    FoundAnswers own;
    std::swap(own, found_);
    together_ = together;
    examine(node, depth, leaves, need, out);
    together_ = nullptr;
    out.found = std::exchange(found_, std::move(own));
  }

 private:
  void examine(const NodeRows& node, int depth, int leaves, double need, Examined& out) {
    Level& level = levels_[depth];
    Cut& cut = out.cut;
    out.value = kInfinity;
    parting_.part(problem_, node, cut.axis, cut.position, level.left, level.right);
    const NodeRows* rows[2] = {&level.left, &level.right};
    out.lower = kInfinity;
    if (!enough(level.left) || !enough(level.right)) return;
    double* bound[2] = {&cut.left, &cut.right};
    double lower[2] = {cut.left, cut.right};
    const int most = std::min(leaves - 1, most_leaves(depth - 1));
    const int order[2] = {level.left.n < level.right.n, level.left.n >= level.right.n};
    for (const int s : order) {
      const double limit = need - lower[1 - s];
      solve_cached(*rows[s], depth - 1, most, limit + kFurther * need, out.known[s].data(), out.side[s]);
      *bound[s] = std::max(*bound[s], out.side[s].relaxed);
      lower[s] = std::max(lower[s], out.side[s].lower);
      if (lower[0] + lower[1] >= need - problem_.tolerance) break;
    }
    out.lower = lower[0] + lower[1] + problem_.limits.split_cost;
    if (out.lower - problem_.limits.split_cost >= need - problem_.tolerance || stopped()) return;
    if (out.side[0].n_leaves() + out.side[1].n_leaves() <= leaves)
      out.value = out.side[0].value + out.side[1].value + problem_.limits.split_cost;
    else
      share_leaves(depth, leaves, need, out);
  }

  struct Level {
    NodeRows left, right;
    DeepFrontier frontier;
    std::vector<Examined> round;
    Answer shared[2];
  };

  bool enough(const NodeRows& node) const {
    const double least = problem_.limits.min_cases;
    if (least <= 1) return true;
    if (problem_.rows.cases.empty()) return node.n >= least;
    double cases = 0;
    for (int i = 0; i < node.n; ++i) cases += problem_.rows.cases[node.order(0)[i]];
    return cases >= least;
  }

  void solve_one(const NodeRows& node, double leaf, Answer& out) const {
    const double cost = problem_.limits.split_cost;
    const Stump best = loss_->stump(problem_, node);
    if (best.axis >= 0 && best.loss + cost < leaf - problem_.tolerance) {
      out.value = best.loss + cost;
      out.tree.assign(1, {Choice::Kind::stump, -1, 0});
    }
    out.lower = out.value;
    out.relaxed = problem_.limits.min_cases > 1 ? std::min(out.value, cost) : out.value;
  }

  void solve_two(const NodeRows& node, int leaves, double leaf, double limit, const double* known,
                 Answer& out) {
    const double cost = problem_.limits.split_cost, tolerance = problem_.tolerance;
    Frontier& frontier = levels_[2].frontier;
    LaneLosses lane[kMostLanes];
    double best = leaf;
    frontier.start(problem_, node, known, std::min(best, limit) - tolerance);
    while (true) {
      frontier.tighten(std::min(best, limit) - tolerance);
      if (frontier.empty()) break;
      if (watch_.should_stop()) {
        frontier.give_up();
        break;
      }
      const std::size_t first = frontier.cuts.size();
      const int n = frontier.take(loss_->lanes());
      if (n == 0) continue;
      Cut* cuts = frontier.cuts.data() + first;
      loss_->examine(problem_, node, cuts, n, lane);
      for (int j = 0; j < n; ++j) {
        cuts[j].left = std::min(lane[j].leaf[0], lane[j].stump[0] + cost);
        cuts[j].right = std::min(lane[j].leaf[1], lane[j].stump[1] + cost);
        frontier.close_cut(cuts[j]);
        offer(node, cuts[j], lane[j], leaves, best, out);
      }
    }
    out.value = best;
    out.lower = std::min(best, frontier.least_unexamined());
    conclude(leaf, frontier, out);
  }

  // Bounds that hold for every set of rows that has these: there, an axis that cannot split these rows may
  // have them all on one side.
  void conclude(double leaf, const Frontier& frontier, Answer& out) const {
    out.relaxed = std::min(leaf, frontier.least());
    out.axis_bound = frontier.axis_bound;
    for (double& bound : out.axis_bound)
      if (bound == kInfinity) bound = out.relaxed;
  }

  // Keeps a cut with the best splits of its sides if it is better than the best so far.
  void offer(const NodeRows& node, const Cut& cut, const LaneLosses& lane, int leaves, double& best,
             Answer& out) const {
    if (lane.cases[0] < problem_.limits.min_cases || lane.cases[1] < problem_.limits.min_cases) return;
    const double cost = problem_.limits.split_cost, tolerance = problem_.tolerance;
    double loss[2];
    bool split[2];
    for (int s = 0; s < 2; ++s) {
      split[s] = lane.allowed_stump[s] + cost < lane.leaf[s] - tolerance;
      loss[s] = split[s] ? lane.allowed_stump[s] + cost : lane.leaf[s];
    }
    if (split[0] && split[1] && leaves < 4) {
      const int kept = loss[0] + lane.leaf[1] <= lane.leaf[0] + loss[1] ? 0 : 1;
      split[1 - kept] = false;
      loss[1 - kept] = lane.leaf[1 - kept];
    }
    const double value = loss[0] + loss[1] + cost;
    if (value >= best - tolerance) return;
    best = value;
    using Kind = Choice::Kind;
    const Axis& axis = problem_.axes[cut.axis];
    out.tree.assign({{Kind::split, cut.axis, axis.group[node.order(cut.axis)[cut.position]]},
                     {split[0] ? Kind::stump : Kind::leaf, -1, 0},
                     {split[1] ? Kind::stump : Kind::leaf, -1, 0}});
  }

  void solve_deep(const NodeRows& node, int depth, int leaves, double leaf, double limit, const double* known,
                  Answer& out) {
    const double cost = problem_.limits.split_cost, tolerance = problem_.tolerance;
    Level& level = levels_[depth];
    DeepFrontier& frontier = level.frontier;
    const Together* together = std::exchange(together_, nullptr);
    std::vector<Examined>& round = level.round;
    round.resize(together ? kInnerRound : 1);
    double best = leaf;
    frontier.start(problem_, node, known, std::min(best, limit) - tolerance);
    while (true) {
      const double target = std::min(best, limit) - tolerance;
      frontier.tighten(target);
      if (frontier.empty()) break;
      if (watch_.should_stop()) {
        frontier.give_up();
        break;
      }
      const std::size_t first = frontier.cuts.size();
      const int n = frontier.take(static_cast<int>(round.size()));
      for (int k = 0; k < n; ++k) frontier.prepare(first + k, round[k]);
      if (together)
        (*together)(n, [&](int k, Solver& solver) {
          if (round[k].lower < target)
            solver.examine_apart(node, depth, leaves, target + tolerance - cost, nullptr, round[k]);
        });
      else if (n > 0 && round[0].lower < target)
        examine(node, depth, leaves, target + tolerance - cost, round[0]);
      for (int k = 0; k < n; ++k) {
        Examined& now = round[k];
        if (now.value < best - tolerance) {
          best = now.value;
          join(node, now, out.tree);
        } else {
          out.lower = std::min(out.lower, now.lower);
        }
        frontier.keep(first + k, now);
        found_.take(now.found, most_found_);
      }
    }
    together_ = together;
    out.value = best;
    out.lower = std::min({best, out.lower, frontier.least_unexamined()});
    conclude(leaf, frontier, out);
  }

 public:
  // The tree of an examined cut.
  void join(const NodeRows& node, const Examined& now, std::vector<Choice>& tree) const {
    const Axis& axis = problem_.axes[now.cut.axis];
    tree.assign(1,
                {Choice::Kind::split, now.cut.axis, axis.group[node.order(now.cut.axis)[now.cut.position]]});
    for (const Answer& side : now.side) tree.insert(tree.end(), side.tree.begin(), side.tree.end());
  }

 private:
  void solve_cached(const NodeRows& node, int depth, int leaves, double limit, const double* known,
                    Answer& out) {
    if (!cache_ || depth < 2) return solve(node, depth, leaves, limit, known, out);
    const CacheKey key{node.set, depth, leaves};
    const auto entry = cache_->find(key);
    if (entry != cache_->end()) {
      const Answer& old = entry->second;
      if (old.lower >= std::min(old.value, limit) - problem_.tolerance) {
        out = old;
        return;
      }
    }
    solve(node, depth, leaves, limit, known, out);
    if (entry != cache_->end() && entry->second.lower > out.lower) out.lower = entry->second.lower;
    if (!stopped()) found_.add(key, out, most_found_);
  }

  // Too many leaves: tries every number of leaves on the left.
  void share_leaves(int depth, int leaves, double need, Examined& out) {
    const double cost = problem_.limits.split_cost;
    Level& level = levels_[depth];
    const NodeRows* rows[2] = {&level.left, &level.right};
    const int most = std::min(leaves - 1, most_leaves(depth - 1));
    double lower = kInfinity, best = need;
    Answer chosen[2];
    for (int k = std::max(1, leaves - most); k <= most && leaves - k >= 1; ++k) {
      double sum = 0;
      const int own[2] = {k, leaves - k};
      for (int s = 0; s < 2; ++s) {
        solve_cached(*rows[s], depth - 1, own[s], best - sum, nullptr, level.shared[s]);
        sum += level.shared[s].lower;
        if (sum >= best - problem_.tolerance) break;
      }
      lower = std::min(lower, sum);
      const double value = level.shared[0].value + level.shared[1].value;
      if (sum < best - problem_.tolerance && value < best - problem_.tolerance) {
        best = value;
        for (int s = 0; s < 2; ++s) chosen[s] = level.shared[s];
        out.value = value + cost;
      }
    }
    out.lower = std::max(out.lower, std::min(lower, best) + cost);
    if (out.value < kInfinity)
      for (int s = 0; s < 2; ++s) out.side[s].tree = chosen[s].tree;
  }

  const Problem& problem_;
  std::unique_ptr<Loss> loss_;
  Watch& watch_;
  const Cache* cache_;
  Parting parting_;
  std::vector<Level> levels_;
  const Together* together_ = nullptr;
  FoundAnswers found_;
  std::int64_t most_found_;
};

}  // namespace bough::optimal
