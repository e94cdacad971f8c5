// Grows trees from histograms. The histogram of a node is filled from its rows, or is that of its parent less
// that of its sibling: sums are whole numbers, so neither this nor the number of threads can be seen in the
// tree. Leaves of at most S::few_rows() rows have no histogram: their rows are searched and measured.
// S are the statistics of a fit: what is summed by bin, how a column is searched, and what a node and a split
// say in the tree. See criterion_statistics.hpp and boost/gradient_statistics.hpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "bough/grow/branching.hpp"
#include "bough/histogram/bin_split.hpp"
#include "bough/histogram/distant_rows.hpp"
#include "bough/histogram/growth_ahead.hpp"
#include "bough/histogram/layout.hpp"
#include "bough/histogram/row_list.hpp"
#include "bough/histogram/tree_routes.hpp"
#include "bough/machine/team.hpp"
#include "bough/machine/watch.hpp"

namespace bough {

template <class S>
class HistogramGrower {
 public:
  using Number = typename S::Number;
  using Sums = typename S::Sums;

  struct Leaf {
    int node = 0, depth = 0;
    std::int64_t begin = 0, count = 0;
    bool live = false;  // may be split
    double worth = 0;
    Sums sums;
    BinSplit split;
    Buffer<Number> histogram;
  };

  // Who works on a leaf, with space for it.
  struct Hands {
    explicit Hands(Team& those) : team(those) {}
    Team& team;
    std::vector<std::uint8_t> branch;    // of each code of the column of the split being made
    std::vector<Leaf*> searched;         // children of the leaf being split
    std::vector<BinSplit> found;         // of each leaf and column
    std::atomic<bool> permitted{false};  // the split being made leaves enough rows on both sides
  };

  HistogramGrower(const BinnedTable& table, Team& team)
      : table_(table), team_(team), all_hands_(team), routes_(table) {}

  // Grows a tree on the first n_rows entries of the list, which it leaves parted by leaf.
  void grow(S& statistics, RowList& rows, std::int64_t n_rows, GrowthOrder order, int max_leaves,
            Branching& out, Watch& watch) {
    distant_ = nullptr;
    run(statistics, rows, n_rows, order, max_leaves, out, watch);
  }

  // The same for n_rows rows that are elsewhere; statistics that search rows cannot do this.
  void grow(S& statistics, DistantRows& rows, std::int64_t n_rows, GrowthOrder order, int max_leaves,
            Branching& out, Watch& watch) {
    static_assert(S::kFewRows == 0 && sizeof(Number) == sizeof(std::uint64_t));
    distant_ = &rows;
    RowList none(0);
    run(statistics, none, n_rows, order, max_leaves, out, watch);
  }

  // How rows go down the last tree.
  const TreeRoutes& routes() const { return routes_; }

  // The leaves of the last tree.
  const std::vector<Leaf>& leaves() const { return leaves_; }

 private:
  friend class GrowthAhead<HistogramGrower>;
  static constexpr bool kSearchesRows = S::kFewRows > 0;
  static constexpr int kLeavesToReserve = 64;  // a tree may stay far below its bound
  static constexpr std::int64_t kCellsToPoll = 20000;

  void run(S& statistics, RowList& rows, std::int64_t n_rows, GrowthOrder order, int max_leaves,
           Branching& out, Watch& watch) {
    s_ = &statistics;
    rows_ = &rows;
    order_ = order;
    max_leaves_ = max_leaves;
    if (!layout_ || layout_->width != statistics.width()) set_layout(statistics.width());
    leaves_.clear();
    if (max_leaves > 0 && max_leaves <= kLeavesToReserve) out.nodes.reserve(2 * max_leaves);
    routes_.start();
    out.nodes.resize(1);
    s_->add_nodes(out);
    Leaf root;
    root.count = n_rows;
    s_->measure_root(rows.entries(), n_rows, root, out);
    if (root.live && max_leaves != 1) search_root(root);
    leaves_.push_back(std::move(root));
    waiting_.clear();
    await(0);
    if (can_work_ahead(n_rows))
      GrowthAhead<HistogramGrower>(*this, team_, n_rows, max_leaves, out, watch).run();
    int n_leaves = static_cast<int>(leaves_.size());
    while (!waiting_.empty() && n_leaves != max_leaves) {
      // Some splits of a small table take less time than a look at the clock.
      if (n_rows * static_cast<std::int64_t>(table_.columns.size()) >= kCellsToPoll || n_leaves % 64 == 0)
        watch.poll_or_throw();
      n_leaves += split(take_next(), n_leaves + 1 != max_leaves, out);
    }
    for (Leaf& leaf : leaves_) spare(leaf.histogram);
    if constexpr (kSearchesRows)
      for (const Leaf& leaf : leaves_) s_->list_rows(leaf, rows.entries() + leaf.begin);
  }

