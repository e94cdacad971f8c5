// A split of a node by the codes of bins, and the order in which leaves are split.
#pragma once

#include <cstdint>
#include <vector>

namespace bough {

// Which leaf is split next.
enum class GrowthOrder {
  best_first,  // that of the greatest worth; of equals the one made first
  by_level,    // that made first
  depth_first  // that made last: few histograms are held at a time
};

// A split of a node by the codes of a column.
struct BinSplit {
  double value = 0;                  // by the criterion, in units of the statistics
  double score = 0;                  // by which columns compete: the higher wins
  double left_size = 0;              // of branch 0, as far as the search knows it
  int column = -1;                   // -1: there is none
  int last_left = -1;                // threshold: known codes up to this take branch 0; -1: none do
  int missing = -1;                  // the branch of missing values where the search chose one
  std::vector<std::uint8_t> branch;  // levels: of each code; empty: threshold
};

}  // namespace bough
