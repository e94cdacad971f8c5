#include "bough/boost/column_coder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace bough {

void ColumnCoder::place_cuts() {
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  n_cuts = static_cast<int>(cuts.size());
  if (n_cuts <= kMostCuts) rounded = RoundedCuts(cuts);
  double most = -HUGE_VAL;
  least_ = HUGE_VAL;
  for (const double cut : cuts)
    if (std::isfinite(cut)) {
      least_ = std::min(least_, cut);
      most = std::max(most, cut);
    }
  if (!std::isfinite(least_)) least_ = 0;
  const double wanted = kCells / (most - least_);
  scale_ = std::isfinite(wanted) && wanted > 0 ? wanted : 0;
  std::vector<int> here(kCells, 0);
  for (const double cut : cuts) ++here[cell(cut)];
  before_.assign(kCells, 0);
  for (int c = 1; c < kCells; ++c) before_[c] = static_cast<std::uint8_t>(before_[c - 1] + here[c - 1]);
  const auto most_here = static_cast<unsigned>(*std::max_element(here.begin(), here.end()));
  step_ = static_cast<int>(std::bit_floor(most_here));
  cuts.insert(cuts.end(), kMostCuts + 1, std::numeric_limits<double>::quiet_NaN());
}

}  // namespace bough
