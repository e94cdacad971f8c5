// A loss of a boosted sum of trees: where its scores start, and the gradient and hessian of the loss of each
// row at its scores. A score is the sum of the trees' answers: of one number, or one for each class.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bough/machine/team.hpp"
#include "bough/machine/watch.hpp"

namespace bough {

struct BoostTarget {
  std::int64_t n_rows = 0;
  int n_classes = 0;  // 0: the target is a number
  const std::int32_t* label = nullptr;
  const double* y = nullptr;
  const double* weight = nullptr;  // null: one each
  const double* time = nullptr;    // of Cox's loss, where y says whether it ended by an event

  double weight_at(std::int64_t row) const { return weight ? weight[row] : 1.0; }
};

// The gradients and hessians, or the losses, of all rows at their scores, computed by the caller.
using GivenGradients = std::function<void(const double* score, double* gradient, double* hessian)>;
using GivenLosses = std::function<void(const double* score, double* loss)>;

struct LossSettings {
  std::string name;
  // Of quantile loss, a score each; of absolute residuals, beyond which Huber's loss is linear.
  std::vector<double> quantiles = {0.5};
  double power = 1.5;  // of Tweedie's variance
  GivenGradients gradients;
  GivenLosses losses;
  const std::int32_t* group = nullptr;   // of each row, for losses of rankings
  int truncation = 0;                    // the number of positions that count in a ranking; 0: all
  std::vector<double> position_weights;  // of NDCG, from the first; empty: 1 / log2(1 + position)
};

// The largest gradient and hessian that a row of weight 1 can have; 0: not known beforehand.
struct GradientBounds {
  double gradient = 0, hessian = 0;
};

// Sums of weights and of y over rows, in their order, from which many losses know where scores start.
struct StartSums {
  explicit StartSums(int n_classes = 0) : of_class(n_classes, 0.0) {}
  void add(const BoostTarget& target, std::int64_t row) {
    const double w = target.weight_at(row);
    weight += w;
    if (target.n_classes > 0)
      of_class[target.label[row]] += w;
    else
      sum += w * target.y[row];
  }
  double mean() const { return sum / weight; }

  std::vector<double> of_class;
  double sum = 0, weight = 0;
};

class Loss {
 public:
  explicit Loss(const BoostTarget& target) : target_(target) {}
  virtual ~Loss() = default;

  // Long work of the loss asks this watch whether to stop, and then ends early. None: it does not ask.
  void set_watch(Watch* watch) { watch_ = watch; }

  virtual int n_scores() const { return 1; }
  // The scores that trees add to; rows: those to train on.
  virtual std::vector<double> start(const std::vector<std::uint32_t>& rows) const {
    StartSums sums(target_.n_classes);
    for (const std::uint32_t row : rows) sums.add(target_, row);
    return start_of(sums);
  }
  // The same from the sums of rows, for losses that need no more.
  virtual std::vector<double> start_of(const StartSums&) const {
    throw std::logic_error("this loss starts from all rows");
  }
  virtual GradientBounds bounds() const { return {}; }
  virtual bool constant_hessian() const { return false; }
  // The variance of a row's gradient in units of its hessian, where the scores are right: what is left once
  // everything is learned. 0: not known.
  virtual double variance_per_hessian() const { return 0; }
  // Called before the trees of a round; scores: n_rows for each score.
  virtual void begin_round(const std::vector<double*>&, const std::vector<std::uint32_t>&, Team&) {}
  // The class whose score is minus the sum of the others', which the gradients are against; -1: none.
  virtual void set_base(int) {}
  // Of rows begin to end, for one of the scores.
  virtual void gradients(const double* score, int which, std::int64_t begin, std::int64_t end,
                         double* gradient, double* hessian) const = 0;
  // Called before the losses of some rows are asked for.
  virtual void begin_validation(const std::vector<double*>&, const std::vector<std::uint32_t>&) {}
  // The loss of a row.
  virtual double loss(const std::vector<double*>& scores, std::int64_t row) const = 0;
  // The share of a leaf's residuals below its value, for losses whose leaves answer by a quantile; -1: they
  // answer by a Newton step.
  virtual double leaf_quantile(std::size_t) const { return -1; }
  // What is added to a leaf's value in the units of the residuals' quantile.
  virtual double residual(const double* score, std::int64_t row) const { return target_.y[row] - score[row]; }

 protected:
  bool should_stop() const { return watch_ && watch_->should_stop(); }

  BoostTarget target_;
  Watch* watch_ = nullptr;
};

// Throws std::invalid_argument for a name that no loss has.
std::unique_ptr<Loss> make_loss(const LossSettings& settings, const BoostTarget& target);

}  // namespace bough
