#include "bough/predict/family.hpp"

#include <stdexcept>

namespace bough {

Family family(const std::int32_t* n_children, std::int64_t n, const std::vector<std::int64_t>& roots) {
  Family of{RawVector<std::int32_t>(n), RawVector<std::int32_t>(n)};
  std::int64_t next = 0;  // the next node that is nobody's child yet
  std::size_t root = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (root < roots.size() && roots[root] == i) {
      if (next != i) throw std::invalid_argument("a tree does not begin where the one before ends");
      of.parent[i] = -1;
      next = i + 1;
      ++root;
    }
    const std::int64_t count = n_children[i];
    if (i >= next || count < 0 || count > n - next)
      throw std::invalid_argument("the numbers of children do not describe trees");
    of.first_child[i] = count > 0 ? static_cast<std::int32_t>(next) : -1;
    for (const std::int64_t end = next + count; next < end; ++next)
      of.parent[next] = static_cast<std::int32_t>(i);
  }
  if (next != n || root != roots.size())
    throw std::invalid_argument("the numbers of children do not describe trees");
  return of;
}

}  // namespace bough
