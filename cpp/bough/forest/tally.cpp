#include "bough/forest/tally.hpp"

#include <algorithm>
#include <numeric>

namespace bough {

namespace {

constexpr int kTreesAtOnce = 64;      // whose bags are drawn together
constexpr int kTreesBetweenCuts = 8;  // before decided rows are left out

// For each of some trees, a bit for each row: whether it is out of the bag.
struct OutOfBag {
  std::vector<std::vector<std::uint64_t>> out;

  void draw(const Sampler& sampler, std::uint64_t seed, int first, int many, Team& team) {
    out.resize(many);
    team.run(many, [&](int t, int) {
      std::vector<std::uint32_t> count;
      sampler.draw(seed, static_cast<std::uint64_t>(first) + t, count);
      out[t].assign((count.size() + 63) / 64, 0);
      for (std::size_t i = 0; i < count.size(); ++i)
        out[t][i / 64] |= static_cast<std::uint64_t>(count[i] == 0) << (i % 64);
    });
  }
  bool has(int tree, std::int64_t row) const { return out[tree][row / 64] >> (row % 64) & 1; }
};

class Counter {
 public:
  Counter(const ForestWalker& walker, const TallyTask& task, Tally& tally)
      : walker_(walker),
        task_(task),
        tally_(tally),
        forest_(walker.forest()),
        k_(std::max(1, forest_.n_classes)) {}

  // Adds what trees first to first + many say of the rows of a block.
  void count(const FloatRows& rows, std::int64_t begin, std::int64_t end, int first, int many,
             const OutOfBag* out, double* seen, double* wrong) {
    const int n = static_cast<int>(end - begin);
    at_.resize(n);
    leaf_.resize(n);
    std::iota(at_.begin(), at_.end(), 0u);
    int m = n;
    for (int t = first; t < first + many; ++t) {
      if (out) {
        m = 0;
        for (int i = 0; i < n; ++i) {
          at_[m] = static_cast<std::uint32_t>(i);
          m += out->has(t - first, begin + i);
        }
      }
      walker_.walk(t, rows, at_.data(), m, leaf_.data());
      add(t, begin, m);
      if (seen) grade(t, begin, n, seen, wrong);
      if (task_.decide && (t + 1 - first) % kTreesBetweenCuts == 0)
        m = undecided(begin, m, forest_.n_trees - 1 - t);
    }
  }

 private:
  void add(int t, std::int64_t begin, int m) {
    const double* leaves = forest_.leaf + forest_.leaf_start[t] * forest_.width;
    for (int i = 0; i < m; ++i) {
      const std::int64_t row = begin + at_[i];
      const double* leaf = leaves + static_cast<std::int64_t>(leaf_[i]) * forest_.width;
      ++tally_.trees[row];
      if (!forest_.n_classes) {
        tally_.share[row] += leaf[0];
        continue;
      }
      if (task_.shares) {
        double* share = tally_.share.data() + row * k_;
        if (k_ == 2) {
          const double both = 1 / (leaf[0] + leaf[1]);
          share[0] += leaf[0] * both;
          share[1] += leaf[1] * both;
        } else {
          double sum = 0;
          for (int c = 0; c < k_; ++c) sum += leaf[c];
          for (int c = 0; c < k_; ++c) share[c] += leaf[c] / sum;
        }
      }
      if (task_.votes) ++tally_.vote[row * k_ + walker_.vote(t, leaf_[i])];
    }
  }

  int answer(std::int64_t row) const {
    int best = 0;
    double most = -1;
    for (int c = 0; c < k_; ++c) {
      double sum = task_.by_votes ? tally_.vote[row * k_ + c] : tally_.share[row * k_ + c];
      if (!task_.cutoff.empty()) sum /= task_.cutoff[c];
      if (sum > most) most = sum, best = c;
    }
    return best;
  }

  void grade(int t, std::int64_t begin, int n, double* seen, double* wrong) const {
    const std::size_t width = forest_.n_classes ? k_ + 1 : 1;
    double *all = seen + t * width, *off = wrong + t * width;
    for (std::int64_t row = begin; row < begin + n; ++row) {
      if (tally_.trees[row] == 0) continue;
      ++all[0];
      if (!forest_.n_classes) {
        const double error = task_.y[row] - tally_.share[row] / tally_.trees[row];
        off[0] += error * error;
        continue;
      }
      const int truth = task_.label[row];
      const bool missed = answer(row) != truth;
      ++all[1 + truth];
      off[0] += missed;
      off[1 + truth] += missed;
    }
  }

