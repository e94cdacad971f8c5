#include "bough/c50/partition.hpp"

namespace bough::c50 {

int branch_of(const Node& node, const Attribute& attribute, Row row) {
  if (node.test == Test::threshold) return attribute.value[row] <= node.cut ? 0 : 1;
  const int level = attribute.level[row];
  if (node.test == Test::discrete) return level;
  for (int v = 0; v < node.n_branches(); ++v)
    if (holds(node.subsets[v], level)) return v;
  return -1;
}

Partition::Partition(Training& training, const Node& node, std::int64_t first, std::int64_t last)
    : training_(training),
      node_(node),
      attribute_(training.attribute(node.column)),
      begin_(first),
      end_(first),
      last_(last) {
  if (!attribute_.some_missing) return;
  for (std::int64_t i = first; i < last; ++i)
    if (attribute_.missing(training.order[i])) training.swap(first + n_missing_++, i);
}

double Partition::leave_out_light(double least) {
  double weight = 0;
  const std::int64_t last = first_known();
  for (std::int64_t i = begin_; i < last; ++i) {
    const float w = training_.weight[training_.order[i]];
    if (!(w < least)) continue;
    weight += w;
    training_.swap(begin_++, i);
    --n_missing_;
  }
  return weight;
}

bool Partition::belongs(Row row, int branch) const {
  if (node_.test == Test::threshold) return (attribute_.value[row] <= node_.cut) == (branch == 0);
  const int level = attribute_.level[row];
  return node_.test == Test::discrete ? level == branch : level >= 0 && holds(node_.subsets[branch], level);
}

void Partition::take(int branch) {
  end_ = first_known();
  for (std::int64_t i = end_; i < last_; ++i)
    if (belongs(training_.order[i], branch)) training_.swap(end_++, i);
}

void Partition::restore_weights(double share) {
  for (std::int64_t i = end_ - 1; i >= begin_; --i) {
    const Row row = training_.order[i];
    if (!attribute_.missing(row)) continue;
    training_.weight[row] = static_cast<float>(training_.weight[row] / share);
    training_.swap(i, --end_);
  }
}

}  // namespace bough::c50
