// What the search of a column is given, and the split it finds.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace bough {

// What a node's rows sum to. Statistics are those of the judge: class weights, or weight and sum.
struct NodeSums {
  double weight = 0, cases = 0;
  const double* statistics = nullptr;
  std::uint64_t counted = 0;
};

// What is known of the values of a column's cuts: none is above the highest, and some cut, if limits allow
// it, has one above the least. Both are -inf if there is no cut.
struct ValueRange {
  double least = -std::numeric_limits<double>::infinity(), highest = least;
};

// The rows of a node that share a code, with how often they were drawn, in the order of the codes.
struct CountedCodes {
  const std::uint32_t* code;
  const std::uint64_t* counted;
  int n;
};

// A split found. Rows stand for their values: they are indexes of the view it was found in.
struct ForestSplit {
  double value = 0;  // a split without any gain is none; of counts, see count_kernels.hpp
  int column = -1;
  enum class Kind { codes, value, levels } kind = Kind::codes;
  bool missing_seen = false;
  int default_branch = -1;         // of missing values; -1: that of most weight
  bool apart = false;              // missing values on the left, known ones on the right
  std::uint32_t last_left = 0;     // codes up to this go left
  std::uint64_t left_counted = 0;  // of counts: what goes left, if all rows have values
  bool has_rows = false;           // that hold the values the cut lies between:
  std::uint32_t row_below = 0, row_above = 0;
  double cut = 0;                          // by value: what is below goes left
  std::vector<std::uint32_t> left, right;  // levels of the two sides

  // Becomes a cut between the values of two rows, none of the node's being missing.
  void take_cut(int of_column, double of_value, std::uint32_t below, std::uint32_t above) {
    take(Kind::codes, of_column, of_value);
    has_rows = true;
    row_below = below;
    row_above = above;
  }

  // Becomes a cut behind a code, none of the node's being missing.
  void take_code(int of_column, double of_value, std::uint32_t last) {
    take(Kind::codes, of_column, of_value);
    has_rows = false;
    last_left = last;
  }

  // Becomes a cut below a value, none of the node's being missing.
  void take_value(int of_column, double of_value, double below) {
    take(Kind::value, of_column, of_value);
    cut = below;
  }

  // Becomes a split by levels, none of which has a side yet.
  void take_levels(int of_column, double of_value, bool seen) {
    take(Kind::levels, of_column, of_value);
    missing_seen = seen;
    left.clear();
    right.clear();
  }

 private:
  void take(Kind of_kind, int of_column, double of_value) {
    value = of_value;
    column = of_column;
    kind = of_kind;
    missing_seen = apart = false;
    default_branch = -1;
  }
};

}  // namespace bough
