#include "bough/boost/boost.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <stdexcept>

#include "bough/boost/dropout.hpp"
#include "bough/boost/gradient_grid.hpp"
#include "bough/boost/renewed_leaves.hpp"

namespace bough {

namespace {

constexpr std::int64_t kChunk = 4096;  // rows whose gradients are computed at a time

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
        list_(target.n_rows) {
    if (settings.drop_rate > 0)
      dropout_ = std::make_unique<Dropout>(columns, target.n_rows, settings.drop_rate);
    for (std::int64_t i = 0; i < target.n_rows; ++i) {
      if (!(target.weight_at(i) > 0)) continue;
      (validation && validation[i] ? validated_ : training_).push_back(static_cast<std::uint32_t>(i));
    }
    if (training_.empty()) throw std::invalid_argument("no row has weight");
    // Weights of validation rows alone do not change the arithmetic of the trees.
    unit_weights_ = std::all_of(training_.begin(), training_.end(),
                                [&](std::uint32_t row) { return target.weight_at(row) == 1; });
    scores_.resize(loss_->n_scores());
  }

  BoostedTrees run(const double* given) {
    BoostedTrees result;
    result.start = loss_->start(training_);
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
      if (settings_.ends_after || validated_.empty()) continue;
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
    loss_->begin_round(scores_, training_, team_);
    draw_rows(round);
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
    const auto n = static_cast<std::int64_t>(training_.size());
    std::vector<double> parts((n + kChunk - 1) / kChunk, 0.0);
    team_.run(static_cast<int>(parts.size()), [&](int chunk, int) {
      for (std::int64_t i = chunk * kChunk; i < std::min(n, (chunk + 1) * kChunk); ++i)
        parts[chunk] += target_.weight_at(training_[i]) * loss_->loss(scores_, training_[i]);
    });
    double sum = 0;
    for (const double part : parts) sum += part;
    return sum;
  }

  // Grows a tree for one of the scores and adds its answers.
  GrownTree grow_tree(int round, std::size_t k, BoostedTrees& result) {
    Branching tree;
    const bool constant = loss_->constant_hessian() || settings_.gradient_splits;
    const GradientGrid grid = grid_of(range_of(k), static_cast<std::int64_t>(drawn().size()),
                                      constant && unit_weights_ && factor_.empty());
    if (grid.wide)
      grow_wide(round, k, grid, tree);
    else
      grow_packed(round, k, grid, tree);
    if (settings_.linear_leaves) result.models.push_back(numbered(models_, tree));
    Team alone(1);
    return assemble(tree, {}, columns_, 0, alone, watch_);
  }

  const std::vector<std::uint32_t>& drawn() const { return settings_.row_share < 1 ? drawn_ : training_; }

  bool by_gradient() const { return settings_.top_share > 0 && settings_.row_share < 1; }

  // The rows of the greatest gradients are marked by a factor of 1, all others
  // by that of the rest.
  void rank_gradients() {
    std::vector<double> size(training_.size(), 0.0);
    factor_.clear();
    drawn_ = training_;
    for (std::size_t k = 0; k < scores_.size(); ++k)
      for_gradients(k,
                    [&](int chunk, const std::uint32_t*, std::int64_t count, const double* g, const double*) {
                      for (std::int64_t i = 0; i < count; ++i) size[chunk * kChunk + i] += std::abs(g[i]);
                    });
    std::vector<std::uint32_t> order(training_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    const auto n = static_cast<double>(order.size());
    const auto top = static_cast<std::ptrdiff_t>(std::lround(settings_.top_share * n));
    std::nth_element(order.begin(), order.begin() + top, order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return size[a] != size[b] ? size[a] > size[b] : a < b;
    });
    const double rest = (1 - settings_.top_share) / (settings_.row_share - settings_.top_share);
    factor_.assign(target_.n_rows, rest);
    for (std::ptrdiff_t i = 0; i < top; ++i) factor_[training_[order[i]]] = 1;
  }

  void draw_rows(int round) {
    left_over_ = validated_;
    if (settings_.row_share >= 1) return;
    const auto seed = static_cast<std::uint32_t>(seeds_.of(RoundSeeds::rows, round));
    double share = settings_.row_share;
    if (by_gradient()) {
      rank_gradients();
      share = (settings_.row_share - settings_.top_share) / (1 - settings_.top_share);
    }
    drawn_.clear();
    for (const std::uint32_t row : training_) {
      const bool always = by_gradient() && factor_[row] == 1;
      (always || hash_of(row, seed) * 0x1p-32 < share ? drawn_ : left_over_).push_back(row);
    }
    if (!drawn_.empty()) return;
    drawn_.push_back(training_[seed % training_.size()]);
    left_over_.erase(std::find(left_over_.begin(), left_over_.end(), drawn_[0]));
  }

