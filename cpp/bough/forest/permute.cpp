#include "bough/forest/permute.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "bough/machine/random.hpp"
#include "bough/machine/team.hpp"

namespace bough {

namespace {

// One tree at a time: its rows out of bag, and what it says of them.
class Shuffler {
 public:
  Shuffler(const ForestWalker& walker, const PermuteTask& task)
      : walker_(walker),
        forest_(walker.forest()),
        task_(task),
        n_columns_(static_cast<int>(task.columns.size())),
        width_(forest_.n_classes ? forest_.n_classes + 1 : 1),
        rows_(task.columns, walker.used()) {}

  const std::vector<std::uint32_t>& out() const { return out_; }
  // What was lost by each row out of bag, by column.
  const std::vector<double>& lost() const { return lost_; }

  // drop: n_columns x width. What is left when it is told to stop is not to be used.
  template <class Stop>
  void run(int tree, double* drop, const Stop& stop) {
    find_out_of_bag(tree);
    std::fill_n(drop, static_cast<std::size_t>(n_columns_) * width_, 0.0);
    const int n = static_cast<int>(out_.size());
    if (task_.by_case) lost_.assign(static_cast<std::size_t>(n) * n_columns_, 0.0);
    if (n == 0) return;
    if (stop()) return;
    rows_.gather(out_.data(), n);
    if (stop()) return;
    at_.resize(n);
    std::iota(at_.begin(), at_.end(), 0u);
    leaf_.resize(n);
    grade(tree, own_);
    const std::vector<bool> used = columns_of(tree);
    for (int c = 0; c < n_columns_; ++c) {
      if (!used[c]) continue;
      if (stop()) return;
      from_ = out_;
      Random random(task_.shuffle_seed, static_cast<std::uint64_t>(tree) * n_columns_ + c);
      for (int i = n - 1; i > 0; --i)
        std::swap(from_[i], from_[random.below(static_cast<std::uint32_t>(i) + 1)]);
      rows_.replace(c, from_.data());
      grade(tree, shuffled_);
      rows_.replace(c, nullptr);
      compare(c, drop + static_cast<std::size_t>(c) * width_);
    }
  }

 private:
  void find_out_of_bag(int tree) {
    task_.sampler.draw(task_.seed, tree, count_);
    out_.clear();
    for (std::size_t i = 0; i < count_.size(); ++i)
      if (count_[i] == 0) out_.push_back(static_cast<std::uint32_t>(i));
  }

  std::vector<bool> columns_of(int tree) const {
    std::vector<bool> used(n_columns_, false);
    for (std::int64_t i = forest_.node_start[tree]; i < forest_.node_start[tree + 1]; ++i) {
      const std::uint64_t word = forest_.nodes[i * forest_.layout.words()];
      if (!NodeLayout::is_leaf(word)) used[forest_.layout.column(word)] = true;
    }
    return used;
  }

  // The loss of each row: 1 where the class is wrong, or the squared error.
  void grade(int tree, std::vector<double>& loss) {
    const int n = static_cast<int>(out_.size());
    loss.resize(n);
    walker_.walk(tree, rows_, at_.data(), n, leaf_.data());
    const double* leaves = forest_.leaf + forest_.leaf_start[tree] * forest_.width;
    for (int i = 0; i < n; ++i) {
      const double* leaf = leaves + static_cast<std::int64_t>(leaf_[i]) * forest_.width;
      if (forest_.n_classes) {
        loss[i] = walker_.vote(tree, leaf_[i]) != task_.label[out_[i]];
      } else {
        const double error = task_.y[out_[i]] - leaf[0];
        loss[i] = error * error;
      }
    }
  }

  void compare(int column, double* drop) {
    const auto n = static_cast<int>(out_.size());
    seen_.assign(width_, 0.0);
    for (int i = 0; i < n; ++i) {
      const double lost = shuffled_[i] - own_[i];
      drop[0] += lost;
      if (forest_.n_classes) {
        drop[1 + task_.label[out_[i]]] += lost;
        ++seen_[1 + task_.label[out_[i]]];
      }
      if (task_.by_case) lost_[static_cast<std::size_t>(i) * n_columns_ + column] = lost;
    }
    drop[0] /= n;
    for (int c = 1; c < width_; ++c)
      drop[c] = seen_[c] > 0 ? drop[c] / seen_[c] : std::numeric_limits<double>::quiet_NaN();
  }

  const ForestWalker& walker_;
  const ForestView& forest_;
  const PermuteTask& task_;
  const int n_columns_, width_;
  FloatRows rows_;
  std::vector<std::uint32_t> count_, out_, from_, at_, leaf_;
  std::vector<double> own_, shuffled_, lost_, seen_;
};

}  // namespace

Permuted permute(const ForestWalker& walker, const PermuteTask& task, const Monitor& monitor) {
  const ForestView& forest = walker.forest();
  const std::size_t n_columns = task.columns.size(), width = forest.n_classes ? forest.n_classes + 1 : 1;
  Permuted out;
  out.drop.resize(forest.n_trees * n_columns * width);
  if (task.by_case) out.by_case.assign(static_cast<std::size_t>(task.n_rows) * n_columns, 0.0);
  out.times.assign(task.by_case ? task.n_rows : 0, 0);
  Team team(task.n_threads);
  Watch watch(monitor, forest.n_trees);
  std::vector<std::optional<Shuffler>> shufflers(team.size());
  // By case, sums over trees are made in their order: as many trees at a time as there are threads.
  const int step = task.by_case ? team.size() : forest.n_trees;
  for (int first = 0; first < forest.n_trees; first += step) {
    const int many = std::min(step, forest.n_trees - first);
    std::vector<std::pair<std::vector<std::uint32_t>, std::vector<double>>> lost(task.by_case ? many : 0);
    team.run(many + team.size(), [&](int t, int member) {
      if (watch.should_stop()) return;
      if (t >= many) return watch.wait(first + many);
      const Watch::Piece piece(watch, 1);
      if (!shufflers[member]) shufflers[member].emplace(walker, task);
      shufflers[member]->run(first + t, out.drop.data() + (first + t) * n_columns * width,
                             [&] { return watch.should_stop(); });
      if (task.by_case) lost[t] = {shufflers[member]->out(), shufflers[member]->lost()};
    });
    watch.throw_if_stopped();
    for (const auto& [rows, losses] : lost)
      for (std::size_t i = 0; i < rows.size(); ++i) {
        ++out.times[rows[i]];
        for (std::size_t c = 0; c < n_columns; ++c)
          out.by_case[rows[i] * n_columns + c] += losses[i * n_columns + c];
      }
  }
  return out;
}

}  // namespace bough
