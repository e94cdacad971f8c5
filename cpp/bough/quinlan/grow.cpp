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
    const Release8Search search(table, options, watch);
    if (table.has_missing && std::max(table.all_cases, table.laid_out_cases()) <= kMostInCaseOrder)
      return finish(CaseOrderGrower(search, table, watch).grow());
    return finish(Grower(search, table, team, watch).grow());
  }
  auto table = prepare<double>(data, grown, team, between);
  const J48Search search(table, options, collapses);
  return finish(Grower(search, table, team, watch).grow());
}

FinishedTree grow_rep(const Data& data, const std::uint8_t* grown, const std::vector<std::uint32_t>& order,
                      const RepOptions& options, int n_threads, const Monitor& monitor) {
  Team team(n_threads);
  Watch watch(monitor, static_cast<double>(data.n_rows));
  const auto between = [&watch] { watch.poll_or_throw(); };
  auto table = prepare<double>(data, grown, team, between);
  if (order.size() == table.rows.size()) take_order(table, order);
  if (data.n_classes > 0) {
    const RepClassSearch search(table, options);
    return finish(Grower(search, table, team, watch).grow());
  }
  const RepNumberSearch search(table, options);
  return finish(Grower(search, table, team, watch).grow());
}

FinishedTree grow_simple_cart(const Data& data, const std::uint8_t* grown,
                              const std::vector<std::uint32_t>& order, const SimpleCartOptions& options,
                              int n_threads, const Monitor& monitor) {
  Team team(n_threads);
  Watch watch(monitor, static_cast<double>(data.n_rows));
  auto table = prepare<double>(data, grown, team, [&watch] { watch.poll_or_throw(); });
  take_order(table, order.size() == table.rows.size() ? order : std::vector<std::uint32_t>(table.rows));
  const SimpleCartSearch search(table, options);
  return finish(Grower(search, table, team, watch).grow());
}

}  // namespace bough::quinlan