  std::vector<std::uint8_t> draw_columns(int round, std::size_t which) const {
    return seeds_.drawn_columns(static_cast<int>(bins_.columns.size()), settings_.columns_by_tree, round,
                                which);
  }

  // Calls work(chunk, rows, count, gradients, hessians) for all rows of the
  // tree, by chunks. for_splits: hessians are those that splits see.
  template <class Work>
  void for_gradients(std::size_t which, const Work& work, bool for_splits = true) {
    const std::vector<std::uint32_t>& rows = drawn();
    const auto n = static_cast<std::int64_t>(rows.size());
    team_.run(n_chunks(), [&](int chunk, int) {
      double gradient[kChunk], hessian[kChunk];
      const std::int64_t begin = chunk * kChunk, count = std::min(n - begin, kChunk);
      const std::uint32_t* some = rows.data() + begin;
      if (some[count - 1] - some[0] == count - 1)
        loss_->gradients(scores_[which], static_cast<int>(which), some[0], some[0] + count, gradient,
                         hessian);
      else
        gather_gradients(which, some, count, gradient, hessian);
      if (settings_.gradient_splits && for_splits) std::fill_n(hessian, count, 1.0);
      if (target_.weight)
        for (std::int64_t i = 0; i < count; ++i) {
          gradient[i] *= target_.weight[some[i]];
          hessian[i] *= target_.weight[some[i]];
        }
      if (!factor_.empty())
        for (std::int64_t i = 0; i < count; ++i) {
          gradient[i] *= factor_[some[i]];
          hessian[i] *= factor_[some[i]];
        }
      work(chunk, some, count, gradient, hessian);
    });
  }

  // The gradients of rows that are not next to each other.
  void gather_gradients(std::size_t which, const std::uint32_t* rows, std::int64_t count, double* gradient,
                        double* hessian) const {
    double all_gradients[kChunk], all_hessians[kChunk];
    for (std::int64_t i = 0; i < count;) {
      const std::int64_t begin = rows[i], end = std::min<std::int64_t>(begin + kChunk, rows[count - 1] + 1);
      loss_->gradients(scores_[which], static_cast<int>(which), begin, end, all_gradients, all_hessians);
      for (; i < count && rows[i] < end; ++i) {
        gradient[i] = all_gradients[rows[i] - begin];
        hessian[i] = all_hessians[rows[i] - begin];
      }
    }
  }

  int n_chunks() const {
    return static_cast<int>((static_cast<std::int64_t>(drawn().size()) + kChunk - 1) / kChunk);
  }

  GradientRange range_of(std::size_t which) {
    const GradientBounds bounds = loss_->bounds();
    if (bounds.gradient > 0 && unit_weights_ && factor_.empty())
      return {bounds.gradient, settings_.gradient_splits ? 1 : bounds.hessian, 0};
    std::vector<GradientRange> parts(n_chunks());
    for_gradients(which, [&](int chunk, const std::uint32_t*, std::int64_t count, const double* g,
                             const double* h) { parts[chunk].add(g, h, count); });
    GradientRange all;
    for (const GradientRange& part : parts) all.add(part);
    if (!std::isfinite(all.sum_gradient) || !std::isfinite(all.most_hessian))
      throw std::overflow_error("the gradients of the loss are not finite");
    return all;
  }

  static QuantizedSums total(const std::vector<QuantizedSums>& parts) {
    QuantizedSums all;
    for (const QuantizedSums& part : parts) {
      all.gradient += part.gradient;
      all.hessian += part.hessian;
    }
    return all;
  }

  void grow_packed(int round, std::size_t which, const GradientGrid& grid, Branching& tree) {
    const auto seed = static_cast<std::uint32_t>(seeds_.of(RoundSeeds::rounding, round, which));
    std::vector<QuantizedSums> parts(n_chunks());
    for_gradients(which, [&](int chunk, const std::uint32_t* rows, std::int64_t count, const double* g,
                             const double* h) {
      parts[chunk] = quantized(g, h, rows, count, grid, seed, list_.entries() + chunk * kChunk);
    });
    const QuantizedSums all = total(parts);
    const auto hessian = static_cast<double>(all.hessian);
    start(packed_, round, which, grid, {static_cast<double>(all.gradient), hessian, hessian});
    finish(packed_, packed_grower_, round, which, tree);
  }

