// What the parts of a grower share: the fit, its rows, and the sorted lists of all columns, of which a node
// is a range. The upper part of a tree and its small subtrees run the same code on lists of 64 and of 32
// bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "bough/grow/branching.hpp"
#include "bough/grow/lists.hpp"
#include "bough/grow/measure.hpp"
#include "bough/grow/problem.hpp"
#include "bough/grow/sparse_nodes.hpp"
#include "bough/grow/split_worth.hpp"
#include "bough/machine/team.hpp"

namespace bough {

// A node with fewer rows than this is searched and parted by one thread.
constexpr int kSharedRows = 4096;

// The branch of each level.
struct LevelBranches {
  std::vector<std::int32_t> code, branch;
};

// Appends the levels of a split to those of the tree; split: a Node or an AlternativeSplit.
template <class Split>
void append_levels(const LevelBranches& levels, Split& split, Branching& out) {
  split.first_level = static_cast<std::int64_t>(out.level_code.size());
  split.n_levels = static_cast<std::int32_t>(levels.code.size());
  out.level_code.insert(out.level_code.end(), levels.code.begin(), levels.code.end());
  out.level_branch.insert(out.level_branch.end(), levels.branch.begin(), levels.branch.end());
}

// The branch, at prediction, of a row whose value is missing and of which no surrogate has one; -1: none.
// weight: of the rows in each branch.
inline int fallback_branch(Fallback fallback, const std::vector<double>& weight, const Node* children) {
  switch (fallback) {
    case Fallback::stay:
      return -1;
    case Fallback::larger:
      return children[0].cases == children[1].cases ? -1 : children[0].cases < children[1].cases;
    default:
      return static_cast<int>(std::max_element(weight.begin(), weight.end()) - weight.begin());
  }
}

inline SplitKind kind_of(Scale scale, Nominal nominal) {
  if (scale != Scale::nominal) return SplitKind::threshold;
  switch (nominal) {
    case Nominal::complete:
      return SplitKind::complete;
    case Nominal::one_vs_rest:
      return SplitKind::one_vs_rest;
    default:
      return SplitKind::subset;
  }
}

// The best split found for a node.
struct Best {
  double value = -std::numeric_limits<double>::infinity();  // in grid units
  double score = value;                                     // by the price of the column: the higher wins
  int column = -1;
  int left = 0;                                                 // threshold: known entries on the left
  double drawn_cut = std::numeric_limits<double>::quiet_NaN();  // threshold: drawn at random
  int n_branches = 2;
  int missing = -1;  // the branch of missing values where the search chose one; with no row on the left they
                     // are alone there
  std::unique_ptr<LevelBranches> levels;  // null: threshold
  std::vector<Best> competitors;          // the best splits of other columns, if they are asked for
};

// What all nodes of a fit share.
struct Problem {
  const Data& data;
  const Recipe& recipe;
  std::vector<bool> has_missing;
  Evaluator evaluator;
  double root_weight = 0;      // in the unit of the weights given
  double min_weight_leaf = 0;  // in units of the rows' weights
  double root_improvement = 0;
  bool unit_weights = true;
  bool fast_classes = false, fast_squares = false;  // the scans of scan.hpp apply
  bool several_squares = false;                     // or those of squares_of_targets.hpp
  bool quick_sparse = false;                        // a quick look tells which sparse columns to search
  bool plain = false;     // no column is nominal or has missing values, and the sums of a node serve them all
  bool pairs = false;     // and two rows are parted by the first column that can
  int min_rows_leaf = 1;  // for them
};

// The entries of a node in a list whose value is known: those before the missing ones.
template <class E>
struct KnownEntries {
  const E* list;
  int count;
};

template <class E>
struct NodeLists {
  const Problem& problem;
  Rows rows;
  std::vector<E*> lists;
  const std::uint32_t* global_row;  // the table's row of each index; null: the index itself
  Team* team;                       // null: one thread
  SparseNodes* sparse = nullptr;    // sets the lists, where columns are sparse

