// Binned tables as Python holds them.
#pragma once

#include "bough/data/bins.hpp"
#include "table.hpp"

namespace bough_python {

// The bins must be those of the table.
inline void check_bins(const bough::BinnedTable& bins, const Table& table) {
  check(bins.n_rows == table.n_rows && bins.columns.size() == table.columns.size(),
        "the bins are not those of the table");
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    check(bins.columns[c].scale == table.columns[c].scale &&
              (table.columns[c].scale == bough::Scale::numeric ||
               bins.columns[c].n_bins == table.columns[c].n_levels),
          "the bins are not those of the table");
}

}  // namespace bough_python
