#include "bough/forest/tally.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace bough {

namespace {

constexpr int kBagsAtOnce = 64;                          // trees whose bags are drawn together
constexpr int kTreesBetweenCuts = 16;                    // before decided rows are left out
constexpr std::size_t kMostSaid = std::size_t{1} << 21;  // answers kept before they are added
constexpr int kTallyRows = 2048;                         // whose answers one member adds
constexpr int kLeastWalk = 512;                          // rows worth a task of their own
constexpr int kWalksPerMember = 4;                       // so that members end together
constexpr std::int64_t kLeastWork = 20000;               // walks worth a second thread

// For each of some trees, a bit for each row: whether it is out of the bag.
struct OutOfBag {
  int first = 0;  // of the forest's trees
  std::vector<std::vector<std::uint64_t>> out;

  void draw(const Sampler& sampler, std::uint64_t seed, int number, int many, Team& team) {
    out.resize(many);
    team.run(many, [&](int t, int) {
      std::vector<std::uint32_t> count;
      sampler.draw(seed, static_cast<std::uint64_t>(number) + t, count);
      out[t].assign((count.size() + 63) / 64, 0);
      for (std::size_t i = 0; i < count.size(); ++i)
        out[t][i / 64] |= static_cast<std::uint64_t>(count[i] == 0) << (i % 64);
    });
  }
  bool has(int tree, std::int64_t row) const { return out[tree - first][row / 64] >> (row % 64) & 1; }
};

// Adds up what trees say of a block of rows. Some trees at a time are walked, each by one member where trees
// are many, so that a tree is read by one member only; then what they said is added in their order, piece by
// piece.
template <class Block>
class BlockTally {
 public:
  BlockTally(const ForestWalker& walker, const TallyTask& task, Block block, Tally& tally, Team& team)
      : walker_(walker),
        forest_(walker.forest()),
        task_(task),
        tally_(tally),
        team_(team),
        k_(forest_.width),
        by_leaf_(forest_.width > 1 || forest_.n_classes > 0),
        graded_(task.label || task.y),
        decide_(task.decide && !graded_ && !task.sampler),
        width_(forest_.n_classes ? k_ + 1 : 1),
        rows_(std::move(block)),
        scratch_(team.size()) {}

  std::int64_t block_rows() const { return rows_.block_rows(); }

  // Adds what trees first to first + many say of rows begin to end.
  void add(std::int64_t begin, std::int64_t end, int first, int many, const OutOfBag* out, Watch& watch) {
    begin_ = begin;
    out_ = out;
    rows_.load(begin, end, &team_);
    at_.resize(end - begin);
    std::iota(at_.begin(), at_.end(), 0u);
    for (int t = first, trees; t < first + many && !watch.should_stop(); t += trees) {
      trees = std::min(trees_at_once(t), first + many - t);
      walk(t, trees, watch);
      if (watch.stopped()) return;
      sum(t, trees);
      watch.done(static_cast<double>(trees));
    }
  }

 private:
  struct Scratch {
    std::vector<std::uint32_t> at, place, leaf;
  };

  // How many trees are walked from the next on before what they said is added. Members wait for each other
  // then, so trees are many, but what they say should stay in the cache, and decided rows be left out soon:
  // while half of the trees are to come, hardly any is decided.
  int trees_at_once(int next) const {
    const auto room = static_cast<int>(kMostSaid / std::max<std::size_t>(1, at_.size()));
    const int before_cut = forest_.n_trees / 2 + kTreesBetweenCuts / 2 - next;
    const int wanted = decide_ ? std::max(kTreesBetweenCuts, before_cut) : room;
    return std::max(std::min(wanted, room), std::max(kTreesBetweenCuts, kWalksPerMember * team_.size()));
  }

  bool asked(int tree, std::uint32_t i) const { return !out_ || out_->has(tree, begin_ + i); }

  void walk(int first, int many, Watch& watch) {
    const auto n = static_cast<int>(at_.size());
    const std::size_t said = static_cast<std::size_t>(n) * many;
    by_leaf_ ? leaf_.resize(said) : mean_.resize(said);
    const int wanted = (kWalksPerMember * team_.size() + many - 1) / many;
    const int parts = std::clamp(n / kLeastWalk, 1, wanted), each = (n + parts - 1) / parts;
    team_.run(many * parts, [&](int item, int member) {
      if (watch.should_stop()) return;
      const int t = item / parts, begin = std::min(n, item % parts * each), end = std::min(n, begin + each);
      walk_part(first + t, begin, end, static_cast<std::size_t>(t) * n, scratch_[member]);
    });
  }

