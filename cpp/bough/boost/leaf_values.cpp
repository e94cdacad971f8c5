#include "bough/boost/leaf_values.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace bough {

std::vector<LeafRows> rows_of_leaves(const std::vector<LeafRange>& leaves, const RowList& list) {
  std::vector<LeafRows> found;
  for (const LeafRange& leaf : leaves) {
    found.push_back({leaf.node, {}});
    for (std::int64_t j = 0; j < leaf.count; ++j)
      found.back().rows.push_back(row_of(list.entries()[leaf.begin + j]));
    // Sums must not depend on the order in which threads have parted the rows.
    std::sort(found.back().rows.begin(), found.back().rows.end());
  }
  return found;
}

void renew_by_hessian(const std::vector<LeafRows>& leaves, const RowGradients& gradients,
                      const BoostSettings& settings, Team& team, Branching& tree) {
  const BoostLimits& limits = settings.limits;
  const std::vector<double>&gradient = gradients.kept_gradients(), &hessian = gradients.kept_hessians();
  team.run(static_cast<int>(leaves.size()), [&](int i, int) {
    double g = 0, h = 0;
    for (const std::uint32_t row : leaves[i].rows) g += gradient[row], h += hessian[row];
    double size =
        std::max(0.0, std::abs(g) - limits.l1) / std::max({h + limits.l2, limits.min_hessian, DBL_MIN});
    size = limited_step(size, limits.max_step);
    tree.nodes[leaves[i].node].centre = settings.learning_rate * (g > 0 ? -size : size);
  });
}

std::vector<SlopeColumn> slope_columns(const std::vector<Column>& columns,
                                       const std::vector<std::uint32_t>& rows, const double* weight,
                                       double ridge) {
  std::vector<SlopeColumn> found;
  for (const Column& column : columns) {
    double n = 0, sum = 0, squares = 0;
    SlopeColumn slopes;
    const auto visit = [&](const auto& add) {
      for (const std::uint32_t row : rows)
        if (const double value = column.value(row); std::isfinite(value))
          add(value, weight ? weight[row] : 1);
    };
    if (column.scale == Scale::numeric) {
      visit([&](double value, double own) {
        sum += own * value, n += own;
        slopes.lowest = std::min(slopes.lowest, value);
        slopes.highest = std::max(slopes.highest, value);
      });
      const double mean = n > 0 ? sum / n : 0;
      visit([&](double value, double own) { squares += own * (value - mean) * (value - mean); });
    }
    slopes.penalty = n > 0 ? ridge * (squares / n) : 0;
    found.push_back(slopes);
  }
  return found;
}

}  // namespace bough