  // Leaves out the rows whose class no number of trees can change, each adding at most 1 to a class.
  int undecided(std::int64_t begin, int m, int trees_left) {
    int kept = 0;
    for (int i = 0; i < m; ++i) {
      const std::int64_t row = begin + at_[i];
      double most = -1, second = -1;
      for (int c = 0; c < k_; ++c) {
        const double sum = task_.votes ? tally_.vote[row * k_ + c] : tally_.share[row * k_ + c];
        second = std::max(second, std::min(most, sum));
        most = std::max(most, sum);
      }
      at_[kept] = at_[i];
      // Rounding of a thousand shares is far below the slack.
      kept += most - second < trees_left + 1e-6;
    }
    return kept;
  }

  const ForestWalker& walker_;
  const TallyTask& task_;
  Tally& tally_;
  const ForestView& forest_;
  const int k_;
  std::vector<std::uint32_t> at_, leaf_;
};

}  // namespace

Tally tally(const ForestWalker& walker, const TallyTask& task, const Monitor& monitor) {
  const ForestView& forest = walker.forest();
  const std::size_t k = std::max(1, forest.n_classes);
  const auto n = static_cast<std::size_t>(task.n_rows);
  Tally out;
  if (task.shares || !forest.n_classes) out.share.assign(n * k, 0.0);
  if (task.votes) out.vote.assign(n * k, 0);
  out.trees.assign(n, 0);
  const bool graded = task.label || task.y;
  const std::size_t width = forest.n_classes ? k + 1 : 1, curve = graded ? width * forest.n_trees : 0;
  const std::int64_t block = FloatRows(task.columns, walker.used()).block_rows(task.n_rows);
  const int n_blocks = static_cast<int>((task.n_rows + block - 1) / block);
  Team team(std::min(task.n_threads, std::max(n_blocks, 1)));
  ForestWatch watch(monitor, static_cast<double>(n_blocks) * forest.n_trees);
  std::vector<double> seen(curve * n_blocks, 0.0), wrong(curve * n_blocks, 0.0);
  std::vector<std::optional<FloatRows>> rows(team.size());
  OutOfBag out_of_bag;
  const int step = task.sampler ? kTreesAtOnce : forest.n_trees;
  for (int first = 0; first < forest.n_trees; first += step) {
    const int many = std::min(step, forest.n_trees - first);
    if (task.sampler) out_of_bag.draw(*task.sampler, task.seed, task.first_tree + first, many, team);
    team.run(n_blocks, [&](int b, int member) {
      if (watch.stop(member == 0)) return;
      if (!rows[member]) rows[member].emplace(task.columns, walker.used());
      const std::int64_t begin = b * block, end = std::min(task.n_rows, begin + block);
      rows[member]->load(begin, end);
      Counter(walker, task, out)
          .count(*rows[member], begin, end, first, many, task.sampler ? &out_of_bag : nullptr,
                 graded ? seen.data() + b * curve : nullptr, graded ? wrong.data() + b * curve : nullptr);
      watch.done(many);
    });
    watch.check();
  }
  out.seen.assign(curve, 0.0);
  out.wrong.assign(curve, 0.0);
  for (int b = 0; b < n_blocks; ++b)
    for (std::size_t i = 0; i < curve; ++i) {
      out.seen[i] += seen[b * curve + i];
      out.wrong[i] += wrong[b * curve + i];
    }
  return out;
}

RawVector<std::uint32_t> leaves(const ForestWalker& walker, const std::vector<Column>& columns,
                                std::int64_t n_rows, int n_threads, const Monitor& monitor) {
  const int n_trees = walker.forest().n_trees;
  RawVector<std::uint32_t> out(static_cast<std::size_t>(n_rows) * n_trees);
  const std::int64_t block = FloatRows(columns, walker.used()).block_rows(n_rows);
  const int n_blocks = static_cast<int>((n_rows + block - 1) / block);
  Team team(std::min(n_threads, std::max(n_blocks, 1)));
  ForestWatch watch(monitor, n_blocks);
  team.run(n_blocks, [&](int b, int member) {
    if (watch.stop(member == 0)) return;
    const std::int64_t begin = b * block, end = std::min(n_rows, begin + block);
    FloatRows rows(columns, walker.used());
    rows.load(begin, end);
    std::vector<std::uint32_t> at(end - begin), leaf(end - begin);
    std::iota(at.begin(), at.end(), 0u);
    for (int t = 0; t < n_trees; ++t) {
      walker.walk(t, rows, at.data(), static_cast<int>(at.size()), leaf.data());
      for (std::size_t i = 0; i < leaf.size(); ++i) out[(begin + i) * n_trees + t] = leaf[i];
    }
    watch.done(1);
  });
  watch.check();
  return out;
}

}  // namespace bough
