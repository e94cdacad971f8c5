#include "bough/boost/boost.hpp"

#include <algorithm>
#include <cmath>

#include "bough/boost/dropout.hpp"
#include "bough/boost/gradient_grid.hpp"
#include "bough/boost/leaf_values.hpp"
#include "bough/boost/renewed_leaves.hpp"
#include "bough/boost/row_gradients.hpp"

namespace bough {

namespace {

constexpr std::int64_t kChunk = 4096;  // rows that a thread takes at a time

// From so many rows on, the scores of a table do not stay in the cache: leaves write their numbers to their
// rows, which are fewer bytes, and all scores are changed in the order of the rows.
constexpr std::size_t kRowsToNumber = std::size_t{1} << 17;

// Losses that differ by a smaller share are equal up to rounding.
constexpr double kLeastFall = 1e-10;

class Boosting {
 public:
  Boosting(const std::vector<Column>& columns, const BinnedTable& bins, const BoostTarget& target,
           const std::uint8_t* validation, const BoostSettings& settings, Team& team, Watch& watch)
      : columns_(columns),
        bins_(bins),
        target_(target),
        settings_(settings),
        team_(team),
        watch_(watch),
        loss_(make_loss(settings.loss, target)),
        packed_(settings.limits, bins),
        wide_(settings.limits, bins),
        small_(settings.limits, bins),
        packed_grower_(bins, team),
        wide_grower_(bins, team),
        small_grower_(bins, team),
        seeds_(settings.seed, loss_->n_scores()),
        list_(target.n_rows),
        scores_(loss_->n_scores()),
        gradients_(target, validation, settings, *loss_, scores_, team) {
    loss_->set_watch(&watch);
    if (settings.drop_rate > 0)
      dropout_ = std::make_unique<Dropout>(columns, target.n_rows, settings.drop_rate);
    if (settings.linear_leaves || settings.gradient_splits || loss_->leaf_quantile(0) >= 0)
      small_.keep_order_of_rows();
    if (team.size() > 1)
      small_.allow_second_thread(settings.n_rounds * static_cast<std::int64_t>(loss_->n_scores()));
  }

  BoostedTrees run(const double* given) {
    BoostedTrees result;
    result.start = loss_->start(gradients_.training());
    for (std::size_t k = 0; k < scores_.size(); ++k) {
      memory_.emplace_back(target_.n_rows, result.start[k]);
      if (given)
        std::copy_n(given + static_cast<std::int64_t>(k) * target_.n_rows, target_.n_rows,
                    memory_.back().begin());
      scores_[k] = memory_.back().data();
    }
    double best = HUGE_VAL;
    std::size_t kept = 0;  // rounds up to the best one
    for (int round = 0; round < settings_.n_rounds; ++round) {
      add_round(settings_.first_round + round, result);
      watch_.done(1);
      watch_.poll_or_throw();
      if (settings_.ends_after && settings_.ends_after(round + 1, scores_)) break;
      if (settings_.ends_after || gradients_.validated().empty()) continue;
      const double loss = validation_loss();
      result.validation_loss.push_back(loss);
      if (settings_.report_loss) settings_.report_loss(round + 1, loss);
      if (loss < best - settings_.tolerance) {
        best = loss;
        kept = result.validation_loss.size();
        if (dropout_) dropout_->remember(result.trees);
      } else if (settings_.patience > 0 &&
                 result.validation_loss.size() >= kept + static_cast<std::size_t>(settings_.patience)) {
        break;
      }
    }
    if (!result.validation_loss.empty() && settings_.patience > 0) {
      result.trees.resize(std::max<std::size_t>(kept, 1) * trees_in_round());
      if (dropout_) dropout_->restore(result.trees);
    }
    if (settings_.linear_leaves) result.models.resize(result.trees.size());
    return result;
  }

