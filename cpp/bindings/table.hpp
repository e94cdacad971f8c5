// Tables as Python hands them over: columns as (array, scale, number of levels), the target and the weights.
#pragma once

#include <algorithm>
#include <numeric>

#include "arguments.hpp"
#include "bough/grow/problem.hpp"

namespace bough_python {

using ColumnArray = nb::ndarray<nb::ndim<1>, nb::ro, nb::device::cpu>;

// list[tuple[array, scale, number of levels]]
using ColumnList = nb::typed<nb::list, nb::typed<nb::tuple, nb::any, nb::str, int>>;

inline bough::Column::Type type_of(const ColumnArray& array) {
  if (array.dtype() == nb::dtype<float>()) return bough::Column::Type::float32;
  if (array.dtype() == nb::dtype<double>()) return bough::Column::Type::float64;
  if (array.dtype() == nb::dtype<std::int32_t>()) return bough::Column::Type::code;
  throw std::invalid_argument("a column must be float32, float64 or int32");
}

// Columns of n_rows values each, with codes that are those of levels; holds on to the arrays they look into.
class Table {
 public:
  Table(const nb::list& columns, std::int64_t n_rows) : n_rows(checked_rows(n_rows)) {
    for (nb::handle column : columns) {
      nb::tuple parts;
      check(nb::try_cast<nb::tuple>(column, parts) && parts.size() == 3,
            "a column must be (array, scale, number of levels)");
      add(parts);
    }
  }

  std::vector<int> n_levels() const {
    std::vector<int> n;
    for (const bough::Column& column : columns) n.push_back(column.n_levels);
    return n;
  }

  std::int64_t n_rows;
  std::vector<bough::Column> columns;

 private:
  void add(const nb::tuple& parts) {
    ColumnArray array;
    std::string scale;
    int n_levels = 0;
    check(nb::try_cast<ColumnArray>(parts[0], array), "a column must be an array of one dimension");
    check(nb::try_cast<std::string>(parts[1], scale) && nb::try_cast<int>(parts[2], n_levels),
          "a column must be (array, scale, number of levels)");
    const auto kind = named<bough::Scale>(scale,
                                          {{"numeric", bough::Scale::numeric},
                                           {"ordinal", bough::Scale::ordinal},
                                           {"nominal", bough::Scale::nominal}},
                                          "scale");
    const bough::Column column{type_of(array), kind, static_cast<const char*>(array.data()),
                               array.stride(0) * static_cast<std::int64_t>(array.itemsize()), n_levels};
    const bool numeric = kind == bough::Scale::numeric, coded = column.type == bough::Column::Type::code;
    check(numeric != coded, "numeric columns must be floats, others int32 codes");
    check(numeric ? n_levels == 0 : n_levels >= 0, "a column has an impossible number of levels");
    check(static_cast<std::int64_t>(array.shape(0)) == n_rows, "a column has the wrong length");
    for (std::int64_t i = 0; coded && i < n_rows; ++i)
      check(column.code(i) >= -1 && column.code(i) < n_levels, "a code is not that of a level");
    arrays_.push_back(std::move(array));
    columns.push_back(column);
  }

  std::vector<ColumnArray> arrays_;
};

// The table must have the columns that a model was made for.
inline void check_same_columns(const Table& table, const std::vector<int>& n_levels) {
  check(table.columns.size() == n_levels.size(), "the table has another number of columns than the model");
  check(table.n_levels() == n_levels, "a column has another number of levels than in the model");
}

// The target and the weights of the rows, each an array or None.
struct Target {
  Optional<std::int32_t> label;
  Optional<double> y, weight, cases, own, loss;
  std::vector<int> targets = {};  // of several targets the classes of each, 0 for a number
};

// n_classes: 0 where the target is a number.
inline bough::Data to_data(const Table& table, int n_classes, const Target& target) {
  const std::int64_t n = checked_rows(table.n_rows, 1), k = n_classes;
  check(!table.columns.empty(), "a table needs a column");
  check(k >= 0, "the number of classes is negative");
  bough::Data data;
  data.columns = table.columns;
  data.n_rows = n;
  data.n_classes = n_classes;
  data.targets = target.targets;
  check(data.targets.empty() || data.targets.size() > 1, "several targets are two or more");
  check(std::all_of(data.targets.begin(), data.targets.end(),
                    [k](int each) { return each == 0 ? k == 0 : each > 0; }),
        "all targets have classes, or all are numbers");
  check(
      data.targets.empty() || k == std::accumulate(data.targets.begin(), data.targets.end(), std::int64_t{0}),
      "the classes of the targets do not add up");
  check(data.targets.empty() || (!target.own && !target.loss), "losses are of one target");
  const std::int64_t n_answers = n * data.n_targets();
  data.label = entries(target.label, n_answers, "labels");
  data.y = entries(target.y, n_answers, "y");
  data.weight = entries(target.weight, n, "weights");
  data.cases = entries(target.cases, n, "cases");
  data.own = entries(target.own, n, "own weights");
  data.loss = entries(target.loss, k * k, "losses");
  check((data.label != nullptr) != (data.y != nullptr) && (data.label != nullptr) == (k > 0),
        "either labels of classes or numbers must be given");
  check(!data.own || data.weight, "own weights go beside those of the splits");
  check_codes(data.label, n_answers, k, "a label is not that of a class");
  check_finite(data.y, n_answers, "y");
  check_weights(data.weight, n, "weights");
  check_weights(data.cases, n, "cases");
  check_weights(data.own, n, "own weights");
  check_finite(data.loss, k * k, "losses");
  return data;
}

// directions: of each column, as monotonic constraints give them; none: no column is constrained.
inline void check_directions(const std::vector<int>& directions, const bough::Data& data,
                             bough::Criterion criterion) {
  if (directions.empty()) return;
  check(directions.size() == data.columns.size(), "each column needs a direction");
  check(data.n_classes == 2 || criterion.reads_moments(), "constraints need two classes or means");
  for (std::size_t c = 0; c < directions.size(); ++c) {
    check(directions[c] >= -1 && directions[c] <= 1, "a direction is -1, 0 or 1");
    check(directions[c] == 0 || data.columns[c].scale != bough::Scale::nominal,
          "levels without an order cannot be constrained");
  }
}

// grown: which rows to grow on; null: all.
inline void check_any_row(const bough::Data& data, const std::uint8_t* grown = nullptr) {
  for (std::int64_t i = 0; i < data.n_rows; ++i)
    if ((!grown || grown[i]) && (!data.weight || data.weight[i] > 0)) return;
  throw std::invalid_argument("there is no row to grow on");
}

}  // namespace bough_python
