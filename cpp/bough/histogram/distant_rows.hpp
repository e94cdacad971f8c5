// What a growing tree asks of rows that are elsewhere: in a database, or on other machines.
#pragma once

#include <cstdint>
#include <vector>

namespace bough {

// A leaf whose rows are to be parted: the branch of each code of a column, and which child has fewer rows as
// far as the search knows.
struct LeafSplit {
  int node = 0, column = 0;
  bool left_is_smaller = true;
  std::vector<std::uint8_t> branch;
};

// The rows of a growing tree that are elsewhere, where they are parted and counted. A histogram holds the
// numbers of each column's codes, one column after the other.
class DistantRows {
 public:
  using Histogram = std::vector<std::uint64_t>;  // the bits of numbers
  struct Parted {
    std::int64_t n_left = 0;
    bool counted_left = true;
  };

  virtual ~DistantRows() = default;
  virtual const Histogram& root() = 0;
  // Parts the rows of the first of some leaves; the others will follow unless the tree is complete before.
  // The children are the nodes first_child and first_child + 1.
  virtual Parted part(const std::vector<LeafSplit>& leaves, int first_child) = 0;
  // The histogram of one of the children of the leaf parted last.
  virtual const Histogram& counted() = 0;
};

}  // namespace bough
