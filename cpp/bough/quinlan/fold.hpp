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

// The rows REPTree grows on, in the order it takes them: shuffled, and without the first fold if that is held
// out.
std::vector<std::uint32_t> grown_rows(const std::int32_t* label, std::int64_t n_rows, int n_folds,
                                      std::int32_t seed, bool holds_out);

// The first n_kept of the shuffled rows, dealt out to the folds by class: SimpleCart's folds are ranges of
// them.
std::vector<std::uint32_t> stratified_rows(const std::int32_t* label, std::int64_t n_rows,
                                           std::int64_t n_kept, int n_folds, std::int32_t seed);

}  // namespace bough::quinlan