 private:
  void add_round(int round, BoostedTrees& result) {
    if (dropout_) dropout_->leave_out(seeds_.of(RoundSeeds::drop, round), scores_, team_);
    loss_->begin_round(scores_, gradients_.training(), team_);
    gradients_.draw(round, seeds_);
    if (has_base())
      add_against_base(round, result);
    else
      for (std::size_t k = 0; k < scores_.size(); ++k) result.trees.push_back(grow_tree(round, k, result));
    if (dropout_) dropout_->put_back(result.trees, scores_, team_);
  }

  bool has_base() const { return settings_.base_interval > 0 && scores_.size() > 1; }

  std::size_t trees_in_round() const { return scores_.size() * (has_base() ? scores_.size() - 1 : 1); }

  // Tries each class as the base class, or in most rounds the last one found only, and keeps the trees of the
  // least training loss; of equals those of the first class.
  void add_against_base(int round, BoostedTrees& result) {
    const bool search = round % settings_.base_interval == 0;
    const auto n = static_cast<int>(scores_.size());
    const int first = search ? 0 : base_, last = search ? n : base_ + 1;
    const std::vector<std::vector<double>> before = memory_;
    std::vector<std::vector<double>> kept;
    std::vector<GrownTree> trees;
    double least = 0;
    int best = first;
    for (base_ = first; base_ < last; ++base_) {
      std::vector<GrownTree> own = trees_against_base(round, result);
      const double loss = last - first > 1 ? mean_training_loss() : 0;
      if (loss < least - kLeastFall * std::abs(least) || trees.empty()) {
        least = loss;
        best = base_;
        trees = std::move(own);
        kept = memory_;
      }
      for (int k = 0; k < n; ++k) std::copy(before[k].begin(), before[k].end(), scores_[k]);
    }
    base_ = best;
    for (int k = 0; k < n; ++k) std::copy(kept[k].begin(), kept[k].end(), scores_[k]);
    for (GrownTree& tree : trees) result.trees.push_back(std::move(tree));
  }

  // A tree for each class but the base class, whose score falls by what these trees add. Trees come in sets
  // of one for each score, where the other scores of a set have a leaf of 0.
  std::vector<GrownTree> trees_against_base(int round, BoostedTrees& result) {
    std::vector<GrownTree> trees;
    loss_->set_base(base_);
    for (std::size_t k = 0; k < scores_.size(); ++k) {
      if (static_cast<int>(k) == base_) continue;
      const GrownTree tree = grow_tree(round, k, result);
      for (std::size_t each = 0; each < scores_.size(); ++each) {
        if (each == k)
          trees.push_back(tree);
        else
          trees.push_back(static_cast<int>(each) == base_ ? negated(tree) : leaf_of_zero(tree));
      }
    }
    return trees;
  }

  // The same splits, whose gain counts for the tree itself.
  static GrownTree negated(GrownTree tree) {
    for (double& value : tree.statistics) value = -value;
    for (std::size_t i = 0; i < tree.gain.size(); ++i)
      if (tree.first_child[i] >= 0) tree.gain[i] = 0;
    return tree;
  }

  GrownTree leaf_of_zero(const GrownTree& tree) {
    Branching leaf;
    leaf.nodes.resize(1);
    leaf.nodes[0].weight = tree.weight[0];
    leaf.nodes[0].cases = tree.cases[0];
    leaf.nodes[0].centre = 0;
    Team alone(1);
    return assemble(leaf, {}, columns_, 0, alone, watch_);
  }

  double mean_training_loss() {
    const std::vector<std::uint32_t>& rows = gradients_.training();
    const auto n = static_cast<std::int64_t>(rows.size());
    std::vector<double> parts((n + kChunk - 1) / kChunk, 0.0);
    team_.run(static_cast<int>(parts.size()), [&](int chunk, int) {
      for (std::int64_t i = chunk * kChunk; i < std::min(n, (chunk + 1) * kChunk); ++i)
        parts[chunk] += target_.weight_at(rows[i]) * loss_->loss(scores_, rows[i]);
    });
    double sum = 0;
    for (const double part : parts) sum += part;
    return sum;
  }

