// Predicts few rows of numbers by a forest whose nodes have not been checked: every step checks what it
// reads, so that the first row does not wait until all nodes are.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/forest/walk.hpp"

namespace bough {

// The sums over all trees of the class shares or the means of each row: rows x numbers a leaf, the same as
// those of a Tally to the bit. matrix: the numbers of the rows, of all columns each; no column has levels.
// Throws std::invalid_argument where a tree leads out of its arrays.
template <class T>
std::vector<double> careful_sums(const ForestView& forest, const T* matrix, std::int64_t n_rows);

}  // namespace bough
