#include "bough/predict/known_walk.hpp"

namespace bough {

namespace {

constexpr int kLook = 3;        // what a look at a row takes, in steps
constexpr int kMostSteps = 32;  // without a look, so that a plan for a deep tree is soon made

}  // namespace

std::vector<int> plan_of_steps(const std::vector<std::int64_t>& leaves_at) {
  const int depth = static_cast<int>(leaves_at.size()) - 1;
  // The least time from each depth down, and where the next look is taken.
  std::vector<double> time(depth + 1, 0.0);
  std::vector<int> next(depth + 1, depth);
  double deeper = 0;  // leaves
  for (int from = depth - 1; from >= 0; --from) {
    deeper += static_cast<double>(leaves_at[from + 1]);
    time[from] = std::numeric_limits<double>::infinity();
    for (int to = from + 1; to <= std::min(depth, from + kMostSteps); ++to) {
      const double here = deeper * (kLook + to - from) + time[to];
      if (here >= time[from]) continue;
      time[from] = here;
      next[from] = to;
    }
  }
  std::vector<int> plan;
  for (int at = 0; at < depth; at = next[at]) plan.push_back(next[at] - at);
  return plan;
}

}  // namespace bough
