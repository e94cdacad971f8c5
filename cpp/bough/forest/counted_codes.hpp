// Counts the draws of a node's rows by the code of a column, and lists the codes that occur in their order.
#pragma once

#include <algorithm>
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
      : bins_(most + 64, 0), slots_(most + 64, 0), marks_(most / 64 + 2, 0), code_(rows), counted_(rows) {}

  // The rows of a new tree: how often each was drawn.
  void start(const std::vector<std::uint64_t>& counted) {
    counted_rows_ = counted.data();
    brief_.resize(counted.size());
    most_draws_ = 1;
    for (std::size_t i = 0; i < counted.size(); ++i) {
      most_draws_ = std::max(most_draws_, counted[i] & 0xffffffffu);
      brief_[i] = static_cast<std::uint16_t>((counted[i] & 0xff) | (counted[i] >> 32 & 0xff) << 8);
    }
  }

  CountedCodes count(const CodedColumn& column, const std::uint32_t* row, int n) {
    if (column.n_codes < kFewCodes) return count_few(column, row, n);
    const bool brief = column.most_same * most_draws_ < 256;
    for (int i = 0; i < n; ++i) {
      const std::uint32_t code = column.code[row[i]];
      if (brief)
        slots_[code] = static_cast<std::uint16_t>(slots_[code] + brief_[row[i]]);
      else
        bins_[code] += counted_rows_[row[i]];
      marks_[code >> 6] |= std::uint64_t{1} << (code & 63);
    }
    const std::size_t words = column.n_codes / 64 + 1;
    int found = 0;
    for (std::size_t w = 0; w < words; ++w) {
      std::uint64_t left = std::exchange(marks_[w], 0);
      const auto base = static_cast<std::uint32_t>(w << 6);
      while (left) {
        const std::uint32_t code = base + static_cast<std::uint32_t>(std::countr_zero(left));
        left &= left - 1;
        code_[found] = code;
        if (brief) {
          const std::uint64_t both = std::exchange(slots_[code], 0);
          counted_[found++] = (both & 0xff) | (both >> 8) << 32;
        } else {
          counted_[found++] = std::exchange(bins_[code], 0);
        }
      }
    }
    return {code_.data(), counted_.data(), found};
  }

 private:
  static constexpr std::uint32_t kFewCodes = 2048;

  CountedCodes count_few(const CodedColumn& column, const std::uint32_t* row, int n) {
    for (int i = 0; i < n; ++i) bins_[column.code[row[i]]] += counted_rows_[row[i]];
    int found = 0;
    for (std::uint32_t code = 0; code <= column.n_codes; ++code) {
      if (bins_[code] == 0) continue;
      code_[found] = code;
      counted_[found++] = std::exchange(bins_[code], 0);
    }
    return {code_.data(), counted_.data(), found};
  }

  const std::uint64_t* counted_rows_ = nullptr;
  std::vector<std::uint64_t> bins_;
  // Where few rows share a value, a byte holds its draws and another those of the second class.
  std::vector<std::uint16_t> slots_, brief_;
  std::uint64_t most_draws_ = 1;
  std::vector<std::uint64_t> marks_;
  std::vector<std::uint32_t> code_;
  std::vector<std::uint64_t> counted_;
};

}  // namespace bough
