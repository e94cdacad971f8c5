// The statistics of trees that are grown by gradients and hessians of a loss: their sums by bin, and what the
// nodes of the tree say.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "bough/boost/cut_search.hpp"
#include "bough/boost/gradient_scores.hpp"
#include "bough/boost/level_split_search.hpp"
#include "bough/boost/shared_search.hpp"
#include "bough/boost/small_gradients.hpp"
#include "bough/boost/sorted_rows.hpp"
#include "bough/boost/sorted_search.hpp"
#include "bough/histogram/grower.hpp"
#include "bough/machine/random.hpp"

namespace bough {

template <class Cells>
class GradientStatistics {
 public:
  using Number = typename Cells::Number;
  using Sums = GradientSums;
  using Leaf = typename HistogramGrower<GradientStatistics>::Leaf;

  GradientStatistics(const BoostLimits& limits, const BinnedTable& bins)
      : limits_(limits), bins_(bins), scores_(limits), sorted_(bins) {
    by_tree_.assign(bins.columns.size(), 1);
  }

  Cells& cells() { return cells_; }

  // Lets a second thread search some of the columns of small tables, in a fit of so many trees.
  void allow_second_thread(std::int64_t n_trees) { n_trees_to_share_ = n_trees; }

  // Has the rows of leaves listed in their order, on which what is made of them depends.
  void keep_order_of_rows() { keeps_order_ = true; }

  // root: sums of all rows of the tree. columns: by which the tree may split. shrinkage: of the values of
  // leaves.
  void start_tree(const GradientUnits& units, const CellSums& root, std::vector<std::uint8_t> columns,
                  double shrinkage, std::uint64_t seed) {
    scores_.start_tree(units);
    root_ = root;
    by_tree_ = std::move(columns);
    shrinkage_ = shrinkage;
    seed_ = seed;
  }

  static int width() { return Cells::kWidth; }
  static SplitKind level_kind() { return SplitKind::subset; }
  void add_nodes(Branching&) const {}

  void measure_root(const RowEntry* entries, std::int64_t count, Leaf& root, Branching& out) {
    if constexpr (Cells::kIsPaired) {
      sorted_.start(entries, count);
      screens_ = sorted_.keeps_rows() && CutScreen::is_useful();
      knows_rows_ = sorted_.has_all() && gains_follow_from_sums() && !keeps_order_;
      needs_no_histograms_ = sorted_.has_all() || gains_by_rows();
      if (screens_)
        coarse_.take(cells_.apart_of_row, static_cast<std::size_t>(bins_.n_rows), cells_.sizes,
                     root_.hessian);
      start_sharing(count);
    }
    root.sums.gradient = root_.gradient;
    root.sums.hessian = root_.hessian;
    root.sums.size = root_.size;
    root.sums.is_root = true;
    measure(root, out);
  }

  void measure_children(const RowEntry* entries, const Leaf& parent, const Number* column,
                        const std::vector<std::uint8_t>& branch, Leaf& left, Leaf& right, Branching& out) {
    if (knows_rows()) {
      left.sums.rows = rows_of(parent);
      right.sums.rows = left.sums.rows + left.count;
    }
    const CellSums sums =
        column ? sums_of_codes(column, parent.split, branch) : sums_on_left(entries, parent, left, right);
    left.sums.gradient = sums.gradient;
    left.sums.hessian = sums.hessian;
    left.sums.size = sums.size;
    right.sums.gradient = parent.sums.gradient - sums.gradient;
    right.sums.hessian = parent.sums.hessian - sums.hessian;
    right.sums.size = parent.sums.size - sums.size;
    for (Leaf* child : {&left, &right}) {
      child->sums.lower = parent.sums.lower;
      child->sums.upper = parent.sums.upper;
      child->sums.of_parent = parent.sums.value;
      child->sums.allowed = allowed_below(parent);
      measure(*child, out);
    }
    const int direction = limits_.monotonic.empty() ? 0 : limits_.monotonic[parent.split.column];
    if (direction == 0) return;
    const double middle = left.sums.value / 2 + right.sums.value / 2;
    Leaf &low = direction > 0 ? left : right, &high = direction > 0 ? right : left;
    low.sums.upper = high.sums.lower = middle;
  }

  // Whether both children have the rows they need. Where rows are not counted in histograms, the search
  // estimates them by the hessian, and asks for more once a split had too few.
  bool permits(Leaf& leaf, std::int64_t n_left) const {
    const auto least = static_cast<std::int64_t>(std::max(1.0, limits_.min_samples_leaf));
    const bool few_left = n_left < least, few_right = leaf.count - n_left < least;
    if (!few_left && !few_right) return true;
    const double left = leaf.split.left_size, right = leaf.sums.size - left;
    leaf.sums.best_cut.clear();
    leaf.sums.min_size = 1 + (few_left && few_right ? std::max(left, right) : few_left ? left : right);
    return false;
  }

