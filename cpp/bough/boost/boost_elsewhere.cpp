#include "bough/boost/boost_elsewhere.hpp"

#include <cmath>
#include <map>
#include <stdexcept>

#include "bough/boost/renewed_leaves.hpp"

namespace bough {

namespace {

// Wide gradients of rows that cannot be searched here.
struct WideSums : WideGradients {
  static constexpr int kFewRows = 0;
};

// The leaves of a growing tree: asks for the children of all leaves that wait at once.
class AskedLeaves final : public DistantRows {
 public:
  AskedLeaves(BoostedRows& rows, Histogram root) : rows_(rows), root_(std::move(root)) { leaf_of_[0] = 0; }

  const Histogram& root() override { return root_; }

  Parted part(const std::vector<LeafSplit>& leaves, int first_child) override {
    if (!is_known(leaves[0])) ask(leaves);
    counted_ = &known_.at(leaves[0].node);
    leaf_of_[first_child] = 2 * counted_->number + 1;
    leaf_of_[first_child + 1] = 2 * counted_->number + 2;
    return {counted_->reply.n_left, counted_->split.left_is_smaller};
  }

  const Histogram& counted() override { return counted_->reply.histogram; }

  int leaf_of(int node) const { return leaf_of_.at(node); }

 private:
  struct Known {
    LeafSplit split;
    int number = 0;
    PartReply reply;
  };

  // A leaf may be split anew if its children had too few rows.
  bool is_known(const LeafSplit& split) const {
    const auto found = known_.find(split.node);
    return found != known_.end() && found->second.split.column == split.column &&
           found->second.split.branch == split.branch;
  }

  void ask(const std::vector<LeafSplit>& leaves) {
    std::vector<PartRequest> requests;
    std::vector<const LeafSplit*> asked;
    for (const LeafSplit& split : leaves) {
      if (is_known(split)) continue;
      requests.push_back({leaf_of_.at(split.node), split.column, split.left_is_smaller, split.branch});
      asked.push_back(&split);
    }
    std::vector<PartReply> replies = rows_.part(requests);
    if (replies.size() != requests.size()) throw std::invalid_argument("a leaf was not parted");
    for (std::size_t i = 0; i < asked.size(); ++i)
      known_[asked[i]->node] = {*asked[i], n_asked_++, std::move(replies[i])};
  }

  BoostedRows& rows_;
  Histogram root_;
  int n_asked_ = 0;
  std::map<int, int> leaf_of_;  // of each node: its number among the leaves that were asked for
  std::map<int, Known> known_;  // by node
  const Known* counted_ = nullptr;
};

class BoostingElsewhere {
 public:
  BoostingElsewhere(const std::vector<Column>& columns, const BinnedTable& bins, const Loss& loss,
                    bool unit_weights, const BoostSettings& settings, BoostedRows& rows, Team& team,
                    Watch& watch)
      : columns_(columns),
        bins_(bins),
        loss_(loss),
        unit_hessians_(loss.constant_hessian() && unit_weights),
        settings_(settings),
        rows_(rows),
        watch_(watch),
        seeds_(settings.seed, loss.n_scores()),
        packed_(settings.limits, bins),
        wide_(settings.limits, bins),
        packed_grower_(bins, team),
        wide_grower_(bins, team) {}

  std::vector<GrownTree> run() {
    std::vector<GrownTree> trees;
    for (int round = 0; round < settings_.n_rounds; ++round) {
      for (int which = 0; which < loss_.n_scores(); ++which) trees.push_back(grown(round, which));
      watch_.done(1);
      watch_.poll_or_throw();
    }
    return trees;
  }

