#include "bough/quinlan/grow.hpp"

#include "bough/quinlan/case_order.hpp"
#include "bough/quinlan/grower.hpp"
#include "bough/quinlan/j48.hpp"
#include "bough/quinlan/release8.hpp"

namespace bough::quinlan {

FinishedTree grow_c45(const Data& data, const std::uint8_t* grown, Variant variant, const C45Options& options,
                      bool collapses, int n_threads, const Monitor& monitor) {
  Team team(n_threads);
  Watch watch(monitor, static_cast<double>(data.n_rows));
  const auto between = [&watch] { watch.poll_or_throw(); };
  if (variant == Variant::release8) {
    auto table = prepare<float>(data, grown, team, between);
    const Release8Judge judge(table, options, watch);
    if (table.has_missing && table.all_cases <= kMostInCaseOrder)
      return finish(CaseOrderGrower(judge, table, watch).grow());
    return finish(Grower(judge, table, team, watch).grow());
  }
  auto table = prepare<double>(data, grown, team, between);
  const J48Judge judge(table, options, collapses);
  return finish(Grower(judge, table, team, watch).grow());
}

FinishedTree grow_rep(const Data& data, const std::uint8_t* grown, const std::vector<std::uint32_t>& order,
                      const RepOptions& options, int n_threads, const Monitor& monitor) {
  Team team(n_threads);
  Watch watch(monitor, static_cast<double>(data.n_rows));
  const auto between = [&watch] { watch.poll_or_throw(); };
  auto table = prepare<double>(data, grown, team, between);
  if (order.size() == table.rows.size()) take_order(table, order);
  if (data.n_classes > 0) {
    const RepClassJudge judge(table, options);
    return finish(Grower(judge, table, team, watch).grow());
  }
  const RepNumberJudge judge(table, options);
  return finish(Grower(judge, table, team, watch).grow());
}

}  // namespace bough::quinlan
