// Gains of all cuts of a column at once: the hot loop of the search for splits by gradients and hessians.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bough {

// The totals of a node and what a cut must leave on both sides, all in the units of the sums.
struct GainScan {
  double gradient, hessian, size;  // of the node
  double l1, l2;
  double min_hessian, min_size;
};

// gradient, hessian, size: sums of the codes up to each of n codes; `shift` is added to them, what missing
// values on the left bring. Writes to gain[b] the sum of the scores of the two sides if the cut lies after
// code b, or -1 where a side is too small; returns the greatest.
struct GainShift {
  double gradient = 0, hessian = 0, size = 0;
};
double scan_gains(const GainScan& scan, const double* gradient, const double* hessian, const double* size,
                  int n, GainShift shift, double* gain);

// The same for whole numbers, where the hessian is the size too: finds the first of the best cuts. Scores are
// computed in single precision, and in double precision only near the best of these, so that the cut is that
// of scan_gains. The arrays have room for kScreenLanes numbers after the last.
constexpr int kScreenLanes = 16;
struct FoundCut {
  double gain = -1;
  int at = 0;
};
FoundCut best_whole_cut(const GainScan& scan, std::int32_t* gradient, std::int32_t* hessian, int n,
                        std::int32_t gradient_shift, std::int32_t hessian_shift, float* screened);

// The sums of few rows: the gradient, times 2^12, plus the number of rows; and the hessian, which is not
// negative. Both are below 2^51.
struct PairedSums {
  static constexpr int kWidth = 2, kCountBits = 12;
  static constexpr std::size_t kMostRows = (std::size_t{1} << kCountBits) - 1;

  std::uint64_t gradient_and_count, hessian;

  typedef std::uint64_t Both __attribute__((vector_size(16)));  // a register holds both

  static PairedSums of_row(double gradient, double hessian) {
    return {(static_cast<std::uint64_t>(static_cast<std::int64_t>(gradient)) << kCountBits) + 1,
            static_cast<std::uint64_t>(hessian)};
  }
  // The sums of no rows, to which 2^51 is added so that gradients are not negative.
  static PairedSums nothing() { return {std::uint64_t{1} << 63, 0}; }
  static std::int64_t count(std::uint64_t gradient_and_count) {
    return static_cast<std::int64_t>(gradient_and_count & kMostRows);
  }
  std::int64_t count() const { return count(gradient_and_count); }

  void add_to(std::uint64_t* sums) const {
    Both all, own;
    std::memcpy(&all, sums, sizeof all);
    std::memcpy(&own, this, sizeof own);
    all += own;
    std::memcpy(sums, &all, sizeof all);
  }
  void add(const std::uint64_t* sums) {
    Both all, more;
    std::memcpy(&all, this, sizeof all);
    std::memcpy(&more, sums, sizeof more);
    all += more;
    std::memcpy(this, &all, sizeof all);
  }

  // Of sums that began with nothing(): the bits of 2^52 plus a number below it are these and the number.
  static constexpr std::uint64_t kBitsOfUnit = std::uint64_t{0x433} << 52;
  double gradient_of() const {
    return std::bit_cast<double>(gradient_and_count >> kCountBits | kBitsOfUnit) - 0x1.8p52;
  }
  double hessian_of() const { return std::bit_cast<double>(hessian | kBitsOfUnit) - 0x1p52; }
};

// The first of the best of n cuts by sums that began with nothing(), where l1 is 0 and the size is the number
// of rows. The gains of all are written.
FoundCut best_paired_cut(const GainScan& scan, const PairedSums* sums, int n, GainShift shift, double* gain);

// Whether single precision screens well: a gradient less l1 may lose all its digits, and numbers must stay in
// its range.
inline bool can_screen(const GainScan& scan) { return scan.l1 == 0 && scan.l2 <= 0x1p40; }

// The score of a side: by how much the loss falls, twice, if it has a value of its own.
inline double beyond(double gradient, double l1) {
  const double g = gradient < 0 ? -gradient : gradient;
  return g > l1 ? g - l1 : 0;
}
inline double score_of(double gradient, double hessian, double l1, double l2) {
  const double g = beyond(gradient, l1);
  return g * g / (hessian + l2);
}

}  // namespace bough
