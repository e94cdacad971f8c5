#include "bough/data/bins.hpp"

#include <nanobind/stl/pair.h>

#include "bins.hpp"
#include "watched.hpp"

namespace {

using namespace bough_python;

constexpr std::int64_t kValuesForTeam = 32768;  // fewer values take less time than starting a thread

bough::BinnedTable* bin_table(const ColumnList& columns, std::int64_t n_rows, const Optional<double>& cases,
                              const Optional<std::uint8_t>& in_rule, int max_bins, int n_threads,
                              const Progress& progress) {
  const Table table(columns, n_rows);
  check(max_bins >= 2 && max_bins <= bough::kMostBins, "max_bins must be 2 to 65534");
  const double* own = entries(cases, n_rows, "cases");
  check_weights(own, n_rows, "cases");
  const std::uint8_t* rule = entries(in_rule, n_rows, "in_rule");
  checked_threads(n_threads);
  return watched(progress, [&](const bough::Monitor& monitor) {
    bough::Watch watch(monitor);
    const bool is_small = n_rows * static_cast<std::int64_t>(columns.size()) < kValuesForTeam;
    bough::Team team(is_small ? 1 : n_threads);
    return new bough::BinnedTable(bough::bin_table(table.columns, n_rows, own, rule, max_bins, team,
                                                   [&watch] { watch.poll_or_throw(); }));
  });
}

const bough::ColumnBins& column_of(const bough::BinnedTable& table, int column) {
  check(column >= 0 && column < static_cast<int>(table.columns.size()), "there is no such column");
  return table.columns[column];
}

Output<std::uint16_t> codes(const bough::BinnedTable& table, int column) {
  column_of(table, column);
  std::vector<std::uint16_t> codes(table.n_rows);
  for (std::int64_t i = 0; i < table.n_rows; ++i)
    codes[i] = static_cast<std::uint16_t>(table.code(column, i));
  return to_numpy(std::move(codes));
}

std::pair<Output<double>, Output<double>> extremes(const bough::BinnedTable& table, int column) {
  const bough::ColumnBins& bins = column_of(table, column);
  return {to_numpy(std::vector<double>(bins.lowest)), to_numpy(std::vector<double>(bins.highest))};
}

}  // namespace

void init_bins(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<bough::BinnedTable>(m, "BinnedTable", "The columns of a table as codes of bins.")
      .def_prop_ro("n_rows", [](const bough::BinnedTable& table) { return table.n_rows; })
      .def_prop_ro("n_columns", [](const bough::BinnedTable& table) { return table.columns.size(); })
      .def("codes", &codes, "column"_a, "The code of each row; missing values have the number of bins.")
      .def("extremes", &extremes, "column"_a, "The lowest and the highest value of each bin.");
  m.def("bin_table", &bin_table, "columns"_a, "n_rows"_a, "cases"_a.none(), "in_rule"_a.none(), "max_bins"_a,
        "n_threads"_a, "progress"_a.none(), "Divides the values of every column into bins.");
}