  void search_root(Leaf& root) {
    if (is_few(root)) {
      if constexpr (kSearchesRows)
        if (s_->is_shared()) {
          s_->offer_root(root);
          return search_shared({&root}, all_hands_);
        }
      return search({&root}, all_hands_);
    }
    root.histogram = distant_ ? unpacked(distant_->root()) : take_histogram();
    if (distant_) return search({&root}, all_hands_);
    start_search({&root}, all_hands_);
    fill(root, all_hands_, [&](int c) { search_column({&root}, c, all_hands_); });
    end_search({&root}, all_hands_);
  }

  void set_layout(int width) {
    layout_ = std::make_unique<HistogramLayout>(table_, width);
    spare_.clear();
    partial_.clear();
  }

  // Whether leaves may be split before it is their turn: the tree does not show it unless columns are drawn
  // by the number of a node.
  bool can_work_ahead(std::int64_t n_rows) const {
    return team_.size() > 1 && n_rows >= kRowsForTeam && !distant_ && order_ != GrowthOrder::depth_first &&
           !s_->draws_by_node();
  }

  Buffer<Number> take_histogram() {
    const std::lock_guard<std::mutex> lock(spare_lock_);
    if (spare_.empty()) return make_buffer<Number>(layout_->size());
    Buffer<Number> taken = std::move(spare_.back());
    spare_.pop_back();
    return taken;
  }

  void spare(Buffer<Number>& histogram) {
    if (!histogram) return;
    const std::lock_guard<std::mutex> lock(spare_lock_);
    spare_.push_back(std::move(histogram));
  }

  void await(std::size_t leaf) {
    if (leaves_[leaf].split.column >= 0) waiting_.push_back(leaf);
  }

  // Takes the next leaf to split from those that wait.
  std::size_t take_next() {
    std::size_t at = waiting_.size() - 1;
    if (order_ != GrowthOrder::depth_first)
      for (std::size_t i = 0; i < waiting_.size(); ++i)
        if (is_before(leaves_[waiting_[i]], leaves_[waiting_[at]])) at = i;
    const std::size_t leaf = waiting_[at];
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(at));
    return leaf;
  }

  bool is_before(const Leaf& leaf, const Leaf& other) const {
    const bool tied = order_ == GrowthOrder::by_level || leaf.worth == other.worth;
    return tied ? leaf.node < other.node : leaf.worth > other.worth;
  }

  // Splits a leaf in two; returns how many leaves the tree gained. search_children: whether their splits are
  // wanted.
  int split(std::size_t at, bool search_children, Branching& out) {
    Leaf parent = std::move(leaves_[at]), left, right;
    const auto first = static_cast<int>(out.nodes.size());
    if (!expand(parent, parent.node, first, search_children, all_hands_, left, right, out)) {
      leaves_[at] = std::move(parent);
      await(at);
      return 0;
    }
    route(parent, first, all_hands_.branch, out);
    leaves_[at] = std::move(left);
    leaves_.push_back(std::move(right));
    for (const std::size_t child : {at, leaves_.size() - 1}) await(child);
    return 1;
  }

