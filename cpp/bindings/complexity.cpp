#include "bough/prune/complexity.hpp"

#include <stdexcept>

#include "arrays.hpp"

namespace {

using namespace bough_python;

Output<double> links(Input<std::int32_t, 1> first_child, Input<std::int32_t, 1> n_children,
                     Input<double, 1> fall, Input<double, 1> noise, bool exact, double rounding) {
  const std::size_t n = first_child.shape(0);
  if (n_children.shape(0) != n || fall.shape(0) != n || noise.shape(0) != n)
    throw std::invalid_argument("the arrays of a tree differ in length");
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t first = first_child.data()[i], many = n_children.data()[i];
    if (many != 0 &&
        (many < 0 || first <= static_cast<std::int64_t>(i) || first + many > static_cast<std::int64_t>(n)))
      throw std::invalid_argument("a node's children are out of range");
  }
  const bough::PricedTree tree{static_cast<int>(n), first_child.data(), n_children.data(), fall.data(),
                               noise.data()};
  std::vector<double> alphas;
  {
    nb::gil_scoped_release unlocked;
    alphas = exact ? bough::weakest_links(tree) : bough::rpart_links(tree, rounding);
  }
  return to_numpy(std::move(alphas));
}

}  // namespace

void init_complexity(nb::module_& m) {
  using namespace nb::literals;
  m.def("weakest_links", &links, "first_child"_a, "n_children"_a, "fall"_a, "noise"_a, "exact"_a,
        "rounding"_a, "Each inner node's own alpha, as if it were the root.");
}
