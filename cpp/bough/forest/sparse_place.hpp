// Where a grower finds the rows of a node and their cells if columns are sparse. Part of TreeGrower.
//
// The columns of a node are searched by their stored entries. What the node's zeros sum to is the node's sum
// less that of the entries, so it may differ from the sum of a dense table by rounding; counts do not.
#pragma once

#include "bough/forest/sparse_tree.hpp"
#include "bough/forest/tree_grower.hpp"

namespace bough {

class TreeGrower::Sparse {
 public:
  static constexpr bool kAnyOrder = false;
  static constexpr bool kSparse = true;
  static constexpr bool kBlock = false;

  explicit Sparse(TreeGrower& grower) : g_(grower), tree_(*grower.sparse_) {}

  std::uint32_t* index() { return g_.rows_.data(); }
  const RowView& view() const { return g_.view_; }
  std::uint32_t row(std::uint32_t index) const { return index; }

  // Begins the search of a node.
  void open(const Span& span) {
    tree_.open(span.node, index() + span.begin, span.count, g_.columns_ahead());
    if (g_.plan_.counts || !g_.plan_.data.n_classes) return;
    tree_.rows_of_class.assign(g_.plan_.data.n_classes, 0.0);
    for (int i = span.begin; i < span.begin + span.count; ++i) count_labels(g_.rows_[i], 1);
  }

  void search(int column, const Span& span, const NodeSums& sums) {
    const StoredEntries stored = tree_.stored(column);
    if (stored.count == 0) return;
    if (g_.plan_.recipe.splitter == Splitter::random) return search_random(column, stored, span, sums);
    if (g_.plan_.counts) return search_counts(column, stored, span, sums);
    write_brief(column, stored, span, sums);
    g_.search_.search(column, tree_.brief.data(), static_cast<int>(tree_.brief.size()), kMissing, g_.view_,
                      sums, g_.best_);
  }

  // The codes of the node's rows in the column of the best split, or their values.
  void list_best(const Span& span) {
    const int column = g_.best_.column;
    const StoredEntries stored = tree_.stored(column);
    const std::uint32_t zero = tree_.zero(column);
    const std::uint32_t* rows = index() + span.begin;
    for (int i = 0; i < span.count; ++i) tree_.code[rows[i]] = zero;
    std::fill(tree_.code.begin() + static_cast<std::ptrdiff_t>(tree_.n_rows), tree_.code.end(), zero);
    for (const Entry* entry = stored.list; entry < stored.end(); ++entry)
      tree_.code[index_of(*entry)] = code_of(*entry);
    if (g_.best_.kind != ForestSplit::Kind::value) return;
    for (int i = 0; i < span.count; ++i) g_.best_value_[i] = float_of(tree_.code[rows[i]]);
  }
  Cells<std::uint32_t> codes(int) const { return {tree_.code.data(), 1}; }

  // Notes where the rows of a node went, of which so many went left.
  void settle(const Span& span, int child, int left) {
    const std::uint32_t* rows = index() + span.begin;
    for (int i = 0; i < span.count; ++i) tree_.place[rows[i]] = static_cast<std::uint32_t>(span.begin + i);
    const bool low = 2 * left <= span.count;
    if (!low) rows += left;
    tree_.settle(span.node, low ? child : child + 1, low ? child + 1 : child, low ? left : span.count - left,
                 [rows](int i) { return rows[i]; });
  }

  int part_stored(const Span& span, int child);

 private:
  using Entry = SparseTree::Entry;
  static constexpr std::uint32_t kMissing = EntryTraits<Entry>::kMissing;

  // The stored entries, and rows that stand for all zeros of the node.
  void write_brief(int column, StoredEntries stored, const Span& span, const NodeSums& sums) {
    const std::uint32_t zero = tree_.zero(column);
    const Entry* middle = stored.first_from(zero);
    tree_.brief.assign(stored.list, middle);
    if (span.count > stored.count) append_zeros(zero, stored, sums);
    tree_.brief.insert(tree_.brief.end(), middle, stored.end());
  }

