// C5.0 on drawn tables of every kind, under all its options: laws that must hold, and no step out of bounds.
#include <cmath>

#include "bough/c50/flat.hpp"
#include "bough/c50/learn.hpp"
#include "bough/c50/sample.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace {

using namespace bough::c50;
using bough::Scale;
using bough::tests::Draws;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Attribute numbers(Draws& draws, Row n, int n_distinct, int missing) {
  Attribute a{Scale::numeric, 0, std::vector<float>(n), {}, false};
  for (float& v : a.value) {
    const bool gap = missing > 0 && draws.below(missing) == 0;
    v = gap ? kNaN : static_cast<float>(draws.below(n_distinct)) / 4 - 3;
    a.some_missing = a.some_missing || gap;
  }
  return a;
}

Attribute levels(Draws& draws, Row n, int n_levels, Scale scale, int missing) {
  Attribute a{scale, n_levels, {}, std::vector<std::int32_t>(n), false};
  for (std::int32_t& v : a.level) {
    const bool gap = missing > 0 && draws.below(missing) == 0;
    v = gap ? -1 : draws.below(n_levels);
    a.some_missing = a.some_missing || gap;
  }
  return a;
}

Problem drawn_problem(Draws& draws) {
  Problem p;
  p.n_rows = 1 + draws.below(draws.below(4) ? 120 : 6000);
  p.n_classes = 1 + draws.below(4);
  const int n_attributes = 1 + draws.below(5);
  for (int a = 0; a < n_attributes; ++a) {
    const int missing = draws.below(2) ? 0 : 1 + draws.below(8);
    if (draws.below(2))
      p.attributes.push_back(numbers(draws, p.n_rows, 1 + draws.below(40), missing));
    else
      p.attributes.push_back(levels(draws, p.n_rows, draws.below(4) ? 1 + draws.below(8) : 40,
                                    draws.below(3) ? Scale::nominal : Scale::ordinal, missing));
  }
  p.label.resize(p.n_rows);
  for (Row i = 0; i < p.n_rows; ++i) {
    const Attribute& first = p.attributes[0];
    const int hint = first.missing(i)  ? 0
                     : first.numeric() ? static_cast<int>(first.value[i] + 3)
                                       : first.level[i];
    p.label[i] = (draws.below(4) ? hint : draws.below(100)) % p.n_classes;
  }
  if (draws.below(3) == 0) {
    p.case_weight.resize(p.n_rows);
    for (float& w : p.case_weight) w = static_cast<float>(0.1 + 3 * draws.share());
  }
  if (draws.below(3) == 0 && p.n_classes > 1) {
    p.cost.resize(p.n_classes * p.n_classes);
    for (float& c : p.cost) c = static_cast<float>(1 + draws.below(5));
  }
  return p;
}

Settings drawn_settings(Draws& draws) {
  Settings s;
  s.trials = draws.below(2) ? 1 : 1 + draws.below(6);
  s.rules = draws.below(3) == 0;
  s.subset = draws.below(2);
  s.bands = draws.below(4) ? 0 : 2;
  s.winnow = draws.below(4) == 0;
  s.global_pruning = draws.below(2);
  s.confidence = static_cast<float>(0.01 + 0.98 * draws.share());
  s.min_cases = static_cast<float>(1 + draws.below(5));
  s.fuzzy = draws.below(3) == 0;
  s.early_stopping = draws.below(2);
  return s;
}

std::vector<bough::Column> views(const Problem& p) {
  std::vector<bough::Column> columns;
  for (const Attribute& a : p.attributes)
    columns.push_back(a.numeric() ? bough::tests::view(a.value)
                                  : bough::tests::view(a.level, a.n_levels, a.scale));
  return columns;
}

const bough::Monitor kNobody;

}  // namespace

TEST(c50_takes_any_table_and_answers_with_probabilities) {
  Draws draws(1);
  for (int round = 0; round < 300; ++round) {
    const Problem p = drawn_problem(draws);
    const Settings s = drawn_settings(draws);
    const Model model = learn(p, s, kNobody);
    CHECK(!model.trees.empty() && model.trees.size() <= static_cast<std::size_t>(s.trials));
    CHECK_EQUAL(model.rule_sets.size(), s.rules ? model.trees.size() : 0);
    std::vector<FlatTree> flat;
    std::vector<int> n_levels;
    for (const Tree& tree : model.trees) flat.push_back(flatten(*tree, p.n_classes));
    for (const Attribute& a : p.attributes) n_levels.push_back(a.numeric() ? -1 : a.n_levels);
    const Predictor predictor(std::move(flat), p.cost, n_levels);
    const Prediction answer = predictor.predict(views(p), p.n_rows, 0, 1);
    for (Row i = 0; i < p.n_rows; ++i) {
      double sum = 0;
      for (int c = 0; c < p.n_classes; ++c) sum += answer.probability[i * p.n_classes + c];
      CHECK_CLOSE(sum, 1.0, 1e-9);
      CHECK(answer.label[i] >= 0 && answer.label[i] < p.n_classes);
    }
  }
}

TEST(c50_counts_every_case_once_in_the_leaves) {
  Draws draws(2);
  for (int round = 0; round < 60; ++round) {
    Problem p = drawn_problem(draws);
    p.case_weight.clear();
    p.cost.clear();
    Settings s = drawn_settings(draws);
    s.trials = 1;
    const Model model = learn(p, s, kNobody);
    const FlatTree flat = flatten(*model.trees[0], p.n_classes);
    double leaves = 0;
    for (std::size_t i = 0; i < flat.n_nodes(); ++i)
      if (flat.column[i] < 0) leaves += flat.cases[i];
    // Parts of cases lighter than a leaf may be lost on the way.
    CHECK_CLOSE(leaves, static_cast<double>(p.n_rows), 0.02);
    CHECK_CLOSE(flat.cases[0], static_cast<double>(p.n_rows), 1e-6);
  }
}

TEST(c50_draws_rules_from_the_tree_of_another) {
  Draws draws(3);
  for (int round = 0; round < 60; ++round) {
    Problem p = drawn_problem(draws);
    p.cost.clear();
    const Model model = learn(p, drawn_settings(draws), kNobody);
    const RuleSet rules = rules_from_tree(p, Settings{}, flatten(*model.trees[0], p.n_classes), kNobody);
    for (const Rule& rule : rules.rules) {
      CHECK(!rule.conditions.empty() && rule.correct <= rule.cover + 1e-3);
      CHECK(rule.label >= 0 && rule.label < p.n_classes);
    }
  }
}

TEST(c50_stops_when_its_monitor_says_so) {
  Draws draws(4);
  Problem p = drawn_problem(draws);
  CHECK_THROWS(learn(p, Settings{}, [](double) { return false; }), bough::Interrupted);
}

TEST(c50_samples_as_many_rows_as_asked) {
  for (const float share : {0.1f, 0.5f, 0.9f}) {
    const std::vector<Row> rows = sample_rows(1000, share, 7);
    CHECK_EQUAL(rows.size(), static_cast<std::size_t>(1000 * share + 0.5));
    for (std::size_t i = 1; i < rows.size(); ++i) CHECK(rows[i - 1] < rows[i]);
  }
  CHECK(sample_rows(1000, 0.5f, 7) == sample_rows(1000, 0.5f, 7));
  CHECK(sample_rows(1000, 0.5f, 7) != sample_rows(1000, 0.5f, 8));
}
