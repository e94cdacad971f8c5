// Counts the draws of a node's rows by the level of a column, and lists the levels that occur in their order.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "bough/forest/coded.hpp"
#include "bough/forest/forest_split.hpp"

namespace bough {

class CodeCounter {
 public:
  // most: codes of any column; rows: of any node.
  CodeCounter(std::size_t most, std::size_t rows)
      : bins_(most, 0), marks_(most / 64 + 1, 0), code_(rows), counted_(rows) {}

  // counted: how often each row was drawn.
  CountedCodes count(const CodedColumn& column, const std::uint64_t* counted, const std::uint32_t* row,
                     int n) {
    for (int i = 0; i < n; ++i) {
      const std::uint32_t code = column.code[row[i]];
      bins_[code] += counted[row[i]];
      marks_[code >> 6] |= std::uint64_t{1} << (code & 63);
    }
    int found = 0;
    for (std::size_t w = 0; w <= column.n_codes / 64; ++w)
      for (std::uint64_t left = std::exchange(marks_[w], 0); left; left &= left - 1) {
        const auto code = static_cast<std::uint32_t>(w * 64 + std::countr_zero(left));
        code_[found] = code;
        counted_[found++] = std::exchange(bins_[code], 0);
      }
    return {code_.data(), counted_.data(), found};
  }

 private:
  std::vector<std::uint64_t> bins_, marks_;
  std::vector<std::uint32_t> code_;
  std::vector<std::uint64_t> counted_;
};

}  // namespace bough
