// Takes rows down a tree; where a value is missing a row goes down all branches, in parts.
#pragma once

#include "bough/predict/router.hpp"

namespace bough {

// For each row, the sum of the values (width a node) of the nodes where it ends, times its part that ends
// there. share: of each node, the part of what is incomplete at its parent that comes to it. nested: whether
// branches are averaged split by split from the leaves up, as REPTree and SimpleCart do; otherwise parts are
// multiplied from the root down, as in C4.5 and J48. Both are the same but for rounding.
void spread(const TreeView& tree, const std::int32_t* n_children, const double* share, const double* values,
            int width, const std::vector<Column>& columns, std::int64_t n_rows, bool nested, int n_threads,
            double* sums, const Monitor& monitor = {});

// For each node, the sum of the figures (width a row) of the rows that end there, times their parts.
// share: null: a row whose value is missing follows the default branch, or stays where there is none.
void collect(const TreeView& tree, const std::int32_t* n_children, const double* share, const double* figures,
             int width, const std::vector<Column>& columns, std::int64_t n_rows, double* sums,
             const Monitor& monitor = {});

// The same of the weights of the rows, by class: n_classes a node.
void collect_classes(const TreeView& tree, const std::int32_t* n_children, const double* share,
                     const std::int32_t* label, const double* weight, int n_classes,
                     const std::vector<Column>& columns, std::int64_t n_rows, double* sums,
                     const Monitor& monitor = {});

// For each node, the errors of its answer on the rows that pass it, times their parts: the weight of those of
// another class, or the sum of squared errors. Errors are added row by row, as Weka adds them, so that ties
// come out as there.
void errors_of_passing_rows(const TreeView& tree, const std::int32_t* n_children, const double* share,
                            const double* answer, const double* truth, bool classes, const double* weight,
                            const std::vector<Column>& columns, std::int64_t n_rows, double* sums,
                            const Monitor& monitor = {});

}  // namespace bough
