// Some of the rows of a boosted sum of trees, with their scores: what boost_elsewhere.hpp asks of them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bough/boost/boost_elsewhere.hpp"
#include "bough/boost/loss.hpp"
#include "bough/data/bins.hpp"
#include "bough/histogram/row_list.hpp"

namespace bough {

class GradientPartition {
 public:
  // first_row: the number of the first row among all. unit_weights: whether every row of all partitions has
  // weight 1. bins and target must outlive this.
  GradientPartition(const BinnedTable& bins, const BoostTarget& target, const BoostSettings& settings,
                    std::uint32_t first_row, bool unit_weights, const std::vector<double>& start);

  int n_scores() const { return static_cast<int>(scores_.size()); }
  // Goes back to before the first tree.
  void restart();
  // Draws the rows of a round, whose trees are grown at the scores as they are.
  void begin_round(int round);
  DrawnRange range(int which);
  // Puts the gradients of a tree on its grid; all drawn rows are in leaf 0.
  QuantizedSums begin_tree(int round, int which, const GradientGrid& grid);
  // Parts the rows of a leaf; see PartRequest.
  void part(const PartRequest& request);
  int n_parted() const { return (static_cast<int>(leaves_.size()) - 1) / 2; }
  std::int64_t count(int leaf) const { return leaves_.at(leaf).count; }
  DistantRows::Histogram histogram(int leaf);
  // The rows of a leaf, and their residuals at a score.
  std::vector<std::uint32_t> rows(int leaf) const;
  double residual(int which, std::uint32_t row) const { return loss_->residual(scores_[which], row); }
  void add(int which, const CodedTree& tree);

 private:
  struct Range {
    std::int64_t begin, count;
  };

  template <class Work>
  void for_gradients(int which, const Work& work);
  template <class Cells>
  DistantRows::Histogram filled(const Cells& cells, const Range& rows);

  const BinnedTable& bins_;
  BoostTarget target_;
  BoostSettings settings_;
  std::uint32_t first_row_;
  bool unit_weights_;
  std::vector<double> start_;
  std::unique_ptr<Loss> loss_;
  RoundSeeds seeds_;
  RowList list_;
  Team team_;
  WideGradients wide_;
  bool is_wide_ = false;
  std::vector<std::uint32_t> rows_, drawn_;
  std::vector<Range> leaves_;  // by number
  std::vector<std::vector<double>> memory_;
  std::vector<double*> scores_;
};

}  // namespace bough
