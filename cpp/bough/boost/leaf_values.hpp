// Values of leaves that do not follow from the sums by which a tree was grown, but from its rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bough/boost/boost_settings.hpp"
#include "bough/boost/linear_leaves.hpp"
#include "bough/boost/renewed_leaves.hpp"
#include "bough/boost/row_gradients.hpp"
#include "bough/grow/branching.hpp"
#include "bough/histogram/row_list.hpp"
#include "bough/machine/team.hpp"

namespace bough {

// The entries of a leaf in the list of a grown tree.
struct LeafRange {
  int node;
  std::int64_t begin, count;
};

// The rows of each leaf, in their order.
std::vector<LeafRows> rows_of_leaves(const std::vector<LeafRange>& leaves, const RowList& list);

// Gives each leaf the value of a Newton step, which splits by gradients alone do not compute; the gradients
// are those that were kept.
void renew_by_hessian(const std::vector<LeafRows>& leaves, const RowGradients& gradients,
                      const BoostSettings& settings, Team& team, Branching& tree);

// Gives each leaf the quantile of its residuals for a value; residual(row) returns that of a row and its
// weight.
template <class Residual>
void renew_by_quantile(const std::vector<LeafRange>& leaves, const RowList& list, double share,
                       const Residual& residual, const BoostSettings& settings, Team& team, Branching& tree) {
  team.run(static_cast<int>(leaves.size()), [&](int i, int) {
    const LeafRange& leaf = leaves[i];
    std::vector<std::pair<double, double>> values(leaf.count);
    double total = 0, reached = 0;
    for (std::int64_t j = 0; j < leaf.count; ++j)
      values[j] = residual(row_of(list.entries()[leaf.begin + j]));
    std::sort(values.begin(), values.end());
    for (const auto& value : values) total += value.second;
    std::size_t at = 0;
    for (; at + 1 < values.size(); ++at) {
      reached += values[at].second;
      if (reached >= share * total) break;
    }
    tree.nodes[leaf.node].centre =
        settings.learning_rate * limited_step(values[at].first, settings.limits.max_step);
  });
}

// Of each column among some rows; the penalty is the ridge times the variance.
std::vector<SlopeColumn> slope_columns(const std::vector<Column>& columns,
                                       const std::vector<std::uint32_t>& rows, const double* weight,
                                       double ridge);

}  // namespace bough
