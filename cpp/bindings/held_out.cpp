#include "bough/prune/held_out.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "arrays.hpp"

namespace {

using namespace bough_python;

void check(bool right, const char* wrong) {
  if (!right) throw std::invalid_argument(wrong);
}

bough::Loss loss_named(const std::string& name) {
  if (name == "classes") return bough::Loss::classes;
  if (name == "squared") return bough::Loss::squared;
  if (name == "absolute") return bough::Loss::absolute;
  if (name == "poisson") return bough::Loss::poisson;
  if (name == "roots") return bough::Loss::roots;
  throw std::invalid_argument("unknown loss " + name);
}

nb::tuple held_out_losses(Input<std::int32_t, 1> parent, Input<double, 1> complexity, Input<double, 1> answer,
                          Input<std::int32_t, 1> end, Input<double, 1> truth, Input<double, 1> weight,
                          const std::optional<Input<double, 1>>& exposure, const std::vector<double>& alphas,
                          const std::string& loss, const std::optional<Input<double, 2>>& cost) {
  const std::size_t n_nodes = parent.shape(0), n_rows = end.shape(0);
  check(n_nodes > 0 && complexity.shape(0) == n_nodes && answer.shape(0) == n_nodes,
        "the arrays of a tree differ in length");
  check(truth.shape(0) == n_rows && weight.shape(0) == n_rows && (!exposure || exposure->shape(0) == n_rows),
        "the arrays of the rows differ in length");
  const bough::Loss by = loss_named(loss);
  const auto k = static_cast<int>(cost ? cost->shape(0) : 0);
  check((by == bough::Loss::classes) == (k > 0) && (!cost || cost->shape(1) == cost->shape(0)),
        "classes, and only they, need the cost of each answer");
  for (std::size_t i = 0; i < n_nodes; ++i) {
    check(parent.data()[i] >= -1 && parent.data()[i] < static_cast<std::int32_t>(i),
          "a parent is out of range");
    check(k == 0 || (answer.data()[i] >= 0 && answer.data()[i] < k), "an answer is not that of a class");
  }
  for (std::size_t i = 0; i < n_rows; ++i) {
    check(end.data()[i] >= 0 && end.data()[i] < static_cast<std::int32_t>(n_nodes), "a node is out of range");
    check(k == 0 || (truth.data()[i] >= 0 && truth.data()[i] < k), "a label is not that of a class");
  }
  bough::Losses losses;
  {
    nb::gil_scoped_release unlocked;
    losses =
        bough::held_out_losses({static_cast<int>(n_nodes), parent.data(), complexity.data(), answer.data()},
                               {static_cast<std::int64_t>(n_rows), end.data(), truth.data(), weight.data(),
                                exposure ? exposure->data() : nullptr},
                               alphas, by, cost ? cost->data() : nullptr, k);
  }
  return nb::make_tuple(to_numpy(std::move(losses.sum)), to_numpy(std::move(losses.square)));
}

}  // namespace

void init_held_out(nb::module_& m) {
  using namespace nb::literals;
  m.def("held_out_losses", &held_out_losses, "parent"_a, "complexity"_a, "answer"_a, "end"_a, "truth"_a,
        "weight"_a, "exposure"_a.none(), "alphas"_a, "loss"_a, "cost"_a.none(),
        "For each alpha the weighted sum of the rows' losses under the tree pruned at it, and of their "
        "squares.");
}
