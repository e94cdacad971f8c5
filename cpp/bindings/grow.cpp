#include "bough/grow/grow.hpp"

#include "bins.hpp"
#include "bough/histogram/grow_binned.hpp"
#include "names.hpp"
#include "tree_arrays.hpp"
#include "watched.hpp"

namespace {

using namespace bough_python;

bough::Limits to_limits(const Reader& given) {
  bough::Limits l;
  given.read("max_depth", l.max_depth, "max_leaves", l.max_leaves, "min_cases_split", l.min_cases_split,
             "min_cases_leaf", l.min_cases_leaf, "min_cases_branch", l.min_cases_branch,
             "min_weight_fraction_leaf", l.min_weight_fraction_leaf, "min_decrease", l.min_decrease,
             "min_gain", l.min_gain, "purity", l.purity, "significance", l.significance, "min_variance",
             l.min_variance, "min_events", l.min_events, "min_risk", l.min_risk, "min_share", l.min_share);
  check(l.max_depth >= 0 && l.max_leaves >= 0, "a limit is negative");
  return l;
}

bough::Recipe to_recipe(const Reader& given, std::size_t n_columns, int n_classes, int n_targets) {
  using bough::Fallback;
  bough::Recipe recipe;
  recipe.criterion = bough::criterion_named(given.get<std::string>("criterion"), n_targets);
  recipe.nominal = nominal_named(given.get<std::string>("nominal"));
  recipe.fallback = named<Fallback>(
      given.get<std::string>("fallback"),
      {{"heaviest", Fallback::heaviest}, {"larger", Fallback::larger}, {"stay", Fallback::stay}}, "fallback");
  using bough::MissingRows;
  recipe.missing = named<MissingRows>(given.get<std::string>("missing"),
                                      {{"left_out", MissingRows::left_out},
                                       {"learned", MissingRows::learned},
                                       {"own_level", MissingRows::own_level}},
                                      "missing");
  recipe.limits = to_limits(given);
  bough::Surrogates& s = recipe.surrogates;
  given.read("max_exhaustive", recipe.max_exhaustive, "surrogates", s.most, "agreement_of_known", s.of_known,
             "surrogates_astray", s.astray, "surrogates_decide", s.decide, "competitors",
             recipe.n_competitors, "price", recipe.price, "zero_rates", recipe.zero_rates, "prior_events",
             recipe.prior_events, "split_loss", recipe.split_loss, "drawn_columns", recipe.draw.n_columns,
             "random_splits", recipe.draw.random_splits, "seed", recipe.draw.seed, "monotonic",
             recipe.monotonic);
  check_exhaustive(recipe.max_exhaustive);
  check(s.most >= 0 && recipe.n_competitors >= 0, "a number of splits to keep is negative");
  check(recipe.price.empty() || recipe.price.size() == n_columns, "each column needs a price");
  check(recipe.draw.n_columns >= 0 && recipe.draw.n_columns <= static_cast<int>(n_columns),
        "more columns are drawn than there are");
  const std::size_t k = static_cast<std::size_t>(n_classes);
  check(recipe.split_loss.empty() || recipe.split_loss.size() == k * k, "each pair of classes needs a loss");
  check(recipe.nominal != bough::Nominal::complete || (s.most == 0 && recipe.fallback == Fallback::heaviest),
        "only splits in two have surrogates");
  check(recipe.missing == MissingRows::left_out || s.most == 0, "surrogates need missing values left out");
  return recipe;
}

// What growth from histograms does not have.
void check_binned(const bough::Data& data, const bough::Recipe& recipe) {
  using bough::MissingRows;
  const bool by_moments = recipe.criterion.reads_moments() && !recipe.criterion.reads_rates();
  check(recipe.criterion.reads_classes() || by_moments, "the criterion needs more than bins hold");
  check(!data.own && recipe.surrogates.most == 0 && recipe.n_competitors == 0 && !recipe.draw.any() &&
            recipe.monotonic.empty() && recipe.prior_events == 0 && recipe.limits.min_share <= 0 &&
            recipe.limits.min_events <= 0,
        "a setting is not supported on bins");
  check(recipe.nominal != bough::Nominal::complete && recipe.missing != MissingRows::own_level &&
            recipe.fallback == bough::Fallback::heaviest,
        "only splits in two are made on bins");
}

nb::typed<nb::list, Dict> grow(const AnyColumns& columns, std::int64_t n_rows, int n_classes,
                               const Dict& target, const Dict& recipe, int n_folds, int n_threads,
                               const Progress& progress, const bough::BinnedTable* bins) {
  const Table table(columns, n_rows);
  Target given;
  Optional<std::int32_t> folds;
  Reader(target, "target")
      .read("label", given.label, "y", given.y, "weight", given.weight, "own", given.own, "cases",
            given.cases, "loss", given.loss, "targets", given.targets, "fold", folds);
  const bough::Data data = to_data(table, n_classes, given);
  const std::int32_t* fold = entries(folds, n_rows, "folds");
  check(n_folds >= 0 && (n_folds > 0) == (fold != nullptr), "each row needs a fold");
  check_codes(fold, n_rows, n_folds, "a fold is out of range", -1);
  const bough::Recipe own =
      to_recipe(Reader(recipe, "recipe"), data.columns.size(), n_classes, data.n_targets());
  check(own.criterion.reads_classes() == (n_classes > 0), "the criterion does not fit the target");
  check_directions(own.monotonic, data, own.criterion);
  check(data.n_targets() == 1 || (own.limits.significance >= 1 && own.prior_events <= 0),
        "tests and prior events are of one target");
  checked_threads(n_threads);
  if (bins) {
    check_bins(*bins, table);
    check_binned(data, own);
  }
  check(!data.columns[0].sparse() || own.surrogates.most == 0, "sparse columns have no surrogates");
  check_room_for_zeros(data, n_threads);

  std::vector<bough::GrownTree> trees = watched(progress, [&](const bough::Monitor& monitor) {
    if (bins) return bough::grow_binned(data, *bins, own, fold, n_folds, n_threads, monitor);
    return bough::grow_folds(data, own, fold, n_folds, n_threads, monitor);
  });
  nb::list arrays;
  for (bough::GrownTree& tree : trees) {
    nb::dict d = tree_dict(tree, std::max(1, data.node_width()));
    d["competitors"] = alternatives_dict(std::move(tree.competitors));
    d["surrogates"] = alternatives_dict(std::move(tree.surrogates));
    arrays.append(d);
  }
  return arrays;
}

}  // namespace

void init_grow(nb::module_& m) {
  using namespace nb::literals;
  m.def("grow", &grow, "columns"_a, "n_rows"_a, "n_classes"_a, "target"_a, "recipe"_a, "n_folds"_a,
        "n_threads"_a, "progress"_a.none(), "bins"_a.none() = nb::none(),
        "Grows a tree exactly or on bins, and one without each fold; returns their arrays, nodes numbered "
        "breadth first.");
}
