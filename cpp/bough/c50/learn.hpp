// C5.0 as a whole: winnowing if asked for, then one classifier or a boosted sequence of them.
#pragma once

#include "bough/c50/rules.hpp"

namespace bough::c50 {

struct Model {
  std::vector<Tree> trees;         // one a trial; none if rules were asked for
  std::vector<RuleSet> rule_sets;  // one a trial; none if trees were asked for
  std::vector<std::uint8_t> skipped;
  std::vector<float> winnow_importance;  // empty if nothing was winnowed
};

Model learn(const Problem& problem, const Settings& settings, const Monitor& monitor);

}  // namespace bough::c50
