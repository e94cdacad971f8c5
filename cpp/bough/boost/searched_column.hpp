// One column of a node whose best split is searched, and the best split found so far.
#pragma once

#include "bough/boost/gradient_scores.hpp"
#include "bough/data/bins.hpp"

namespace bough {

template <class Cells>
struct SearchedColumn {
  const GradientScores<Cells>& scores;
  const GradientSums& node;
  const ColumnBins& bins;
  int column;
  BinSplit& best;  // replaced by what is better

  const BoostLimits& limits() const { return scores.limits(); }
  bool take(double score, double unsplit) const { return scores.take(score, unsplit, column, best); }
};

}  // namespace bough
