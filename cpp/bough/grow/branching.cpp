#include "bough/grow/branching.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace bough {

namespace {

struct NodeAt {
  const Branching* home;
  const Node* node;
};

// Nodes lie in other subtrees than the one before them, and the values of their cuts all over the table: both
// are asked for some nodes ahead.
constexpr int kNodesAhead = 24, kValuesAhead = 12;
constexpr std::size_t kChunk = 8192;      // nodes written at a time
constexpr std::size_t kGraftsAtOnce = 8;  // grafts numbered at a time

// The number of each node, level by level and from left to right, and who is whose child. What lies on one
// level of a graft follows each other, so that the trunk alone tells where, and grafts are numbered side by
// side.
class Numbering {
 public:
  Numbering(const Branching& trunk, const std::vector<Graft>& grafts, GrownTree& tree)
      : trunk_(trunk), grafts_(grafts), t_(tree), graft_at_(trunk.nodes.size(), -1), begin_(grafts.size()) {
    n_ = trunk.nodes.size();
    for (std::size_t g = 0; g < grafts.size(); ++g) {
      graft_at_[grafts[g].at] = static_cast<std::int32_t>(g);
      n_ += grafts[g].branching.nodes.size() - 1;
    }
    order_.resize(n_);
    t_.parent.resize(n_);
    t_.first_child.resize(n_);
  }

  void number(Team& team, Watch& watch) {
    number_trunk();
    const std::size_t n_items = (grafts_.size() + kGraftsAtOnce - 1) / kGraftsAtOnce;
    team.run(static_cast<int>(n_items), [&](int item, int) {
      watch.poll_or_throw();
      const std::size_t first = item * kGraftsAtOnce;
      for (std::size_t g = first; g < std::min(first + kGraftsAtOnce, grafts_.size()); ++g) number_graft(g);
    });
  }

  // The nodes in the order of their numbers.
  const RawVector<NodeAt>& order() const { return order_; }

 private:
  // Where the next node of each level of the tree stands, before any is numbered.
  std::vector<std::int32_t> level_starts() const {
    std::vector<std::int32_t> size, depth(trunk_.nodes.size(), 0);
    const auto add = [&](std::size_t level, std::int32_t many) {
      if (size.size() <= level) size.resize(level + 1, 0);
      size[level] += many;
    };
    for (std::size_t i = 0; i < trunk_.nodes.size(); ++i) {
      add(depth[i], 1);
      if (graft_at_[i] >= 0) {
        const std::vector<std::int32_t>& own = grafts_[graft_at_[i]].branching.level_sizes;
        for (std::size_t l = 1; l < own.size(); ++l) add(depth[i] + l, own[l]);
        continue;
      }
      const Node& node = trunk_.nodes[i];
      for (int j = 0; j < node.n_children; ++j) depth[node.first_child + j] = depth[i] + 1;
    }
    std::vector<std::int32_t> start(size.size() + 1, 0);
    std::partial_sum(size.begin(), size.end(), start.begin() + 1);
    return start;
  }

  // Goes through the trunk from left to right, and keeps the places of the grafts' nodes.
  void number_trunk() {
    struct Place {
      std::int32_t node, parent;
      std::size_t level;
    };
    std::vector<std::int32_t> next = level_starts();
    std::vector<Place> stack{{0, -1, 0}};
    while (!stack.empty()) {
      const Place place = stack.back();
      stack.pop_back();
      const std::int32_t at = next[place.level]++;
      t_.parent[at] = place.parent;
      if (const std::int32_t g = graft_at_[place.node]; g >= 0) {
        order_[at] = {&grafts_[g].branching, grafts_[g].branching.nodes.data()};
        const std::vector<std::int32_t>& own = grafts_[g].branching.level_sizes;
        begin_[g].assign(1, at);
        for (std::size_t l = 1; l < own.size(); ++l) {
          begin_[g].push_back(next[place.level + l]);
          next[place.level + l] += own[l];
        }
        continue;
      }
      const Node& node = trunk_.nodes[place.node];
      order_[at] = {&trunk_, &node};
      t_.first_child[at] = node.first_child < 0 ? -1 : next[place.level + 1];
      for (int j = node.n_children - 1; j >= 0; --j)
        stack.push_back({node.first_child + j, at, place.level + 1});
    }
  }

