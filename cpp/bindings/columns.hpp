// Columns of a table as Python hands them over: (array, scale, number of levels) each.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "bough/data/column.hpp"

namespace bough_python {

using ColumnArray = nb::ndarray<nb::ndim<1>, nb::ro, nb::device::cpu>;

// Views of the columns, and the arrays they look into, which stay alive as long.
struct GivenColumns {
  std::vector<ColumnArray> arrays;
  std::vector<bough::Column> views;
};

inline bough::Scale scale_named(const std::string& name) {
  if (name == "numeric") return bough::Scale::numeric;
  if (name == "ordinal") return bough::Scale::ordinal;
  if (name == "nominal") return bough::Scale::nominal;
  throw std::invalid_argument("unknown scale " + name);
}

inline bough::Column::Type type_of(const ColumnArray& array) {
  if (array.dtype() == nb::dtype<float>()) return bough::Column::Type::float32;
  if (array.dtype() == nb::dtype<double>()) return bough::Column::Type::float64;
  if (array.dtype() == nb::dtype<std::int32_t>()) return bough::Column::Type::code;
  throw std::invalid_argument("a column must be float32, float64 or int32");
}

inline bough::Column view_of(const ColumnArray& array, const std::string& scale, int n_levels,
                             std::int64_t n_rows) {
  bough::Column column;
  column.type = type_of(array);
  column.scale = scale_named(scale);
  column.n_levels = n_levels;
  column.data = static_cast<const char*>(array.data());
  column.stride = array.stride(0) * static_cast<std::int64_t>(array.itemsize());
  if ((column.type == bough::Column::Type::code) != (column.scale != bough::Scale::numeric))
    throw std::invalid_argument("numeric columns are floats, others int32 codes");
  if (static_cast<std::int64_t>(array.shape(0)) != n_rows)
    throw std::invalid_argument("columns differ in length");
  if (column.type == bough::Column::Type::code)
    for (std::int64_t i = 0; i < n_rows; ++i)
      if (column.code(i) < -1 || column.code(i) >= n_levels)
        throw std::invalid_argument("a code is not that of a level");
  return column;
}

inline GivenColumns to_columns(const nb::list& given, std::int64_t n_rows) {
  GivenColumns columns;
  for (nb::handle one : given) {
    const auto parts = nb::cast<nb::tuple>(one);
    columns.arrays.push_back(nb::cast<ColumnArray>(parts[0]));
    columns.views.push_back(
        view_of(columns.arrays.back(), nb::cast<std::string>(parts[1]), nb::cast<int>(parts[2]), n_rows));
  }
  return columns;
}

}  // namespace bough_python
