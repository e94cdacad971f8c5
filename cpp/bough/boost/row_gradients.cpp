#include "bough/boost/row_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace bough {

RowGradients::RowGradients(const BoostTarget& target, const std::uint8_t* validation,
                           const BoostSettings& settings, Loss& loss, std::vector<double*>& scores,
                           Team& team)
    : target_(target), settings_(settings), loss_(loss), scores_(scores), team_(team) {
  for (std::int64_t i = 0; i < target.n_rows; ++i) {
    if (!(target.weight_at(i) > 0)) continue;
    (validation && validation[i] ? validated_ : training_).push_back(static_cast<std::uint32_t>(i));
  }
  if (training_.empty()) throw std::invalid_argument("no row has weight");
  // Weights of validation rows alone do not change the arithmetic of the trees.
  unit_weights_ = std::all_of(training_.begin(), training_.end(),
                              [&](std::uint32_t row) { return target.weight_at(row) == 1; });
}

void RowGradients::draw(int round, const RoundSeeds& seeds) {
  left_over_ = validated_;
  if (settings_.row_share >= 1) return;
  const auto seed = static_cast<std::uint32_t>(seeds.of(RoundSeeds::rows, round));
  double share = settings_.row_share;
  if (by_gradient()) {
    rank();
    share = (settings_.row_share - settings_.top_share) / (1 - settings_.top_share);
  }
  // Rows are written to both lists, and stay in one: a branch would follow chance.
  drawn_.resize(training_.size());
  left_over_.resize(validated_.size() + training_.size());
  std::uint32_t *drawn = drawn_.data(), *other = left_over_.data() + validated_.size();
  for (const std::uint32_t row : training_) {
    const bool always = by_gradient() && factor_[row] == 1, is_drawn = hash_of(row, seed) * 0x1p-32 < share;
    *drawn = *other = row;
    drawn += always | is_drawn;
    other += !(always | is_drawn);
  }
  drawn_.resize(drawn - drawn_.data());
  left_over_.resize(other - left_over_.data());
  if (!drawn_.empty()) return;
  drawn_.push_back(training_[seed % training_.size()]);
  left_over_.erase(std::find(left_over_.begin(), left_over_.end(), drawn_[0]));
}

// The rows of the greatest gradients are marked by a factor of 1, all others
// by that of the rest.
void RowGradients::rank() {
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

// The gradients of rows that are not next to each other.
void RowGradients::gather(std::size_t which, const std::uint32_t* rows, std::int64_t count, double* gradient,
                          double* hessian) const {
  double all_gradients[kChunk], all_hessians[kChunk];
  for (std::int64_t i = 0; i < count;) {
    const std::int64_t begin = rows[i], end = std::min<std::int64_t>(begin + kChunk, rows[count - 1] + 1);
    loss_.gradients(scores_[which], static_cast<int>(which), begin, end, all_gradients, all_hessians);
    for (; i < count && rows[i] < end; ++i) {
      gradient[i] = all_gradients[rows[i] - begin];
      hessian[i] = all_hessians[rows[i] - begin];
    }
  }
}

GradientRange RowGradients::range_of(std::size_t which) {
  const GradientBounds bounds = loss_.bounds();
  if (bounds.gradient > 0 && counts_rows())
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

void RowGradients::keep(std::size_t which) {
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

}  // namespace bough
