// Scans of gains with drawn penalties and limits.
#pragma once

#include <algorithm>

#include "bough/boost/gain_scan.hpp"
#include "bough/boost/gradient_cells.hpp"
#include "draws.hpp"

namespace bough::tests {

// all: the sums of the node.
inline GainScan drawn_scan(Draws& draws, const CellSums& all) {
  return {all.gradient,
          all.hessian,
          all.size,
          0,
          draws.below(2) * draws.share() * all.hessian,
          std::max(draws.below(2) * draws.share() * all.hessian / 4, 1e-300),
          draws.below(3) * draws.share() * 20};
}

}  // namespace bough::tests
