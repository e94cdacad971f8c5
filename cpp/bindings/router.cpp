#include "bough/predict/router.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "columns.hpp"

namespace {

using namespace bough_python;

void check(bool right, const char* wrong) {
  if (!right) throw std::invalid_argument(wrong);
}

// Surrogates as Python hands them over, and the arrays they look into.
struct GivenSurrogates {
  std::optional<Input<std::int64_t, 1>> start, level_start;
  std::optional<Input<std::int32_t, 1>> column, level_code, level_branch;
  std::optional<Input<double, 1>> cut;
  std::optional<Input<std::uint8_t, 1>> turned;
  bough::SurrogateView view;

  GivenSurrogates(const std::optional<nb::dict>& given, const Input<std::int32_t, 1>& n_children,
                  const std::vector<int>& n_levels) {
    if (!given) return;
    take(*given, "start", start, view.start);
    take(*given, "column", column, view.column);
    take(*given, "cut", cut, view.cut);
    take(*given, "turned", turned, view.turned);
    take(*given, "level_start", level_start, view.level_start);
    take(*given, "level_code", level_code, view.level_code);
    take(*given, "level_branch", level_branch, view.level_branch);
    const std::size_t n = column->shape(0), n_pairs = level_code->shape(0);
    check(start->shape(0) == n_children.shape(0) + 1 && cut->shape(0) == n && turned->shape(0) == n &&
              level_start->shape(0) == n + 1 && level_branch->shape(0) == n_pairs,
          "the arrays of the surrogates differ in length");
    check_runs(view.start, n_children.shape(0), n);
    check_runs(view.level_start, n, n_pairs);
    for (std::size_t i = 0; i < n_children.shape(0); ++i)
      check(view.start[i] == view.start[i + 1] || n_children.data()[i] == 2,
            "only a split in two has surrogates");
    for (std::size_t s = 0; s < n; ++s) {
      const std::int32_t c = view.column[s];
      check(c >= 0 && c < static_cast<std::int32_t>(n_levels.size()), "a surrogate's column is out of range");
      for (std::int64_t p = view.level_start[s]; p < view.level_start[s + 1]; ++p)
        check(view.level_code[p] >= 0 && view.level_code[p] < n_levels[c] && view.level_branch[p] >= 0 &&
                  view.level_branch[p] < 2,
              "a surrogate's level or branch is out of range");
    }
  }

 private:
  template <class T>
  static void take(const nb::dict& given, const char* name, std::optional<Input<T, 1>>& array,
                   const T*& pointer) {
    array = nb::cast<Input<T, 1>>(given[name]);
    pointer = array->data();
  }
  static void check_runs(const std::int64_t* start, std::size_t n, std::size_t end) {
    check(start[0] == 0 && start[n] == static_cast<std::int64_t>(end),
          "the surrogates of a node are out of range");
    for (std::size_t i = 0; i < n; ++i)
      check(start[i] <= start[i + 1], "the surrogates of a node are out of range");
  }
};

bough::Router make_router(Input<std::int32_t, 1> first_child, Input<std::int32_t, 1> n_children,
                          Input<std::int32_t, 1> column, Input<std::uint8_t, 1> kind, Input<double, 1> cut,
                          Input<std::int32_t, 1> default_branch, Input<std::int64_t, 1> level_start,
                          Input<std::int32_t, 1> level_code, Input<std::int32_t, 1> level_branch,
                          const std::vector<int>& n_levels, const std::optional<nb::dict>& surrogates) {
  const std::size_t n = first_child.shape(0);
  check(n > 0 && n_children.shape(0) == n && column.shape(0) == n && kind.shape(0) == n &&
            cut.shape(0) == n && default_branch.shape(0) == n && level_start.shape(0) == n + 1 &&
            level_code.shape(0) == level_branch.shape(0),
        "the arrays of a tree differ in length");
  const auto n_pairs = static_cast<std::int64_t>(level_code.shape(0));
  const auto n_columns = static_cast<std::int32_t>(n_levels.size());
  for (std::size_t i = 0; i < n; ++i) {
    if (kind.data()[i] == 0) continue;
    const std::int64_t first = first_child.data()[i], many = n_children.data()[i];
    const std::int32_t c = column.data()[i];
    check(kind.data()[i] <= 5 && c >= 0 && c < n_columns && first > static_cast<std::int64_t>(i) &&
              many >= 1 && first + many <= static_cast<std::int64_t>(n),
          "a node's column or children are out of range");
    check(default_branch.data()[i] >= -1 && default_branch.data()[i] < many,
          "a default branch is out of range");
    check((kind.data()[i] != 1 && kind.data()[i] != 5) || many == 2, "a threshold has two branches");
    const std::int64_t begin = level_start.data()[i], end = level_start.data()[i + 1];
    check(begin >= 0 && begin <= end && end <= n_pairs, "the levels of a node are out of range");
    for (std::int64_t p = begin; p < end; ++p) {
      check(level_code.data()[p] >= 0 && level_code.data()[p] < n_levels[c], "a level is out of range");
      check(level_branch.data()[p] >= 0 && level_branch.data()[p] < many, "a branch is out of range");
    }
  }
  const GivenSurrogates stand_ins(surrogates, n_children, n_levels);
  return bough::Router(
      {static_cast<int>(n), first_child.data(), column.data(), kind.data(), cut.data(), default_branch.data(),
       level_start.data(), level_code.data(), level_branch.data(), stand_ins.view},
      n_levels);
}

Output<std::int32_t> apply(const bough::Router& router, const nb::list& columns, std::int64_t n_rows,
                           int n_threads) {
  const GivenColumns given = to_columns(columns, n_rows);
  check(given.views.size() == router.n_columns(), "the table has another number of columns than the tree");
  for (std::size_t c = 0; c < given.views.size(); ++c)
    check(given.views[c].n_levels == router.n_levels(c),
          "a column has another number of levels than the tree's");
  std::vector<std::int32_t> leaf(n_rows);
  {
    nb::gil_scoped_release unlocked;
    router.apply(given.views, n_rows, n_threads, leaf.data());
  }
  return to_numpy(std::move(leaf));
}

}  // namespace

void init_router(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<bough::Router>(m, "Router", "Takes rows down a tree to their leaves.")
      .def(nb::new_(&make_router), "first_child"_a, "n_children"_a, "column"_a, "kind"_a, "cut"_a,
           "default_branch"_a, "level_start"_a, "level_code"_a, "level_branch"_a, "n_levels"_a,
           "surrogates"_a.none() = nb::none())
      .def("apply", &apply, "columns"_a, "n_rows"_a, "n_threads"_a, "The leaf of each row.");
}