  void number_graft(std::size_t g) {
    const Branching& home = grafts_[g].branching;
    const std::vector<std::int32_t>&begin = begin_[g], &size = grafts_[g].branching.level_sizes;
    for (std::size_t l = 0; l < size.size(); ++l) {
      std::int32_t child = l + 1 < size.size() ? begin[l + 1] : 0;
      const std::int32_t end = begin[l] + size[l];
      for (std::int32_t i = begin[l]; i < end; ++i) {
        if (i + kNodesAhead < end) __builtin_prefetch(order_[i + kNodesAhead].node);
        const Node& node = *order_[i].node;
        t_.first_child[i] = node.first_child < 0 ? -1 : child;
        for (int j = 0; j < node.n_children; ++j, ++child) {
          t_.parent[child] = i;
          order_[child] = {&home, home.nodes.data() + node.first_child + j};
        }
      }
    }
  }

  const Branching& trunk_;
  const std::vector<Graft>& grafts_;
  GrownTree& t_;
  std::size_t n_;
  std::vector<std::int32_t> graft_at_;            // by node of the trunk; -1: none
  std::vector<std::vector<std::int32_t>> begin_;  // by graft and its level: the number of the first node
  RawVector<NodeAt> order_;
};

class Assembly {
 public:
  Assembly(const Branching& trunk, const std::vector<Graft>& grafts, const std::vector<Column>& columns,
           int n_classes, const RawVector<NodeAt>& order, GrownTree& tree)
      : columns_(columns), n_classes_(n_classes), order_(order), n_(order.size()), t_(tree) {
    const auto look = [this](const Branching& part) {
      any_levels_ |= !part.level_code.empty();
      any_alternatives_ |= !part.alternatives.empty();
    };
    look(trunk);
    for (const Graft& graft : grafts) look(graft.branching);
    make_room();
  }

  void write(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (i + kNodesAhead < n_) prefetch_node(i + kNodesAhead);
      if (i + kValuesAhead < n_) prefetch_values(i + kValuesAhead);
      write(i);
    }
    if (!any_levels_) std::fill(t_.level_start.begin() + begin + 1, t_.level_start.begin() + end + 1, 0);
    if (any_alternatives_) return;
    for (auto* start : {&t_.competitors.start, &t_.surrogates.start})
      std::fill(start->begin() + begin + 1, start->begin() + end + 1, 0);
  }

  void write_alternatives() {
    if (!any_alternatives_) return;
    append_alternatives(t_.competitors,
                        [](const Node& node) { return Run{node.first_alternative, node.n_competitors}; });
    append_alternatives(t_.surrogates, [](const Node& node) {
      return Run{node.first_alternative + node.n_competitors, node.n_surrogates};
    });
  }

 private:
  struct Run {
    std::int64_t first;
    std::int32_t count;
  };

  // split: a Node or an AlternativeSplit.
  template <class Split>
  static double cut_of(const Split& split, const Column& column) {
    if (split.apart) return -std::numeric_limits<double>::infinity();
    return cut_between(column.value(split.row_below), column.value(split.row_above), column.scale);
  }

  void make_room() {
    for (auto* field : {&t_.n_children, &t_.column, &t_.default_branch}) field->resize(n_);
    for (auto* field : {&t_.cut, &t_.cut_below, &t_.cut_above, &t_.gain, &t_.weight, &t_.cases, &t_.risk})
      field->resize(n_);
    t_.kind.resize(n_);
    t_.statistics.resize(n_ * (n_classes_ ? n_classes_ : 1));
    t_.level_start.resize(n_ + 1);
    t_.level_start[0] = 0;
    if (any_levels_)
      for (std::size_t i = 0; i < n_; ++i)
        t_.level_start[i + 1] = t_.level_start[i] + order_[i].node->n_levels;
    const std::int64_t n_levels = any_levels_ ? t_.level_start[n_] : 0;
    t_.level_code.resize(n_levels);
    t_.level_branch.resize(n_levels);
    for (auto* alternatives : {&t_.competitors, &t_.surrogates}) {
      alternatives->level_start.push_back(0);
      alternatives->start.resize(any_alternatives_ ? 1 : n_ + 1);
      alternatives->start[0] = 0;
    }
  }

  template <class RunOf>
  void append_alternatives(AlternativeArrays& out, const RunOf& run_of) {
    for (const NodeAt& at : order_) {
      const Run run = run_of(*at.node);
      for (std::int64_t s = run.first; s < run.first + run.count; ++s) append(out, *at.home, s);
      out.start.push_back(static_cast<std::int64_t>(out.column.size()));
    }
  }

