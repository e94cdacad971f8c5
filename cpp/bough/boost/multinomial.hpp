// The log-loss of several classes, whose probabilities are the softmax of the scores.
#pragma once

#include <memory>

#include "bough/boost/loss.hpp"

namespace bough {

std::unique_ptr<Loss> make_multinomial_loss(const BoostTarget& target);

}  // namespace bough
