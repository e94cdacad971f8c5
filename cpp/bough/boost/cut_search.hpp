// The search for the best threshold of a column: its cuts by the sums of gradients and hessians on both
// sides, with missing values on either of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "bough/boost/cut_space.hpp"
#include "bough/boost/searched_column.hpp"
#include "bough/boost/sorted_cuts.hpp"

namespace bough {

template <class Cells>
class CutSearch {
 public:
  using Number = typename Cells::Number;

  explicit CutSearch(const SearchedColumn<Cells>& search) : search_(search) {}

  // cells: of all codes of the column.
  void by_codes(const Number* cells) const {
    const int n = search_.bins.end_held();
    if (n == 0) return;
    CutSpace<Cells>& s = cut_space<Cells>(static_cast<std::size_t>(n) + 2);
    const CellSums missing =
        Cells::sums(cells + static_cast<std::ptrdiff_t>(search_.bins.n_bins) * Cells::kWidth);
    if constexpr (Cells::kIsWhole) {
      const GainScan scan = search_.scores.scan_of(search_.node, search_.limits().l2);
      if (can_screen(scan) && !search_.scores.is_bounded(search_.node, search_.column))
        return choose_whole_cut(scan, n, cells, missing, s);
    }
    if constexpr (Cells::kIsPaired)
      choose_paired_cut(s, Cells::cumulate_pairs(cells, n, &s.paired[1], &s.code[1]), missing);
    else
      choose_cut(s, Cells::cumulate(cells, n, s.cuts()), missing);
  }

  // The same for few rows, which have no histogram; codes: of the column.
  template <class Code>
  void by_rows(const Cells& cells, const Code* codes, const RowEntry* entries, std::int64_t count,
               CutSpace<Cells>& s) const {
    CellSums missing;
    if constexpr (Cells::kIsPaired) {
      const int many = cells.cumulate_rows(codes, entries, count, search_.bins.n_bins, s.cells.data(),
                                           &s.paired[1], &s.code[1], missing);
      choose_paired_cut(s, many, missing);
    } else {
      const int many =
          cells.cumulate_rows(codes, entries, count, search_.bins.n_bins, s.cells.data(), s.cuts(), missing);
      choose_cut(s, many, missing);
    }
  }

  // The same where their gains follow from sums alone, and they are in the order of the column; none is
  // missing. Nothing is found in a column all of whose cuts are worse than one found before.
  void by_sorted_rows(const WideGradients::Terms* terms, const SortedRow* rows, std::int64_t count) const {
    const GainScan scan = search_.scores.scan_of(search_.node, search_.limits().l2);
    by_sorted_rows(scan, terms, rows, count, CutRange::of(scan, count));
  }

  // The same for the cuts of a range.
  void by_sorted_rows(const GainScan& scan, const WideGradients::Terms* terms, const SortedRow* rows,
                      std::int64_t count, const CutRange& range) const {
    // A cut that is nearly as good may count as equal once it is in units of the score: then the first column
    // has it, whichever was searched first.
    constexpr double kRounding = 1 - 0x1p-40;
    const FoundCut cut =
        best_sorted_cut(scan, rows, count, terms, range, kRounding * search_.node.best_cut.value());
    search_.node.best_cut.raise(cut.gain);
    if (!search_.take(cut.gain, search_.node.unsplit)) return;
    search_.best.last_left = code_of_sorted(rows[cut.at]);
    search_.best.missing = -1;
    search_.best.left_size = cut.at + 1;
  }

 private:
  // The best cut of a column whose n codes have sums of whole numbers.
  void choose_whole_cut(const GainScan& scan, int n, const Number* cells, const CellSums& missing,
                        CutSpace<Cells>& s) const {
    Cells::cumulate_whole(cells, n - 1, &s.whole_gradient[1], &s.whole_hessian[1]);
    const double unsplit = search_.scores.unsplit_score(search_.node, scan, search_.limits().l2);
    const bool any_missing = missing.size > 0;
    const auto gradient = static_cast<std::int32_t>(missing.gradient),
               hessian = static_cast<std::int32_t>(missing.hessian);
    for (const int side : {1, 0}) {  // the branch of missing values
      if (side == 0 && !any_missing) break;
      if (side == n) continue;  // nothing would be on the left
      const FoundCut cut =
          best_whole_cut(scan, &s.whole_gradient[side], &s.whole_hessian[side], n - side,
                         side == 0 ? gradient : 0, side == 0 ? hessian : 0, s.screened.data());
      if (!search_.take(cut.gain, unsplit)) continue;
      const int at = cut.at + side;
      search_.best.last_left = at - 1;
      search_.best.missing = any_missing ? side : -1;
      search_.best.left_size = static_cast<double>(s.whole_hessian[at]) + (side == 0 ? missing.hessian : 0);
    }
  }

