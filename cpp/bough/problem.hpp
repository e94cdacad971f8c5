// What is to be grown: the columns, the target, the weights, and the recipe. Nothing here changes during
// growth.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "bough/column.hpp"
#include "bough/criterion.hpp"
#include "bough/search.hpp"

namespace bough {

struct Limits {
  int max_depth = std::numeric_limits<int>::max();
  int max_leaves = 0;  // 0: no bound; otherwise growth is best-first
  double min_cases_split = 2;
  double min_cases_leaf = 1;
  double min_weight_fraction_leaf = 0;  // of the root's weight
  double min_decrease = 0;
  double min_gain = -1;  // a split must have more than this
  double purity = 1;
  double significance = 1;  // p-value of the chi-square test at most this
  double min_variance = 0;
  double min_events = 0;
};

struct Recipe {
  Criterion criterion = Criterion::gini;
  Nominal nominal = Nominal::subset;
  int max_exhaustive = 12;
  Limits limits;
};

struct Data {
  std::vector<Column> columns;
  std::int64_t n_rows = 0;
  int n_classes = 0;  // 0: the target is a number
  const std::int32_t* label = nullptr;
  const double* y = nullptr;
  const double* weight = nullptr;  // null: one each
  const double* cases = nullptr;   // null: one each
};

// Called now and then by the calling thread with the share of the work done; growth stops when it returns
// false.
using Monitor = std::function<bool(double)>;

}  // namespace bough
