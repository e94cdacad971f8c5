// Cubist (Quinlan): rules with linear models, made from a pruned and smoothed model tree, and committees of
// them. The arithmetic is that of release 2.07: values and errors are floats, sums are doubles.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/machine/watch.hpp"

namespace bough::model_trees::cubist {

// A column without missing values: numbers, or codes of levels from 0 on.
struct Column {
  bool continuous = true, ordered = false;
  int n_levels = 0;
  std::vector<float> value;
  std::vector<int> code;
  float mean = 0, deviation = 1;  // the mean is rounded down to the precision of the values
  int mode = -1;                  // the most frequent level
  bool used = true;
};

struct Data {
  std::vector<Column> columns;
  std::vector<float> y;
  float y_mean = 0;      // rounded down to the precision of y, as that of a column
  int y_precision = 10;  // 10 times the power of ten that makes all y whole
};

struct Options {
  int n_committees = 1, max_rules = 100;
  bool unbiased = false;
  float extrapolation = 1;  // share of the range of y by which predictions may leave it
};

enum class Test { none, level, threshold, subset };

struct Condition {
  Test test = Test::none;
  int column = -1;
  float cut = 0;
  bool above = false;                // of a threshold: values above the cut meet it
  std::vector<std::uint8_t> levels;  // of others: 1 for the levels that meet it

  bool met_by(const Data& data, int row) const;
  bool operator==(const Condition&) const = default;
};

struct Rule {
  std::vector<Condition> conditions;  // that which most cases fail alone comes first
  std::vector<double> model;          // the intercept, then a coefficient for each column
  int cover = 0;
  float mean = 0, low = 0, high = 0;    // of y
  float low_limit = 0, high_limit = 0;  // of predictions
  float error = 0;                      // estimated mean absolute error

  double predict(const Data& data, int row) const;
};

struct Model {
  std::vector<std::vector<Rule>> committee;
  float mean = 0, floor = 0, ceiling = 0;

  float predict(const std::vector<Rule>& rules, const Data& data, int row) const;
};

// The power of ten that makes a number whole, up to six digits in all.
int denominator(float value);

// Finds mean, deviation and precision of the columns and of y, and replaces missing values (NaN, code -1) by
// the mean or the most frequent level.
void prepare(Data& data);

Model learn(const Data& data, const Options& options, Watch& watch);

}  // namespace bough::model_trees::cubist
