// Losses of rankings: the rows of a group are ordered by their scores, and pairs of rows of different grades
// push each other apart. A pair counts by how much a measure of the order changes if both rows are exchanged
// (LambdaMART, Burges 2010), or every pair counts 1 (RankNet, Burges et al. 2005).
#pragma once

#include "bough/boost/loss.hpp"

namespace bough {

// target.y: the gain of each row, by which grades are told apart; above 0: the row is relevant.
// Throws std::invalid_argument for a name that no loss has.
std::unique_ptr<Loss> make_ranking_loss(const LossSettings& settings, const BoostTarget& target);

}  // namespace bough
