// Trees of Quinlan's line, grown from a table in memory.
#pragma once

#include "bough/machine/watch.hpp"
#include "bough/quinlan/class_search.hpp"
#include "bough/quinlan/rep.hpp"
#include "bough/quinlan/simple_cart.hpp"
#include "bough/quinlan/tree_builder.hpp"

namespace bough::quinlan {

enum class Variant { release8, j48 };

// grown: which rows to grow on; null: all that weigh anything. The others count where the programs look at
// the whole table: for the values that cuts may take, and for what is many levels.
FinishedTree grow_c45(const Data& data, const std::uint8_t* grown, Variant variant, const C45Options& options,
                      bool collapses, int n_threads, const Monitor& monitor);

// A tree as Weka's REPTree grows it, before it is pruned. order: the rows of grown, in the order in which
// sums are taken; empty: as they stand.
FinishedTree grow_rep(const Data& data, const std::uint8_t* grown, const std::vector<std::uint32_t>& order,
                      const RepOptions& options, int n_threads, const Monitor& monitor);

// A tree as Weka's SimpleCart grows it, before it is pruned; order as in grow_rep.
FinishedTree grow_simple_cart(const Data& data, const std::uint8_t* grown,
                              const std::vector<std::uint32_t>& order, const SimpleCartOptions& options,
                              int n_threads, const Monitor& monitor);

}  // namespace bough::quinlan
