// What a node of a conditional inference tree shows: its prediction and error, and the gain of its split.
//
// Sums are made on the grid of the node, as `bough.growing.measure` makes them.
#pragma once

#include <cstdint>
#include <span>

#include "bough/criteria/criterion.hpp"

namespace bough::conditional {

// The rows as they are shown: classes or numbers, and their weights as whole numbers in a unit.
struct ShownRows {
  Criterion criterion;
  int n_classes = 0;
  const std::int32_t* label = nullptr;
  const double* y = nullptr;
  const double* weight = nullptr;  // null: one each
  double weight_unit = 1;
  bool whole_weights = true;
  const double* own = nullptr;    // weights as given, those of the nodes; null: one each
  const double* cases = nullptr;  // null: one each

  double weight_at(std::uint32_t row) const { return weight ? weight[row] : 1; }
  double own_at(std::uint32_t row) const { return own ? own[row] : 1; }
  double cases_at(std::uint32_t row) const { return cases ? cases[row] : 1; }
  int width() const { return n_classes ? n_classes : 1; }
};

struct NodeMeasure {
  double weight = 0, cases = 0;  // as given
  double risk = 0;
  bool pure = true;
  // The grid: numbers are origin + q / 2^exponent, and the weight is in units.
  double total_weight = 0, origin = 0;
  int exponent = 0;
};

// Measures the node of these rows; statistics: its class weights, or its prediction.
NodeMeasure measure(const ShownRows& shown, std::span<const std::uint32_t> rows, double* statistics);

// The gain of a split of the node that sends row i of it to branch[i], -1: nowhere.
double gain_of(const Evaluator& evaluator, const ShownRows& shown, const NodeMeasure& node,
               std::span<const std::uint32_t> rows, const std::int8_t* branch);

}  // namespace bough::conditional
