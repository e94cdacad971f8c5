// The best cut of a numeric attribute: least information on both sides, charged for having been chosen.
#include <algorithm>
#include <bit>
#include <span>

#include "bough/c50/search.hpp"
#include "bough/data/entry.hpp"
#include "bough/machine/radix_sort.hpp"
#include "bough/quinlan/information.hpp"

namespace bough::c50 {

namespace {

// The number whose ordered_bits are the upper half of a key.
float sorted_value(std::uint64_t key) {
  const auto ordered = static_cast<std::uint32_t>(key >> 32);
  return std::bit_cast<float>(ordered & 0x80000000u ? ordered & 0x7fffffffu : ~ordered);
}

}  // namespace

// Known values sorted, and the class weights on both sides of the present cut.
struct Search::Scan {
  std::int64_t n = 0;     // known values
  std::int64_t at = 0;    // the scan looks at the cut behind this entry
  std::int64_t stop = 0;  // the last entry a cut may follow, and one more
  double cases = 0, unknown = 0, known = 0, low_cases = 0;
  double min_split = 0, base_info = 0, fixed_info = 0;
  std::vector<double> low, high;
  std::vector<int> present;  // classes of the known values, where classes are many
  int high_label = -1;       // the class of all cases of the next value, -1 if they differ

  std::int64_t tries = 0, best = -1;
  double least_info = 1e38, best_info = 0;

  double part_info(double weight) const { return -weight * quinlan::log2_or_zero(weight / cases); }
  void pass(const Entry& entry) {
    low_cases += entry.weight;
    low[entry.label] += entry.weight;
    high[entry.label] -= entry.weight;
  }
  void skip_ends(const std::vector<Entry>& entries);
  void snap(const std::vector<Entry>& entries, Proposal& proposal) const;
};

void Search::propose_threshold(int column, std::int64_t first, std::int64_t last, Scratch& scratch) {
  Scan scan;
  scan.n = last - first;
  read_entries(scan, training_.attribute(column), first, scratch);
  if (!(scan.known >= 2 * training_.min_cases) || scan.n < 2) return;
  scan.min_split = std::min(0.10 * scan.known / training_.n_classes(), 25.0);
  if (scan.min_split < training_.min_cases) scan.min_split = training_.min_cases;
  quinlan::list_present(scan.high, scan.present);
  scan.skip_ends(scratch.entries);
  scan_cuts(scan, scratch.entries);
  scan.snap(scratch.entries, proposals_[column]);
}

void Search::read_entries(Scan& scan, const Attribute& attribute, std::int64_t first,
                          Scratch& scratch) const {
  const int k = training_.n_classes();
  scan.low.assign(k, 0.0);
  scan.high.assign(k, 0.0);
  scratch.keys.clear();
  std::vector<double> unknown(k, 0.0);
  for (std::int64_t i = 0; i < scan.n; ++i) {
    const float value = attribute.value[training_.order[first + i]];
    const Entry& one = cases_[i];
    if (attribute.some_missing) scan.cases += one.weight;
    if (std::isnan(value)) {
      unknown[one.label] += one.weight;
    } else {
      scratch.keys.push_back(std::uint64_t{ordered_bits(value)} << 32 | static_cast<std::uint64_t>(i));
      scan.high[one.label] += one.weight;
    }
  }
  for (int c = 0; c < k; ++c) {
    scan.unknown += unknown[c];
    if (!attribute.some_missing) scan.cases += scan.high[c];
  }
  scan.known = scan.cases - scan.unknown;
  scan.fixed_info = attribute.some_missing ? scan.part_info(scan.unknown) : 0;
  scan.base_info =
      scan.unknown > 0 ? quinlan::total_info<double>(scan.high.data(), k) / scan.known : training_.base_info;
  const auto n = static_cast<std::int64_t>(scratch.keys.size());
  scratch.key_buffer.resize(n);
  const std::uint64_t* keys = radix_sort(scratch.keys.data(), scratch.key_buffer.data(), n, 32, 32);
  scratch.entries.clear();
  for (const std::uint64_t key : std::span(keys, n)) {
    const Entry& one = cases_[key & 0xffffffffu];
    scratch.entries.push_back({sorted_value(key), one.weight, one.label});
  }
  scan.n = static_cast<std::int64_t>(scratch.entries.size());
}

void Search::Scan::skip_ends(const std::vector<Entry>& entries) {
  double behind = 0;
  std::int64_t end = n - 1;
  for (; end >= 0 && behind < min_split; --end) behind += entries[end].weight;
  stop = end + 1;
  while (at <= end &&
         (low_cases + entries[at].weight < min_split - 1e-5 || entries[at].value == entries[at + 1].value))
    pass(entries[at++]);
  high_label = entries[at].label;
  for (std::int64_t j = at - 1; high_label >= 0 && j >= 0; --j)
    if (entries[j].label != high_label) high_label = -1;
}

void Search::scan_cuts(Scan& scan, const std::vector<Entry>& entries) const {
  if (scan.at >= scan.stop) return;
  float low_value = entries[scan.at].value;
  for (std::int64_t i = scan.at; i < scan.stop; ++i) {
    scan.pass(entries[i]);
    const float high_value = entries[i + 1].value;
    if (!(high_value > low_value)) continue;
    ++scan.tries;
    low_value = high_value;
    const int low_label = scan.high_label;
    scan.high_label = entries[i + 1].label;
    std::int64_t j = i + 2;
    for (; scan.high_label >= 0 && j < scan.stop && entries[j].value == high_value; ++j)
      if (entries[j].label != scan.high_label) scan.high_label = -1;
    // Between two values of the same one class no cut can be best, unless there is no other to come.
    if (low_label >= 0 && low_label == scan.high_label && j < scan.stop) continue;
    const double low_info = quinlan::class_info<double>(scan.low, scan.present);
    if (low_info >= scan.least_info) {
      for (++i; i < scan.stop; ++i) scan.tries += entries[i + 1].value > entries[i].value;
      return;
    }
    const double info = low_info + quinlan::class_info<double>(scan.high, scan.present);
    if (info < scan.least_info) {
      scan.least_info = info;
      scan.best = i;
      scan.best_info =
          (scan.fixed_info + scan.part_info(scan.low_cases) + scan.part_info(scan.known - scan.low_cases)) /
          scan.cases;
    }
  }
}

void Search::Scan::snap(const std::vector<Entry>& entries, Proposal& proposal) const {
  if (best < 0) return;
  const double unknown_rate = 1.0 - known / cases;
  double gain = (1 - unknown_rate) * (base_info - least_info / known);
  if (!(gain > 0)) return;
  const float low = entries[best].value, high = entries[best + 1].value;
  // To name the cut costs the bits of one of the tries, or of one of the intervals as wide as its own.
  const float intervals = (entries.back().value - entries.front().value) / (high - low);
  const bool narrow = intervals < static_cast<float>(tries);
  gain -=
      (narrow ? quinlan::log2_or_zero(intervals) : quinlan::log2_or_zero(static_cast<double>(tries))) / cases;
  if (!(gain > 0)) return;
  proposal.gain = static_cast<float>(gain);
  proposal.info = static_cast<float>(best_info);
  const float middle = static_cast<float>(0.5 * (low + high));
  proposal.cut = middle >= low && middle < high ? middle : low;
}

}  // namespace bough::c50