  // What the node's rows have and the stored entries have not.
  void append_zeros(std::uint32_t code, StoredEntries stored, const NodeSums& sums) {
    const Rows& rows = g_.view_.rows;
    const bool classes = rows.label != nullptr;
    double cases = sums.cases;
    for (const Entry* entry = stored.list; entry < stored.end(); ++entry)
      cases -= g_.cases_[index_of(*entry)];
    std::vector<double>& zeros = tree_.zeros;
    zeros.assign(sums.statistics, sums.statistics + g_.plan_.evaluator.width());
    for (const Entry* entry = stored.list; entry < stored.end(); ++entry)
      subtract_row(zeros.data(), rows, index_of(*entry), classes);
    if (!classes) {
      append_standing(0, code, zeros[0], cases);
      std::copy_n(zeros.data() + 1, rows.n_targets, rows.grids_at(tree_.standing(0)));
      return;
    }
    // A class without rows may be left with a weight by rounding.
    for (const Entry* entry = stored.list; entry < stored.end(); ++entry) count_labels(index_of(*entry), -1);
    for (std::size_t k = 0; k < zeros.size(); ++k)
      if (tree_.rows_of_class[k] <= 0) zeros[k] = 0;
    for (const Entry* entry = stored.list; entry < stored.end(); ++entry) count_labels(index_of(*entry), 1);
    int which = 0;
    tree_.joint.write(zeros.data(), [&](const std::int32_t* labels, double weight) {
      const auto k = static_cast<std::size_t>(rows.n_targets);
      std::copy_n(labels, k, tree_.label.data() + tree_.standing(which) * k);
      append_standing(which, code, weight, std::exchange(cases, 0.0));
      if (tree_.columns) tree_.columns->write(rows, tree_.standing(which));
      ++which;
    });
  }

  void append_standing(int which, std::uint32_t code, double weight, double cases) {
    const std::uint32_t row = tree_.standing(which);
    g_.weight_[row] = std::max(0.0, weight);
    g_.cases_[row] = cases;
    tree_.brief.push_back(make_entry<Entry>(code, row, 0));
  }

  void count_labels(std::uint32_t row, int by) {
    const auto k = static_cast<std::size_t>(g_.view_.rows.n_targets);
    for (std::size_t t = 0; t < k; ++t) tree_.rows_of_class[tree_.label[row * k + t]] += by;
  }

  std::uint32_t code_in(StoredEntries stored, std::uint32_t row, std::uint32_t zero) const;
  void set_rows_of_cut(StoredEntries stored, const Entry* above, bool has_zeros, std::uint32_t zero);
  void search_counts(int column, StoredEntries stored, const Span& span, const NodeSums& sums);
  void cut_counts(int column, StoredEntries stored, const Span& span, const NodeSums& sums);
  void cut_groups(int column, std::uint64_t base, std::uint64_t all, double share, int branch,
                  bool missing_seen);
  void take(int column, double value, std::uint32_t last, std::uint64_t left, int branch, bool missing_seen);
  void search_random(int column, StoredEntries stored, const Span& span, const NodeSums& sums);

