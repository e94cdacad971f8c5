// A forest as Python hands it over: its arrays, checked, and what predicts from them.
#pragma once

#include <memory>
#include <mutex>

#include "arguments.hpp"
#include "bough/forest/careful_walk.hpp"

namespace bough_python {

// A forest, which keeps its arrays alive. They fit each other; the nodes are checked, and what predicts is
// made, when it is asked for first.
class Forest {
 public:
  Forest(Array<std::uint64_t> nodes, Array<double, 2> leaf, Array<std::uint32_t> special,
         Array<std::int64_t> node_start, Array<std::int64_t> leaf_start, Array<std::int64_t> special_start,
         bough::ForestView view, int n_threads)
      : nodes_(std::move(nodes)),
        leaf_(std::move(leaf)),
        special_(std::move(special)),
        node_start_(std::move(node_start)),
        leaf_start_(std::move(leaf_start)),
        special_start_(std::move(special_start)),
        view_(std::move(view)),
        n_threads_(n_threads) {}

  const bough::ForestView& view() const { return view_; }
  void check_nodes() const;
  const bough::ForestWalker& walker() const {
    std::call_once(*made_, [&] {
      check_nodes();
      walker_ = std::make_unique<bough::ForestWalker>(view_);
    });
    return *walker_;
  }

 private:
  Array<std::uint64_t> nodes_;
  Array<double, 2> leaf_;
  Array<std::uint32_t> special_;
  Array<std::int64_t> node_start_, leaf_start_, special_start_;
  bough::ForestView view_;
  int n_threads_;
  std::unique_ptr<std::once_flag> made_ = std::make_unique<std::once_flag>();
  mutable std::unique_ptr<bough::ForestWalker> walker_;
};

Forest make_forest(const Array<std::uint64_t>& nodes, bool wide, int column_bits,
                   const Array<double, 2>& leaf, const Array<std::uint32_t>& special,
                   const Array<std::int64_t>& node_start, const Array<std::int64_t>& leaf_start,
                   const Array<std::int64_t>& special_start, const std::vector<int>& n_levels, int n_classes,
                   int n_threads);

}  // namespace bough_python
