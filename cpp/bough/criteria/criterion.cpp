#include "bough/criteria/criterion.hpp"

#include <stdexcept>
#include <string>

#include "bough/criteria/list.hpp"

namespace bough {

constinit const std::array<CriterionRecord, AllCriteria::kSize> kCriterionRecords = AllCriteria::records();
constinit const std::array<CriterionRecord, CriteriaOfTargets::kSize> kRecordsOfTargets =
    CriteriaOfTargets::records();

Criterion criterion_named(std::string_view name, int n_targets) {
  const std::span<const CriterionRecord> known =
      n_targets == 1 ? all_criteria() : std::span<const CriterionRecord>(kRecordsOfTargets);
  for (const CriterionRecord& record : known)
    if (record.name == name) return Criterion(&record);
  throw std::invalid_argument("unknown criterion " + std::string(name) +
                              (n_targets == 1 ? "" : " of several targets"));
}

double Evaluator::value(const double* children, int n_children, double node_weight) const {
  if (n_children == 2) {
    const double* right = children + width_;
    return weight(children) > 0 && weight(right) > 0 ? value(children, right, node_weight) : kNoSplit;
  }
  return criterion_->value_of_many ? criterion_->value_of_many(*this, children, n_children, node_weight)
                                   : kNoSplit;
}

double Evaluator::impurity(const double* statistics) const {
  if (!criterion_->impurity)
    throw std::invalid_argument(std::string(criterion_->name) + " measures splits, not nodes");
  return criterion_->impurity(*this, statistics);
}

double Evaluator::centre(const double* statistics) const {
  return criterion_.reads_values() ? values_[lower_median(statistics, width_)]
                                   : statistics[1] / statistics[0];
}

}  // namespace bough
