// The parents and children of nodes that are numbered level by level.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/machine/buffer.hpp"

namespace bough {

struct Family {
  RawVector<std::int32_t> parent, first_child;  // -1: none
};

// The nodes of one tree, or of several: each begins at its root, and roots ascend. Throws
// std::invalid_argument where nodes have more children than there are nodes left, or fewer.
Family family(const std::int32_t* n_children, std::int64_t n, const std::vector<std::int64_t>& roots);

}  // namespace bough
