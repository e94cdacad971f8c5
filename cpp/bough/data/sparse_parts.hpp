// The stored entries of sparse columns by node of a growing tree.
//
// A node has, of each column in which some of its rows have a stored number that is not 0, the sorted entries
// of these, column after column. Parting a node costs what it has stored.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bough/data/entry.hpp"
#include "bough/machine/buffer.hpp"

namespace bough {

// The entries of one column in one node.
struct StoredEntries {
  const std::uint64_t* list = nullptr;
  int count = 0;

  const std::uint64_t* end() const { return list + count; }
  // The first entry that is not below the code.
  const std::uint64_t* first_from(std::uint32_t code) const {
    return std::partition_point(list, end(), [code](std::uint64_t entry) { return code_of(entry) < code; });
  }
};

class SparseParts {
 public:
  using Entry = std::uint64_t;

  // A child of a node that is parted; a child that is not live is forgotten.
  struct Child {
    int node;
    bool live;
  };

  // entries: of all columns; they are parted in place.
  SparseParts(Entry* entries, std::size_t n_columns) : entries_(entries), stored_(n_columns) {}

  // The root, node 0: the entries of column c from start[c] to start[c + 1].
  void set_root(const std::vector<std::int64_t>& start) {
    Part all;
    for (std::size_t c = 0; c + 1 < start.size(); ++c)
      if (start[c] < start[c + 1])
        all.segments.push_back(
            {static_cast<std::int32_t>(c), static_cast<std::int32_t>(start[c + 1] - start[c])});
    parts_.clear();
    parts_.emplace(0, std::move(all));
  }
  // The root: a node of another tree on the same entries, which forgets it.
  void adopt(SparseParts& other, int node) {
    parts_.clear();
    parts_.emplace(0, std::move(other.parts_.find(node)->second));
  }

  // Begins the search of a node.
  void open(int node) {
    for (const int c : columns_) stored_[c] = {};
    columns_.clear();
    const Part& part = parts_.find(node)->second;
    const Entry* list = entries_ + part.first;
    for (const Segment& segment : part.segments) {
      stored_[segment.column] = {list, segment.count};
      columns_.push_back(segment.column);
      list += segment.count;
    }
  }
  // The columns of the open node that have stored entries, ascending, and these entries.
  const std::vector<int>& columns() const { return columns_; }
  StoredEntries stored(int column) const { return stored_[column]; }

  // The entries of a column in any node.
  StoredEntries find(int column, int node) const {
    const Part& part = parts_.find(node)->second;
    const Entry* list = entries_ + part.first;
    for (const Segment& segment : part.segments) {
      if (segment.column == column) return {list, segment.count};
      list += segment.count;
    }
    return {};
  }

  // Parts the entries of a node. branch_of: of a row; a number of no child: it goes no further.
  template <class BranchOf>
  void part(int node, const std::vector<Child>& children, const BranchOf& branch_of) {
    const auto found = parts_.find(node);
    const Part whole = std::move(found->second);
    parts_.erase(found);
    const std::size_t n = children.size();
    segments_.resize(std::max(segments_.size(), n));
    for (auto& segments : segments_) segments.clear();
    std::vector<Part> parts(n);
    if (n == 2)
      part_in_two(whole, parts.data(), branch_of);
    else
      part_in_many(whole, parts, branch_of);
    for (std::size_t j = 0; j < n; ++j) {
      if (!children[j].live) continue;
      parts[j].segments.assign(segments_[j].begin(), segments_[j].end());
      parts_.emplace(children[j].node, std::move(parts[j]));
    }
  }

 private:
  // A column and how many of its entries a node has.
  struct Segment {
    std::int32_t column, count;
  };
  struct Part {
    std::int64_t first = 0;
    std::vector<Segment> segments;
  };

  template <class BranchOf>
  void part_in_two(const Part& whole, Part* parts, const BranchOf& branch_of) {
    std::size_t n = 0;
    for (const Segment& segment : whole.segments) n += segment.count;
    if (right_.size() <= n) right_.resize(n + 1);
    Entry *left = entries_ + whole.first, *list = left, *right = right_.data();
    for (const Segment& segment : whole.segments) {
      const Entry *left_before = left, *right_before = right;
      for (const Entry* end = list + segment.count; list < end; ++list) {
        const Entry entry = *list;
        const auto branch = static_cast<std::uint32_t>(branch_of(index_of(entry)));
        *left = entry;
        *right = entry;
        left += branch == 0;
        right += branch == 1;
      }
      if (left > left_before)
        segments_[0].push_back({segment.column, static_cast<std::int32_t>(left - left_before)});
      if (right > right_before)
        segments_[1].push_back({segment.column, static_cast<std::int32_t>(right - right_before)});
    }
    parts[0].first = whole.first;
    parts[1].first = left - entries_;
    std::copy(right_.data(), right, left);
  }

  template <class BranchOf>
  void part_in_many(const Part& whole, std::vector<Part>& parts, const BranchOf& branch_of) {
    const std::size_t n = parts.size();
    std::vector<std::vector<Entry>> moved(n);
    std::vector<std::int32_t> count(n);
    const Entry* list = entries_ + whole.first;
    for (const Segment& segment : whole.segments) {
      count.assign(n, 0);
      for (const Entry* end = list + segment.count; list < end; ++list) {
        const auto branch = static_cast<std::size_t>(branch_of(index_of(*list)));
        if (branch >= n) continue;
        ++count[branch];
        moved[branch].push_back(*list);
      }
      for (std::size_t j = 0; j < n; ++j)
        if (count[j] > 0) segments_[j].push_back({segment.column, count[j]});
    }
    Entry* to = entries_ + whole.first;
    for (std::size_t j = 0; j < n; ++j) {
      parts[j].first = to - entries_;
      to = std::copy(moved[j].begin(), moved[j].end(), to);
    }
  }

  Entry* entries_;
  std::unordered_map<int, Part> parts_;  // of the nodes that are not parted yet
  std::vector<StoredEntries> stored_;    // of each column in the open node
  std::vector<int> columns_;
  RawVector<Entry> right_;
  std::vector<std::vector<Segment>> segments_;
};

}  // namespace bough
