#include "bough/boost/vector_boost.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bough/boost/vector_statistics.hpp"
#include "bough/grow/measure.hpp"

namespace bough {

namespace {

class VectorBoosting {
 public:
  VectorBoosting(const std::vector<Column>& columns, const BinnedTable& bins, const VectorTarget& target,
                 const std::uint8_t* validation, const BoostSettings& settings, Team& team, Watch& watch)
      : columns_(columns),
        target_(target),
        settings_(settings),
        team_(team),
        watch_(watch),
        statistics_(settings.limits, bins, target.n_targets),
        grower_(bins, team),
        list_(target.n_rows),
        score_(target.n_targets, std::vector<double>(target.n_rows)) {
    for (std::int64_t i = 0; i < target.n_rows; ++i)
      (validation && validation[i] ? validated_ : training_).push_back(static_cast<std::uint32_t>(i));
    if (training_.empty()) throw std::invalid_argument("no row is trained on");
  }

  BoostedTrees run() {
    BoostedTrees result;
    for (int k = 0; k < target_.n_targets; ++k) {
      double sum = 0, weight = 0;
      for (const std::uint32_t row : training_) {
        sum += weight_at(row) * y(k, row);
        weight += weight_at(row);
      }
      result.start.push_back(sum / weight);
      std::fill(score_[k].begin(), score_[k].end(), result.start[k]);
    }
    double best = HUGE_VAL;
    std::size_t kept = 0;  // rounds up to the best one
    for (int round = 0; round < settings_.n_rounds; ++round) {
      result.trees.push_back(grown(round));
      watch_.done(1);
      watch_.poll_or_throw();
      if (validated_.empty()) continue;
      result.validation_loss.push_back(validation_loss());
      if (settings_.report_loss) settings_.report_loss(round + 1, result.validation_loss.back());
      if (result.validation_loss.back() < best - settings_.tolerance) {
        best = result.validation_loss.back();
        kept = result.trees.size();
      } else if (settings_.patience > 0 &&
                 result.trees.size() >= kept + static_cast<std::size_t>(settings_.patience)) {
        break;
      }
    }
    if (!validated_.empty() && settings_.patience > 0) result.trees.resize(std::max<std::size_t>(kept, 1));
    return result;
  }

 private:
  double y(int k, std::int64_t row) const { return target_.y[k * target_.n_rows + row]; }
  double weight_at(std::int64_t row) const { return target_.weight ? target_.weight[row] : 1.0; }

  GrownTree grown(int round) {
    left_over_ = validated_;
    std::vector<std::uint32_t> drawn;
    Random random(settings_.seed, static_cast<std::uint64_t>(round));
    for (const std::uint32_t row : training_)
      (settings_.row_share >= 1 || random.uniform() < settings_.row_share ? drawn : left_over_)
          .push_back(row);
    if (drawn.empty()) drawn.swap(left_over_);
    lay_on_grid(drawn);
    Branching tree;
    grower_.grow(statistics_, list_, static_cast<std::int64_t>(drawn.size()), settings_.order,
                 settings_.limits.max_leaves, tree, watch_);
    add_answers(tree);
    return assemble(tree, {}, columns_, target_.n_targets, team_, watch_);
  }

  // Writes gradients and weights as whole numbers, so that all sums are exact.
  void lay_on_grid(const std::vector<std::uint32_t>& drawn) {
    const int n = target_.n_targets;
    const auto count = static_cast<double>(drawn.size());
    std::vector<double> scale(n + 1), unit(n);
    for (int k = 0; k <= n; ++k) {
      double most = 0;
      for (const std::uint32_t row : drawn) most = std::max(most, std::abs(number(k, row)));
      if (!std::isfinite(most)) throw std::overflow_error("the gradients of the loss are not finite");
      scale[k] = std::ldexp(1.0, most > 0 ? grid_exponent(count, most) - 1 : 0);
      if (k < n) unit[k] = 1 / scale[k];
    }
    std::vector<std::int64_t>& rows = statistics_.rows();
    rows.resize(static_cast<std::size_t>(target_.n_rows) * (n + 1));
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      list_.entries()[i] = drawn[i];
      for (int k = 0; k <= n; ++k)
        rows[static_cast<std::size_t>(drawn[i]) * (n + 1) + k] =
            static_cast<std::int64_t>(std::rint(number(k, drawn[i]) * scale[k]));
    }
    statistics_.start_tree(std::move(unit), 1 / scale[n], settings_.learning_rate);
  }

  // The weighted gradient of a target, or the weight.
  double number(int k, std::uint32_t row) const {
    const double weight = weight_at(row);
    return k == target_.n_targets ? weight : weight * (score_[k][row] - y(k, row));
  }

  void add_answers(const Branching& tree) {
    const auto add = [&](std::uint32_t row, int node) {
      for (int k = 0; k < target_.n_targets; ++k)
        score_[k][row] += tree.counts[static_cast<std::size_t>(node) * target_.n_targets + k];
    };
    for (const auto& leaf : grower_.leaves())
      for (std::int64_t i = leaf.begin; i < leaf.begin + leaf.count; ++i)
        add(row_of(list_.entries()[i]), leaf.node);
    for (const std::uint32_t row : left_over_) add(row, grower_.routes().leaf_of(row));
  }

  // Half of the squared error, as the mean over rows and targets.
  double validation_loss() const {
    double sum = 0, weight = 0;
    for (const std::uint32_t row : validated_) {
      for (int k = 0; k < target_.n_targets; ++k) {
        const double off = score_[k][row] - y(k, row);
        sum += weight_at(row) * off * off / 2;
      }
      weight += weight_at(row);
    }
    return sum / (weight * target_.n_targets);
  }

  const std::vector<Column>& columns_;
  VectorTarget target_;
  const BoostSettings& settings_;
  Team& team_;
  Watch& watch_;
  VectorStatistics statistics_;
  HistogramGrower<VectorStatistics> grower_;
  RowList list_;
  std::vector<std::vector<double>> score_;  // of each target and row
  std::vector<std::uint32_t> training_, validated_, left_over_;
};

}  // namespace

BoostedTrees boost_vectors(const std::vector<Column>& columns, const BinnedTable& bins,
                           const VectorTarget& target, const std::uint8_t* validation,
                           const BoostSettings& settings, int n_threads, const Monitor& monitor) {
  Team team(n_threads);
  Watch watch(monitor, settings.n_rounds);
  return VectorBoosting(columns, bins, target, validation, settings, team, watch).run();
}

}  // namespace bough
