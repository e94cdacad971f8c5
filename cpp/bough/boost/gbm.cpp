#include "bough/boost/gbm.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace bough {

namespace {

// R's uniform numbers after set.seed(seed): the Mersenne Twister, whose state is filled by a congruential
// generator that first takes 51 steps.
class RandomOfR {
 public:
  explicit RandomOfR(std::uint64_t seed) {
    State state{static_cast<std::uint32_t>(seed)};
    twister_.seed(state);
  }

  // Neither 0 nor 1.
  double uniform() {
    const double number = static_cast<double>(twister_()) * 2.3283064365386963e-10;
    return number <= 0 ? kLeast : 1 - number <= 0 ? 1 - kLeast : number;
  }

 private:
  static constexpr double kLeast = 0.5 * 2.328306437080797e-10;

  // A seed sequence in the sense of the standard library.
  struct State {
    using result_type = std::uint32_t;
    std::uint32_t seed;

    template <typename Iterator>
    void generate(Iterator first, Iterator last) {
      for (int step = 0; step < 51; ++step) seed = 69069u * seed + 1u;
      for (; first != last; ++first) *first = seed = 69069u * seed + 1u;
    }
  };

  std::mt19937 twister_;
};

// Draws a number of rows without replacement, in the order of rows.
void draw(std::int64_t many, RandomOfR& random, std::vector<std::uint8_t>& drawn) {
  const auto n = static_cast<std::int64_t>(drawn.size());
  std::int64_t taken = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    drawn[i] = random.uniform() * static_cast<double>(n - i) < static_cast<double>(many - taken);
    taken += drawn[i];
  }
}

}  // namespace

GbmTrees boost_gbm(const std::vector<Column>& columns, const GbmTarget& target, const GbmSettings& settings,
                   int n_threads, const Monitor& monitor) {
  Team team(n_threads);
  Watch watch(monitor, settings.n_rounds);
  const std::unique_ptr<GbmLoss> loss = make_gbm_loss(settings.loss, target);
  const auto n = static_cast<std::size_t>(target.n_rows);
  const auto many = static_cast<std::int64_t>(settings.row_share * static_cast<double>(n));
  GbmTrees result;
  result.start.assign(loss->n_scores(), loss->start());
  std::vector<std::vector<double>> scores(loss->n_scores(), std::vector<double>(n, result.start[0]));
  std::vector<double> response(n);
  std::vector<std::uint8_t> drawn(n, 1);
  RandomOfR random(settings.seed);
  GbmTreeGrower grower(columns, target.n_rows, settings.limits, team, watch);
  for (int round = 0; round < settings.n_rounds; ++round) {
    loss->begin_round(scores);
    if (settings.row_share < 1) draw(std::max<std::int64_t>(many, 1), random, drawn);
    for (int k = 0; k < loss->n_scores(); ++k) {
      loss->respond(scores[k], k, drawn.data(), response);
      grower.grow(response.data(), target.weight, drawn.data());
      loss->fit_leaves(scores[k], response, {grower.leaves(), grower.leaf_of_row(), drawn.data()});
      const Branching& tree = grower.finish(settings.learning_rate);
      for (std::size_t i = 0; i < n; ++i)
        scores[k][i] += settings.learning_rate * grower.leaves()[grower.leaf_of_row()[i]].value;
      result.trees.push_back(assemble(tree, {}, columns, 0, team, watch));
    }
    result.training_loss.push_back(loss->loss(scores));
    if (!std::isfinite(result.training_loss.back()))
      throw std::overflow_error("the loss is not finite after round " + std::to_string(round + 1));
    watch.done(1);
    watch.poll_or_throw();
  }
  return result;
}

}  // namespace bough
