// The bounds of the terms of linear models, which Python may hand over.
#pragma once

#include <optional>

#include "arguments.hpp"

namespace bough_python {

struct TermBounds {
  Array<double> lowest, highest;

  // None if the models have no bounds.
  static std::optional<TermBounds> of(const nb::dict& models, std::size_t n_terms) {
    if (!models.contains("lowest") && !models.contains("highest")) return std::nullopt;
    TermBounds bounds;
    Reader(models, "models").read("lowest", bounds.lowest, "highest", bounds.highest);
    check_lengths(n_terms, "the bounds of the terms differ in length", bounds.lowest, bounds.highest);
    for (std::size_t i = 0; i < n_terms; ++i)
      check(bounds.lowest[i] <= bounds.highest[i], "the bounds of a term are not in order");
    return bounds;
  }
};

}  // namespace bough_python