 private:
  GrownTree grown(int round, int which) {
    const DrawnRange drawn = rows_.range(round, which);
    const GradientRange& range = drawn.range;
    if (!std::isfinite(range.sum_gradient + range.most_gradient) || !std::isfinite(range.most_hessian))
      throw std::overflow_error("the gradients of the loss are not finite");
    if (drawn.n_rows < 1) throw std::invalid_argument("no row was drawn");
    const GradientGrid grid = grid_of(range, drawn.n_rows, unit_hessians_);
    RootReply root = rows_.begin(round, which, grid);
    const auto gradient = static_cast<double>(root.sums.gradient),
               hessian = static_cast<double>(root.sums.hessian);
    const auto grow = [&](auto& statistics, auto& grower, double size) {
      const auto n = static_cast<int>(bins_.columns.size());
      statistics.start_tree({1 / grid.gradient_scale, 1 / grid.hessian_scale, loss_.variance_per_hessian(),
                             mean_square(root.sums, grid.wide)},
                            {gradient, hessian, size},
                            seeds_.drawn_columns(n, settings_.columns_by_tree, round, which),
                            settings_.learning_rate, seeds_.of(RoundSeeds::tree, round, which));
      AskedLeaves leaves(rows_, std::move(root.histogram));
      Branching tree;
      grower.grow(statistics, leaves, drawn.n_rows, settings_.order, settings_.limits.max_leaves, tree,
                  watch_);
      if (const double share = loss_.leaf_quantile(which); share >= 0)
        renew(grower, leaves, which, share, tree);
      rows_.add(which, coded(grower, tree));
      Team alone(1);
      return assemble(tree, {}, columns_, 0, alone, watch_);
    };
    return grid.wide ? grow(wide_, wide_grower_, static_cast<double>(drawn.n_rows))
                     : grow(packed_, packed_grower_, hessian);
  }

  // Gives each leaf the quantile of its residuals for a value.
  template <class G>
  void renew(const G& grower, const AskedLeaves& asked, int which, double share, Branching& tree) {
    std::vector<int> leaves;
    for (const auto& leaf : grower.leaves()) leaves.push_back(asked.leaf_of(leaf.node));
    const std::vector<double> found = rows_.quantiles(which, leaves, share);
    if (found.size() != leaves.size()) throw std::invalid_argument("a leaf has no quantile");
    for (std::size_t i = 0; i < leaves.size(); ++i)
      tree.nodes[grower.leaves()[i].node].centre =
          settings_.learning_rate * limited_step(found[i], settings_.limits.max_step);
    restore_directions(tree, settings_.limits.monotonic);
  }

  template <class G>
  static CodedTree coded(const G& grower, const Branching& tree) {
    CodedTree out;
    out.branch = grower.routes().branches();
    for (std::size_t node = 0; node < tree.nodes.size(); ++node) {
      const TreeRoutes::Route& route = grower.routes().nodes()[node];
      out.column.push_back(route.column);
      out.first_child.push_back(route.first_child);
      out.first_branch.push_back(static_cast<std::int64_t>(route.first_branch));
      out.value.push_back(tree.nodes[node].centre);
    }
    return out;
  }

  const std::vector<Column>& columns_;
  const BinnedTable& bins_;
  const Loss& loss_;
  bool unit_hessians_;
  const BoostSettings& settings_;
  BoostedRows& rows_;
  Watch& watch_;
  RoundSeeds seeds_;
  GradientStatistics<PackedGradients> packed_;
  GradientStatistics<WideSums> wide_;
  HistogramGrower<GradientStatistics<PackedGradients>> packed_grower_;
  HistogramGrower<GradientStatistics<WideSums>> wide_grower_;
};

}  // namespace

std::vector<GrownTree> boost_elsewhere(const std::vector<Column>& columns, const BinnedTable& bins,
                                       const Loss& loss, bool unit_weights, const BoostSettings& settings,
                                       BoostedRows& rows, int n_threads, const Monitor& monitor) {
  Team team(n_threads);
  Watch watch(monitor, settings.n_rounds);
  return BoostingElsewhere(columns, bins, loss, unit_weights, settings, rows, team, watch).run();
}

}  // namespace bough