  void grow_wide(int round, std::size_t which, const GradientGrid& grid, Branching& tree) {
    std::vector<WideGradients::Terms>& terms = wide_.cells().of_row;
    terms.resize(target_.n_rows);
    std::vector<QuantizedSums> parts(n_chunks());
    for_gradients(which, [&](int chunk, const std::uint32_t* rows, std::int64_t count, const double* g,
                             const double* h) {
      parts[chunk] = rounded_wide(g, h, rows, count, grid, terms.data(), list_.entries() + chunk * kChunk);
    });
    const QuantizedSums all = total(parts);
    const CellSums root{static_cast<double>(all.gradient), static_cast<double>(all.hessian),
                        static_cast<double>(drawn().size())};
    if (small_.cells().take(terms, drawn())) {
      start(small_, round, which, grid, root);
      finish(small_, small_grower_, round, which, tree);
    } else {
      start(wide_, round, which, grid, root);
      finish(wide_, wide_grower_, round, which, tree);
    }
  }

  template <class S>
  void start(S& statistics, int round, std::size_t which, const GradientGrid& grid, const CellSums& root) {
    statistics.start_tree(1 / grid.gradient_scale, 1 / grid.hessian_scale, root, draw_columns(round, which),
                          settings_.learning_rate, seeds_.of(RoundSeeds::tree, round, which));
  }

  // Grows the tree and adds its answers to the scores.
  template <class S>
  void finish(S& statistics, HistogramGrower<S>& grower, int round, std::size_t which, Branching& tree) {
    const auto n = static_cast<std::int64_t>(drawn().size());
    const std::vector<int>& by_round = settings_.max_leaves_by_round;
    const int max_leaves = by_round.empty() ? settings_.limits.max_leaves : by_round[round % by_round.size()];
    grower.grow(statistics, list_, n, settings_.order, max_leaves, tree, watch_);
    if (loss_->leaf_quantile(which) >= 0) renew(grower, which, tree);
    if (settings_.gradient_splits) renew_by_hessian(grower, which, tree);
    if (loss_->leaf_quantile(which) >= 0 || settings_.gradient_splits)
      restore_directions(tree, settings_.limits.monotonic);
    if (settings_.linear_leaves) {
      add_models(grower, which, tree);
      return;
    }
    const double memory = settings_.memory;
    constexpr std::int64_t kRowsAtOnce = 32768;
    struct Piece {
      std::int64_t begin, count;
      double value;
    };
    std::vector<Piece> pieces;
    for (const auto& leaf : grower.leaves())
      for (std::int64_t done = 0; done < leaf.count; done += kRowsAtOnce)
        pieces.push_back({leaf.begin + done, std::min(kRowsAtOnce, leaf.count - done),
                          memory * tree.nodes[leaf.node].centre});
    double *score = scores_[which], *base = has_base() ? scores_[base_] : nullptr;
    const auto add = [&](std::uint32_t row, double value) {
      score[row] += value;
      if (base) base[row] -= value;
    };
    const auto add_piece = [&](int i, int) {
      const Piece& piece = pieces[i];
      const RowEntry* entries = list_.entries() + piece.begin;
      for (std::int64_t j = 0; j < piece.count; ++j) add(row_of(entries[j]), piece.value);
    };
    if (n < kRowsForTeam)
      for (std::size_t i = 0; i < pieces.size(); ++i) add_piece(static_cast<int>(i), 0);
    else
      team_.run(static_cast<int>(pieces.size()), add_piece);
    const auto n_left = static_cast<std::int64_t>(left_over_.size());
    team_.run(static_cast<int>((n_left + kChunk - 1) / kChunk), [&](int chunk, int) {
      for (std::int64_t i = chunk * kChunk; i < std::min(n_left, (chunk + 1) * kChunk); ++i)
        add(left_over_[i], memory * tree.nodes[grower.leaf_of(left_over_[i])].centre);
    });
  }

  // Of the squared slopes of each column: the ridge times its variance among the training rows.
  const std::vector<double>& penalties() {
    if (!penalty_.empty()) return penalty_;
    for (const Column& column : columns_) {
      double n = 0, sum = 0, squares = 0;
      const auto visit = [&](const auto& add) {
        for (const std::uint32_t row : training_)
          if (const double value = column.value(row); std::isfinite(value)) add(value);
      };
      if (column.scale == Scale::numeric) {
        visit([&](double value) { sum += value, ++n; });
        const double mean = sum / std::max(n, 1.0);
        visit([&](double value) { squares += (value - mean) * (value - mean); });
      }
      penalty_.push_back(n > 0 ? settings_.ridge * (squares / n) : 0);
    }
    return penalty_;
  }

