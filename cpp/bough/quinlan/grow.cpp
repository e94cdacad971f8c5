#include "bough/quinlan/grow.hpp"

#include "bough/quinlan/case_order.hpp"
#include "bough/quinlan/grower.hpp"
#include "bough/quinlan/j48.hpp"
#include "bough/quinlan/release8.hpp"

namespace bough::quinlan {

namespace {

std::function<void()> between(const Monitor& monitor) {
  return [&monitor] {
    if (monitor && !monitor(0)) throw Interrupted();
  };
}

}  // namespace

FinishedTree grow_c45(const Data& data, const std::uint8_t* grown, Variant variant, const C45Options& options,
                      bool collapses, int n_threads, const Monitor& monitor) {
  Team team(n_threads);
  if (variant == Variant::release8) {
    auto table = prepare<float>(data, grown, team, between(monitor));
    const Release8Judge judge(table, options);
    if (table.has_missing && table.all_cases <= kMostInCaseOrder)
      return finish(CaseOrderGrower(judge, table, monitor).grow());
    return finish(Grower(judge, table, team, monitor).grow());
  }
  auto table = prepare<double>(data, grown, team, between(monitor));
  const J48Judge judge(table, options, collapses);
  return finish(Grower(judge, table, team, monitor).grow());
}

FinishedTree grow_rep(const Data& data, const std::uint8_t* grown, const std::vector<std::uint32_t>& order,
                      const RepOptions& options, int n_threads, const Monitor& monitor) {
  Team team(n_threads);
  auto table = prepare<double>(data, grown, team, between(monitor));
  if (order.size() == table.rows.size()) take_order(table, order);
  if (data.n_classes > 0) {
    const RepClassJudge judge(table, options);
    return finish(Grower(judge, table, team, monitor).grow());
  }
  const RepNumberJudge judge(table, options);
  return finish(Grower(judge, table, team, monitor).grow());
}

}  // namespace bough::quinlan