  // Grows a tree for one of the scores and adds its answers.
  GrownTree grow_tree(int round, std::size_t k, BoostedTrees& result) {
    Branching tree;
    const bool constant = loss_->constant_hessian() || settings_.gradient_splits;
    const GradientGrid grid =
        grid_of(gradients_.range_of(k), static_cast<std::int64_t>(gradients_.drawn().size()),
                constant && gradients_.counts_rows());
    if (grid.wide)
      grow_wide(round, k, grid, tree);
    else
      grow_packed(round, k, grid, tree);
    if (settings_.linear_leaves) result.models.push_back(numbered(models_, tree));
    Team alone(1);
    return assemble(tree, {}, columns_, 0, alone, watch_);
  }

  std::vector<std::uint8_t> draw_columns(int round, std::size_t which) const {
    return seeds_.drawn_columns(static_cast<int>(bins_.columns.size()), settings_.columns_by_tree, round,
                                which);
  }

  static QuantizedSums total(const std::vector<QuantizedSums>& parts) {
    QuantizedSums all;
    for (const QuantizedSums& part : parts) all += part;
    return all;
  }

  void grow_packed(int round, std::size_t which, const GradientGrid& grid, Branching& tree) {
    const auto seed = static_cast<std::uint32_t>(seeds_.of(RoundSeeds::rounding, round, which));
    std::vector<QuantizedSums> parts(gradients_.n_chunks());
    gradients_.for_gradients(which, [&](int chunk, const std::uint32_t* rows, std::int64_t count,
                                        const double* g, const double* h) {
      parts[chunk] = quantized(g, h, rows, count, grid, seed, list_.entries() + chunk * RowGradients::kChunk);
    });
    const QuantizedSums all = total(parts);
    const auto hessian = static_cast<double>(all.hessian);
    start(packed_, round, which, grid, all, {static_cast<double>(all.gradient), hessian, hessian});
    finish(packed_, packed_grower_, round, which, tree);
  }

  void grow_wide(int round, std::size_t which, const GradientGrid& grid, Branching& tree) {
    std::vector<WideGradients::Terms>& terms = wide_.cells().of_row;
    terms.resize(target_.n_rows);
    std::vector<QuantizedSums> parts(gradients_.n_chunks());
    gradients_.for_gradients(which, [&](int chunk, const std::uint32_t* rows, std::int64_t count,
                                        const double* g, const double* h) {
      parts[chunk] =
          rounded_wide(g, h, rows, count, grid, terms.data(), list_.entries() + chunk * RowGradients::kChunk);
    });
    const QuantizedSums all = total(parts);
    const CellSums root{static_cast<double>(all.gradient), static_cast<double>(all.hessian),
                        static_cast<double>(gradients_.drawn().size())};
    if (small_.cells().take(terms, gradients_.drawn())) {
      start(small_, round, which, grid, all, root);
      finish(small_, small_grower_, round, which, tree);
    } else {
      start(wide_, round, which, grid, all, root);
      finish(wide_, wide_grower_, round, which, tree);
    }
  }

  template <class S>
  void start(S& statistics, int round, std::size_t which, const GradientGrid& grid, const QuantizedSums& sums,
             const CellSums& root) {
    // Splits by gradients alone have a hessian of 1, which is not their variance.
    const double variance = settings_.gradient_splits ? 0 : loss_->variance_per_hessian();
    statistics.start_tree(
        {1 / grid.gradient_scale, 1 / grid.hessian_scale, variance, mean_square(sums, grid.wide)}, root,
        draw_columns(round, which), settings_.learning_rate, seeds_.of(RoundSeeds::tree, round, which));
  }

