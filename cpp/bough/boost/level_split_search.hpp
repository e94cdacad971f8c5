// The search for the best set of levels of a nominal column: the cuts of their order by gradient.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "bough/boost/cut_space.hpp"
#include "bough/boost/gradient_scores.hpp"
#include "bough/data/bins.hpp"

namespace bough {

template <class Cells>
class LevelSplitSearch {
 public:
  using Number = typename Cells::Number;

  // best: what has been found in the column, which is replaced by what is better.
  LevelSplitSearch(const GradientScores<Cells>& scores, const GradientSums& node, const ColumnBins& bins,
                   int column, BinSplit& best)
      : scores_(scores), node_(node), bins_(bins), column_(column), best_(best) {}

  // Sets of levels: the cuts of their order by gradient, shrunk towards 0 where a level has little hessian.
  // Levels of few cases count as one: by themselves, the order would follow chance.
  void by_codes(const Number* cells) const {
    const int n = bins_.n_bins;
    const double l2 = limits().l2 + limits().level_l2;
    CutSpace<Cells>& s = cut_space<Cells>(static_cast<std::size_t>(n) + 3);
    order_levels(n, cells, s);
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
    const GainScan scan = scores_.scan_of(node_, l2);
    double most = scan_gains(scan, cuts.gradient, cuts.hessian, cuts.size, many, {}, s.gain.data());
    if (scores_.is_bounded(node_, column_)) {
      most = -1;
      for (int i = 0; i < many; ++i) {
        if (s.gain[i] < 0) continue;
        s.gain[i] =
            scores_.bounded_score(node_, column_, {cuts.gradient[i], cuts.hessian[i], cuts.size[i]}, l2);
        most = std::max(most, s.gain[i]);
      }
    }
    if (!take(most, scores_.unsplit_score(node_, scan, l2))) return;
    const auto cut =
        static_cast<std::size_t>(std::find(s.gain.begin(), s.gain.begin() + many, most) - s.gain.begin());
    best_.left_size = cuts.size[cut];
    send_levels(n, cells, s.levels, cut);
  }

 private:
  // A level of less size in a node than this is not ordered by itself. Sizes are whole numbers.
  typename Cells::Size least_size_of_level() const {
    const double cases = std::max(1.0, limits().least_of_level());
    return static_cast<typename Cells::Size>(
        std::max(1.0, std::ceil(Cells::kCountsCases ? cases : cases * node_.size / node_.n_rows)));
  }

  // The levels that rows of a node have, in the order of their gradients; the code n are missing values.
  void order_levels(int n, const Number* cells, CutSpace<Cells>& s) const {
    const double smoothing = limits().level_smoothing / scores_.hessian_unit();
    const auto add = [&](int code, const CellSums& sums) {
      const double size = sums.hessian + smoothing;
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
    std::sort(s.levels.begin(), s.levels.end());
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
    best_.branch.resize(n);
    std::uint8_t* const branches = best_.branch.data();
    for (int code = 0; code < n; ++code) {
      const auto size = Cells::size(cells + static_cast<std::ptrdiff_t>(code) * Cells::kWidth);
      branches[code] = size > 0 && size < least ? few_branch : 2;
    }
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const auto branch = static_cast<std::uint8_t>(i > cut);
      if (levels[i].code == n)
        best_.missing = branch;
      else if (levels[i].code != OrderedLevel::kFew)
        branches[levels[i].code] = branch;
    }
    const auto first = std::find_if(best_.branch.begin(), best_.branch.end(), [](int b) { return b < 2; });
    if (first == best_.branch.end() || *first == 0) return;
    for (int code = 0; code < n; ++code)  // the first level is always in branch 0
      branches[code] = branches[code] < 2 ? 1 - branches[code] : branches[code];
    if (best_.missing >= 0) best_.missing = 1 - best_.missing;
    best_.left_size = node_.size - best_.left_size;
  }

  const BoostLimits& limits() const { return scores_.limits(); }
  bool take(double score, double unsplit) const { return scores_.take(score, unsplit, column_, best_); }

  const GradientScores<Cells>& scores_;
  const GradientSums& node_;
  const ColumnBins& bins_;
  int column_;
  BinSplit& best_;
};

}  // namespace bough
