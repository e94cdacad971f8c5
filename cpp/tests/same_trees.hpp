// Checks that two grown trees are equal in every field.
#pragma once

#include "bough/grow/branching.hpp"
#include "harness.hpp"
#include "same.hpp"

namespace bough::tests {

inline void check_same_alternatives(const AlternativeArrays& a, const AlternativeArrays& b) {
  CHECK(same(a.start, b.start));
  CHECK(same(a.column, b.column));
  CHECK(same(a.cut, b.cut));
  CHECK(same(a.turned, b.turned));
  CHECK(same(a.level_code, b.level_code));
  CHECK(same(a.level_branch, b.level_branch));
  CHECK(same(a.value, b.value));
  CHECK(same(a.adjusted, b.adjusted));
  CHECK(same(a.cases, b.cases));
}

inline void check_same(const GrownTree& a, const GrownTree& b) {
  CHECK(same(a.parent, b.parent));
  CHECK(same(a.column, b.column));
  CHECK(same(a.default_branch, b.default_branch));
  CHECK(same(a.cut, b.cut));
  CHECK(same(a.cut_below, b.cut_below));
  CHECK(same(a.cut_above, b.cut_above));
  CHECK(same(a.gain, b.gain));
  CHECK(same(a.weight, b.weight));
  CHECK(same(a.cases, b.cases));
  CHECK(same(a.risk, b.risk));
  CHECK(same(a.statistics, b.statistics));
  CHECK(same(a.level_code, b.level_code));
  CHECK(same(a.level_branch, b.level_branch));
  check_same_alternatives(a.competitors, b.competitors);
  check_same_alternatives(a.surrogates, b.surrogates);
}

}  // namespace bough::tests
