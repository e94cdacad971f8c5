#include "bough/prune/held_out.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <limits>
#include <optional>
#include <tuple>

#include "arguments.hpp"
#include "bough/prune/shuffled_runs.hpp"

namespace {

using namespace bough_python;

// Numbers that stand for classes.
void check_classes(const Array<double>& classes, int n_classes, const char* wrong) {
  for (const double c : classes) check(n_classes == 0 || (c >= 0 && c < n_classes), wrong);
}

std::tuple<Output<double>, Output<double>> held_out_losses(
    const Array<std::int32_t>& parent, const Array<double>& complexity, const Array<double>& answer,
    const Array<std::int32_t>& end, const Array<double>& truth, const Array<double>& weight,
    const Optional<double>& exposure, const std::vector<double>& alphas, const std::string& loss,
    const std::optional<Array<double, 2>>& cost) {
  using bough::HeldOutLoss;
  const std::size_t n_nodes = parent.n(), n_rows = end.n();
  check(n_nodes > 0, "a tree needs a node");
  check_lengths(n_nodes, "the arrays of a tree differ in length", complexity, answer);
  check_lengths(n_rows, "the arrays of the rows differ in length", truth, weight);
  const double* exposed = entries(exposure, n_rows, "exposures");
  const HeldOutLoss by = named<HeldOutLoss>(loss,
                                            {{"classes", HeldOutLoss::classes},
                                             {"squared", HeldOutLoss::squared},
                                             {"absolute", HeldOutLoss::absolute},
                                             {"poisson", HeldOutLoss::poisson},
                                             {"roots", HeldOutLoss::roots}},
                                            "loss");
  const auto k = static_cast<int>(cost ? cost->n() : 0);
  check((by == HeldOutLoss::classes) == (k > 0) && (!cost || cost->shape(1) == cost->n()),
        "classes, and only they, need the cost of each answer");
  for (std::size_t i = 0; i < n_nodes; ++i)
    check(parent[i] >= -1 && parent[i] < static_cast<std::int32_t>(i), "a parent is out of range");
  check_codes(end.data(), n_rows, n_nodes, "a node is out of range");
  check_classes(answer, k, "an answer is not that of a class");
  check_classes(truth, k, "a label is not that of a class");
  bough::Losses losses;
  {
    nb::gil_scoped_release unlocked;
    losses = bough::held_out_losses(
        {static_cast<int>(n_nodes), parent.data(), complexity.data(), answer.data()},
        {static_cast<std::int64_t>(n_rows), end.data(), truth.data(), weight.data(), exposed}, alphas, by,
        cost ? cost->data() : nullptr, k);
  }
  return {to_numpy(std::move(losses.sum)), to_numpy(std::move(losses.square))};
}

std::optional<std::tuple<Output<std::int32_t>, std::size_t>> shuffled_runs(const Array<std::uint32_t>& random,
                                                                           int length, std::size_t n_runs) {
  check(length > 0, "a run needs a number");
  check(n_runs <= std::numeric_limits<std::int32_t>::max() / static_cast<std::size_t>(length),
        "the runs are too long");
  std::optional<bough::ShuffledRuns> runs = bough::shuffled_runs(random.data(), random.n(), length, n_runs);
  if (!runs) return std::nullopt;
  return {{to_numpy(std::move(runs->number)), runs->n_used}};
}

}  // namespace

void init_held_out(nb::module_& m) {
  using namespace nb::literals;
  m.def("held_out_losses", &held_out_losses, "parent"_a, "complexity"_a, "answer"_a, "end"_a, "truth"_a,
        "weight"_a, "exposure"_a.none(), "alphas"_a, "loss"_a, "cost"_a.none(),
        "For each alpha the weighted sum of the rows' losses under the tree pruned at it, and of their "
        "squares.");
  m.def(
      "shuffled_runs", &shuffled_runs, "random"_a, "length"_a, "n_runs"_a,
      "Runs of 0 to length - 1 in random order, from 32-bit random numbers, and how many of these they took; "
      "None if they do not suffice.");
}
