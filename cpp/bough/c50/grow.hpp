// Growth: the cases of a node are partitioned by the chosen test, recursively; a subtree that makes as many
// errors as a leaf becomes one.
#pragma once

#include "bough/c50/search.hpp"

namespace bough::c50 {

class Grower {
 public:
  explicit Grower(Training& training) : training_(training), search_(training) {}

  Tree grow(std::int64_t first, std::int64_t last, int depth = 0);
  // Grows new subtrees below a node whose test is given.
  void divide(Node& node, std::int64_t first, std::int64_t last, int depth);

 private:
  void set_test(Node& node, int column) const;

  Training& training_;
  Search search_;
};

}  // namespace bough::c50
