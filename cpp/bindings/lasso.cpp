// Linear models of few columns: the lasso path.
#include "bough/lasso/lasso.hpp"

#include <algorithm>
#include <cmath>

#include "arguments.hpp"
#include "watched.hpp"

namespace {

using namespace bough_python;
namespace lasso = bough::lasso;

lasso::Design to_design(const Array<std::int64_t>& start, const Array<std::int32_t>& rows,
                        const Array<double, 2>& numbers, const Optional<std::int32_t>& only) {
  lasso::Design design;
  design.n_rows = checked_rows(static_cast<std::int64_t>(numbers.shape(1)), 1);
  check_starts(start, rows.n(), "the starts of the indicators are wrong");
  check_codes(rows.data(), static_cast<std::int64_t>(rows.n()), design.n_rows, "an indicator names no row");
  check_finite(numbers.data(), numbers.size(), "numbers");
  design.start = start.data();
  design.rows = rows.data();
  design.n_indicators = static_cast<std::int64_t>(start.n()) - 1;
  design.numbers = numbers.data();
  design.n_numbers = static_cast<std::int64_t>(numbers.n());
  design.only = entries(only, design.n_columns(), "scores of columns");
  return design;
}

lasso::Target to_target(const Array<double>& y, const Optional<double>& weight,
                        const Optional<std::int32_t>& fold, const Reader& given, std::int64_t n_rows) {
  lasso::Target target;
  check(static_cast<std::int64_t>(y.n()) == n_rows, "y has the wrong length");
  check_finite(y.data(), y.n(), "y");
  target.y = y.data();
  target.weight = entries(weight, n_rows, "weights");
  check_weights(target.weight, static_cast<std::size_t>(n_rows), "weights");
  check(!target.weight || std::any_of(weight->begin(), weight->end(), [](double each) { return each > 0; }),
        "no row has a weight");
  given.read("n_scores", target.n_scores, "n_folds", target.n_folds);
  target.loss = named<lasso::Loss>(given.get<std::string>("loss"),
                                   {{"squared_error", lasso::Loss::squared},
                                    {"logistic", lasso::Loss::logistic},
                                    {"softmax", lasso::Loss::softmax}},
                                   "loss");
  const bool softmax = target.loss == lasso::Loss::softmax;
  check(softmax ? target.n_scores >= 2 : target.n_scores == 1, "the number of scores is wrong");
  const int n_classes = softmax ? target.n_scores : 2;
  for (const double each : y)
    check(target.loss == lasso::Loss::squared || (each >= 0 && each < n_classes && each == std::floor(each)),
          "y is no code of a class");
  target.fold = entries(fold, n_rows, "folds");
  check(target.n_folds >= 0 && target.n_folds <= n_rows, "the number of folds is out of range");
  check((target.n_folds > 0) == (target.fold != nullptr), "rows need folds");
  check_codes(target.fold, n_rows, target.n_folds, "a fold is out of range");
  return target;
}

Dict lasso_path(const Array<std::int64_t>& start, const Array<std::int32_t>& rows,
                const Array<double, 2>& numbers, const Optional<std::int32_t>& only, const Array<double>& y,
                const Optional<double>& weight, const Optional<std::int32_t>& fold, const Dict& settings,
                int n_threads, const Progress& progress) {
  const lasso::Design design = to_design(start, rows, numbers, only);
  const Reader given(settings, "settings");
  const lasso::Target target = to_target(y, weight, fold, given, design.n_rows);
  check_codes(design.only, design.n_columns(), target.n_scores, "a column adds to no score");
  lasso::Settings chosen;
  given.read("penalties", chosen.penalties, "n_penalties", chosen.n_penalties, "least_share",
             chosen.least_share, "max_terms", chosen.max_terms, "tolerance", chosen.tolerance, "max_sweeps",
             chosen.max_sweeps);
  check(chosen.n_penalties >= 1 && chosen.max_terms >= 0 && chosen.max_sweeps >= 1, "a setting is too small");
  check(chosen.least_share > 0 && chosen.least_share <= 1, "the last penalty must be below the first");
  check(chosen.tolerance > 0, "the tolerance must be above 0");
  for (const double penalty : chosen.penalties)
    check(std::isfinite(penalty) && penalty >= 0, "a penalty is negative or not finite");
  checked_threads(n_threads);
  lasso::Path path = watched(progress, [&](const bough::Monitor& monitor) {
    bough::Watch watch(monitor, target.n_folds + 1);
    return lasso::lasso_path(design, target, chosen, n_threads, watch);
  });
  Dict d;
  put(d, "penalties", path.penalties, "intercept", path.intercept, "loss", path.loss, "start", path.start,
      "column", path.column, "score", path.score, "coefficient", path.coefficient, "held_out", path.held_out);
  return d;
}

}  // namespace

void init_lasso(nb::module_& m) {
  using namespace nb::literals;
  m.def(
      "lasso_path", &lasso_path, "start"_a, "rows"_a, "numbers"_a, "only"_a.none(), "y"_a, "weight"_a.none(),
      "fold"_a.none(), "settings"_a, "n_threads"_a, "progress"_a.none(),
      "Linear models of indicators, given by their rows, and of numbers, a column in each row of `numbers`, "
      "for falling penalties of their coefficients.");
}