  // Keeps the gradient and the hessian of each row of the tree.
  void keep_gradients(std::size_t which) {
    gradient_.resize(target_.n_rows);
    hessian_.resize(target_.n_rows);
    for_gradients(
        which,
        [&](int, const std::uint32_t* rows, std::int64_t count, const double* g, const double* h) {
          for (std::int64_t i = 0; i < count; ++i) {
            gradient_[rows[i]] = g[i];
            hessian_[rows[i]] = h[i];
          }
        },
        false);
  }

  template <class G>
  std::vector<LeafRows> rows_of_leaves(const G& grower) {
    std::vector<LeafRows> leaves;
    for (const auto& leaf : grower.leaves()) {
      leaves.push_back({leaf.node, {}});
      for (std::int64_t j = 0; j < leaf.count; ++j)
        leaves.back().rows.push_back(row_of(list_.entries()[leaf.begin + j]));
      // Sums must not depend on the order in which threads have parted the rows.
      std::sort(leaves.back().rows.begin(), leaves.back().rows.end());
    }
    return leaves;
  }

  // Gives each leaf the value of a Newton step, which splits by gradients alone do not compute.
  template <class G>
  void renew_by_hessian(const G& grower, std::size_t which, Branching& tree) {
    keep_gradients(which);
    const BoostLimits& limits = settings_.limits;
    const std::vector<LeafRows> leaves = rows_of_leaves(grower);
    team_.run(static_cast<int>(leaves.size()), [&](int i, int) {
      double g = 0, h = 0;
      for (const std::uint32_t row : leaves[i].rows) g += gradient_[row], h += hessian_[row];
      double size =
          std::max(0.0, std::abs(g) - limits.l1) / std::max({h + limits.l2, limits.min_hessian, DBL_MIN});
      size = limited_step(size, limits.max_step);
      tree.nodes[leaves[i].node].centre = settings_.learning_rate * (g > 0 ? -size : size);
    });
  }

  // Fits the models of the leaves and adds their values to the scores.
  template <class G>
  void add_models(const G& grower, std::size_t which, Branching& tree) {
    keep_gradients(which);
    const std::vector<LeafRows> leaves = rows_of_leaves(grower);
    models_ = fit_leaf_models(tree, leaves, columns_, gradient_.data(), hessian_.data(), penalties(),
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
    for (const std::uint32_t row : left_over_) add(grower.leaf_of(row), row);
  }

  // Gives each leaf the quantile of its residuals for a value.
  template <class G>
  void renew(const G& grower, std::size_t which, Branching& tree) {
    const auto& leaves = grower.leaves();
    const double share = loss_->leaf_quantile(which);
    team_.run(static_cast<int>(leaves.size()), [&](int i, int) {
      const auto& leaf = leaves[i];
      std::vector<std::pair<double, double>> values(leaf.count);
      double total = 0, reached = 0;
      for (std::int64_t j = 0; j < leaf.count; ++j) {
        const std::uint32_t row = row_of(list_.entries()[leaf.begin + j]);
        const double factor = factor_.empty() ? 1.0 : factor_[row];
        values[j] = {loss_->residual(scores_[which], row), factor * target_.weight_at(row)};
      }
      std::sort(values.begin(), values.end());
      for (const auto& value : values) total += value.second;
      std::size_t at = 0;
      for (; at + 1 < values.size(); ++at) {
        reached += values[at].second;
        if (reached >= share * total) break;
      }
      tree.nodes[leaf.node].centre =
          settings_.learning_rate * limited_step(values[at].first, settings_.limits.max_step);
    });
  }

  double validation_loss() const {
    loss_->begin_validation(scores_, validated_);
    double sum = 0, weight = 0;
    for (const std::uint32_t row : validated_) {
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
  std::vector<std::uint32_t> training_, validated_, drawn_, left_over_;
  bool unit_weights_;
  std::vector<double> penalty_;  // of slopes, by column
  NodeModels models_;            // of the last tree
  std::vector<double> gradient_,
      hessian_;                 // of the rows of the last tree, if `keep_gradients` was called
  std::vector<double> factor_;  // of the gradients of each row; empty: 1
  std::unique_ptr<Dropout> dropout_;
  std::vector<std::vector<double>> memory_;
  std::vector<double*> scores_;
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
