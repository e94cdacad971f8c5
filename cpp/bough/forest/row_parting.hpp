// Parts the rows of a node by their codes in a column.
#pragma once

#include <cstdint>
#include <vector>

namespace bough {

// Puts the rows first whose codes are at most `last`, both sides in their old order; returns how many they
// are. spare: room for n.
using PartRows = int (*)(std::uint32_t* index, const std::int32_t* code, int n, std::int32_t last,
                         std::uint32_t* spare);

// Every function that this processor can run, the fastest last.
std::vector<PartRows> runnable_row_partings();

PartRows row_parting();

}  // namespace bough
