#include "bough/forest/sample.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "bough/machine/random.hpp"

namespace bough {

Sampler::Sampler(SampleDesign design) : design_(std::move(design)) {
  const std::size_t n_strata = design_.size.size();
  if (takes_all()) return;
  if (is_given()) {
    if (!design_.counts == !design_.weights)
      throw std::invalid_argument("a given sample has counts or weights");
    return;
  }
  if (n_strata == 0) throw std::invalid_argument("a sample needs a size");
  start_.assign(n_strata + 1, 0);
  if (design_.stratum.empty()) {
    if (n_strata != 1) throw std::invalid_argument("one stratum has one size");
    start_[1] = design_.n_rows;
  } else {
    if (static_cast<std::int64_t>(design_.stratum.size()) != design_.n_rows)
      throw std::invalid_argument("each row needs a stratum");
    for (std::int32_t s : design_.stratum) {
      if (s < 0 || s >= static_cast<std::int32_t>(n_strata))
        throw std::invalid_argument("a stratum is out of range");
      ++start_[s + 1];
    }
    for (std::size_t s = 0; s < n_strata; ++s) start_[s + 1] += start_[s];
    rows_.resize(design_.n_rows);
    std::vector<std::int64_t> next(start_.begin(), start_.end() - 1);
    for (std::int64_t i = 0; i < design_.n_rows; ++i)
      rows_[next[design_.stratum[i]]++] = static_cast<std::uint32_t>(i);
  }
  for (std::size_t s = 0; s < n_strata; ++s) {
    const std::int64_t there = start_[s + 1] - start_[s], wanted = design_.size[s];
    if (wanted < 0 || (wanted > 0 && there == 0) ||
        (design_.draw == SampleDesign::Draw::without_replacement && wanted > there))
      throw std::invalid_argument("a stratum has fewer rows than are to be drawn");
  }
}

void Sampler::draw(std::uint64_t seed, std::uint64_t tree, std::vector<std::uint32_t>& count) const {
  if (takes_all()) {
    count.assign(design_.n_rows, 1);
    return;
  }
  if (is_given()) {
    if (tree < design_.first_tree || tree - design_.first_tree >= static_cast<std::uint64_t>(design_.n_trees))
      throw std::invalid_argument("no sample is given for a tree");
    count.resize(design_.n_rows);
    if (design_.counts)
      std::copy_n(design_.counts + at(tree), design_.n_rows, count.begin());
    else
      std::transform(weights(tree), weights(tree) + design_.n_rows, count.begin(),
                     [](double weight) { return weight > 0 ? 1u : 0u; });
    return;
  }
  count.assign(design_.n_rows, 0);
  Random random(seed, 2 * tree);
  for (std::size_t s = 0; s < design_.size.size(); ++s) {
    const std::int64_t begin = start_[s], there = start_[s + 1] - begin;
    const auto row = [&](std::int64_t i) -> std::uint32_t& {
      return count[rows_.empty() ? begin + i : rows_[begin + i]];
    };
    std::int64_t wanted = design_.size[s];
    if (design_.draw == SampleDesign::Draw::with_replacement) {
      for (; wanted > 0; --wanted) ++row(random.below(static_cast<std::uint32_t>(there)));
    } else {
      // Each row is taken with the share of those wanted among those left (Knuth, Algorithm S).
      for (std::int64_t i = 0; i < there && wanted > 0; ++i)
        if (random.uniform() * static_cast<double>(there - i) < static_cast<double>(wanted)) {
          row(i) = 1;
          --wanted;
        }
    }
  }
}

}  // namespace bough