  TreeGrower& g_;
  SparseTree& tree_;
};

// Parts the rows of a node in which no row misses the column of the best split. Only the stored entries are
// looked at: all zeros lie on one side, and what lies on the other moves away from there.
inline int TreeGrower::Sparse::part_stored(const Span& span, int child) {
  ForestSplit& best = g_.best_;
  const StoredEntries stored = tree_.stored(best.column);
  const std::uint32_t zero = tree_.zero(best.column);
  const bool by_value = best.kind == ForestSplit::Kind::value;
  if (!by_value && best.has_rows) best.last_left = code_in(stored, best.row_below, zero);
  const auto cut = static_cast<float>(best.cut);
  const auto is_left = [&](std::uint32_t code) {
    return by_value ? float_of(code) < cut : code <= best.last_left;
  };
  const Entry* above =
      std::partition_point(stored.list, stored.end(), [&](Entry entry) { return is_left(code_of(entry)); });
  if (!by_value && !best.has_rows) set_rows_of_cut(stored, above, span.count > stored.count, zero);
  const bool zeros_left = is_left(zero);
  const Entry *from = zeros_left ? above : stored.list, *to = zeros_left ? stored.end() : above;
  const int moving = static_cast<int>(to - from), left = zeros_left ? span.count - moving : moving;
  tree_.settle(span.node, zeros_left ? child + 1 : child, zeros_left ? child : child + 1, moving,
               [from](int i) { return index_of(from[i]); });
  if (g_.plan_.counts) {  // the order of rows does not matter
    std::uint32_t *rows = index(), *place = tree_.place.data();
    std::uint32_t at = static_cast<std::uint32_t>(zeros_left ? span.begin + left : span.begin);
    for (const Entry* entry = from; entry < to; ++entry, ++at) {
      const std::uint32_t row = index_of(*entry), other = rows[at];
      std::swap(rows[at], rows[place[row]]);
      std::swap(place[row], place[other]);
    }
    return left;
  }
  tree_.moves.resize(tree_.n_rows);
  for (const Entry* entry = from; entry < to; ++entry) tree_.moves[index_of(*entry)] = 1;
  g_.parted(*this, span, [&](std::uint32_t row, int) { return tree_.moves[row] == zeros_left; });
  for (const Entry* entry = from; entry < to; ++entry) tree_.moves[index_of(*entry)] = 0;
  return left;
}

// The code of a row of the node.
inline std::uint32_t TreeGrower::Sparse::code_in(StoredEntries stored, std::uint32_t row,
                                                 std::uint32_t zero) const {
  const Entry* found =
      std::find_if(stored.list, stored.end(), [row](Entry entry) { return index_of(entry) == row; });
  return found == stored.end() ? zero : code_of(*found);
}

// The rows that hold the values next to a cut. above: the first entry that goes right.
inline void TreeGrower::Sparse::set_rows_of_cut(StoredEntries stored, const Entry* above, bool has_zeros,
                                                std::uint32_t zero) {
  ForestSplit& best = g_.best_;
  const bool zeros_left = zero <= best.last_left;
  const bool zero_below = has_zeros && zeros_left && (above == stored.list || code_of(above[-1]) < zero);
  const bool zero_above = has_zeros && !zeros_left && (above == stored.end() || code_of(*above) > zero);
  best.row_below = zero_below ? tree_.standing(0) : index_of(above[-1]);
  best.row_above = zero_above ? tree_.standing(0) : index_of(*above);
}

inline void TreeGrower::Sparse::take(int column, double value, std::uint32_t last, std::uint64_t left,
                                     int branch, bool missing_seen) {
  ForestSplit& best = g_.best_;
  best.value = value;
  best.column = column;
  best.kind = ForestSplit::Kind::codes;
  best.missing_seen = missing_seen;
  best.default_branch = branch;
  best.apart = false;
  best.last_left = last;
  best.left_counted = left;
  best.has_rows = false;
}

// The cuts between groups, lowest first, as CountSearch judges them. base: what lies left of all cuts.
inline void TreeGrower::Sparse::cut_groups(int column, std::uint64_t base, std::uint64_t all, double share,
                                           int branch, bool missing_seen) {
  const auto n = static_cast<double>(all & 0xffffffffu), second = static_cast<double>(all >> 32);
  const double least = std::max({1.0, g_.search_.limits().min_cases, g_.search_.limits().min_weight});
  const auto value_of = [&](std::uint64_t left) {
    const auto draws = static_cast<double>(left & 0xffffffffu), ones = static_cast<double>(left >> 32);
    return draws >= least && n - draws >= least ? gini_of_counts(draws, ones, n, second) : -1;
  };
  if (base > 0 && value_of(base) > g_.best_.value) {
    take(column, value_of(base), 0, base, branch, missing_seen);
    g_.best_.apart = true;
  }
  std::uint64_t left = base;
  for (std::size_t i = 0; i + 1 < tree_.groups.size(); ++i) {
    left += tree_.groups[i].second;
    const double value = value_of(left) / share;
    if (value > g_.best_.value) take(column, value, tree_.groups[i].first, left, branch, missing_seen);
  }
}

// The same as search_counts where nothing is missing. Only cuts that may be the best are evaluated.
inline void TreeGrower::Sparse::cut_counts(int column, StoredEntries stored, const Span& span,
                                           const NodeSums& sums) {
  constexpr double kNearly = 1 - 1e-12;  // less than what rounding takes
  const std::uint64_t* counted = g_.view_.counted;
  const auto all = static_cast<double>(sums.counted & 0xffffffffu),
             second = static_cast<double>(sums.counted >> 32);
  const double least = std::max({1.0, g_.search_.limits().min_cases, g_.search_.limits().min_weight});
  const std::uint32_t zero = tree_.zero(column);
  if (tree_.draws.size() < static_cast<std::size_t>(stored.count)) tree_.draws.resize(stored.count);
  std::uint64_t zeros = sums.counted, left = 0;
  std::uint64_t* draws = tree_.draws.data();
  for (int i = 0; i < stored.count; ++i) {
    draws[i] = counted[index_of(stored.list[i])];
    zeros -= draws[i];
  }
  double bar = g_.best_.value * kNearly;
  const auto try_cut = [&](std::uint32_t last) {
    const auto n = static_cast<double>(left & 0xffffffffu), ones = static_cast<double>(left >> 32);
    const double d = ones * all - second * n, rest = all - n;
    if (d * d < bar * (n * rest) || n < least || rest < least) return;
    const double value = gini_of_counts(n, ones, all, second);
    if (!(value > g_.best_.value)) return;
    take(column, value, last, left, -1, false);
    bar = value * kNearly;
  };
  const int middle = static_cast<int>(stored.first_from(zero) - stored.list);
  const auto pass = [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      left += draws[i];
      if (i + 1 == end || code_of(stored.list[i]) != code_of(stored.list[i + 1]))
        try_cut(code_of(stored.list[i]));
    }
  };
  pass(0, middle);
  if (span.count > stored.count) {
    left += zeros;
    try_cut(zero);
  }
  pass(middle, stored.count);
}

