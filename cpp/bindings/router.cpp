#include "bough/predict/router.hpp"

#include "bough/machine/buffer.hpp"
#include "table.hpp"
#include "tree_arrays.hpp"
#include "watched.hpp"

namespace {

using namespace bough_python;

// Surrogates as Python hands them over, and the arrays they look into.
struct Surrogates {
  Array<std::int64_t> start, level_start;
  Array<std::int32_t> column, level_code, level_branch;
  Array<double> cut;
  Array<std::uint8_t> turned;

  Surrogates(const nb::dict& given, const Array<std::int32_t>& n_children, const std::vector<int>& n_levels) {
    Reader(given, "surrogates")
        .read("start", start, "column", column, "cut", cut, "turned", turned, "level_start", level_start,
              "level_code", level_code, "level_branch", level_branch);
    const char* differ = "the arrays of the surrogates differ in length";
    const std::size_t n = column.n();
    check_lengths(n, differ, cut, turned);
    check_lengths(n + 1, differ, level_start);
    check_lengths(n_children.n() + 1, differ, start);
    check_lengths(level_code.n(), differ, level_branch);
    check_starts(start, n, "the surrogates of a node are out of range");
    check_starts(level_start, level_code.n(), "the levels of a surrogate are out of range");
    for (std::size_t i = 0; i < n_children.n(); ++i)
      check(start[i] == start[i + 1] || n_children[i] == 2, "only a split in two has surrogates");
    check_codes(column.data(), n, n_levels.size(), "a surrogate's column is out of range");
    check_codes(level_branch.data(), level_branch.n(), 2, "a surrogate's branch is out of range");
    for (std::size_t s = 0; s < n; ++s)
      check_codes(level_code.data() + level_start[s], level_start[s + 1] - level_start[s],
                  n_levels[column[s]], "a surrogate's level is out of range");
  }

  bough::SurrogateView view() const {
    return {start.data(),       column.data(),     cut.data(),         turned.data(),
            level_start.data(), level_code.data(), level_branch.data()};
  }
};

bough::Router make_router(const Dict& tree, const std::vector<int>& n_levels,
                          const std::optional<Dict>& surrogates, const std::optional<Dict>& intervals) {
  for (const int n : n_levels) check(n >= 0, "a column has an impossible number of levels");
  const TreeArrays arrays(tree, n_levels, intervals);
  if (!surrogates) return bough::Router(arrays.view(), n_levels);
  const Surrogates given(*surrogates, arrays.n_children(), n_levels);
  return bough::Router(arrays.view(given.view()), n_levels);
}

Output<std::int32_t> apply(const bough::Router& router, const AnyColumns& columns, std::int64_t n_rows,
                           int n_threads) {
  checked_threads(n_threads);
  std::vector<std::int32_t> leaf(checked_rows(n_rows));
  if (!nb::isinstance<nb::list>(columns)) {
    const SparseRowTable table(columns, n_rows);
    check_same_columns(table, router.n_levels());
    watched({}, [&](const bough::Monitor& monitor) {
      router.apply(table.rows, n_threads, leaf.data(), monitor);
    });
    return to_numpy(std::move(leaf));
  }
  const Table table(columns, n_rows);
  check_same_columns(table, router.n_levels());
  watched({}, [&](const bough::Monitor& monitor) {
    router.apply(table.columns, n_rows, n_threads, leaf.data(), monitor);
  });
  return to_numpy(std::move(leaf));
}

// The words of each row's leaf.
Output<std::int64_t> answers(const bough::Router& router, const AnyColumns& columns, std::int64_t n_rows,
                             const Array<std::int64_t, 2>& of_node, int n_threads) {
  checked_threads(n_threads);
  const Table table(columns, n_rows);
  check_same_columns(table, router.n_levels());
  check(of_node.n() == static_cast<std::size_t>(router.n_nodes()), "each node needs an answer");
  const std::size_t width = of_node.shape(1);
  bough::RawVector<std::int64_t> words(checked_rows(n_rows) * width);
  watched({}, [&](const bough::Monitor& monitor) {
    router.answer(table.columns, n_rows, n_threads, of_node.data(), static_cast<int>(width), words.data(),
                  monitor);
  });
  return to_numpy(std::move(words), {static_cast<std::size_t>(n_rows), width});
}

}  // namespace

void init_router(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<bough::Router>(m, "Router", "Takes rows down a tree to their leaves.")
      .def(nb::new_(&make_router), "tree"_a, "n_levels"_a, "surrogates"_a.none() = nb::none(),
           "intervals"_a.none() = nb::none())
      .def("apply", &apply, "columns"_a, "n_rows"_a, "n_threads"_a, "The leaf of each row.")
      .def("answers", &answers, "columns"_a, "n_rows"_a, "of_node"_a, "n_threads"_a,
           "The words of the leaf of each row, of those of all nodes.");
}
