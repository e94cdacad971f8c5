// Gains of all cuts of a column at once: the hot loop of the search for splits by gradients and hessians.
#pragma once

#include <cstdint>

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