  // Whether the columns that are searched depend on the number of a node.
  bool draws_by_node() const { return limits_.columns_by_node < 1; }
  double worth(const Leaf& leaf) const { return leaf.split.value; }
  double gain(const Leaf& leaf, const Branching&) const {
    return leaf.split.value / (leaf.sums.hessian * scores_.hessian_unit());
  }

  // Where rows are not counted, a bin without gradient may have rows: cuts lie between bins of the fit.
  static int next_code(const Number*, int code, int) { return code + 1; }

  int heavier_branch(const Leaf& leaf, const Number* column, const std::vector<std::uint8_t>& branch,
                     int n_bins) const {
    // None is missing, or the search had chosen a branch: the size on the left is that of codes alone.
    if (leaf.split.missing < 0) return leaf.sums.size - leaf.split.left_size > leaf.split.left_size;
    double size[2] = {0, 0};
    for (int code = 0; code < n_bins; ++code)
      if (branch[code] < 2)
        size[branch[code]] += Cells::sums(column + static_cast<std::ptrdiff_t>(code) * Cells::kWidth).size;
    return size[1] > size[0];
  }

  void search(const Leaf& leaf, int c, const Number* column, BinSplit& best) const {
    const ColumnBins& bins = bins_.columns[c];
    if (!is_searched(leaf, c)) return;
    if (bins.scale == Scale::nominal)
      LevelSplitSearch<Cells>({scores_, leaf.sums, bins, c, best}).by_codes(column);
    else
      CutSearch<Cells>({scores_, leaf.sums, bins, c, best}).by_codes(column);
    best.score = best.value;
  }

  // The same for a leaf of few rows, which has no histogram.
  static constexpr int kFewRows = Cells::kFewRows;
  std::int64_t few_rows() const { return needs_no_histograms_ ? SortedRows::kMostRows : kFewRows; }

  // Whether the rows of leaves follow from those in the order of the column that their parent was split by,
  // so that they need not be listed before the tree is grown.
  bool knows_rows() const { return knows_rows_; }

  // Lists the rows of a leaf of a tree that is grown.
  void list_rows(const Leaf& leaf, RowEntry* entries) const {
    if (!leaf.sums.rows) return;
    for (std::int64_t i = 0; i < leaf.count; ++i) entries[i] = row_of_sorted(leaf.sums.rows[i]);
  }

  // Brings the rows of two children into the order of each column, before one or both are searched.
  void sort_children(const RowEntry* entries, const Leaf& parent, const Leaf& left, const Leaf& right) {
    if (!sorted_.keeps_rows()) return;
    const SortedRows::Parted leaf{left.begin, left.count, right.count, parent.depth, left.live, right.live};
    const RowMarks& marks =
        knows_rows() ? sorted_.mark(left.sums.rows, leaf) : sorted_.mark(entries + leaf.begin, leaf);
    if (is_shared_)
      shared_->offer_children(marks, leaf, left.live ? &left.sums : nullptr,
                              right.live ? &right.sums : nullptr);
    sorted_.part(leaf);
  }

  // Whether columns are not searched by a team, since a second thread takes some where it can.
  bool needs_no_team() const { return needs_no_team_; }

  // Whether a second thread searches all columns from one on, as it was offered; the root is offered here.
  bool is_shared() const { return is_shared_; }
  int first_shared_column() const { return shared_->first_column(); }
  void offer_root(const Leaf& root) { shared_->offer_root(root.sums, root.count); }

  // Writes the best splits of the leaves by these columns to found(leaf); false if they must be searched
  // here.
  template <class Found>
  bool finish_shared(std::size_t n_leaves, const Found& found) {
    if (!shared_->finish()) {
      is_shared_ = false;
      sorted_.take_back();
      return false;
    }
    for (std::size_t which = 0; which < n_leaves; ++which) found(which) = shared_->found(which);
    return true;
  }

  // Whether columns of a leaf without a histogram are in order, and gains follow from sums alone.
  bool searches_together(const Leaf& leaf) const {
    if constexpr (!Cells::kIsPaired) return false;
    return sorted_.keeps_rows() && limits_.monotonic.empty() && scores_.is_plain(leaf.sums, 0);
  }

