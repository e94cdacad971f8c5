// The search for the best set of levels of a nominal column: the cuts of their order by gradient.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "bough/boost/cut_space.hpp"
#include "bough/boost/searched_column.hpp"

namespace bough {

template <class Cells>
class LevelSplitSearch {
 public:
  using Number = typename Cells::Number;

  explicit LevelSplitSearch(const SearchedColumn<Cells>& search) : search_(search) {}

  // Sets of levels: the cuts of their order by gradient, shrunk towards 0 where a level has little hessian.
  // Levels of few cases count as one: by themselves, the order would follow chance.
  void by_codes(const Number* cells) const {
    const int n = search_.bins.n_bins;
    const double l2 = search_.limits().l2 + search_.limits().level_l2;
    CutSpace<Cells>& s = cut_space<Cells>(static_cast<std::size_t>(n) + 3);
    const double by_chance = order_levels(n, cells, s);
    if (s.levels.size() < 2) return;
    const CutSums cuts = s.cuts();
    const int many = static_cast<int>(s.levels.size()) - 1;
    double run[3] = {0, 0, 0};
    for (int i = 0; i < many; ++i) {
      const int code = s.levels[i].code;
      const CellSums sums = code == OrderedLevel::kFew
                                ? s.few
                                : Cells::sums(cells + static_cast<std::ptrdiff_t>(code) * Cells::kWidth);
      run[0] += sums.gradient, run[1] += sums.hessian, run[2] += sums.size;
      cuts.write(i, run, i);
    }
    const GainScan scan = search_.scores.scan_of(search_.node, l2);
    double most = scan_gains(scan, cuts.gradient, cuts.hessian, cuts.size, many, {}, s.gain.data());
    if (search_.scores.is_bounded(search_.node, search_.column)) {
      most = -1;
      for (int i = 0; i < many; ++i) {
        if (s.gain[i] < 0) continue;
        s.gain[i] = search_.scores.bounded_score(search_.node, search_.column,
                                                 {cuts.gradient[i], cuts.hessian[i], cuts.size[i]}, l2);
        most = std::max(most, s.gain[i]);
      }
    }
    if (!search_.take(most, search_.scores.unsplit_score(search_.node, scan, l2) + by_chance)) return;
    const auto cut =
        static_cast<std::size_t>(std::find(s.gain.begin(), s.gain.begin() + many, most) - s.gain.begin());
    search_.best.left_size = cuts.size[cut];
    send_levels(n, cells, s.levels, cut);
  }

 private:
  // A level of less size in a node than this is not ordered by itself. Sizes are whole numbers.
  typename Cells::Size least_size_of_level() const {
    const double cases = std::max(1.0, search_.limits().least_of_level());
    return static_cast<typename Cells::Size>(std::max(
        1.0, std::ceil(Cells::kCountsCases ? cases : cases * search_.node.size / search_.node.n_rows)));
  }

  // Orders the levels that rows of a node have by their gradients; the code n are missing values. Returns the
  // score that their best cut has by chance.
  double order_levels(int n, const Number* cells, CutSpace<Cells>& s) const {
    const double smoothing = search_.limits().level_smoothing / search_.scores.hessian_unit();
    double roots = 0;  // of the hessians
    const auto add = [&](int code, const CellSums& sums) {
      const double size = sums.hessian + smoothing;
      roots += std::sqrt(sums.hessian);
      s.levels.push_back({size > 0 ? sums.gradient / size : 0.0, code, static_cast<int>(s.levels.size())});
    };
    const auto least = least_size_of_level();
    Number few[Cells::kWidth] = {};
    int many = 0;
    for (int code = 0; code < n; ++code) {  // without branches, which would be mispredicted
      const Number* cell = cells + static_cast<std::ptrdiff_t>(code) * Cells::kWidth;
      const auto size = Cells::size(cell);
      s.code[1 + many] = code;
      many += size >= least;
      for (int j = 0; j < Cells::kWidth; ++j) few[j] += size > 0 && size < least ? cell[j] : Number{};
    }
    s.levels.clear();
    for (int i = 1; i <= many; ++i)
      add(s.code[i], Cells::sums(cells + static_cast<std::ptrdiff_t>(s.code[i]) * Cells::kWidth));
    const CellSums missing = Cells::sums(cells + static_cast<std::ptrdiff_t>(n) * Cells::kWidth);
    if (missing.size > 0) add(n, missing);
    s.few = Cells::sums(few);
    if (Cells::size(few) > 0) add(OrderedLevel::kFew, s.few);
    s.level_sorter.sort(s.levels);
    return score_by_chance(roots);
  }

  // The score of the best cut of levels that do not matter, less what chance gives the best of many
  // thresholds. If the sums of gradients G of levels are normal of variance H, the hessian, and the cut parts
  // the positive from the negative ones, each side has a gradient of √(2/π)/2 · Σ√H and half of the hessian:
  // the score is 2/π · (Σ√H)² / ΣH, which is 2/π of the number of levels if these are equal. By simulation,
  // thresholds gain 4.9 to 5.1 in nodes of 1,000 to 100,000 rows.
  double score_by_chance(double roots) const {
    constexpr double kOfThresholds = 5;
    const double penalty = search_.scores.level_penalty(), hessian = search_.node.hessian;
    if (!(penalty > 0) || !(hessian > 0)) return 0;
    return penalty * std::max(0.0, 2 / std::numbers::pi * roots * roots / hessian - kOfThresholds);
  }

  // Writes the branches of all levels: the first ones of the order, up to a cut, are on one side.
  void send_levels(int n, const Number* cells, const std::vector<OrderedLevel>& levels,
                   std::size_t cut) const {
    const auto of_few = std::find_if(levels.begin(), levels.end(), [](const OrderedLevel& level) {
      return level.code == OrderedLevel::kFew;
    });
    const auto few_branch =
        static_cast<std::uint8_t>(static_cast<std::size_t>(of_few - levels.begin()) > cut);
    const auto least = least_size_of_level();
    search_.best.branch.resize(n);
    std::uint8_t* const branches = search_.best.branch.data();
    for (int code = 0; code < n; ++code) {
      const auto size = Cells::size(cells + static_cast<std::ptrdiff_t>(code) * Cells::kWidth);
      branches[code] = size > 0 && size < least ? few_branch : 2;
    }
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const auto branch = static_cast<std::uint8_t>(i > cut);
      if (levels[i].code == n)
        search_.best.missing = branch;
      else if (levels[i].code != OrderedLevel::kFew)
        branches[levels[i].code] = branch;
    }
    const auto first =
        std::find_if(search_.best.branch.begin(), search_.best.branch.end(), [](int b) { return b < 2; });
    if (first == search_.best.branch.end() || *first == 0) return;
    for (int code = 0; code < n; ++code)  // the first level is always in branch 0
      branches[code] = branches[code] < 2 ? 1 - branches[code] : branches[code];
    if (search_.best.missing >= 0) search_.best.missing = 1 - search_.best.missing;
    search_.best.left_size = search_.node.size - search_.best.left_size;
  }

  const SearchedColumn<Cells> search_;
};

}  // namespace bough
