// Checks that two grown trees are equal in every field.
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "bough/grow/branching.hpp"
#include "bough/grow/grow.hpp"
#include "harness.hpp"
#include "same.hpp"

namespace bough::tests {

// Shows how many fields are equal, counted up to the first that differs.
template <class T, class... Fields>
void check_same_fields(const T& a, const T& b, Fields... field) {
  const bool equal[] = {same(a.*field, b.*field)...};
  CHECK_EQUAL(std::find(std::begin(equal), std::end(equal), false) - std::begin(equal), std::ssize(equal));
}

inline void check_same_alternatives(const AlternativeArrays& a, const AlternativeArrays& b) {
  using A = AlternativeArrays;
  check_same_fields(a, b, &A::start, &A::column, &A::cut, &A::turned, &A::level_code, &A::level_branch,
                    &A::value, &A::adjusted, &A::cases);
}

inline void check_same(const GrownTree& a, const GrownTree& b) {
  using G = GrownTree;
  check_same_fields(a, b, &G::parent, &G::column, &G::default_branch, &G::cut, &G::cut_below, &G::cut_above,
                    &G::gain, &G::weight, &G::cases, &G::risk, &G::statistics, &G::level_code,
                    &G::level_branch);
  check_same_alternatives(a.competitors, b.competitors);
  check_same_alternatives(a.surrogates, b.surrogates);
}

// Checks that the trees of folds that are grown in a way of their own are those that are grown row by row.
// grows_so: whether data are grown in that way.
template <class GrowsSo>
void check_same_row_by_row(Data data, const Recipe& recipe, const std::vector<std::int32_t>& fold,
                           int n_folds, int n_threads, const GrowsSo& grows_so) {
  CHECK(grows_so(data));
  const auto trees = grow_folds(data, recipe, fold.data(), n_folds, n_threads, nullptr);
  const std::vector<double> ones(data.n_rows, 1.0);
  data.cases = ones.data();  // which is not known to be the same, so that every row is read
  CHECK(!grows_so(data));
  const auto plain = grow_folds(data, recipe, fold.data(), n_folds, 1, nullptr);
  for (int i = 0; i <= n_folds; ++i) check_same(trees[i], plain[i]);
}

}  // namespace bough::tests
