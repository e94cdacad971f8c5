// Rules: each path of a tree is stripped of conditions it does not need, and a set of rules is picked that
// describes the classes of the cases in the fewest bits.
#pragma once

#include "bough/c50/training.hpp"
#include "bough/machine/log_gamma.hpp"

namespace bough::c50 {

struct Condition {
  Test test = Test::none;
  int column = -1;
  float cut = 0;
  int value = 0;    // discrete: the level; threshold: 0 at or below the cut, 1 above it
  LevelSet levels;  // subset

  bool operator==(const Condition& other) const {
    return test == other.test && column == other.column && value == other.value && levels == other.levels &&
           (test != Test::threshold || cut == other.cut);
  }
  bool holds(const Attribute& attribute, Row row) const {
    if (test == Test::threshold) {
      const float x = attribute.value[row];
      return !std::isnan(x) && (x <= cut) == (value == 0);
    }
    const int level = attribute.level[row];
    return test == Test::discrete ? level == value : level >= 0 && levels[level] != 0;
  }
};

struct Rule {
  std::vector<Condition> conditions;
  int label = 0;
  Count cover = 0, correct = 0;
  float prior = 0;  // share of the class among all cases
  int vote = 0;     // in thousandths
  std::vector<Row> fires;
};

struct RuleSet {
  std::vector<Rule> rules;
  int default_label = 0;
};

RuleSet form_rules(Training& training, Node& tree);

// The class the rules vote for; leaves the confidence in training.confidence_of_class.
int classify(Training& training, const RuleSet& rules, Row row);

// How many bits it takes to name a condition.
class CodeLengths {
 public:
  explicit CodeLengths(const Training& training);

  float bits(const Condition& condition) const;
  double log(std::int64_t n) const { return n <= 0 ? -1e38 : n < size() ? log_[n] : std::log2(n); }
  double log_factorial(std::int64_t n) const {
    return n < size() ? log_factorial_[n] : log_gamma(n + 1.0) / std::log(2.0);
  }

 private:
  std::int64_t size() const { return static_cast<std::int64_t>(log_.size()); }
  float level_bits(const Attribute& attribute, int& n_used) const;

  const Training& training_;
  std::vector<double> log_, log_factorial_;
  float attribute_bits_ = 0;
  std::vector<float> branch_bits_;
  std::vector<int> n_used_levels_;
};

// What errors cost in units of the average error: [predicted + 1][actual], row 0 for "no rule fires".
std::vector<std::vector<float>> normalised_costs(const Training& training,
                                                 const std::vector<double>& class_weight);

// Picks from all rules those worth their bits, sets the default class and the order.
RuleSet select_rules(Training& training, std::vector<Rule>&& rules, const CodeLengths& codes,
                     const std::vector<std::vector<float>>& costs, const std::vector<double>& class_weight,
                     float error_rate);

}  // namespace bough::c50
