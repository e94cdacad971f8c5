// The list of all criteria. A new criterion is a type in a file of its own and a name in this list; its
// record, its scan and the names that Python reads follow from it.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "bough/criteria/absolute_error.hpp"
#include "bough/criteria/chi_square.hpp"
#include "bough/criteria/criterion.hpp"
#include "bough/criteria/deviance.hpp"
#include "bough/criteria/entropy.hpp"
#include "bough/criteria/gain_ratio.hpp"
#include "bough/criteria/generalized_gini.hpp"
#include "bough/criteria/gini.hpp"
#include "bough/criteria/misclassification.hpp"
#include "bough/criteria/of_targets.hpp"
#include "bough/criteria/poisson.hpp"
#include "bough/criteria/squared_error.hpp"
#include "bough/criteria/twoing.hpp"

namespace bough {

template <CriterionType... C>
struct CriterionList {
  static constexpr std::size_t kSize = sizeof...(C);

  static constexpr std::array<CriterionRecord, kSize> records() { return {record_of<C>()...}; }

  template <class One>
  static constexpr std::size_t index_of() {
    constexpr std::array<bool, kSize> is = {std::same_as<One, C>...};
    std::size_t at = 0;
    while (!is[at]) ++at;
    return at;
  }
};

using AllCriteria = CriterionList<Misclassification, Gini, Entropy, Deviance, GainRatio, ChiSquare, Twoing,
                                  GeneralizedGini, SquaredError, AbsoluteError, Poisson>;

// Those of several targets.
using CriteriaOfTargets =
    CriterionList<OfTargets<Misclassification>, OfTargets<Gini>, OfTargets<Entropy>, OfTargets<Deviance>,
                  OfTargets<GainRatio>, OfTargets<ChiSquare>, OfTargets<Twoing>, OfTargets<SquaredError>,
                  OfTargets<AbsoluteError>, OfTargets<Poisson>>;

// Their records. They refer to every function of every criterion, so that criterion.cpp alone defines them:
// otherwise each source that names a criterion would compile all of these functions.
extern const std::array<CriterionRecord, AllCriteria::kSize> kCriterionRecords;
extern const std::array<CriterionRecord, CriteriaOfTargets::kSize> kRecordsOfTargets;

// The criterion of a type.
template <class C>
inline constexpr Criterion criterion_of{&kCriterionRecords[AllCriteria::index_of<C>()]};
template <class C>
inline constexpr Criterion criterion_of<OfTargets<C>>{
    &kRecordsOfTargets[CriteriaOfTargets::index_of<OfTargets<C>>()]};

inline std::span<const CriterionRecord> all_criteria() { return kCriterionRecords; }

// The position of a criterion in its list.
inline std::size_t position_of(Criterion criterion) {
  return static_cast<std::size_t>(
      criterion.operator->() - (criterion.several() ? kRecordsOfTargets.data() : kCriterionRecords.data()));
}

// Throws std::invalid_argument for a name that none of them has, or none of several targets.
Criterion criterion_named(std::string_view name, int n_targets = 1);

}  // namespace bough