  // Searches some columns of such a leaf; found: of all columns.
  void search_together(const Leaf& leaf, int begin, int end, const RowEntry* entries, BinSplit* found) const {
    if constexpr (Cells::kIsPaired) {
      ColumnsToSearch& columns = ColumnsToSearch::none();
      for (int c = begin; c < end; ++c) {
        if (!is_searched(leaf, c)) continue;
        if (sorted_.has(c))
          columns.all.push_back({c, sorted_.rows(c, leaf.begin, leaf.depth), found + c});
        else
          search_column_of_rows(leaf, c, entries, found[c]);
      }
      search_sorted(scores_, leaf.sums, bins_, terms(), leaf.count, columns);
    }
  }

  void search_rows(const Leaf& leaf, int c, const RowEntry* entries, BinSplit& best) const {
    if (is_searched(leaf, c)) search_column_of_rows(leaf, c, entries, best);
  }

  // Sums up the rows of a column by code. `cells` are 0, as many as kSetsOfCells columns have.
  void fill_column(int c, const RowEntry* entries, std::int64_t count, Number* cells) const {
    if (bins_.columns[c].is_wide())
      return add_rows_wide(bins_.wide[c].get(), entries, count, Cells::kWidth, cells, cells_);
    const std::uint8_t* codes = bins_.narrow[c].get();
    const int n_codes = bins_.columns[c].n_codes();
    if (n_codes > kFewCodes || count < kSetsOfCells * n_codes)
      return add_rows_wide(codes, entries, count, Cells::kWidth, cells, cells_);
    // Rows of the same code would wait for each other's sums.
    const std::ptrdiff_t n_cells = static_cast<std::ptrdiff_t>(n_codes) * Cells::kWidth;
    const auto add = [&](std::int64_t i, Number* to) {
      const std::uint32_t row = row_of(entries[i]);
      cells_(cells_.terms(row), to + static_cast<std::ptrdiff_t>(codes[row]) * Cells::kWidth);
    };
    std::int64_t i = 0;
    for (; i + kSetsOfCells <= count; i += kSetsOfCells)
      for (int set = 0; set < kSetsOfCells; ++set) add(i + set, cells + set * n_cells);
    for (; i < count; ++i) add(i, cells);
    for (std::ptrdiff_t j = n_cells; j < kSetsOfCells * n_cells; ++j) {
      cells[j % n_cells] += cells[j];
      cells[j] = Number{};
    }
  }

 private:
  SortedTerms terms() const { return {cells_.apart_of_row, screens_ ? &coarse_ : nullptr}; }

  void search_column_of_rows(const Leaf& leaf, int c, const RowEntry* entries, BinSplit& best) const {
    const ColumnBins& bins = bins_.columns[c];
    if constexpr (Cells::kIsPaired)
      if (sorted_.has(c) && scores_.is_plain(leaf.sums, c)) {
        CutSearch<Cells>({scores_, leaf.sums, bins, c, best})
            .by_sorted_rows(cells_.apart_of_row, sorted_.rows(c, leaf.begin, leaf.depth), leaf.count);
        best.score = best.value;
        return;
      }
    CutSpace<Cells>& s = cut_space<Cells>(static_cast<std::size_t>(bins.n_bins) + 2);
    const std::size_t n_cells = static_cast<std::size_t>(bins.n_codes()) * Cells::kWidth;
    if (s.cells.size() < kSetsOfCells * n_cells) s.cells.resize(kSetsOfCells * n_cells, Number{});
    if (bins.scale == Scale::nominal) {
      fill_column(c, entries, leaf.count, s.cells.data());
      LevelSplitSearch<Cells>({scores_, leaf.sums, bins, c, best}).by_codes(s.cells.data());
      std::fill_n(s.cells.begin(), n_cells, Number{});
    } else {
      const CutSearch<Cells> search({scores_, leaf.sums, bins, c, best});
      if (bins.is_wide())
        search.by_rows(cells_, bins_.wide[c].get(), entries, leaf.count, s);
      else
        search.by_rows(cells_, bins_.narrow[c].get(), entries, leaf.count, s);
    }
    best.score = best.value;
  }

  // The sums of the rows on the left; sums of whole numbers are exact, so that those of fewer rows will do.
  CellSums sums_on_left(const RowEntry* entries, const Leaf& parent, const Leaf& left,
                        const Leaf& right) const {
    const auto sums_of = [&](const Leaf& leaf) {
      if constexpr (Cells::kIsPaired)
        if (leaf.sums.rows) return cells_.sums_of_sorted_rows(leaf.sums.rows, leaf.count);
      return cells_.sums_of_rows(entries + leaf.begin, leaf.count);
    };
    if (left.count <= right.count) return sums_of(left);
    const CellSums others = sums_of(right);
    return {parent.sums.gradient - others.gradient, parent.sums.hessian - others.hessian,
            parent.sums.size - others.size};
  }