  // Asks a tree about the rows at places begin to end; answers go to the same places after `said`.
  void walk_part(int tree, int begin, int end, std::size_t said, Scratch& scratch) {
    const std::uint32_t* at = at_.data() + begin;
    int n = end - begin;
    if (out_) {
      scratch.at.resize(n);
      scratch.place.resize(n);
      int kept = 0;
      for (int i = 0; i < n; ++i) {
        scratch.at[kept] = at[i];
        scratch.place[kept] = static_cast<std::uint32_t>(i);
        kept += asked(tree, at[i]);
      }
      at = scratch.at.data();
      n = kept;
    }
    if (by_leaf_ && !out_) {
      walker_.walk(tree, rows_, at, n, leaf_.data() + said + begin);
      return;
    }
    scratch.leaf.resize(n);
    walker_.walk(tree, rows_, at, n, scratch.leaf.data());
    const auto place = [&](int i) { return said + begin + (out_ ? scratch.place[i] : i); };
    if (by_leaf_) {
      for (int i = 0; i < n; ++i) leaf_[place(i)] = scratch.leaf[i];
      return;
    }
    const std::int64_t n_leaves = forest_.leaf_start[tree + 1] - forest_.leaf_start[tree];
    const double* mean = forest_.leaf + forest_.leaf_start[tree];
    warm(mean, static_cast<std::size_t>(n_leaves) * sizeof(double), n);
    for (int i = 0; i < n; ++i) mean_[place(i)] = mean[scratch.leaf[i]];
  }

  // Adds what some trees said, in their order.
  void sum(int first, int many) {
    const auto n = static_cast<int>(at_.size());
    const int n_pieces = (n + kTallyRows - 1) / kTallyRows;
    const std::size_t curve = graded_ ? width_ * many : 0;
    seen_.assign(curve * n_pieces, 0.0);
    wrong_.assign(curve * n_pieces, 0.0);
    kept_.assign(n_pieces, 0);
    team_.run(n_pieces, [&](int p, int) {
      const int begin = p * kTallyRows, end = std::min(n, begin + kTallyRows);
      for (int t = 0; t < many; ++t) {
        const std::size_t said = static_cast<std::size_t>(t) * n;
        if (forest_.n_classes)
          add_classes(first + t, begin, end, said);
        else if (by_leaf_)
          add_several(first + t, begin, end, leaf_.data() + said);
        else
          add_means(first + t, begin, end, said);
        count_trees(first + t, begin, end);
        if (graded_)
          grade(begin, end, seen_.data() + p * curve + t * width_, wrong_.data() + p * curve + t * width_);
      }
      kept_[p] = decide_ ? undecided(begin, end, forest_.n_trees - first - many) : end;
    });
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      tally_.seen[first * width_ + i % curve] += seen_[i];
      tally_.wrong[first * width_ + i % curve] += wrong_[i];
    }
    if (decide_) close_up();
  }

  void add_means(int tree, int begin, int end, std::size_t said) {
    for (int i = begin; i < end; ++i)
      if (asked(tree, at_[i])) tally_.share[begin_ + at_[i]] += mean_[said + i];
  }

  void add_several(int tree, int begin, int end, const std::uint32_t* leaf) {
    for (int i = begin; i < end; ++i) {
      if (!asked(tree, at_[i])) continue;
      double* own = tally_.share.data() + (begin_ + at_[i]) * k_;
      const double* mean = forest_.leaf + (forest_.leaf_start[tree] + leaf[i]) * k_;
      for (int t = 0; t < k_; ++t) own[t] += mean[t];
    }
  }

  void add_classes(int tree, int begin, int end, std::size_t said) {
    if (task_.shares) add_shares(tree, begin, end, leaf_.data() + said);
    if (!task_.votes) return;
    for (int i = begin; i < end; ++i)
      if (asked(tree, at_[i])) ++tally_.vote[(begin_ + at_[i]) * k_ + walker_.vote(tree, leaf_[said + i])];
  }

  void add_shares(int tree, int begin, int end, const std::uint32_t* leaf) {
    const std::uint8_t* only = walker_.only_class(tree);
    double* share = tally_.share.data() + begin_ * k_;
    for (int i = begin; i < end; ++i) {
      if (!asked(tree, at_[i])) continue;
      double* own = share + static_cast<std::int64_t>(at_[i]) * k_;
      if (const std::uint8_t c = only[leaf[i]]; c != ForestWalker::kMixed)
        own[c] += 1;
      else
        add_mixed(forest_.leaf + (forest_.leaf_start[tree] + leaf[i]) * k_, own);
    }
  }

  void add_mixed(const double* weight, double* share) const {
    double sum = 0;
    for (int c = 0; c < k_; ++c) sum += weight[c];
    for (int c = 0; c < k_; ++c) share[c] += weight[c] / sum;
  }