  void append(AlternativeArrays& out, const Branching& home, std::int64_t which) {
    const AlternativeSplit& split = home.alternatives[which];
    const Column& column = columns_[split.column];
    out.column.push_back(split.column);
    out.turned.push_back(split.turned);
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const bool between = !split.n_levels && !split.apart;
    out.cut.push_back(split.n_levels ? none : cut_of(split, column));
    out.cut_below.push_back(between ? column.value(split.row_below) : none);
    out.cut_above.push_back(between ? column.value(split.row_above) : none);
    out.value.push_back(split.value);
    out.adjusted.push_back(split.adjusted);
    out.cases.push_back(split.cases);
    const auto code = home.level_code.begin() + split.first_level,
               branch = home.level_branch.begin() + split.first_level;
    out.level_code.insert(out.level_code.end(), code, code + split.n_levels);
    out.level_branch.insert(out.level_branch.end(), branch, branch + split.n_levels);
    out.level_start.push_back(static_cast<std::int64_t>(out.level_code.size()));
  }

  void prefetch_node(std::size_t i) const {
    __builtin_prefetch(order_[i].node);
    __builtin_prefetch(reinterpret_cast<const char*>(order_[i].node) + 64);
  }
  void prefetch_values(std::size_t i) const {
    const Node& node = *order_[i].node;
    if (node.kind != SplitKind::threshold) return;
    columns_[node.column].prefetch(node.row_below);
    columns_[node.column].prefetch(node.row_above);
  }

  void write(std::size_t i) {
    const Branching& home = *order_[i].home;
    const Node& node = *order_[i].node;
    t_.kind[i] = static_cast<std::uint8_t>(node.kind);
    t_.n_children[i] = node.n_children;
    t_.column[i] = node.column;
    t_.default_branch[i] = node.default_branch;
    t_.gain[i] = node.gain;
    t_.weight[i] = node.weight;
    t_.cases[i] = node.cases;
    t_.risk[i] = node.risk;
    t_.cut[i] = t_.cut_below[i] = t_.cut_above[i] = std::numeric_limits<double>::quiet_NaN();
    if (node.kind == SplitKind::threshold) {
      const Column& column = columns_[node.column];
      if (!node.apart) {
        t_.cut_below[i] = column.value(node.row_below);
        t_.cut_above[i] = column.value(node.row_above);
      }
      t_.cut[i] = !std::isnan(node.drawn_cut) ? node.drawn_cut
                  : node.apart                ? -std::numeric_limits<double>::infinity()
                                              : cut_between(t_.cut_below[i], t_.cut_above[i], column.scale);
    }
    if (n_classes_)
      std::copy_n(home.counts.begin() + (&node - home.nodes.data()) * n_classes_, n_classes_,
                  t_.statistics.begin() + static_cast<std::ptrdiff_t>(i) * n_classes_);
    else
      t_.statistics[i] = node.centre;
    if (node.n_levels == 0) return;
    std::copy_n(home.level_code.begin() + node.first_level, node.n_levels,
                t_.level_code.begin() + t_.level_start[i]);
    std::copy_n(home.level_branch.begin() + node.first_level, node.n_levels,
                t_.level_branch.begin() + t_.level_start[i]);
  }

  const std::vector<Column>& columns_;
  int n_classes_;
  const RawVector<NodeAt>& order_;
  std::size_t n_;
  GrownTree& t_;
  bool any_levels_ = false, any_alternatives_ = false;
};

}  // namespace

std::int32_t add_children(int node, int depth, int n_branches, int width, Branching& out) {
  if (out.nodes.size() + n_branches > std::numeric_limits<std::int32_t>::max())
    throw std::length_error("the tree would have more nodes than 32 bits can number");
  const auto first = static_cast<std::int32_t>(out.nodes.size());
  out.nodes[node].first_child = first;
  out.nodes[node].n_children = n_branches;
  out.nodes.resize(first + n_branches);
  out.counts.resize(out.nodes.size() * width, 0.0);
  const std::size_t level = depth + 1 - out.root_depth;
  if (out.level_sizes.size() <= level) out.level_sizes.resize(level + 1, 0);
  out.level_sizes[level] += n_branches;
  return first;
}

GrownTree assemble(const Branching& trunk, const std::vector<Graft>& grafts,
                   const std::vector<Column>& columns, int n_classes, Team& team, Watch& watch) {
  GrownTree tree;
  Numbering numbering(trunk, grafts, tree);
  numbering.number(team, watch);
  Assembly assembly(trunk, grafts, columns, n_classes, numbering.order(), tree);
  const std::size_t n = numbering.order().size();
  team.run(static_cast<int>((n + kChunk - 1) / kChunk), [&](int chunk, int) {
    const std::size_t begin = static_cast<std::size_t>(chunk) * kChunk;
    watch.poll_or_throw();
    assembly.write(begin, std::min(n, begin + kChunk));
  });
  assembly.write_alternatives();
  return tree;
}

}  // namespace bough