// Two classes that are counted.
inline void TreeGrower::Sparse::search_counts(int column, StoredEntries stored, const Span& span,
                                              const NodeSums& sums) {
  if (!tree_.has_missing(column)) return cut_counts(column, stored, span, sums);
  const std::uint64_t* counted = g_.view_.counted;
  const std::uint32_t zero = tree_.zero(column);
  tree_.groups.clear();
  const auto add = [this](std::uint32_t code, std::uint64_t draws) {
    if (tree_.groups.empty() || tree_.groups.back().first != code) tree_.groups.push_back({code, 0});
    tree_.groups.back().second += draws;
  };
  std::uint64_t zeros = sums.counted, missing = 0;
  for (const Entry* entry = stored.list; entry < stored.end(); ++entry) zeros -= counted[index_of(*entry)];
  const Entry *middle = stored.first_from(zero), *end = stored.first_from(kMissing);
  for (const Entry* entry = stored.list; entry < middle; ++entry)
    add(code_of(*entry), counted[index_of(*entry)]);
  if (span.count > stored.count) add(zero, zeros);
  for (const Entry* entry = middle; entry < end; ++entry) add(code_of(*entry), counted[index_of(*entry)]);
  for (const Entry* entry = end; entry < stored.end(); ++entry) missing += counted[index_of(*entry)];
  if (tree_.groups.empty()) return;
  if (missing == 0) return cut_groups(column, 0, sums.counted, 1, -1, false);
  if (g_.plan_.recipe.missing == ForestMissing::majority) {
    // What is gained for the known cases counts in proportion to their share of the node.
    const double share =
        1 - static_cast<double>(missing & 0xffffffffu) / static_cast<double>(sums.counted & 0xffffffffu);
    return cut_groups(column, 0, sums.counted - missing, share, -1, true);
  }
  cut_groups(column, 0, sums.counted, 1, 1, true);
  cut_groups(column, missing, sums.counted, 1, 0, true);
}

// One cut, drawn between the least and the greatest value.
inline void TreeGrower::Sparse::search_random(int column, StoredEntries stored, const Span& span,
                                              const NodeSums& sums) {
  const std::uint32_t zero = tree_.zero(column);
  const Entry* end = stored.first_from(kMissing);
  const bool has_zeros = span.count > stored.count;
  if (end == stored.list && !has_zeros) return;
  std::uint32_t low = has_zeros ? zero : code_of(stored.list[0]), high = has_zeros ? zero : code_of(end[-1]);
  if (end > stored.list) {
    low = std::min(low, code_of(stored.list[0]));
    high = std::max(high, code_of(end[-1]));
  }
  const float least = float_of(low), most = float_of(high);
  if (!(least < most)) return;
  const float cut = g_.drawn_cut(g_.random_, least, most, true);
  const Entry* above = stored.first_from(ordered_bits(cut));
  const bool zeros_left = has_zeros && 0.0f < cut;
  if (g_.plan_.counts && !tree_.has_missing(column)) {
    // What lies left is all but what lies right, where zeros lie left.
    std::uint64_t below = zeros_left ? sums.counted : 0;
    const Entry *from = zeros_left ? above : stored.list, *to = zeros_left ? stored.end() : above;
    for (const Entry* entry = from; entry < to; ++entry) {
      const std::uint64_t draws = g_.view_.counted[index_of(*entry)];
      below = zeros_left ? below - draws : below + draws;
    }
    g_.offer_counted(column, cut, below, sums);
    return;
  }
  const bool classes = g_.plan_.data.n_classes > 0;
  g_.low_.clear();
  g_.missing_.clear();
  for (const Entry* entry = stored.list; entry < above; ++entry)
    g_.low_.add(g_.view_, index_of(*entry), classes);
  for (const Entry* entry = end; entry < stored.end(); ++entry)
    g_.missing_.add(g_.view_, index_of(*entry), classes);
  if (zeros_left) {
    PartSums& zeros = g_.rest_;  // which is written anew when the cut is offered
    zeros.clear();
    for (const Entry* entry = stored.list; entry < stored.end(); ++entry)
      zeros.add(g_.view_, index_of(*entry), classes);
    for (std::size_t i = 0; i < zeros.statistics.size(); ++i)
      zeros.statistics[i] = sums.statistics[i] - zeros.statistics[i];
    zeros.weight = sums.weight - zeros.weight;
    zeros.cases = sums.cases - zeros.cases;
    g_.low_.add(zeros);
  }
  g_.offer(column, ForestSplit::Kind::value, cut, sums);
}

}  // namespace bough
