// LogitBoost with simple linear regressions (Friedman, Hastie and Tibshirani 2000; Landwehr, Hall and Frank
// 2005): each step fits a line in one column to the working response of each class. The sum of the steps is a
// linear model of the scores of the classes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bough/machine/watch.hpp"
#include "bough/model_trees/numeric_rows.hpp"

namespace bough::model_trees {

struct ClassRows {
  NumericRows numbers;  // without y
  const std::int32_t* code = nullptr;
  int n_classes = 2;

  // Of two classes only the second has a score: its log-odds.
  int n_scores() const { return n_classes == 2 ? 1 : n_classes; }
};

class LogitBoost {
 public:
  // scores: those that some rows begin with, score by score, for all rows of the table. Rows of `held_out`
  // are not fitted, but their scores are kept too.
  LogitBoost(const ClassRows& data, std::span<const std::uint32_t> rows,
             std::span<const std::uint32_t> held_out, const double* scores);

  void step();
  // Weight of the held-out rows whose greatest score is not that of their class.
  double held_out_errors() const;

  // The sum of the steps: the slopes of each score, and its intercept.
  const std::vector<double>& slopes() const { return slope_; }
  const std::vector<double>& intercepts() const { return intercept_; }
  // Writes the scores of the fitted rows.
  void put_scores(double* scores) const;

 private:
  struct Line {
    int column = -1;
    double slope = 0, intercept = 0;
  };
  struct Part {
    std::vector<std::uint32_t> rows;
    std::vector<double> score;  // score by score
  };

  Part part_of(std::span<const std::uint32_t> rows, const double* scores) const;
  Line line(int which);
  void add(Part& part, std::span<const Line> lines) const;
  double value(const Line& line, std::uint32_t row) const;

  const ClassRows& data_;
  Part fitted_, held_out_;
  std::vector<double> center_, unit_;  // by column; a unit of 0 marks a constant column
  std::vector<double> scaled_;         // the columns of the fitted rows
  std::vector<double> weight_, response_;
  std::vector<double> slope_, intercept_;
};

struct BoostingOptions {
  int max_steps = 200;
  int patience = 50;  // steps without fewer errors after which cross-validation stops
  int n_threads = 1;
};

// The number of steps of least cross-validated errors, the smallest of them; fold: of each of the rows.
int cross_validated_steps(const ClassRows& data, std::span<const std::uint32_t> rows,
                          std::span<const std::int32_t> fold, const double* scores,
                          const BoostingOptions& options, Watch& watch);

}  // namespace bough::model_trees
