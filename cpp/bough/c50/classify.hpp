// Classification while C5.0 works: by a tree, or by rules that vote. Prediction by finished models is in
// predictor.hpp; C5.0 treats soft thresholds and small shares a little differently there.
#pragma once

#include "bough/c50/training.hpp"

namespace bough::c50 {

// The class of least expected cost, or else of the most weight; `first` wins ties without costs.
int select_class(Training& training, const std::vector<double>& weights, int first, bool by_cost);

// Both leave the confidence in training.confidence_of_class.
int classify(Training& training, const Node& tree, Row row);

}  // namespace bough::c50
