// C5.0 as a whole: winnowing if asked for, then one classifier or a boosted sequence of them.
#pragma once

#include "bough/c50/rules.hpp"
#include "bough/c50/tree_arrays.hpp"

namespace bough::c50 {

struct Model {
  std::vector<Tree> trees;         // one a trial
  std::vector<RuleSet> rule_sets;  // formed from the trees; empty unless Settings::rules
  std::vector<std::uint8_t> skipped;
  std::vector<float> winnow_importance;  // empty if nothing was winnowed
};

Model learn(const Problem& problem, const Settings& settings, const Monitor& monitor);

// Rules as C5.0 forms them, from any tree; of its arrays only tests, cuts and levels are read. The tree
// must be no deeper than kMostDepth.
RuleSet rules_from_tree(const Problem& problem, const Settings& settings, const TreeArrays& tree,
                        const Monitor& monitor);

}  // namespace bough::c50
