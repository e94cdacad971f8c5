// The arrays of a grown tree's nodes as Python takes them, by name.
#pragma once

#include "arrays.hpp"
#include "bough/grow/grow.hpp"

namespace bough_python {

// width: numbers a node's statistics have. The arrays are taken from the tree.
inline nb::dict node_arrays(bough::GrownTree& t, std::size_t width) {
  const std::size_t n = t.parent.size();
  nb::dict d;
  d["parent"] = to_numpy(std::move(t.parent));
  d["first_child"] = to_numpy(std::move(t.first_child));
  d["n_children"] = to_numpy(std::move(t.n_children));
  d["column"] = to_numpy(std::move(t.column));
  d["kind"] = to_numpy(std::move(t.kind));
  d["cut"] = to_numpy(std::move(t.cut));
  d["level_start"] = to_numpy(std::move(t.level_start));
  d["level_code"] = to_numpy(std::move(t.level_code));
  d["level_branch"] = to_numpy(std::move(t.level_branch));
  d["default_branch"] = to_numpy(std::move(t.default_branch));
  d["weight"] = to_numpy(std::move(t.weight));
  d["cases"] = to_numpy(std::move(t.cases));
  d["statistics"] = to_numpy(std::move(t.statistics), {n, width});
  d["risk"] = to_numpy(std::move(t.risk));
  d["gain"] = to_numpy(std::move(t.gain));
  return d;
}

}  // namespace bough_python