  // Grows the tree and adds its answers to the scores.
  template <class S>
  void finish(S& statistics, HistogramGrower<S>& grower, int round, std::size_t which, Branching& tree) {
    const auto n = static_cast<std::int64_t>(gradients_.drawn().size());
    const std::vector<int>& by_round = settings_.max_leaves_by_round;
    const int max_leaves = by_round.empty() ? settings_.limits.max_leaves : by_round[round % by_round.size()];
    grower.grow(statistics, list_, n, settings_.order, max_leaves, tree, watch_);
    std::vector<LeafRange> leaves;
    for (const auto& leaf : grower.leaves()) leaves.push_back({leaf.node, leaf.begin, leaf.count});
    renew(leaves, which, tree);
    if (settings_.linear_leaves)
      add_models(grower, leaves, which, tree);
    else
      add_values(grower, leaves, which, tree);
  }

  // Gives the leaves their values where these do not follow from sums.
  void renew(const std::vector<LeafRange>& leaves, std::size_t which, Branching& tree) {
    const double share = loss_->leaf_quantile(which);
    if (share >= 0)
      renew_by_quantile(
          leaves, list_, share,
          [&](std::uint32_t row) {
            return std::pair(loss_->residual(scores_[which], row),
                             gradients_.factor_at(row) * target_.weight_at(row));
          },
          settings_, team_, tree);
    if (settings_.gradient_splits) {
      gradients_.keep(which);
      renew_by_hessian(rows_of_leaves(leaves, list_), gradients_, settings_, team_, tree);
    }
    if (share >= 0 || settings_.gradient_splits) restore_directions(tree, settings_.limits.monotonic);
  }

  // Adds the values of the leaves to the scores.
  template <class G>
  void add_values(const G& grower, const std::vector<LeafRange>& leaves, std::size_t which,
                  const Branching& tree) {
    double *score = scores_[which], *base = has_base() ? scores_[base_] : nullptr;
    const auto add = [&](std::uint32_t row, double value) {
      score[row] += value;
      if (base) base[row] -= value;
    };
    std::vector<double> value;
    for (const LeafRange& leaf : leaves) value.push_back(settings_.memory * tree.nodes[leaf.node].centre);
    const std::vector<std::uint32_t>&rows = gradients_.drawn(), &others = gradients_.left_over();
    if (rows.size() >= kRowsToNumber && leaves.size() <= 256) {
      leaf_of_row_.resize(target_.n_rows);
      for_entries(leaves, [&](std::uint32_t row, std::size_t leaf) {
        leaf_of_row_[row] = static_cast<std::uint8_t>(leaf);
      });
      for_chunks(rows, [&](std::uint32_t row) { add(row, value[leaf_of_row_[row]]); });
    } else {
      for_entries(leaves, [&](std::uint32_t row, std::size_t leaf) { add(row, value[leaf]); });
    }
    const auto n = static_cast<std::int64_t>(others.size());
    constexpr std::int64_t kAtOnce = TreeRoutes::kRowsAtOnce;
    team_.run(static_cast<int>((n + kAtOnce - 1) / kAtOnce), [&](int piece, int) {
      const std::int64_t begin = piece * kAtOnce;
      grower.routes().for_leaves(others.data() + begin, std::min(kAtOnce, n - begin),
                                 [&](const RowEntry* entries, std::int64_t count, int leaf) {
                                   const double own = settings_.memory * tree.nodes[leaf].centre;
                                   for (std::int64_t i = 0; i < count; ++i) add(row_of(entries[i]), own);
                                 });
    });
  }

  // Calls work(row, leaf) for all rows of a tree, leaf by leaf.
  template <class Work>
  void for_entries(const std::vector<LeafRange>& leaves, const Work& work) {
    constexpr std::int64_t kRowsAtOnce = 32768;
    struct Piece {
      std::int64_t begin, count;
      std::size_t leaf;
    };
    std::vector<Piece> pieces;
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf)
      for (std::int64_t done = 0; done < leaves[leaf].count; done += kRowsAtOnce)
        pieces.push_back({leaves[leaf].begin + done, std::min(kRowsAtOnce, leaves[leaf].count - done), leaf});
    const auto run = [&](int i, int) {
      const Piece piece = pieces[i];
      const RowEntry* entries = list_.entries() + piece.begin;
      for (std::int64_t j = 0; j < piece.count; ++j) work(row_of(entries[j]), piece.leaf);
    };
    if (gradients_.drawn().size() < static_cast<std::size_t>(kRowsForTeam))
      for (std::size_t i = 0; i < pieces.size(); ++i) run(static_cast<int>(i), 0);
    else
      team_.run(static_cast<int>(pieces.size()), run);
  }

