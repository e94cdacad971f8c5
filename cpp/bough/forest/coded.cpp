#include "bough/forest/coded.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "bough/data/entry.hpp"
#include "bough/data/presort.hpp"

namespace bough {

namespace {

// Columns sorted at a time: the sorted lists take twice the memory of the codes, so not all are held at once.
constexpr std::size_t kColumnsAtOnce = 16;

CodedColumn numbers_coded(const std::uint64_t* list, std::int64_t n, std::uint32_t* code) {
  constexpr std::uint32_t kMissing = EntryTraits<std::uint64_t>::kMissing;
  CodedColumn coded;
  coded.code = code;
  std::uint32_t last = 0;
  std::int64_t i = 0;
  for (; i < n && code_of(list[i]) != kMissing; ++i) {
    const std::uint32_t value = code_of(list[i]);
    coded.n_codes += i > 0 && value != last;
    last = value;
    code[index_of(list[i])] = coded.n_codes;
  }
  coded.n_codes += i > 0;
  coded.has_missing = i < n;
  for (; i < n; ++i) code[index_of(list[i])] = coded.n_codes;
  return coded;
}

CodedColumn levels_coded(const Column& column, std::int64_t n, std::uint32_t* code) {
  CodedColumn coded;
  coded.code = code;
  coded.n_codes = static_cast<std::uint32_t>(column.n_levels);
  for (std::int64_t i = 0; i < n; ++i) {
    const int level = column.code(i);
    coded.has_missing |= level < 0;
    code[i] = level < 0 ? coded.n_codes : static_cast<std::uint32_t>(level);
  }
  return coded;
}

// The same cells row by row.
template <class T>
Buffer<T> by_rows(const T* cells, std::size_t n, std::size_t width, Team& team,
                  const std::function<void()>& between) {
  constexpr std::size_t kRowsAtOnce = 512;
  Buffer<T> rows = make_buffer<T>(n * width + 16);
  team.run(static_cast<int>((n + kRowsAtOnce - 1) / kRowsAtOnce), [&](int block, int member) {
    if (member == 0) between();
    const std::size_t begin = block * kRowsAtOnce, end = std::min(n, begin + kRowsAtOnce);
    for (std::size_t c = 0; c < width; ++c)
      for (std::size_t i = begin; i < end; ++i) rows[i * width + c] = cells[c * n + i];
  });
  return rows;
}

}  // namespace

CodedTable code_sparse(const SparseSorted& sorted) {
  CodedTable table;
  for (const bool has_missing : sorted.has_missing)
    table.columns.push_back({nullptr, EntryTraits<std::uint64_t>::kMissing, 32, has_missing});
  return table;
}

CodedTable code_table(const std::vector<Column>& columns, std::int64_t n_rows, bool as_values, Team& team,
                      const std::function<void()>& between) {
  CodedTable table;
  const auto n = static_cast<std::size_t>(n_rows);
  table.memory = make_buffer<std::uint32_t>(n * columns.size() + 16);
  table.columns.resize(columns.size());
  std::vector<std::uint32_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0u);
  std::vector<int> numeric, levels;
  for (std::size_t c = 0; c < columns.size(); ++c)
    (columns[c].type == Column::Type::code ? levels : numeric).push_back(static_cast<int>(c));
  team.run(static_cast<int>(levels.size()), [&](int i, int member) {
    if (member == 0) between();
    const int c = levels[i];
    table.columns[c] = levels_coded(columns[c], n_rows, table.memory.get() + n * c);
  });
  if (as_values) {
    table.values = make_buffer<float>(n * columns.size() + 16);
    team.run(static_cast<int>(columns.size()), [&](int c, int member) {
      if (member == 0) between();
      float* to = table.values.get() + n * c;
      for (std::size_t i = 0; i < n; ++i) {
        to[i] = rounded_down(columns[c].value(static_cast<std::int64_t>(i)));
        table.columns[c].has_missing |= to[i] != to[i];
      }
    });
    table.value_rows = by_rows(table.values.get(), n, columns.size(), team, between);
    return table;
  }
  for (std::size_t first = 0; first < numeric.size(); first += kColumnsAtOnce) {
    const std::size_t many = std::min(kColumnsAtOnce, numeric.size() - first);
    std::vector<Column> some;
    for (std::size_t i = 0; i < many; ++i) some.push_back(columns[numeric[first + i]]);
    const SortedColumns sorted = presort(some, rows, nullptr, team, between);
    team.run(static_cast<int>(many), [&](int i, int member) {
      if (member == 0) between();
      const int c = numeric[first + i];
      table.columns[c] = numbers_coded(sorted.lists[i], n_rows, table.memory.get() + n * c);
    });
  }
  table.rows = by_rows(table.memory.get(), n, columns.size(), team, between);
  for (CodedColumn& column : table.columns) column.bits = std::max<int>(1, std::bit_width(column.n_codes));
  return table;
}

}  // namespace bough
