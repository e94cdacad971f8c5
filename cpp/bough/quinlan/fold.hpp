// The part of a table that Weka holds out to prune on: one of several folds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace bough::quinlan {

// Which rows are in the fold. label: classes are shared out evenly; null: rows are taken as they stand.
// seed: of Java's random numbers, by which rows are shuffled first; none: they stay in order.
std::vector<std::uint8_t> fold_of_rows(const std::int32_t* label, std::int64_t n_rows, int n_folds, int fold,
                                       std::optional<std::int32_t> seed);

}  // namespace bough::quinlan