  // Calls work(row) for some rows.
  template <class Work>
  void for_chunks(const std::vector<std::uint32_t>& rows, const Work& work) {
    const auto n = static_cast<std::int64_t>(rows.size());
    team_.run(static_cast<int>((n + kChunk - 1) / kChunk), [&](int chunk, int) {
      for (std::int64_t i = chunk * kChunk; i < std::min(n, (chunk + 1) * kChunk); ++i) work(rows[i]);
    });
  }

  // Fits the models of the leaves and adds their values to the scores.
  template <class G>
  void add_models(const G& grower, const std::vector<LeafRange>& ranges, std::size_t which, Branching& tree) {
    gradients_.keep(which);
    if (slopes_.empty())
      slopes_ = slope_columns(columns_, gradients_.training(), target_.weight, settings_.ridge);
    const std::vector<LeafRows> leaves = rows_of_leaves(ranges, list_);
    models_ = fit_leaf_models(tree, leaves, columns_, gradients_.kept_gradients().data(),
                              gradients_.kept_hessians().data(), target_.weight, slopes_,
                              settings_.learning_rate, team_);
    const LeafModelView models = models_.view();
    double* score = scores_[which];
    const auto add = [&](int node, std::uint32_t row) {
      const double value = model_value(models, node, columns_, row);
      score[row] += std::isfinite(value) ? value : tree.nodes[node].centre;
    };
    team_.run(static_cast<int>(leaves.size()), [&](int i, int) {
      for (const std::uint32_t row : leaves[i].rows) add(leaves[i].node, row);
    });
    for (const std::uint32_t row : gradients_.left_over()) add(grower.routes().leaf_of(row), row);
  }

  double validation_loss() const {
    const std::vector<std::uint32_t>& rows = gradients_.validated();
    loss_->begin_validation(scores_, rows);
    double sum = 0, weight = 0;
    for (const std::uint32_t row : rows) {
      sum += target_.weight_at(row) * loss_->loss(scores_, row);
      weight += target_.weight_at(row);
    }
    return sum / weight;
  }

  const std::vector<Column>& columns_;
  const BinnedTable& bins_;
  BoostTarget target_;
  const BoostSettings& settings_;
  Team& team_;
  Watch& watch_;
  std::unique_ptr<Loss> loss_;
  GradientStatistics<PackedGradients> packed_;
  GradientStatistics<WideGradients> wide_;
  GradientStatistics<SmallGradients> small_;
  HistogramGrower<GradientStatistics<PackedGradients>> packed_grower_;
  HistogramGrower<GradientStatistics<WideGradients>> wide_grower_;
  HistogramGrower<GradientStatistics<SmallGradients>> small_grower_;
  RoundSeeds seeds_;
  RowList list_;
  RawVector<std::uint8_t> leaf_of_row_;  // of the last tree, where rows are numbered
  std::vector<double*> scores_;
  RowGradients gradients_;
  std::vector<SlopeColumn> slopes_;  // of each column
  NodeModels models_;                // of the last tree
  std::unique_ptr<Dropout> dropout_;
  std::vector<std::vector<double>> memory_;
  int base_ = 0;  // the base class, if there is one
};

}  // namespace

BoostedTrees boost(const std::vector<Column>& columns, const BinnedTable& bins, const BoostTarget& target,
                   const std::uint8_t* validation, const double* scores, const BoostSettings& settings,
                   int n_threads, const Monitor& monitor) {
  Team team(n_threads);
  Watch watch(monitor, settings.n_rounds);
  return Boosting(columns, bins, target, validation, settings, team, watch).run(scores);
}

}  // namespace bough
