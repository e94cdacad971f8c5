// What C5.0 is given: cases with a class, options, and what errors cost. Values are held in single precision,
// as C5.0 holds them, so that equal gains stay equal and the same attribute wins.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "bough/data/column.hpp"

namespace bough::c50 {

using Row = std::int32_t;
using Count = float;  // of cases, or fractions of them

constexpr double kEpsilon = 1e-4;
constexpr double kMinLeaf = 0.05;  // a leaf of less weight is empty

struct Settings {
  int trials = 1;
  bool rules = false;
  bool subset = true;
  int bands = 0;
  bool winnow = false;
  bool global_pruning = true;
  float confidence = 0.25f;
  float min_cases = 2;
  bool fuzzy = false;
  bool early_stopping = true;
  int n_threads = 1;
};

struct Attribute {
  Scale scale;
  int n_levels = 0;
  std::vector<float> value;         // of a numeric one; NaN where missing
  std::vector<std::int32_t> level;  // of another; -1 where missing
  bool some_missing = false;

  bool numeric() const { return scale == Scale::numeric; }
  bool ordered() const { return scale == Scale::ordinal; }
  // Levels are grouped only where there are more than two and they have no order.
  bool groups_levels(const Settings& settings) const {
    return settings.subset && scale == Scale::nominal && n_levels > 2;
  }
  // C5.0 counts a value "not applicable" beside the levels; a numeric attribute counts none.
  int n_values() const { return numeric() ? 0 : n_levels + 1; }
  bool missing(Row row) const { return numeric() ? std::isnan(value[row]) : level[row] < 0; }
};

struct Problem {
  Row n_rows = 0;
  int n_classes = 0;
  std::vector<Attribute> attributes;
  std::vector<std::int32_t> label;
  std::vector<float> case_weight;  // empty: one each
  std::vector<float> cost;         // [predicted * n_classes + actual]; empty: every error costs 1
};

}  // namespace bough::c50