  // The rows of a leaf in the order of the column by which it is split.
  const SortedRow* rows_of(const Leaf& leaf) const {
    const int c = leaf.split.column;
    if (is_shared_ && c >= shared_->first_column()) return shared_->rows(c, leaf.begin, leaf.depth);
    return sorted_.rows(c, leaf.begin, leaf.depth);
  }

  // The sums of the codes of branch 0.
  static CellSums sums_of_codes(const Number* column, const BinSplit& split,
                                const std::vector<std::uint8_t>& branch) {
    Number all[Cells::kWidth] = {};
    const bool by_threshold = split.branch.empty();
    const std::size_t n = by_threshold ? static_cast<std::size_t>(split.last_left + 1) : branch.size();
    for (std::size_t code = 0; code < n; ++code)
      for (int j = 0; j < Cells::kWidth; ++j)
        all[j] += !by_threshold && branch[code] ? Number{} : column[code * Cells::kWidth + j];
    const std::size_t missing = branch.size() - 1;
    if (by_threshold && branch[missing] == 0)
      for (int j = 0; j < Cells::kWidth; ++j) all[j] += column[missing * Cells::kWidth + j];
    return Cells::sums(all);
  }

  // Whether all nodes are plain, so that no search reads the list of rows if all columns are in order.
  bool gains_follow_from_sums() const {
    return limits_.l1 == 0 && limits_.path_smoothing == 0 && limits_.max_step == 0 &&
           limits_.monotonic.empty();
  }

  // Shares the columns of a tree with the second thread if that pays and gains follow from sums alone.
  void start_sharing(std::int64_t n_rows) {
    is_shared_ = false;
    if (n_trees_to_share_ == 0 || n_rows != bins_.n_rows || !sorted_.keeps_rows()) return;
    if (!shared_) {
      const bool plain = gains_follow_from_sums() && limits_.interactions.empty() &&
                         limits_.most_on_path == 0 && limits_.columns_by_level == 1 &&
                         limits_.columns_by_node == 1;
      needs_no_team_ = plain && SharedSearch<Cells>::is_worthwhile(sorted_, n_rows, n_trees_to_share_);
      if (!needs_no_team_ || !SecondThread::is_useful()) {
        n_trees_to_share_ = 0;
        return;
      }
      shared_ = std::make_unique<SharedSearch<Cells>>(bins_, sorted_);
    }
    if (std::find(by_tree_.begin(), by_tree_.end(), 0) != by_tree_.end()) return;
    is_shared_ = shared_->start_tree(scores_, terms());
    if (is_shared_) sorted_.share(shared_->n_own());
  }

  void measure(Leaf& leaf, Branching& out) const {
    Sums& sums = leaf.sums;
    sums.n_rows = leaf.count;
    sums.value = scores_.value_of(sums.gradient, sums.hessian, sums.lower, sums.upper, limits_.l2);
    if (!sums.is_root) sums.value = scores_.smoothed(sums.value, sums.size, sums, sums.of_parent);
    // Where rows are not counted, so much hessian stands for the least number of rows.
    sums.min_size = Cells::kCountsCases
                        ? limits_.min_samples_leaf
                        : (limits_.min_samples_leaf - 0.5) * sums.size / static_cast<double>(leaf.count);
    if constexpr (Cells::kIsPaired)
      sums.unsplit = scores_.unsplit_score(sums, scores_.scan_of(sums, limits_.l2), limits_.l2);
    Node& node = out.nodes[leaf.node];
    node.weight = sums.hessian * scores_.hessian_unit();
    node.cases = static_cast<double>(leaf.count);
    node.centre = shrinkage_ * sums.value;
    if (draws()) set_seeds(leaf);
    sums.nearest = nearest_column(leaf);
    leaf.live = leaf.depth < limits_.max_depth && leaf.count >= 2 * std::max(1.0, limits_.min_samples_leaf) &&
                node.weight >= 2 * limits_.min_hessian && node.weight > 0;
  }

  // Draws of columns depend on the seed of the tree, the level or the node, and the column alone. Where none
  // is drawn, the column that came nearest to it is searched.
  bool is_searched(const Leaf& leaf, int c) const {
    if (!is_allowed(leaf, c)) return false;
    return !draws() || (leaf.sums.nearest < 0 ? draw_of(leaf, c) < 1 : leaf.sums.nearest == c);
  }
  int nearest_column(const Leaf& leaf) const {
    int nearest = -1;
    double least = std::numeric_limits<double>::infinity();
    for (int c = 0; draws() && c < static_cast<int>(by_tree_.size()); ++c) {
      if (!is_allowed(leaf, c)) continue;
      const double draw = draw_of(leaf, c);
      if (draw < 1) return -1;
      if (draw < least) {
        least = draw;
        nearest = c;
      }
    }
    return nearest;
  }
  bool draws() const { return limits_.columns_by_level < 1 || limits_.columns_by_node < 1; }

