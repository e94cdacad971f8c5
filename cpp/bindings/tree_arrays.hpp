// The arrays of a tree, by name: handed over by Python, checked so that no index leads out of them, or handed
// back once a tree is grown.
#pragma once

#include "arguments.hpp"
#include "bough/grow/branching.hpp"
#include "bough/predict/router.hpp"

namespace bough_python {

// The arrays that decide where a row goes.
class TreeArrays {
 public:
  // n_levels: of each column, 0 for numeric ones.
  TreeArrays(const nb::dict& tree, const std::vector<int>& n_levels,
             const std::optional<Dict>& intervals = {}) {
    Reader(tree, "tree")
        .read("first_child", first_child_, "n_children", n_children_, "column", column_, "kind", kind_, "cut",
              cut_, "default_branch", default_branch_, "level_start", level_start_, "level_code", level_code_,
              "level_branch", level_branch_);
    check(n_nodes() > 0, "a tree needs a node");
    const char* differ = "the arrays of a tree differ in length";
    check_lengths(n_nodes(), differ, n_children_, column_, kind_, cut_, default_branch_);
    check_lengths(n_nodes() + 1, differ, level_start_);
    check_lengths(level_code_.n(), differ, level_branch_);
    check_starts(level_start_, level_code_.n(), "the levels of a node are out of range");
    if (intervals) {
      Reader(*intervals, "intervals").read("start", interval_start_, "cut", interval_cut_);
      check_lengths(n_nodes() + 1, differ, interval_start_);
      check_starts(interval_start_, interval_cut_.n(), "the cuts of a node are out of range");
    }
    has_intervals_ = intervals.has_value();
    for (std::size_t i = 0; i < n_nodes(); ++i)
      if (kind_[i] != 0)
        check_node(i, n_levels);
      else
        check(n_children_[i] == 0, "a leaf has children");
  }

  std::size_t n_nodes() const { return first_child_.n(); }
  const Array<std::int32_t>& n_children() const { return n_children_; }

  bough::TreeView view(const bough::SurrogateView& surrogates = {}) const {
    return {static_cast<int>(n_nodes()),
            first_child_.data(),
            column_.data(),
            kind_.data(),
            cut_.data(),
            default_branch_.data(),
            level_start_.data(),
            level_code_.data(),
            level_branch_.data(),
            surrogates,
            has_intervals_ ? interval_start_.data() : nullptr,
            has_intervals_ ? interval_cut_.data() : nullptr};
  }

 private:
  void check_node(std::size_t i, const std::vector<int>& n_levels) const {
    const std::int64_t first = first_child_[i], many = n_children_[i];
    const std::int32_t c = column_[i];
    const bool ranges = has_intervals_ && kind_[i] == 6;
    check((kind_[i] <= 5 || ranges) && c >= 0 && c < static_cast<std::int64_t>(n_levels.size()) &&
              first > static_cast<std::int64_t>(i) && many >= 1 &&
              first + many <= static_cast<std::int64_t>(n_nodes()),
          "a node's column or children are out of range");
    check(default_branch_[i] >= -1 && default_branch_[i] < many, "a default branch is out of range");
    const bool cuts = kind_[i] == 1 || kind_[i] == 5;
    check(!cuts || many == 2 || (kind_[i] == 1 && many == 3 && default_branch_[i] == 2),
          "a threshold has two branches, and perhaps one for missing values");
    if (ranges) {
      const std::int64_t n = interval_start_[i + 1] - interval_start_[i];
      check(n >= 1 && (many == n + 1 || (many == n + 2 && default_branch_[i] == n + 1)),
            "intervals have a branch more than cuts, and perhaps one for missing values");
      for (std::int64_t p = interval_start_[i]; p < interval_start_[i + 1]; ++p)
        check(p == interval_start_[i] ? interval_cut_[p] == interval_cut_[p]
                                      : interval_cut_[p] > interval_cut_[p - 1],
              "the cuts of a node must increase");
    }
    check((level_start_[i] < level_start_[i + 1]) != (cuts || ranges),
          "splits of levels, and only they, list levels");
    for (std::int64_t p = level_start_[i]; p < level_start_[i + 1]; ++p) {
      check(level_code_[p] >= 0 && level_code_[p] < n_levels[c], "a level is out of range");
      check(level_branch_[p] >= 0 && level_branch_[p] < many, "a branch is out of range");
    }
  }

  Array<std::int32_t> first_child_, n_children_, column_, default_branch_, level_code_, level_branch_;
  Array<std::uint8_t> kind_;
  Array<double> cut_, interval_cut_;
  Array<std::int64_t> level_start_, interval_start_;
  bool has_intervals_ = false;
};

// width: numbers a node's statistics have. The arrays are taken from the tree.
inline nb::dict tree_dict(bough::GrownTree& t, std::size_t width) {
  const std::size_t n = t.parent.size();
  nb::dict d;
  put(d, "parent", t.parent, "first_child", t.first_child, "n_children", t.n_children, "column", t.column,
      "kind", t.kind, "cut", t.cut, "cut_below", t.cut_below, "cut_above", t.cut_above, "level_start",
      t.level_start, "level_code", t.level_code, "level_branch", t.level_branch, "default_branch",
      t.default_branch, "weight", t.weight, "cases", t.cases, "risk", t.risk, "gain", t.gain);
  d["statistics"] = to_numpy(std::move(t.statistics), {n, width});
  return d;
}

// None if there are none.
inline nb::object alternatives_dict(bough::AlternativeArrays&& s) {
  if (s.column.empty()) return nb::none();
  nb::dict d;
  put(d, "start", s.start, "column", s.column, "cut", s.cut, "cut_below", s.cut_below, "cut_above",
      s.cut_above, "turned", s.turned, "level_start", s.level_start, "level_code", s.level_code,
      "level_branch", s.level_branch, "value", s.value, "adjusted", s.adjusted, "cases", s.cases);
  return d;
}

}  // namespace bough_python
