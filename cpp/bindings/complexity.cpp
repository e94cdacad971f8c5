#include "bough/prune/complexity.hpp"

#include "arguments.hpp"

namespace {

using namespace bough_python;

Output<double> links(const Array<std::int32_t>& first_child, const Array<std::int32_t>& n_children,
                     const Array<double>& fall, const Array<double>& noise, bool exact, double rounding) {
  const auto n = static_cast<std::int64_t>(first_child.n());
  check_lengths(n, "the arrays of a tree differ in length", n_children, fall, noise);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t first = first_child[i], many = n_children[i];
    check(many == 0 || (many > 0 && first > i && first + many <= n), "a node's children are out of range");
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
