// Memory for the search of one column: the sums on the left of each of its cuts, and what follows from them.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/boost/gain_scan.hpp"
#include "bough/boost/gradient_cells.hpp"
#include "bough/boost/level_sorter.hpp"

namespace bough {

template <class Cells>
struct CutSpace {
  std::vector<double> gradient, hessian, size, gain;
  std::vector<std::int32_t> whole_gradient, whole_hessian;
  std::vector<float> screened;
  std::vector<PairedSums> paired;
  std::vector<int> code;                      // the last on the left
  std::vector<typename Cells::Number> cells;  // of one column; 0 between searches
  std::vector<OrderedLevel> levels;           // in their order
  LevelSorter level_sorter;
  CellSums few;  // of the levels of few cases
  void resize(std::size_t n) {
    if (gradient.size() >= n) return;
    for (std::vector<double>* each : {&gradient, &hessian, &size, &gain}) each->resize(n);
    for (std::vector<std::int32_t>* each : {&whole_gradient, &whole_hessian}) each->resize(n + kScreenLanes);
    screened.resize(n + kScreenLanes);
    code.resize(n);
    if (Cells::kIsPaired) paired.assign(n, PairedSums::nothing());
    // The first entry stands before all codes, for missing values alone on the left.
    gradient[0] = hessian[0] = size[0] = 0;
    whole_gradient[0] = whole_hessian[0] = 0;
    code[0] = -1;
  }
  CutSums cuts() { return {&gradient[1], &hessian[1], &size[1], &code[1]}; }
};

// The space of a thread, with room for n cuts.
template <class Cells>
CutSpace<Cells>& cut_space(std::size_t n) {
  static thread_local CutSpace<Cells> own;
  own.resize(n);
  return own;
}

}  // namespace bough
