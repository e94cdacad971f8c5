// Tables as Python hands them over: columns as (array, scale, number of levels), the target and the weights.
#pragma once

#include <algorithm>
#include <numeric>

#include "arguments.hpp"
#include "bough/data/sparse_rows.hpp"
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

// Either a ColumnList, or the columns of a sparse table: an object with the number of columns for its length,
// and stored values as (start, index, value): `by_column` with the rows of each column, ascending, `by_row`
// with the columns of each row.
using AnyColumns = nb::object;

// Stored values of a sparse table, those of one column or row after those of the one before.
struct StoredValues {
  Array<std::int64_t> start;
  Array<std::int32_t> index;
  ColumnArray value;
  bough::Column::Type type = bough::Column::Type::sparse64;

  // n: of columns or rows; n_indices: of what the index counts.
  StoredValues(const nb::object& columns, const char* order, std::int64_t n, std::int64_t n_indices) {
    nb::tuple parts;
    check(nb::hasattr(columns, order) && nb::try_cast<nb::tuple>(columns.attr(order), parts) &&
              parts.size() == 3 && nb::try_cast(parts[0], start) && nb::try_cast(parts[1], index) &&
              nb::try_cast(parts[2], value),
          "a sparse table must be (start, index, value) by column and by row");
    const bough::Column::Type dense = type_of(value);
    check(dense != bough::Column::Type::code, "the values of a sparse table must be floats");
    if (dense == bough::Column::Type::float32) type = bough::Column::Type::sparse32;
    const std::size_t size = value.shape(0);
    check(static_cast<std::int64_t>(start.n()) == n + 1 && index.n() == size &&
              (size == 0 || value.stride(0) == 1),
          "the arrays of a sparse table do not fit each other");
    check_starts(start, size, "the stored values of a column are out of range");
    check_codes(index.data(), static_cast<std::int64_t>(size), n_indices, "a stored value is out of range");
  }

  const char* at(std::int64_t position) const {
    return static_cast<const char*>(value.data()) + position * static_cast<std::int64_t>(value.itemsize());
  }
};

// Columns of n_rows values each, with codes that are those of levels; holds on to the arrays they look into.
class Table {
 public:
  // A table of columns, which may be sparse.
  Table(const AnyColumns& columns, std::int64_t n_rows) : n_rows(checked_rows(n_rows)) {
    if (nb::isinstance<nb::list>(columns)) {
      add_all(nb::cast<nb::list>(columns));
      return;
    }
    const auto n_columns = static_cast<std::int64_t>(nb::len(columns));
    const StoredValues& stored = stored_.emplace(columns, "by_column", n_columns, n_rows);
    for (std::int64_t c = 0; c < n_columns; ++c) {
      const std::int64_t begin = stored.start[c], count = stored.start[c + 1] - begin;
      const std::int32_t* rows = stored.index.data() + begin;
      for (std::int64_t i = 1; i < count; ++i)
        check(rows[i - 1] < rows[i], "the rows of a sparse column do not ascend");
      this->columns.push_back({stored.type, bough::Scale::numeric, stored.at(begin),
                               static_cast<std::int64_t>(stored.value.itemsize()), 0, rows, count});
    }
  }

  Table(const nb::list& columns, std::int64_t n_rows) : n_rows(checked_rows(n_rows)) { add_all(columns); }

  std::vector<int> n_levels() const {
    std::vector<int> n;
    for (const bough::Column& column : columns) n.push_back(column.n_levels);
    return n;
  }

  std::int64_t n_rows;
  std::vector<bough::Column> columns;

 private:
  void add_all(const nb::list& columns) {
    for (nb::handle column : columns) {
      nb::tuple parts;
      check(nb::try_cast<nb::tuple>(column, parts) && parts.size() == 3,
            "a column must be (array, scale, number of levels)");
      add(parts);
    }
  }

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
  std::optional<StoredValues> stored_;
};

// The rows of a sparse table; holds on to the arrays they look into.
class SparseRowTable {
 public:
  SparseRowTable(const AnyColumns& columns, std::int64_t n_rows)
      : n_columns_(static_cast<std::int64_t>(nb::len(columns))),
        stored_(columns, "by_row", checked_rows(n_rows), n_columns_) {
    const bool brief = stored_.type == bough::Column::Type::sparse32;
    rows.start = stored_.start.data();
    rows.column = stored_.index.data();
    rows.floats = brief ? static_cast<const float*>(stored_.value.data()) : nullptr;
    rows.doubles = brief ? nullptr : static_cast<const double*>(stored_.value.data());
    rows.n_rows = n_rows;
    rows.n_columns = static_cast<int>(n_columns_);
    for (std::int64_t row = 0; row < n_rows; ++row)
      for (std::int64_t i = rows.start[row] + 1; i < rows.start[row + 1]; ++i)
        check(rows.column[i - 1] < rows.column[i], "the columns of a sparse row do not ascend");
  }

  bough::SparseRows rows;

 private:
  std::int64_t n_columns_;
  StoredValues stored_;
};

// The rows must have the columns that a model was made for.
inline void check_same_columns(const SparseRowTable& table, const std::vector<int>& n_levels) {
  check(static_cast<std::size_t>(table.rows.n_columns) == n_levels.size(),
        "the table has another number of columns than the model");
  for (const int n : n_levels) check(n == 0, "a column has another number of levels than in the model");
}

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

// Rows that stand for zeros are numbered after all others: one of each class for each thread.
inline void check_room_for_zeros(const bough::Data& data, int n_threads) {
  const std::int64_t standing = static_cast<std::int64_t>(std::max(1, data.n_classes)) * n_threads;
  check(!data.columns[0].sparse() || data.n_rows + standing < std::int64_t{1} << 31,
        "a sparse table of so many classes has too many rows");
}

// grown: which rows to grow on; null: all.
inline void check_any_row(const bough::Data& data, const std::uint8_t* grown = nullptr) {
  for (std::int64_t i = 0; i < data.n_rows; ++i)
    if ((!grown || grown[i]) && (!data.weight || data.weight[i] > 0)) return;
  throw std::invalid_argument("there is no row to grow on");
}

}  // namespace bough_python
