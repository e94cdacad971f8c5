#include "bough/grow/branching.hpp"

#include <algorithm>
#include <stdexcept>

namespace bough {

namespace {

struct NodeAt {
  const Branching* home;
  const Node* node;
};

// Nodes lie in other subtrees than the one before them, and the values of their cuts all over the table: both
// are asked for some nodes ahead.
constexpr std::size_t kNodesAhead = 24, kValuesAhead = 12;
constexpr std::size_t kChunk = 8192;  // nodes written at a time

class Assembly {
 public:
  Assembly(const Branching& trunk, const std::vector<Graft>& grafts, const std::vector<Column>& columns,
           int n_classes, GrownTree& tree)
      : trunk_(trunk), grafts_(grafts), columns_(columns), n_classes_(n_classes), t_(tree) {
    graft_at_.assign(trunk.nodes.size(), -1);
    n_ = trunk.nodes.size();
    for (std::size_t g = 0; g < grafts.size(); ++g) {
      graft_at_[grafts[g].at] = static_cast<std::int32_t>(g);
      n_ += grafts[g].branching.nodes.size() - 1;
    }
  }

  std::size_t n_nodes() const { return n_; }

  // Numbers the nodes level by level: who is whose child, and where the levels of each split will stand.
  void number(Watch& watch) {
    order_.reserve(n_);
    order_.push_back(in_trunk(0));
    t_.parent.assign(n_, -1);
    t_.first_child.assign(n_, -1);
    t_.level_start.assign(n_ + 1, 0);
    for (std::size_t i = 0; i < n_; ++i) {
      if (i + kNodesAhead < order_.size()) __builtin_prefetch(order_[i + kNodesAhead].node);
      const Branching* home = order_[i].home;
      const Node& node = *order_[i].node;
      if (i % kChunk == 0) watch.poll_or_throw();
      t_.level_start[i + 1] = t_.level_start[i] + node.n_levels;
      if (node.first_child < 0) continue;
      t_.first_child[i] = static_cast<std::int32_t>(order_.size());
      for (int j = 0; j < node.n_children; ++j) {
        t_.parent[order_.size()] = static_cast<std::int32_t>(i);
        const std::int32_t child = node.first_child + j;
        order_.push_back(home == &trunk_ ? in_trunk(child) : NodeAt{home, home->nodes.data() + child});
      }
    }
  }

  void make_room() {
    for (auto* field : {&t_.n_children, &t_.column, &t_.default_branch}) field->resize(n_);
    for (auto* field : {&t_.cut, &t_.cut_below, &t_.cut_above, &t_.gain, &t_.weight, &t_.cases, &t_.risk})
      field->resize(n_);
    t_.kind.resize(n_);
    t_.statistics.resize(n_ * (n_classes_ ? n_classes_ : 1));
    t_.level_code.resize(t_.level_start[n_]);
    t_.level_branch.resize(t_.level_start[n_]);
  }

  void write(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (i + kNodesAhead < n_) prefetch_node(i + kNodesAhead);
      if (i + kValuesAhead < n_) prefetch_values(i + kValuesAhead);
      write(i);
    }
  }

  void write_alternatives() {
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

  bool any_alternatives() const {
    return !trunk_.alternatives.empty() ||
           std::any_of(grafts_.begin(), grafts_.end(),
                       [](const Graft& graft) { return !graft.branching.alternatives.empty(); });
  }

  template <class RunOf>
  void append_alternatives(AlternativeArrays& out, const RunOf& run_of) {
    out.start.push_back(0);
    out.level_start.push_back(0);
    if (!any_alternatives()) return out.start.assign(n_ + 1, 0);
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

  // A node of the trunk, or the root of the subtree grown there.
  NodeAt in_trunk(std::int32_t node) const {
    const Branching& home = graft_at_[node] < 0 ? trunk_ : grafts_[graft_at_[node]].branching;
    return {&home, home.nodes.data() + (graft_at_[node] < 0 ? node : 0)};
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
    std::copy_n(home.level_code.begin() + node.first_level, node.n_levels,
                t_.level_code.begin() + t_.level_start[i]);
    std::copy_n(home.level_branch.begin() + node.first_level, node.n_levels,
                t_.level_branch.begin() + t_.level_start[i]);
  }

  const Branching& trunk_;
  const std::vector<Graft>& grafts_;
  const std::vector<Column>& columns_;
  int n_classes_;
  GrownTree& t_;
  std::size_t n_;
  std::vector<std::int32_t> graft_at_;
  RawVector<NodeAt> order_;
};

}  // namespace

std::int32_t add_children(int node, int n_branches, int width, Branching& out) {
  if (out.nodes.size() + n_branches > std::numeric_limits<std::int32_t>::max())
    throw std::length_error("the tree would have more nodes than 32 bits can number");
  const auto first = static_cast<std::int32_t>(out.nodes.size());
  out.nodes[node].first_child = first;
  out.nodes[node].n_children = n_branches;
  out.nodes.resize(first + n_branches);
  out.counts.resize(out.nodes.size() * width, 0.0);
  return first;
}

GrownTree assemble(const Branching& trunk, const std::vector<Graft>& grafts,
                   const std::vector<Column>& columns, int n_classes, Team& team, Watch& watch) {
  GrownTree tree;
  Assembly assembly(trunk, grafts, columns, n_classes, tree);
  assembly.number(watch);
  assembly.make_room();
  const std::size_t n = assembly.n_nodes();
  team.run(static_cast<int>((n + kChunk - 1) / kChunk), [&](int chunk, int) {
    const std::size_t begin = static_cast<std::size_t>(chunk) * kChunk;
    watch.poll_or_throw();
    assembly.write(begin, std::min(n, begin + kChunk));
  });
  assembly.write_alternatives();
  return tree;
}

}  // namespace bough