  // Parts the rows of a leaf, measures both children, searches them if wanted, and writes the nodes: the
  // split to that at `own`, the children to new ones from `first` on. False if the split leaves too few rows
  // on a side: then the leaf has another one, or none.
  bool expand(Leaf& parent, int own, int first, bool search_children, Hands& hands, Leaf& left, Leaf& right,
              Branching& out) {
    hands.branch.assign(layout_->used[parent.split.column], 0);
    const Number* column = split_column(parent);
    const int default_branch = branches_of(parent, column, hands.branch);
    DistantRows::Parted parted;
    if (distant_)
      parted = distant_->part(next_splits(parent), first);
    else if (leaves_list())
      parted.n_left = static_cast<std::int64_t>(parent.split.left_size);
    else
      parted.n_left = rows_->part(table_, parent.split.column, hands.branch.data(), parent.begin,
                                  parent.count, hands.team);
    const std::int64_t n_left = parted.n_left;
    if (!s_->permits(parent, n_left)) {
      search({&parent}, hands);
      return false;
    }
    hands.permitted.store(true);
    out.nodes.resize(first + 2);
    s_->add_nodes(out);
    left.node = first;
    right.node = first + 1;
    left.begin = parent.begin;
    left.count = n_left;
    right.begin = parent.begin + n_left;
    right.count = parent.count - n_left;
    left.depth = right.depth = parent.depth + 1;
    s_->measure_children(rows_->entries(), parent, column, hands.branch, left, right, out);
    record(parent, default_branch, column, out.nodes[own], out);
    const bool fills_left = distant_ ? parted.counted_left : left.count <= right.count;
    if (search_children && (left.live || right.live)) share_out(parent, left, right, fills_left, hands);
    spare(parent.histogram);
    for (Leaf* child : {&left, &right})
      if (child->split.column < 0) spare(child->histogram);
    return true;
  }

  // Whether the list of rows is not parted with the leaves, as the statistics know the rows of each.
  bool leaves_list() const {
    if constexpr (kSearchesRows) return s_->knows_rows();
    return false;
  }

  // Joins the children of a leaf, which are the nodes from `first` on, to it.
  void route(const Leaf& parent, int first, const std::vector<std::uint8_t>& branch, Branching& out) {
    out.nodes[parent.node].first_child = first;
    out.nodes[parent.node].n_children = 2;
    routes_.split(parent.node, parent.split.column, first, branch);
  }

  // The split of a leaf whose branches are written, and of those that would be next, best first.
  std::vector<LeafSplit> next_splits(const Leaf& first) {
    std::vector<LeafSplit> splits = {announced(first)};
    std::vector<std::size_t> others = waiting_;
    std::sort(others.begin(), others.end(),
              [&](std::size_t a, std::size_t b) { return is_before(leaves_[a], leaves_[b]); });
    const std::size_t room = static_cast<std::size_t>(max_leaves_) - leaves_.size();
    if (max_leaves_ > 0 && others.size() + 1 > room) others.resize(room - 1);
    std::vector<std::uint8_t>& branch = all_hands_.branch;
    for (const std::size_t at : others) {
      const Leaf& leaf = leaves_[at];
      branch.assign(layout_->used[leaf.split.column], 0);
      branches_of(leaf, split_column(leaf), branch);
      splits.push_back(announced(leaf));
    }
    branch = splits[0].branch;
    return splits;
  }

  LeafSplit announced(const Leaf& leaf) {
    const int c = leaf.split.column;
    const bool left_is_smaller =
        s_->heavier_branch(leaf, split_column(leaf), all_hands_.branch, table_.columns[c].n_bins) == 1;
    return {leaf.node, c, left_is_smaller, all_hands_.branch};
  }

