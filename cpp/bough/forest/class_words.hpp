// Few classes below the cuts of one vector of columns: the class weights below a cut are the bytes of a word,
// so that a row is one masked addition for all columns and classes.
#pragma once

#include <cstdint>

#include "bough/forest/cell_rows.hpp"
#include "bough/forest/count_kernels.hpp"

namespace bough {

struct ClassWordKernels {
  static constexpr int kMostWeight = 255, kMostClasses = 8;

  // The weights of each class below the cuts of kLanes columns, class by class. Each row weighs at most
  // kMostWeight, and is of one of at most kMostClasses classes.
  void (*count)(const CellRows& rows, const float* cut, const std::int32_t* label, const double* weight,
                int n_classes, std::int32_t* below);
  // Sums over the classes, of a node of a weight of at most kMostWeight.
  void (*squares)(const CellRows& rows, const float* cut, const std::int32_t* label, const double* weight,
                  const SquaresBelow& to);
};

// The kernels, if this processor can run them.
const ClassWordKernels* class_word_kernels();

}  // namespace bough
