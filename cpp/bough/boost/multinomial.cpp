#include "bough/boost/multinomial.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bough/boost/exponential.hpp"
#include "bough/machine/processor.hpp"

namespace bough {

namespace {

constexpr std::int64_t kRowsAtOnce = 256;  // so that the shares of some classes stay in the first cache

// Writes the probabilities of `count` rows from `begin` on, those of a class `stride` after those of the one
// before it.
BOUGH_INLINE void softmax_of(const std::vector<double*>& scores, std::int64_t begin, std::int64_t count,
                             double* shares, std::int64_t stride) {
  double most[kRowsAtOnce], total[kRowsAtOnce];
  for (std::int64_t i = 0; i < count; ++i) most[i] = scores[0][begin + i];
  for (std::size_t c = 1; c < scores.size(); ++c) {
    const double* score = scores[c] + begin;
    for (std::int64_t i = 0; i < count; ++i) most[i] = std::max(most[i], score[i]);
  }
  std::fill_n(total, count, 0.0);
  for (std::size_t c = 0; c < scores.size(); ++c) {
    const double* __restrict score = scores[c] + begin;
    double* __restrict share = shares + stride * static_cast<std::int64_t>(c);
    for (std::int64_t i = 0; i < count; ++i) {
      share[i] = exp_of(score[i] - most[i]);
      total[i] += share[i];
    }
  }
  for (std::size_t c = 0; c < scores.size(); ++c) {
    double* share = shares + stride * static_cast<std::int64_t>(c);
    for (std::int64_t i = 0; i < count; ++i) share[i] /= total[i];
  }
}

BOUGH_INLINE void class_gradients_of(const double* __restrict share, const std::int32_t* __restrict label,
                                     std::int32_t of_class, double factor, std::int64_t count,
                                     double* __restrict gradient, double* __restrict hessian) {
  for (std::int64_t i = 0; i < count; ++i) {
    gradient[i] = share[i] - static_cast<std::int32_t>(label[i] == of_class);
    hessian[i] = factor * share[i] * (1 - share[i]);
  }
}

#if defined(BOUGH_AVX2)
BOUGH_AVX2 void softmax_avx2(const std::vector<double*>& scores, std::int64_t begin, std::int64_t count,
                             double* shares, std::int64_t stride) {
  softmax_of(scores, begin, count, shares, stride);
}
BOUGH_AVX2 void class_gradients_avx2(const double* share, const std::int32_t* label, std::int32_t of_class,
                                     double factor, std::int64_t count, double* gradient, double* hessian) {
  class_gradients_of(share, label, of_class, factor, count, gradient, hessian);
}
#endif

void softmax(const std::vector<double*>& scores, std::int64_t begin, std::int64_t count, double* shares,
             std::int64_t stride) {
#if defined(BOUGH_AVX2)
  if (has_avx2()) return softmax_avx2(scores, begin, count, shares, stride);
#endif
  softmax_of(scores, begin, count, shares, stride);
}

void class_gradients(const double* share, const std::int32_t* label, std::int32_t of_class, double factor,
                     std::int64_t count, double* gradient, double* hessian) {
#if defined(BOUGH_AVX2)
  if (has_avx2()) return class_gradients_avx2(share, label, of_class, factor, count, gradient, hessian);
#endif
  class_gradients_of(share, label, of_class, factor, count, gradient, hessian);
}

class Multinomial final : public Loss {
 public:
  explicit Multinomial(const BoostTarget& target)
      : Loss(target), share_(static_cast<std::size_t>(target.n_rows) * target.n_classes) {}

  int n_scores() const override { return target_.n_classes; }
  std::vector<double> start_of(const StartSums& sums) const override {
    std::vector<double> odds;
    for (const double weight : sums.of_class) odds.push_back(log_of(weight / sums.weight));
    return odds;
  }
  GradientBounds bounds() const override {
    if (base_ >= 0) return {2, 1};
    const double k = target_.n_classes;
    return {1, 0.25 * k / (k - 1)};
  }
  double variance_per_hessian() const override {
    return base_ >= 0 ? 1 : (target_.n_classes - 1.0) / target_.n_classes;
  }
  void set_base(int base) override { base_ = base; }
  void begin_round(const std::vector<double*>& scores, const std::vector<std::uint32_t>&,
                   Team& team) override {
    const std::int64_t n = target_.n_rows;
    team.run(static_cast<int>((n + kRowsAtOnce - 1) / kRowsAtOnce), [&](int chunk, int) {
      const std::int64_t begin = chunk * kRowsAtOnce, count = std::min(n - begin, kRowsAtOnce);
      softmax(scores, begin, count, share_.data() + begin, n);
    });
  }
  void gradients(const double*, int which, std::int64_t begin, std::int64_t end, double* gradient,
                 double* hessian) const override {
    const double factor = target_.n_classes / (target_.n_classes - 1.0);
    const double* share = share_.data() + target_.n_rows * which;
    if (base_ >= 0) return against_base(which, begin, end, gradient, hessian);
    class_gradients(share + begin, target_.label + begin, which, factor, end - begin, gradient, hessian);
  }
  double loss(const std::vector<double*>& scores, std::int64_t row) const override {
    double most = scores[0][row], total = 0;
    for (const double* score : scores) most = std::max(most, score[row]);
    for (const double* score : scores) total += exp_of(score[row] - most);
    return most + log_of(total) - scores[target_.label[row]][row];
  }

 private:
  // A step of a class moves the score of the base class by as much to the other side (Li 2009).
  void against_base(int which, std::int64_t begin, std::int64_t end, double* gradient,
                    double* hessian) const {
    const double *share = share_.data() + target_.n_rows * which,
                 *base = share_.data() + target_.n_rows * base_;
    for (std::int64_t i = begin; i < end; ++i) {
      gradient[i - begin] =
          (share[i] - (target_.label[i] == which)) - (base[i] - (target_.label[i] == base_));
      hessian[i - begin] = share[i] * (1 - share[i]) + base[i] * (1 - base[i]) + 2 * share[i] * base[i];
    }
  }

  std::vector<double> share_;  // probability of each class, n_rows each
  int base_ = -1;
};

}  // namespace

std::unique_ptr<Loss> make_multinomial_loss(const BoostTarget& target) {
  return std::make_unique<Multinomial>(target);
}

}  // namespace bough
