// Conditional inference (Hothorn, Hornik and Zeileis 2006): permutation tests of the independence of each
// column and the target in a node, and the split that maximizes a two-sample statistic.
//
// The linear statistic is the sum over rows of w g(x) h(y): g is the number itself, the rank of an ordinal
// level, or an indicator of each nominal level; h is the number itself or an indicator of each class. Under
// permutation its mean and covariance are known (Strasser and Weber 1999). The indicators of classes and
// levels have the covariance of multinomial counts, whose generalized inverse is known, so no matrix is
// inverted.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bough/data/column.hpp"

namespace bough::conditional {

enum class Statistic { quadratic, maximum };

struct Options {
  Statistic test = Statistic::quadratic, split = Statistic::quadratic;
  bool bonferroni = true;
  std::int64_t n_resamples = 0;  // of Monte Carlo tests; 0: the asymptotic distribution
  std::uint64_t seed = 0;
  double significance = 0.05;
  double min_statistic = 0;  // above 0: columns are chosen by their statistics, not by p-values
  double min_cases = 7;      // in each branch
  double min_share = 0.01;   // of the node's cases in each branch
  int n_tries = 2;           // columns whose splits are searched
  int max_exhaustive = 20;   // levels, of three classes or more
  int n_surrogates = 0;
};

// The rows: classes or numbers, weights and cases.
struct Target {
  std::vector<std::int32_t> label;  // empty: numbers
  int n_classes = 0;
  std::vector<double> y;
  std::vector<double> weight, cases;  // empty: 1 for each row
};

struct Test {
  int column = -1;
  double statistic = 0;
  double p_value = 1;         // adjusted
  double log_complement = 0;  // log(1 - p), adjusted
};

// A split in two: of a number or ordinal level between two values, or of levels; column -1: none.
struct Split {
  int column = -1;
  double below = 0, above = 0;
  std::vector<std::int32_t> codes, branches;  // of a nominal column
  double statistic = 0;
};

struct Surrogate {
  Split split;
  bool turned = false;  // lower values go to the second branch
};

struct Found {
  std::vector<Test> tests;
  Split split;
  std::vector<Surrogate> surrogates;
};

class Inference {
 public:
  // Numbers are scaled to [-1, 1], which changes no statistic.
  Inference(std::vector<Column> columns, Target target, const Options& options);

  // Tests the columns in the node of these rows, and splits it if a test is significant. stream: the number
  // of the node, from which Monte Carlo tests draw; between: called now and then, and may throw.
  Found search(std::span<const std::uint32_t> rows, std::uint64_t stream,
               const std::function<void()>& between) const;

 private:
  struct Sample;
  struct LevelSums;
  Test test(int column, const Sample& sample, std::uint64_t stream,
            const std::function<void()>& between) const;
  Test asymptotic_test(int column, const Sample& sample, const std::function<void()>& between) const;
  Split best_split(int column, std::span<const std::uint32_t> rows, const Target& target, double min_cases,
                   const std::function<void()>& between) const;
  std::vector<std::uint32_t> sorted(int column, const Sample& sample) const;
  Split best_cut(int column, Sample& sample, double min_cases) const;
  Split best_levels(int column, const Sample& sample, double min_cases,
                    const std::function<void()>& between) const;
  std::vector<Surrogate> surrogates(const Split& split, std::span<const std::uint32_t> rows,
                                    const std::function<void()>& between) const;

  std::vector<Column> columns_;
  Target target_;
  Options options_;
  mutable std::vector<std::vector<std::uint32_t>> ranks_;  // of the rows in each column that was split
};

}  // namespace bough::conditional