  Buffer<Number> unpacked(const DistantRows::Histogram& packed) {
    Buffer<Number> histogram = take_histogram();
    const std::uint64_t* from = packed.data();
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      const std::size_t length = layout_->length(static_cast<int>(c));
      std::memcpy(histogram.get() + layout_->start(static_cast<int>(c)), from, length * sizeof(Number));
      from += length;
    }
    return histogram;
  }

  // Fills the histogram of one child, which has fewer rows as far as is known, and gives the other one the
  // rest; searches both. A column is searched right after it is summed, while its cells are near.
  void share_out(Leaf& parent, Leaf& left, Leaf& right, bool fills_left, Hands& hands) {
    Leaf &smaller = fills_left ? left : right, &larger = fills_left ? right : left;
    const bool sums = !is_few(larger), subtracts = sums && larger.live;
    if (sums) smaller.histogram = distant_ ? unpacked(distant_->counted()) : take_histogram();
    if (subtracts) larger.histogram = std::move(parent.histogram);
    std::vector<Leaf*>& searched = hands.searched;
    searched.clear();
    for (Leaf* child : {&left, &right})
      if (child->live) searched.push_back(child);
    start_search(searched, hands);
    const auto finish = [&](int c) {
      if (subtracts) {
        Number* from = larger.histogram.get() + layout_->start(c);
        const Number* less = smaller.histogram.get() + layout_->start(c);
        for (std::size_t i = 0; i < layout_->length(c); ++i) from[i] -= less[i];
      }
      search_column(searched, c, hands);
    };
    if constexpr (kSearchesRows) {
      s_->sort_children(rows_->entries(), parent, left, right);
      if (s_->is_shared()) return search_shared(searched, hands);
    }
    if (sums && !distant_)
      fill(smaller, hands, finish);
    else if (sums)
      for_columns(larger.count, hands.team, finish);
    else
      search_all_columns(searched, larger.count, hands);
    end_search(searched, hands);
    if (is_few(smaller)) spare(smaller.histogram);
  }

  const Number* column_of(const Number* histogram, int c) const { return histogram + layout_->start(c); }
  bool is_few(const Leaf& leaf) const {
    if constexpr (S::kFewRows > 0) return leaf.count <= s_->few_rows();
    return false;
  }

  // The cells of the column by which a leaf is split; null where the leaf has no histogram.
  const Number* split_column(const Leaf& leaf) const {
    return leaf.histogram ? column_of(leaf.histogram.get(), leaf.split.column) : nullptr;
  }

  void search_column(const Leaf& leaf, int c, BinSplit& found) const {
    if constexpr (S::kFewRows > 0)
      if (is_few(leaf)) return s_->search_rows(leaf, c, rows_->entries() + leaf.begin, found);
    s_->search(leaf, c, column_of(leaf.histogram.get(), c), found);
  }

  // Calls work(column) for every column.
  template <class Work>
  void for_columns(std::int64_t count, Team& team, const Work& work) const {
    for_column_ranges(count, team, [&](int begin, int end) {
      for (int c = begin; c < end; ++c) work(c);
    });
  }

  // Calls work(begin, end) for ranges that make up all columns.
  template <class Work>
  void for_column_ranges(std::int64_t count, Team& team, const Work& work) const {
    // Columns of few rows are taken many at once: one is searched in less time than a member takes to ask.
    constexpr std::int64_t kColumnsAtOnce = 4, kColumnsForTeam = 16, kCellsAtOnce = 16384;
    const auto n = static_cast<int>(table_.columns.size());
    const std::int64_t many = std::max(kColumnsAtOnce, kCellsAtOnce / std::max<std::int64_t>(count, 1));
    const int n_items = static_cast<int>((n + many - 1) / many);
    bool alone = team.size() == 1 || n_items < 2 || (count < kRowsForTeam && n < kColumnsForTeam);
    if constexpr (kSearchesRows) alone = alone || s_->needs_no_team();
    if (alone) return work(0, n);
    const int at_once = (n + n_items - 1) / n_items;
    team.run((n + at_once - 1) / at_once, [&](int item, int) {
      const int begin = item * at_once;
      work(begin, std::min(n, begin + at_once));
    });
  }

  // Finds the best split of each leaf, for which columns were offered to a second thread.
  void search_shared(const std::vector<Leaf*>& leaves, Hands& hands) {
    const auto n = static_cast<int>(table_.columns.size());
    const int shared = s_->first_shared_column();
    start_search(leaves, hands);
    search_columns(leaves, 0, shared, hands);
    const auto found = [&](std::size_t which) -> BinSplit& { return hands.found[which * n + shared]; };
    if (!s_->finish_shared(leaves.size(), found)) search_columns(leaves, shared, n, hands);
    end_search(leaves, hands);
  }

  // Finds the best split of each leaf; of equals that of the first column.
  void search(const std::vector<Leaf*>& leaves, Hands& hands) const {
    start_search(leaves, hands);
    std::int64_t count = 0;
    for (const Leaf* leaf : leaves) count = std::max(count, leaf->count);
    search_all_columns(leaves, count, hands);
    end_search(leaves, hands);
  }

  void search_all_columns(const std::vector<Leaf*>& leaves, std::int64_t count, Hands& hands) const {
    for_column_ranges(count, hands.team,
                      [&](int begin, int end) { search_columns(leaves, begin, end, hands); });
  }

  void search_columns(const std::vector<Leaf*>& leaves, int begin, int end, Hands& hands) const {
    for (std::size_t which = 0; which < leaves.size(); ++which) {
      const Leaf& leaf = *leaves[which];
      BinSplit* found = hands.found.data() + which * table_.columns.size();
      if constexpr (kSearchesRows)
        if (is_few(leaf) && s_->searches_together(leaf)) {
          s_->search_together(leaf, begin, end, rows_->entries() + leaf.begin, found);
          continue;
        }
      for (int c = begin; c < end; ++c) search_column(leaf, c, found[c]);
    }
  }

  void start_search(const std::vector<Leaf*>& leaves, Hands& hands) const {
    hands.found.assign(leaves.size() * table_.columns.size(), {});
  }

  void search_column(const std::vector<Leaf*>& leaves, int c, Hands& hands) const {
    const std::size_t n = table_.columns.size();
    for (std::size_t which = 0; which < leaves.size(); ++which)
      search_column(*leaves[which], c, hands.found[which * n + c]);
  }

  void end_search(const std::vector<Leaf*>& leaves, Hands& hands) const {
    const std::size_t n = table_.columns.size();
    for (std::size_t which = 0; which < leaves.size(); ++which) {
      BinSplit best;
      for (std::size_t c = 0; c < n; ++c) {
        BinSplit& found = hands.found[which * n + c];
        if (found.column >= 0 && (best.column < 0 || found.score > best.score)) best = std::move(found);
      }
      leaves[which]->split = std::move(best);
      leaves[which]->worth = s_->worth(*leaves[which]);
    }
  }

  // Clears and fills the histogram of a leaf; calls after(column) for every column once it is summed.
  template <class After>
  void fill(Leaf& leaf, Hands& hands, const After& after) {
    const auto n_blocks = static_cast<int>(table_.blocks.size()),
               n_parts = n_blocks + static_cast<int>(layout_->wide_columns.size());
    Team& team = hands.team;
    const auto fill_and_go_on = [&](int part, int) {
      fill_part_of(part, leaf.begin, leaf.count, leaf.histogram.get());
      if (part >= n_blocks) return after(layout_->wide_columns[part - n_blocks]);
      for (const int c : table_.blocks[part].columns) after(c);
    };
    if (team.size() == 1) {
      for (int part = 0; part < n_parts; ++part) fill_and_go_on(part, 0);
    } else if (n_parts >= 2 * team.size()) {
      team.run(n_parts, fill_and_go_on);
    } else if (leaf.count < kRowsForTeam) {
      for (int part = 0; part < n_parts; ++part)
        fill_part_of(part, leaf.begin, leaf.count, leaf.histogram.get());
      for_columns(leaf.count, team, after);
    } else {
      fill_by_chunks(leaf, n_parts, team, after);
    }
  }

  // The same, each member of a team filling a histogram of its own from some of the rows.
  template <class After>
  void fill_by_chunks(Leaf& leaf, int n_parts, Team& team, const After& after) {
    const int n_chunks = team.size();
    while (static_cast<int>(partial_.size()) < n_chunks - 1)
      partial_.push_back(make_buffer<Number>(layout_->size()));
    team.run(n_chunks * n_parts, [&](int item, int) {
      const int chunk = item / n_parts, part = item % n_parts;
      const std::int64_t begin = leaf.count * chunk / n_chunks, end = leaf.count * (chunk + 1) / n_chunks;
      fill_part_of(part, leaf.begin + begin, end - begin,
                   chunk == 0 ? leaf.histogram.get() : partial_[chunk - 1].get());
    });
    for_columns(leaf.count, team, [&](int c) {
      Number* to = leaf.histogram.get() + layout_->start(c);
      for (int chunk = 1; chunk < n_chunks; ++chunk) {
        const Number* from = partial_[chunk - 1].get() + layout_->start(c);
        for (std::size_t i = 0; i < layout_->length(c); ++i) to[i] += from[i];
      }
      after(c);
    });
  }

  void fill_part_of(int part, std::int64_t begin, std::int64_t count, Number* histogram) {
    const auto n_blocks = static_cast<int>(table_.blocks.size());
    const RowEntry* entries = rows_->entries() + begin;
    const auto clear = [&](int c) {
      std::fill_n(histogram + layout_->start(c), layout_->length(c), Number{});
    };
    if (part < n_blocks) {
      const BinBlock& block = table_.blocks[part];
      for (const int c : block.columns) clear(c);
      s_->cells().fill(block.codes.get(), static_cast<int>(block.columns.size()), block.stride, entries,
                       count,
                       histogram + static_cast<std::size_t>(layout_->block_first[part]) * layout_->width);
    } else {
      const int c = layout_->wide_columns[part - n_blocks];
      clear(c);
      s_->cells().fill_wide(table_.wide[c].get(), entries, count, histogram + layout_->start(c));
    }
  }

  // Writes the branch of each code; returns that of missing values and of levels that the split does not
  // list.
  int branches_of(const Leaf& leaf, const Number* column, std::vector<std::uint8_t>& branch) const {
    const BinSplit& split = leaf.split;
    const int n_bins = table_.columns[split.column].n_bins;
    if (split.branch.empty()) {
      const auto middle = branch.begin() + std::min(split.last_left + 1, n_bins);
      std::fill(branch.begin(), middle, std::uint8_t{0});
      std::fill(middle, branch.begin() + n_bins, std::uint8_t{1});
    } else {
      std::copy(split.branch.begin(), split.branch.end(), branch.begin());
    }
    const int missing = split.missing >= 0 ? split.missing : s_->heavier_branch(leaf, column, branch, n_bins);
    branch[n_bins] = static_cast<std::uint8_t>(missing);
    if (!split.branch.empty())
      for (int code = 0; code < n_bins; ++code)
        if (branch[code] > 1) branch[code] = static_cast<std::uint8_t>(missing);  // no row has it
    return missing;
  }

  // Writes the split of a leaf to a node, and its levels behind those of `out`.
  void record(const Leaf& leaf, int default_branch, const Number* column, Node& node, Branching& out) const {
    const BinSplit& split = leaf.split;
    const ColumnBins& bins = table_.columns[split.column];
    node.column = split.column;
    node.default_branch = default_branch;
    node.gain = s_->gain(leaf, out);
    if (split.branch.empty()) {
      node.kind = SplitKind::threshold;
      node.apart = split.last_left < 0;
      if (node.apart) return;
      int above = s_->next_code(column, split.last_left, bins.n_bins);
      while (!bins.is_held(above)) ++above;
      node.row_below = bins.highest_row[split.last_left];
      node.row_above = bins.lowest_row[above];
      return;
    }
    node.kind = s_->level_kind();
    node.first_level = static_cast<std::int64_t>(out.level_code.size());
    for (int code = 0; code < bins.n_bins; ++code) {
      if (split.branch[code] > 1) continue;
      out.level_code.push_back(code);
      out.level_branch.push_back(split.branch[code]);
      ++node.n_levels;
    }
  }

  const BinnedTable& table_;
  Team& team_;
  S* s_ = nullptr;
  RowList* rows_ = nullptr;
  DistantRows* distant_ = nullptr;  // null: the rows are here
  GrowthOrder order_ = GrowthOrder::best_first;
  int max_leaves_ = 0;
  std::unique_ptr<HistogramLayout> layout_;
  std::vector<Leaf> leaves_;
  std::vector<std::size_t> waiting_;  // leaves that have a split
  Hands all_hands_;
  std::mutex spare_lock_;
  std::vector<Buffer<Number>> spare_, partial_;
  TreeRoutes routes_;
};

}  // namespace bough
