// The lasso path: linear models whose coefficients minimize a mean loss plus a penalty times the sum of their
// absolute values, for a falling sequence of penalties, by cyclic coordinate descent (Friedman, Hastie and
// Tibshirani 2010) with the strong rule for skipping columns (Tibshirani et al. 2012).
#pragma once

#include <cstdint>
#include <vector>

#include "bough/machine/watch.hpp"

namespace bough::lasso {

// The columns of the model: first indicators, given by the rows where they are 1, then numbers.
struct Design {
  std::int64_t n_rows = 0;
  const std::int64_t* start = nullptr;  // of each indicator's rows, and the end
  const std::int32_t* rows = nullptr;
  std::int64_t n_indicators = 0;
  const double* numbers = nullptr;  // column by column
  std::int64_t n_numbers = 0;
  const std::int32_t* only = nullptr;  // the score that each column may add to; null: every column to all

  std::int64_t n_columns() const { return n_indicators + n_numbers; }
  bool may_add(std::int64_t column, int score) const { return !only || only[column] == score; }
};

// y: numbers for the squared error; 0 or 1 for two classes; else the code of the class of each row.
enum class Loss { squared, logistic, softmax };

struct Target {
  Loss loss = Loss::squared;
  const double* y = nullptr;
  const double* weight = nullptr;
  const std::int32_t* fold = nullptr;  // of each row
  int n_folds = 0;                     // 0: there are none
  int n_scores = 1;                    // more than 1 for softmax alone
};

struct Settings {
  std::vector<double> penalties;  // falling; empty: from the least one without a term
  int n_penalties = 100;
  double least_share = 1e-3;   // the last penalty as a share of the first
  std::int64_t max_terms = 0;  // the path ends before it has more; 0: no bound
  double tolerance = 1e-7;     // of a sweep, in units of the loss without terms
  int max_sweeps = 10000;
};

struct Path {
  std::vector<double> penalties;
  std::vector<double> intercept;     // penalty by penalty, score by score
  std::vector<double> loss;          // the mean loss of the rows at each penalty
  std::vector<std::int64_t> start;   // of the terms of each penalty, and the end
  std::vector<std::int32_t> column;  // of each term
  std::vector<std::int32_t> score;
  std::vector<double> coefficient;
  // The mean loss of the rows of each fold, given the model of the others, fold by fold. A fold whose model
  // fits its rows perfectly keeps its last loss.
  std::vector<double> held_out;
};

Path lasso_path(const Design& design, const Target& target, const Settings& settings, int n_threads,
                Watch& watch);

}  // namespace bough::lasso
