#include "bough/boost/gradient_partition.hpp"

#include <algorithm>
#include <bit>

namespace bough {

namespace {

constexpr std::int64_t kRowsOfPart = 4096;  // rows whose gradients are computed at a time

}  // namespace

GradientPartition::GradientPartition(const BinnedTable& bins, const BoostTarget& target,
                                     const BoostSettings& settings, std::uint32_t first_row,
                                     bool unit_weights, const std::vector<double>& start)
    : bins_(bins),
      target_(target),
      settings_(settings),
      first_row_(first_row),
      unit_weights_(unit_weights),
      start_(start),
      loss_(make_loss(settings.loss, target)),
      seeds_(settings.seed, start.size()),
      list_(target.n_rows),
      team_(1),
      rows_(target.n_rows) {
  for (std::int64_t i = 0; i < target.n_rows; ++i) rows_[i] = static_cast<std::uint32_t>(i);
  for (const double score : start_) {
    memory_.emplace_back(target.n_rows, score);
    scores_.push_back(memory_.back().data());
  }
}

void GradientPartition::restart() {
  for (std::size_t k = 0; k < start_.size(); ++k) std::fill(memory_[k].begin(), memory_[k].end(), start_[k]);
}

void GradientPartition::begin_round(int round) {
  loss_->begin_round(scores_, rows_, team_);
  const auto seed = static_cast<std::uint32_t>(seeds_.of(RoundSeeds::rows, round));
  drawn_.clear();
  for (const std::uint32_t row : rows_)
    if (settings_.row_share >= 1 || hash_of(first_row_ + row, seed) * 0x1p-32 < settings_.row_share)
      drawn_.push_back(row);
}

// Calls work(first entry, rows, count, gradients, hessians) for all rows drawn, by chunks.
template <class Work>
void GradientPartition::for_gradients(int which, const Work& work) {
  double all_gradients[kRowsOfPart], all_hessians[kRowsOfPart], gradient[kRowsOfPart], hessian[kRowsOfPart];
  std::int64_t at = 0;
  for (std::int64_t begin = 0; begin < target_.n_rows; begin += kRowsOfPart) {
    const std::int64_t end = std::min(target_.n_rows, begin + kRowsOfPart), first = at;
    loss_->gradients(scores_[which], which, begin, end, all_gradients, all_hessians);
    for (; at < static_cast<std::int64_t>(drawn_.size()) && drawn_[at] < end; ++at) {
      const double weight = target_.weight_at(drawn_[at]);
      gradient[at - first] = all_gradients[drawn_[at] - begin] * weight;
      hessian[at - first] = all_hessians[drawn_[at] - begin] * weight;
    }
    work(first, drawn_.data() + first, at - first, gradient, hessian);
  }
}

DrawnRange GradientPartition::range(int which) {
  DrawnRange found{static_cast<std::int64_t>(drawn_.size()), {}};
  const GradientBounds bounds = loss_->bounds();
  if (bounds.gradient > 0 && unit_weights_) {
    found.range = {bounds.gradient, bounds.hessian, 0};
    return found;
  }
  for_gradients(
      which, [&](std::int64_t, const std::uint32_t*, std::int64_t count, const double* g, const double* h) {
        GradientRange part;
        part.add(g, h, count);
        found.range.add(part);
      });
  return found;
}

QuantizedSums GradientPartition::begin_tree(int round, int which, const GradientGrid& grid) {
  const auto seed = static_cast<std::uint32_t>(seeds_.of(RoundSeeds::rounding, round, which));
  is_wide_ = grid.wide;
  if (is_wide_) wide_.of_row.resize(target_.n_rows);
  QuantizedSums sums;
  for_gradients(which, [&](std::int64_t first, const std::uint32_t* rows, std::int64_t count, const double* g,
                           const double* h) {
    sums += is_wide_ ? rounded_wide(g, h, rows, count, grid, wide_.of_row.data(), list_.entries() + first)
                     : quantized(g, h, rows, count, grid, seed, list_.entries() + first, first_row_);
  });
  leaves_.assign(1, {0, static_cast<std::int64_t>(drawn_.size())});
  return sums;
}

void GradientPartition::part(const PartRequest& request) {
  const Range all = leaves_.at(request.leaf);
  const std::int64_t n_left =
      list_.part(bins_, request.column, request.branch.data(), all.begin, all.count, team_);
  leaves_.push_back({all.begin, n_left});
  leaves_.push_back({all.begin + n_left, all.count - n_left});
}

DistantRows::Histogram GradientPartition::histogram(int leaf) {
  return is_wide_ ? filled(wide_, leaves_.at(leaf)) : filled(PackedGradients{}, leaves_.at(leaf));
}

template <class Cells>
DistantRows::Histogram GradientPartition::filled(const Cells& cells, const Range& rows) {
  const HistogramLayout layout(bins_, Cells::kWidth);
  std::vector<typename Cells::Number> numbers(layout.size());
  const RowEntry* entries = list_.entries() + rows.begin;
  for (std::size_t b = 0; b < bins_.blocks.size(); ++b)
    cells.fill(bins_.blocks[b].codes.get(), static_cast<int>(bins_.blocks[b].columns.size()),
               bins_.blocks[b].stride, entries, rows.count,
               numbers.data() + layout.block_first[b] * layout.width);
  for (const int c : layout.wide_columns)
    cells.fill_wide(bins_.wide[c].get(), entries, rows.count, numbers.data() + layout.start(c));
  DistantRows::Histogram packed;
  for (std::size_t c = 0; c < bins_.columns.size(); ++c) {
    const auto* from = numbers.data() + layout.start(static_cast<int>(c));
    for (std::size_t i = 0; i < layout.length(static_cast<int>(c)); ++i)
      packed.push_back(std::bit_cast<std::uint64_t>(from[i]));
  }
  return packed;
}

std::vector<std::uint32_t> GradientPartition::rows(int leaf) const {
  const Range& range = leaves_.at(leaf);
  std::vector<std::uint32_t> found;
  for (std::int64_t i = 0; i < range.count; ++i) found.push_back(row_of(list_.entries()[range.begin + i]));
  return found;
}

void GradientPartition::add(int which, const CodedTree& tree) {
  double* score = scores_[which];
  for (std::int64_t row = 0; row < target_.n_rows; ++row) {
    std::int32_t node = 0;
    while (tree.column[node] >= 0)
      node =
          tree.first_child[node] + tree.branch[tree.first_branch[node] + bins_.code(tree.column[node], row)];
    score[row] += tree.value[node];
  }
}

}  // namespace bough
