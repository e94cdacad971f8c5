// The rows of each node one after the other, where rows that are alike are grown as one. Losses that are not
// whole numbers are summed row by row in the order of the list by which a node was parted, so that the risk
// of a node is rounded as if every row stood in that list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bough/data/entry.hpp"

namespace bough {

class RowSequence {
 public:
  // id: which distinct row each row is. fold: the rows of left_out do not count; null: all of them do.
  RowSequence(const std::vector<std::uint32_t>& id, std::size_t n_distinct, const std::int32_t* fold,
              int left_out)
      : bucket_(n_distinct, 0), loss_(n_distinct) {
    all_.resize(id.size());
    std::size_t n = 0;
    for (std::size_t i = 0; i < id.size(); ++i) {
      all_[n] = id[i];  // and written over, if it does not stay
      n += !fold || fold[i] != left_out;
    }
    all_.resize(n);
    ordered_.resize(n);
  }

  // The rows of the root, in the order of its list. weight: how many rows each distinct one is.
  template <class E>
  void start(const E* list, int count, const double* weight) {
    parts_.clear();
    buckets_.assign(1, {0, 0});
    add_part(0, list, count, weight);
    part(std::exchange(all_, {}));
  }

  // Parts the rows of a node. Each child has a node, and `count` entries from its `begin` on, which is counted
  // as the lists are.
  template <class E, class Children>
  void part(int parent, const Children& children, const E* list, const double* weight) {
    parts_.clear();
    buckets_.assign(1, {0, 0});
    for (const auto& child : children) add_part(child.node, list + child.begin, child.count, weight);
    part(std::exchange(nodes_[parent], {}));
  }

  // The sum over the rows of a node, one of those that were parted last; loss(i): of a distinct row.
  template <class E, class Loss>
  double sum_of_losses(int node, const E* list, int count, const Loss& loss) {
    for (int i = 0; i < count; ++i) loss_[index_of(list[i])] = loss(index_of(list[i]));
    double sum = 0;
    const Part own = *std::find_if(parts_.begin(), parts_.end(), [=](const Part& p) { return p.node == node; });
    for (std::uint32_t i = own.begin; i < own.end; ++i) sum += loss_[ordered_[i]];
    return sum;
  }

  // Frees the rows of a node that is not split.
  void forget(int node) { nodes_[node] = {}; }

 private:
  using Ids = std::vector<std::uint32_t>;
  struct Part {
    int node;
    std::uint32_t begin, end;  // in `ordered_`
  };
  struct Bucket {        // the rows of one code in one part
    std::uint32_t next;  // where the next of them stands in `ordered_`
    std::uint32_t part;
  };

  template <class E>
  void add_part(int node, const E* list, int count, const double* weight) {
    std::uint32_t n = parts_.empty() ? 0 : parts_.back().end;
    Part own{node, n, n};
    for (int i = 0; i < count; ++i) {
      if (i == 0 || code_of(list[i]) != code_of(list[i - 1]))
        buckets_.push_back({n, static_cast<std::uint32_t>(parts_.size())});
      bucket_[index_of(list[i])] = static_cast<std::uint32_t>(buckets_.size()) - 1;
      n += static_cast<std::uint32_t>(weight[index_of(list[i])]);
    }
    own.end = n;
    parts_.push_back(own);
  }

  void part(const Ids& rows) {
    if (nodes_.size() < static_cast<std::size_t>(parts_.back().node) + 1) nodes_.resize(parts_.back().node + 1);
    std::vector<std::uint32_t*> to;
    for (const Part& part : parts_) {
      nodes_[part.node].resize(part.end - part.begin);
      to.push_back(nodes_[part.node].data());
    }
    // Rows that go to no child stay in the first bucket, which comes after all others.
    const std::uint32_t n_parted = parts_.back().end;
    Ids staying(rows.size() - n_parted);
    buckets_[0] = {n_parted, static_cast<std::uint32_t>(parts_.size())};
    to.push_back(staying.data());
    for (const std::uint32_t id : rows) {
      Bucket& bucket = buckets_[bucket_[id]];
      ordered_[bucket.next++] = id;
      *to[bucket.part]++ = id;
    }
    for (const std::uint32_t id : rows) bucket_[id] = 0;
  }

  Ids all_;                 // those of the root
  std::vector<Ids> nodes_;  // of each node, ascending
  std::vector<Part> parts_;
  std::vector<Bucket> buckets_;
  std::vector<std::uint32_t> bucket_;  // of each distinct row; 0: it goes to no part
  Ids ordered_;                        // the rows of all parts, by the order of their lists
  std::vector<double> loss_;           // of each distinct row
};

}  // namespace bough
