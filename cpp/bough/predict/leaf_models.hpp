// Predictions by the linear models of nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/data/column.hpp"
#include "bough/machine/watch.hpp"

namespace bough {

// The models of all nodes: node i has the terms start[i] to start[i + 1], term
// j the levels level_start[j] to level_start[j + 1], in ascending order.
// level_start is null if no term has levels, lowest and highest if no term has
// bounds; a value beyond them counts as the nearest one.
struct LeafModelView {
  const double* intercept;  // NaN: no model
  const std::int64_t* start;
  const std::int32_t* column;
  const double *coefficient, *substitute;
  const double *lowest = nullptr, *highest = nullptr;
  const std::int64_t* level_start = nullptr;
  const std::int32_t* level_code = nullptr;
};

// The value of the model of a node for a row, which is not finite if the node
// has none.
double model_value(const LeafModelView& models, std::int64_t node, const std::vector<Column>& columns,
                   std::int64_t row);

// Overwrites the answer of each row whose node has a model: the intercept plus
// the terms, in their order.
void predict_by_models(const LeafModelView& models, const std::vector<Column>& columns, std::int64_t n_rows,
                       const std::int32_t* node, int n_threads, double* answer, const Monitor& monitor = {});

}  // namespace bough