  // The best of `many` cuts whose sums on the left are paired.
  void choose_paired_cut(CutSpace<Cells>& s, int many, const CellSums& missing) const {
    const GainScan scan = search_.scores.scan_of(search_.node, search_.limits().l2);
    if (!search_.scores.is_plain(search_.node, search_.column)) {
      const CutSums cuts = s.cuts();
      for (int i = 1; i <= many; ++i) {
        const PairedSums& sums = s.paired[i];
        const double run[] = {sums.gradient_of(), sums.hessian_of(), static_cast<double>(sums.count())};
        cuts.write(i - 1, run, s.code[i]);
      }
      return choose_cut(s, many, missing);
    }
    // A cut lies between levels that rows have, so that its neighbours are known.
    if (many > 0 && s.code[many] + 1 == search_.bins.end_held()) --many;
    const double unsplit = search_.scores.unsplit_score(search_.node, scan, search_.limits().l2);
    const bool any_missing = missing.size > 0;
    for (const int side : {1, 0}) {
      if (side == 0 && !any_missing) break;
      const GainShift shift =
          side == 0 ? GainShift{missing.gradient, missing.hessian, missing.size} : GainShift{};
      if (side > many) continue;
      const FoundCut cut = best_paired_cut(scan, &s.paired[side], many + 1 - side, shift, s.gain.data());
      if (!search_.take(cut.gain, unsplit)) continue;
      const int at = side + cut.at;
      search_.best.last_left = s.code[at];
      search_.best.missing = any_missing ? side : -1;
      search_.best.left_size = static_cast<double>(s.paired[at].count()) + shift.size;
    }
  }

  // The same for sums that are not.
  void choose_cut(CutSpace<Cells>& s, int many, const CellSums& missing) const {
    // A cut lies between levels that rows have, so that its neighbours are known.
    if (many > 0 && s.code[many] + 1 == search_.bins.end_held()) --many;
    const double* size = Cells::kCountsCases ? s.size.data() : s.hessian.data();
    const GainScan scan = search_.scores.scan_of(search_.node, search_.limits().l2);
    const double unsplit = search_.scores.unsplit_score(search_.node, scan, search_.limits().l2);
    const bool bounded = search_.scores.is_bounded(search_.node, search_.column),
               any_missing = missing.size > 0;
    for (const int side : {1, 0}) {
      if (side == 0 && !any_missing) break;
      const GainShift shift =
          side == 0 ? GainShift{missing.gradient, missing.hessian, missing.size} : GainShift{};
      const int first = side;  // with missing values on the right, something must be on the left
      if (first > many) continue;
      double most = scan_gains(scan, &s.gradient[first], &s.hessian[first], size + first, many + 1 - first,
                               shift, &s.gain[first]);
      if (bounded) {
        most = -1;
        for (int b = first; b <= many; ++b) {
          if (s.gain[b] < 0) continue;
          s.gain[b] = search_.scores.bounded_score(
              search_.node, search_.column,
              {s.gradient[b] + shift.gradient, s.hessian[b] + shift.hessian, size[b] + shift.size},
              search_.limits().l2);
          most = std::max(most, s.gain[b]);
        }
      }
      if (!search_.take(most, unsplit)) continue;
      const auto at = std::find(&s.gain[first], s.gain.data() + many + 1, most) - s.gain.data();
      search_.best.last_left = s.code[at];
      search_.best.missing = any_missing ? side : -1;
      search_.best.left_size = size[at] + shift.size;
    }
  }

  const SearchedColumn<Cells> search_;
};

}  // namespace bough
