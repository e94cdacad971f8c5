// Conditional inference (Hothorn, Hornik and Zeileis 2006): permutation tests of the independence of each
// column and the target in a node, and the split that maximizes a two-sample statistic.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bough/conditional/sample.hpp"
#include "bough/conditional/two_sample.hpp"
#include "bough/data/column.hpp"

namespace bough::conditional {

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

struct Test {
  int column = -1;
  double statistic = 0;
  double p_value = 1;         // adjusted
  double log_complement = 0;  // log(1 - p), adjusted
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

// log(1 - p), by which small p-values are told apart.
double log_complement(double p);

class Inference {
 public:
  // Numbers are scaled to [-1, 1], which changes no statistic.
  Inference(std::vector<Column> columns, Target target, const Options& options);

  // Tests the columns in the node of these rows, and splits it if a test is significant. stream: the number
  // of the node, from which Monte Carlo tests draw; between: called now and then, and may throw.
  Found search(std::span<const std::uint32_t> rows, std::uint64_t stream,
               const std::function<void()>& between) const;

 private:
  Test test(int column, const Sample& sample, std::uint64_t stream,
            const std::function<void()>& between) const;
  Test asymptotic_test(int column, const Sample& sample, const std::function<void()>& between) const;
  Split best_split(int column, std::span<const std::uint32_t> rows, const Target& target, double min_cases,
                   const std::function<void()>& between) const;
  std::vector<std::uint32_t> sorted(int column, const Sample& sample) const;
  std::vector<Surrogate> surrogates(const Split& split, std::span<const std::uint32_t> rows,
                                    const std::function<void()>& between) const;

  std::vector<Column> columns_;
  Target target_;
  Options options_;
  mutable std::vector<std::vector<std::uint32_t>> ranks_;  // of the rows in each column that was split
};

}  // namespace bough::conditional
