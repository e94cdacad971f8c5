// The grid on which the gradients and hessians of a tree are whole numbers, and the random numbers of a
// round.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/boost/gradient_cells.hpp"
#include "bough/machine/random.hpp"

namespace bough {

// What the gradients of the rows of a tree are.
struct GradientRange {
  double most_gradient = 0, most_hessian = 0, sum_gradient = 0;

  void add(const double* gradient, const double* hessian, std::int64_t count);
  void add(const GradientRange& other);
};

// What a gradient and a hessian are multiplied by before they are rounded.
struct GradientGrid {
  bool wide = false;  // histograms keep all bits
  double gradient_scale = 1, hessian_scale = 1;
};

// unit_hessians: whether every hessian is 1, so that it is whole already.
GradientGrid grid_of(const GradientRange& range, std::int64_t n_rows, bool unit_hessians);

// Numbers that follow from a row and a seed: Murmur's finalizer (Appleby 2008).
inline std::uint32_t hash_of(std::uint32_t row, std::uint32_t seed) {
  std::uint32_t z = row * 0x9e3779b1u + seed;
  z = (z ^ z >> 16) * 0x85ebca6bu;
  z = (z ^ z >> 13) * 0xc2b2ae35u;
  return z ^ z >> 16;
}

struct QuantizedSums {
  std::int64_t gradient = 0, hessian = 0;
  std::int64_t squares = 0;  // of gradients; on the wide grid, of those in units of kUnitOfSquares

  QuantizedSums& operator+=(const QuantizedSums& other) {
    gradient += other.gradient;
    hessian += other.hessian;
    squares += other.squares;
    return *this;
  }
};

// Gradients of n rows on the wide grid are below 2^51 / n, so that the squares of whole multiples of this sum
// to less than 2^62.
constexpr double kUnitOfSquares = 0x1p20;

// The sum of the squares of gradients by that of the hessians, in units of the grid.
inline double mean_square(const QuantizedSums& sums, bool wide) {
  if (!(sums.hessian > 0)) return 0;
  const double unit = wide ? kUnitOfSquares * kUnitOfSquares : 1;
  return static_cast<double>(sums.squares) * unit / static_cast<double>(sums.hessian);
}

// Rounds gradients and hessians at random, up or down so that means are kept, and writes entries. The rows
// of a part of a table are those after first_row of the whole.
QuantizedSums quantized(const double* gradient, const double* hessian, const std::uint32_t* rows,
                        std::int64_t count, const GradientGrid& grid, std::uint32_t seed, RowEntry* entries,
                        std::uint32_t first_row = 0);

// Rounds gradients and hessians to the nearest, and writes the terms of rows and entries.
QuantizedSums rounded_wide(const double* gradient, const double* hessian, const std::uint32_t* rows,
                           std::int64_t count, const GradientGrid& grid, WideGradients::Terms* terms,
                           RowEntry* entries);

// The seeds of a fit, by what is drawn and by round.
class RoundSeeds {
 public:
  enum Stream : std::uint64_t { rows = 0, columns = 1, rounding = 2, tree = 3, drop = 4 };

  RoundSeeds(std::uint64_t seed, std::size_t n_scores) : seed_(seed), n_scores_(n_scores) {}

  std::uint64_t of(Stream stream, int round, std::size_t which = 0) const {
    return Random(Random(seed_, stream).next(), static_cast<std::uint64_t>(round) * n_scores_ + which).next();
  }

  // Whether a tree may split by each of n columns, of which it draws a share.
  std::vector<std::uint8_t> drawn_columns(int n, double share, int round, std::size_t which) const;

 private:
  std::uint64_t seed_;
  std::size_t n_scores_;
};

}  // namespace bough