  int n_columns() const { return static_cast<int>(lists.size()); }
  const Column& column(int c) const { return problem.data.columns[c]; }
  std::uint32_t table_row(E entry) const {
    return global_row ? global_row[index_of(entry)] : index_of(entry);
  }
  double price(int c) const { return problem.recipe.price.empty() ? 1.0 : problem.recipe.price[c]; }
  LeafLimits leaf_limits() const {
    const Limits& limits = problem.recipe.limits;
    return {limits.min_cases_of_two(), problem.min_weight_leaf, limits.min_cases_leaf};
  }
  LeafLimits leaf_limits(int c, const Range& range) const {
    LeafLimits limits = leaf_limits();
    limits.answers = answer_rule(c, range);
    return limits;
  }

  // What monotonic constraints ask of a split of the node on a column, in the unit of its statistics.
  AnswerRule answer_rule(int c, const Range& range) const {
    if (problem.recipe.monotonic.empty() || problem.recipe.monotonic[c] == 0) return {};
    AnswerRule rule{true, problem.recipe.monotonic[c], range.lower, range.upper};
    if (problem.recipe.criterion.reads_classes()) return rule;
    const double own = range.sum / range.weight;
    for (double* bound : {&rule.lower, &rule.upper})
      if (std::isfinite(*bound)) *bound = own + std::ldexp(*bound - range.centre, range.exponent);
    return rule;
  }

  KnownEntries<E> known(int c, const Range& range) const {
    const E* list = lists[c] + range.begin;
    return {list, problem.has_missing[c] ? known_entries(list, range.count) : range.count};
  }

  // The same of a node that is split, whose list may have to be written first.
  KnownEntries<E> listed(int c, const Range& range) const {
    if (sparse) sparse->list_whole(c, range);
    return known(c, range);
  }

  bool shared_out(const Range& range) const { return team && team->size() > 1 && range.count >= kSharedRows; }
  // Calls work(column, member of the team) for every column, or for every one of some.
  template <class Work>
  void for_columns(const Range& range, const Work& work) const {
    if (shared_out(range)) return team->run(n_columns(), work);
    for (int c = 0; c < n_columns(); ++c) work(c, 0);
  }
  template <class Work>
  void for_columns(const Range& range, const std::vector<int>& some, const Work& work) const {
    if (shared_out(range))
      return team->run(static_cast<int>(some.size()), [&](int i, int member) { work(some[i], member); });
    for (const int c : some) work(c, 0);
  }

  // The gain of a split in the user's units, for each unit of the node's own weight.
  double gain(double value, const Range& range, const Branching& out) const {
    return gain_of(value, range, problem.recipe, rows, out);
  }

  // Makes a split by levels of a column, from the branch of each group of entries of equal value. Missing
  // values, if they are among the entries, are the last group.
  void take_levels(Best& best, int c, KnownEntries<E> entries, const std::vector<int>& group_end,
                   const std::vector<int>& branch) const {
    best.column = c;
    best.levels = std::make_unique<LevelBranches>();
    const bool with_missing = is_missing(entries.list[entries.count - 1]);
    if (problem.recipe.nominal == Nominal::complete) {
      best.n_branches = column(c).n_levels;
      best.levels->code.resize(best.n_branches);
      std::iota(best.levels->code.begin(), best.levels->code.end(), 0);
      best.levels->branch = best.levels->code;
      if (with_missing) best.missing = best.n_branches++;
      return;
    }
    if (with_missing) best.missing = branch.back();
    for (std::size_t g = 0; g < group_end.size() - with_missing; ++g) {
      best.levels->code.push_back(column(c).code(table_row(entries.list[group_end[g] - 1])));
      best.levels->branch.push_back(branch[g]);
    }
  }

  // The branch of each entry under a split; missing ones must have a branch if they are among them.
  std::vector<int> branches(const Best& best, KnownEntries<E> entries) const {
    std::vector<int> branch(entries.count);
    const bool threshold = column(best.column).scale != Scale::nominal;
    const bool complete = problem.recipe.nominal == Nominal::complete;
    int group = -1;
    for (int i = 0; i < entries.count; ++i) {
      if (is_missing(entries.list[i])) {
        branch[i] = best.missing;
        continue;
      }
      if (threshold) {
        branch[i] = i < best.left ? 0 : 1;
        continue;
      }
      const bool next = i == 0 || code_of(entries.list[i]) != code_of(entries.list[i - 1]);
      group += next;
      branch[i] = !next      ? branch[i - 1]
                  : complete ? column(best.column).code(table_row(entries.list[i]))
                             : best.levels->branch[group];
    }
    return branch;
  }
};

}  // namespace bough