  // Whether leaves without histograms take less time. Histograms sum up all columns of one child, rows those
  // that are searched of both; but rows in the order of a column are searched faster than its histogram.
  bool gains_by_rows() const {
    if (bins_.n_rows > SortedRows::kMostRows) return false;
    const auto of_tree = static_cast<double>(std::count(by_tree_.begin(), by_tree_.end(), 1)),
               all = static_cast<double>(by_tree_.size());
    const double searched = of_tree * limits_.columns_by_level * limits_.columns_by_node;
    return searched <= all / 2 || static_cast<double>(sorted_.columns().size()) >= all / 3;
  }
  bool is_allowed(const Leaf& leaf, int c) const {
    return by_tree_[c] && bins_.columns[c].n_bins > 0 &&
           !(leaf.sums.allowed && !leaf.sums.allowed->columns[c]);
  }
  // Below 1 if the column is drawn.
  double draw_of(const Leaf& leaf, int c) const {
    const auto drawn = [&](double share, std::uint64_t seed) {
      return share >= 1 ? 0.0 : Random(seed, c).uniform() / share;
    };
    return std::max(drawn(limits_.columns_by_level, leaf.sums.seed_of_level),
                    drawn(limits_.columns_by_node, leaf.sums.seed_of_node));
  }
  void set_seeds(Leaf& leaf) const {
    constexpr std::uint64_t kOfLevels = std::uint64_t{1} << 32, kOfNodes = std::uint64_t{2} << 32;
    leaf.sums.seed_of_level = Random(seed_, kOfLevels + leaf.depth).next();
    leaf.sums.seed_of_node = Random(seed_, kOfNodes + leaf.node).next();
  }

  // Below a split, only columns are searched that share a set with all columns of the path.
  std::shared_ptr<const Interactions> allowed_below(const Leaf& parent) const {
    if (limits_.most_on_path > 0) return allowed_by_number(parent);
    if (limits_.interactions.empty()) return nullptr;
    auto allowed = std::make_shared<Interactions>();
    allowed->columns.assign(bins_.columns.size(), 0);
    for (std::size_t i = 0; i < limits_.interactions.size(); ++i) {
      const std::vector<int>& set = limits_.interactions[i];
      const bool holds = (!parent.sums.allowed || parent.sums.allowed->sets[i]) &&
                         std::find(set.begin(), set.end(), parent.split.column) != set.end();
      allowed->sets.push_back(holds);
      for (const int c : set)
        if (holds) allowed->columns[c] = 1;
    }
    return allowed;
  }

  // The same where any columns may meet, up to a number of them; each column is a set.
  std::shared_ptr<const Interactions> allowed_by_number(const Leaf& parent) const {
    auto allowed = std::make_shared<Interactions>();
    allowed->sets.assign(bins_.columns.size(), 0);
    if (parent.sums.allowed) allowed->sets = parent.sums.allowed->sets;
    allowed->sets[parent.split.column] = 1;
    allowed->columns = allowed->sets;
    if (std::count(allowed->sets.begin(), allowed->sets.end(), 1) < limits_.most_on_path)
      allowed->columns.assign(bins_.columns.size(), 1);
    return allowed;
  }

  // Columns of few codes are summed up in several sets of cells.
  static constexpr int kSetsOfCells = 4, kFewCodes = 16;

  const BoostLimits& limits_;
  const BinnedTable& bins_;
  GradientScores<Cells> scores_;
  Cells cells_;
  // Where cells are of few rows.
  SortedRows sorted_;
  CoarseTerms coarse_;
  bool screens_ = false;               // columns by coarse sums
  bool needs_no_histograms_ = false;   // in this tree
  bool keeps_order_ = false;           // of the rows of leaves
  bool knows_rows_ = false;            // of the leaves of this tree, without a list
  std::int64_t n_trees_to_share_ = 0;  // with a second thread
  bool is_shared_ = false;             // the tree is
  bool needs_no_team_ = false;
  std::unique_ptr<SharedSearch<Cells>> shared_;
  double shrinkage_ = 1;
  CellSums root_;
  std::vector<std::uint8_t> by_tree_;
  std::uint64_t seed_ = 0;
};

}  // namespace bough
