// The arrays of a tree as Python hands them over, by name; checked, so that no index leads out of them.
#pragma once

#include <stdexcept>

#include "arrays.hpp"
#include "bough/predict/router.hpp"

namespace bough_python {

struct TreeArrays {
  Input<std::int32_t, 1> first_child, n_children, column, default_branch, level_code, level_branch;
  Input<std::uint8_t, 1> kind;
  Input<double, 1> cut, gain;
  Input<std::int64_t, 1> level_start;

  TreeArrays(const nb::dict& tree, const std::vector<bough::Column>& columns)
      : first_child(taken<Input<std::int32_t, 1>>(tree, "first_child")),
        n_children(taken<Input<std::int32_t, 1>>(tree, "n_children")),
        column(taken<Input<std::int32_t, 1>>(tree, "column")),
        default_branch(taken<Input<std::int32_t, 1>>(tree, "default_branch")),
        level_code(taken<Input<std::int32_t, 1>>(tree, "level_code")),
        level_branch(taken<Input<std::int32_t, 1>>(tree, "level_branch")),
        kind(taken<Input<std::uint8_t, 1>>(tree, "kind")),
        cut(taken<Input<double, 1>>(tree, "cut")),
        gain(taken<Input<double, 1>>(tree, "gain")),
        level_start(taken<Input<std::int64_t, 1>>(tree, "level_start")) {
    const std::size_t n = first_child.shape(0);
    check(n > 0 && n_children.shape(0) == n && column.shape(0) == n && kind.shape(0) == n &&
              cut.shape(0) == n && gain.shape(0) == n && default_branch.shape(0) == n &&
              level_start.shape(0) == n + 1 && level_code.shape(0) == level_branch.shape(0),
          "the arrays of a tree differ in length");
    for (std::size_t i = 0; i < n; ++i)
      if (kind.data()[i] != 0) check_node(i, columns);
  }

  bough::TreeView view() const {
    return {static_cast<int>(first_child.shape(0)),
            first_child.data(),
            column.data(),
            kind.data(),
            cut.data(),
            default_branch.data(),
            level_start.data(),
            level_code.data(),
            level_branch.data(),
            {}};
  }

 private:
  template <class Array>
  static Array taken(const nb::dict& tree, const char* name) {
    return nb::cast<Array>(tree[name]);
  }
  static void check(bool right, const char* wrong) {
    if (!right) throw std::invalid_argument(wrong);
  }
  void check_node(std::size_t i, const std::vector<bough::Column>& columns) const {
    const auto n = static_cast<std::int64_t>(first_child.shape(0));
    const std::int64_t first = first_child.data()[i], many = n_children.data()[i];
    const std::int32_t c = column.data()[i];
    check(kind.data()[i] <= 5 && c >= 0 && c < static_cast<std::int32_t>(columns.size()) &&
              first > static_cast<std::int64_t>(i) && many >= 1 && first + many <= n,
          "a node's column or children are out of range");
    check(default_branch.data()[i] >= -1 && default_branch.data()[i] < many,
          "a default branch is out of range");
    const bool cuts = kind.data()[i] == 1 || kind.data()[i] == 5;
    check(!cuts || many == 2, "a threshold has two branches");
    check(cuts || columns[c].type == bough::Column::Type::code, "a numeric column has no levels");
    const std::int64_t begin = level_start.data()[i], end = level_start.data()[i + 1];
    check(begin >= 0 && begin <= end && end <= static_cast<std::int64_t>(level_code.shape(0)) &&
              (begin < end) != cuts,
          "the levels of a node are out of range");
    for (std::int64_t p = begin; p < end; ++p)
      check(level_branch.data()[p] >= 0 && level_branch.data()[p] < many, "a branch is out of range");
  }
};

}  // namespace bough_python
