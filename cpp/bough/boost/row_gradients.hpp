// The rows that the trees of a round are grown on, and their gradients and hessians.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bough/boost/boost_settings.hpp"
#include "bough/boost/gradient_grid.hpp"
#include "bough/boost/loss.hpp"
#include "bough/machine/team.hpp"

namespace bough {

class RowGradients {
 public:
  // Rows whose gradients are computed at a time: they and their hessians fit into the first cache.
  static constexpr std::int64_t kChunk = 1024;

  // validation: whether each row is kept out of growth; null: none is. scores: of all rows.
  RowGradients(const BoostTarget& target, const std::uint8_t* validation, const BoostSettings& settings,
               Loss& loss, std::vector<double*>& scores, Team& team);

  const std::vector<std::uint32_t>& training() const { return training_; }
  const std::vector<std::uint32_t>& validated() const { return validated_; }

  // Draws the rows of a round.
  void draw(int round, const RoundSeeds& seeds);
  const std::vector<std::uint32_t>& drawn() const { return settings_.row_share < 1 ? drawn_ : training_; }
  // Rows that have weight but were not drawn.
  const std::vector<std::uint32_t>& left_over() const { return left_over_; }
  // What the gradients of a row are multiplied by, for rows drawn by their gradients.
  double factor_at(std::uint32_t row) const { return factor_.empty() ? 1.0 : factor_[row]; }
  // Whether all rows of a tree count once.
  bool counts_rows() const { return unit_weights_ && factor_.empty(); }

  int n_chunks() const {
    return static_cast<int>((static_cast<std::int64_t>(drawn().size()) + kChunk - 1) / kChunk);
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
        loss_.gradients(scores_[which], static_cast<int>(which), some[0], some[0] + count, gradient, hessian);
      else
        gather(which, some, count, gradient, hessian);
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

  // The range of the gradients of one of the scores.
  GradientRange range_of(std::size_t which);

  // Keeps the gradient and the hessian of each row of the tree.
  void keep(std::size_t which);
  const std::vector<double>& kept_gradients() const { return gradient_; }
  const std::vector<double>& kept_hessians() const { return hessian_; }

 private:
  bool by_gradient() const { return settings_.top_share > 0 && settings_.row_share < 1; }
  void rank();
  void gather(std::size_t which, const std::uint32_t* rows, std::int64_t count, double* gradient,
              double* hessian) const;

  BoostTarget target_;
  const BoostSettings& settings_;
  Loss& loss_;
  std::vector<double*>& scores_;
  Team& team_;
  std::vector<std::uint32_t> training_, validated_, drawn_, left_over_;
  bool unit_weights_ = true;
  std::vector<double> factor_;              // of the gradients of each row; empty: 1
  std::vector<double> gradient_, hessian_;  // of the rows of the last tree, if `keep` was called
};

}  // namespace bough
