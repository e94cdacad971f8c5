#include "bough/predict/family.hpp"

#include <nanobind/stl/pair.h>

#include "arguments.hpp"

namespace {

using namespace bough_python;

std::pair<Output<std::int32_t>, Output<std::int32_t>> family(const Array<std::int32_t>& n_children,
                                                             const Array<std::int64_t>& roots) {
  const std::vector<std::int64_t> starts(roots.data(), roots.data() + roots.n());
  bough::Family of = bough::family(n_children.data(), static_cast<std::int64_t>(n_children.n()), starts);
  return {to_numpy(std::move(of.parent)), to_numpy(std::move(of.first_child))};
}

}  // namespace

void init_family(nb::module_& m) {
  using namespace nb::literals;
  m.def("family", &family, "n_children"_a, "roots"_a,
        "The parent and the first child of each node; nodes are numbered level by level.");
}