  void count_trees(int tree, int begin, int end) {
    for (int i = begin; i < end; ++i) tally_.trees[begin_ + at_[i]] += asked(tree, at_[i]);
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

  void grade(int begin, int end, double* seen, double* wrong) const {
    for (std::int64_t row = begin_ + begin; row < begin_ + end; ++row) {
      if (tally_.trees[row] == 0) continue;
      ++seen[0];
      if (!forest_.n_classes) {
        const double error = task_.y[row] - tally_.share[row] / tally_.trees[row];
        wrong[0] += error * error;
        continue;
      }
      const int truth = task_.label[row];
      const bool missed = answer(row) != truth;
      ++seen[1 + truth];
      wrong[0] += missed;
      wrong[1 + truth] += missed;
    }
  }

  // Keeps of a piece the rows whose class the trees left can change, each adding at most 1 to a class.
  int undecided(int begin, int end, int trees_left) {
    int kept = begin;
    for (int i = begin; i < end; ++i) {
      const std::int64_t row = begin_ + at_[i];
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

  void close_up() {
    std::size_t n = 0;
    for (std::size_t p = 0; p < kept_.size(); ++p)
      for (int i = static_cast<int>(p) * kTallyRows; i < kept_[p]; ++i) at_[n++] = at_[i];
    at_.resize(n);
  }

  const ForestWalker& walker_;
  const ForestView& forest_;
  const TallyTask& task_;
  Tally& tally_;
  Team& team_;
  const int k_;         // numbers a leaf
  const bool by_leaf_;  // whether leaves are kept until they are added, or means
  const bool graded_, decide_;
  const std::size_t width_;
  Block rows_;
  std::int64_t begin_ = 0;
  const OutOfBag* out_ = nullptr;
  std::vector<std::uint32_t> at_;  // the rows that are still asked about
  RawVector<std::uint32_t> leaf_;  // by tree and place in at_
  RawVector<double> mean_;
  std::vector<double> seen_, wrong_;  // by piece and tree
  std::vector<int> kept_;
  std::vector<Scratch> scratch_;
};

// Adds what all trees say of all rows, block by block.
template <class Block>
void add_blocks(const ForestWalker& walker, const TallyTask& task, BlockTally<Block> blocks, Team& team,
                const Monitor& monitor) {
  const int n_trees = walker.forest().n_trees;
  const std::int64_t block = blocks.block_rows(), n_blocks = (task.n_rows + block - 1) / block;
  Watch watch(monitor, static_cast<double>(n_blocks) * n_trees);
  OutOfBag out_of_bag;
  const int step = task.sampler ? kBagsAtOnce : std::max(1, n_trees);
  for (int first = 0; first < n_trees; first += step) {
    const int many = std::min(step, n_trees - first);
    out_of_bag.first = first;
    if (task.sampler) out_of_bag.draw(*task.sampler, task.seed, task.first_tree + first, many, team);
    for (std::int64_t begin = 0; begin < task.n_rows && !watch.should_stop(); begin += block)
      blocks.add(begin, std::min(task.n_rows, begin + block), first, many,
                 task.sampler ? &out_of_bag : nullptr, watch);
    watch.throw_if_stopped();
  }
}

}  // namespace

Tally tally(const ForestWalker& walker, const TallyTask& task, const Monitor& monitor) {
  const ForestView& forest = walker.forest();
  const std::size_t k = forest.width;
  const auto n = static_cast<std::size_t>(task.n_rows);
  Tally out;
  if (task.shares || !forest.n_classes) out.share.assign(n * k, 0.0);
  if (task.votes) out.vote.assign(n * k, 0);
  out.trees.assign(n, 0);
  const std::size_t curve = task.label || task.y ? (forest.n_classes ? k + 1 : 1) * forest.n_trees : 0;
  out.seen.assign(curve, 0.0);
  out.wrong.assign(curve, 0.0);
  Team team(task.n_rows * forest.n_trees < kLeastWork ? 1 : task.n_threads);
  walker.with_block(task.table, [&](auto block) {
    add_blocks(walker, task, BlockTally(walker, task, std::move(block), out, team), team, monitor);
  });
  return out;
}

RawVector<std::uint32_t> leaves(const ForestWalker& walker, const ForestTable& table, std::int64_t n_rows,
                                int n_threads, const Monitor& monitor) {
  const int n_trees = walker.forest().n_trees;
  RawVector<std::uint32_t> out(static_cast<std::size_t>(n_rows) * n_trees);
  const std::int64_t most = walker.with_block(table, [](const auto& block) { return block.block_rows(); });
  const std::int64_t block = std::clamp<std::int64_t>(
      (n_rows + kWalksPerMember * n_threads - 1) / (kWalksPerMember * n_threads), kLeastWalk, most);
  const int n_blocks = static_cast<int>((n_rows + block - 1) / block);
  Team team(std::min(n_threads, std::max(n_blocks, 1)));
  Watch watch(monitor, n_blocks);
  team.run(n_blocks, [&](int b, int) {
    if (watch.should_stop()) return;
    const std::int64_t begin = b * block, end = std::min(n_rows, begin + block);
    walker.walk_all(table, begin, end, [&](int t, const std::uint32_t* leaf) {
      for (std::int64_t row = begin; row < end; ++row) out[row * n_trees + t] = leaf[row - begin];
    });
    watch.done(1);
  });
  watch.throw_if_stopped();
  return out;
}

}  // namespace bough
