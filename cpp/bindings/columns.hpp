// Columns of a table as Python hands them over: (array, scale, number of levels) each.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "bough/column.hpp"

namespace bough_python {

inline bough::Column to_column(nb::handle given, std::int64_t n_rows) {
  const auto parts = nb::cast<nb::tuple>(given);
  const auto array = nb::cast<nb::ndarray<nb::ndim<1>, nb::ro, nb::device::cpu>>(parts[0]);
  const auto scale = nb::cast<std::string>(parts[1]);
  bough::Column column;
  if (array.dtype() == nb::dtype<float>())
    column.type = bough::Column::Type::float32;
  else if (array.dtype() == nb::dtype<double>())
    column.type = bough::Column::Type::float64;
  else if (array.dtype() == nb::dtype<std::int32_t>())
    column.type = bough::Column::Type::code;
  else
    throw std::invalid_argument("a column must be float32, float64 or int32");
  column.scale = scale == "numeric"   ? bough::Scale::numeric
                 : scale == "ordinal" ? bough::Scale::ordinal
                                      : bough::Scale::nominal;
  if ((column.type == bough::Column::Type::code) != (column.scale != bough::Scale::numeric))
    throw std::invalid_argument("numeric columns are floats, others int32 codes");
  if (static_cast<std::int64_t>(array.shape(0)) != n_rows)
    throw std::invalid_argument("columns differ in length");
  column.n_levels = nb::cast<int>(parts[2]);
  column.data = static_cast<const char*>(array.data());
  column.stride = array.stride(0) * static_cast<std::int64_t>(array.itemsize());
  if (column.type == bough::Column::Type::code)
    for (std::int64_t i = 0; i < n_rows; ++i)
      if (column.code(i) < -1 || column.code(i) >= column.n_levels)
        throw std::invalid_argument("a code is not that of a level");
  return column;
}

// The arrays must outlive the columns: the caller holds the list.
inline std::vector<bough::Column> to_columns(const nb::list& given, std::int64_t n_rows) {
  std::vector<bough::Column> columns;
  for (nb::handle one : given) columns.push_back(to_column(one, n_rows));
  return columns;
}

}  // namespace bough_python
