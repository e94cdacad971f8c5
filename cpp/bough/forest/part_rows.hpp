// Parts the rows of a node as the split found says, and writes the split down. Part of TreeGrower.
#pragma once

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>

#include "bough/forest/tree_grower.hpp"

namespace bough {

// Puts the rows first that do not go right; returns how many they are. right: of a row and its place.
template <class Place, class Right>
int TreeGrower::parted(Place& place, const Span& span, Right right) {
  std::uint32_t* index = place.index() + span.begin;
  if (Place::kAnyOrder && plan_.counts) {
    int l = 0;
    for (int i = 0; i < span.count; ++i) {
      const std::uint32_t at = index[i];
      const bool goes_right = right(at, i);
      index[i] = index[l];
      index[l] = at;
      l += !goes_right;
    }
    return l;
  }
  return part_rows_from(0, index, span.count, right, spare_.data(), 0, 0);
}

// The same by the codes of a column that were kept; finds the rows next to the cut.
template <class Place>
int TreeGrower::part_kept(Place& place, const Span& span, const std::int32_t* kept) {
  const auto last = static_cast<std::int32_t>(best_.last_left);
  if (plan_.data.columns[best_.column].scale != Scale::nominal) {
    const auto [below, above] = kernels_.around(kept, span.count, last);
    const std::uint32_t* index = place.index() + span.begin;
    best_.row_below = index[std::find(kept, kept + span.count, below) - kept];
    best_.row_above = index[std::find(kept, kept + span.count, above) - kept];
  }
  return parted(place, span, [&](std::uint32_t, int i) { return kept[i] > last; });
}

// The same by the codes of a column none of which is missing, fetched first; finds the rows next to the cut
// where they are not known: of equal codes the last row below it and the first above it.
template <class Place>
int TreeGrower::part_fetched(Place& place, const Span& span) {
  std::uint32_t* index = place.index() + span.begin;
  const auto last = static_cast<std::int32_t>(best_.last_left);
  std::int32_t *code = part_code_.data(), *end = code + span.count;
  kernels_.fetch_codes(place.codes(best_.column), index, span.count, code);
  if (!best_.has_rows) {
    const auto [below, above] = kernels_.around(code, span.count, last);
    const auto behind = std::find(std::make_reverse_iterator(end), std::make_reverse_iterator(code), below);
    best_.row_below = index[behind.base() - code - 1];
    best_.row_above = index[std::find(code, end, above) - code];
  }
  return row_parting_(index, code, span.count, last, spare_.data());
}

// The same by values none of which is missing: many rows are compared first, and then parted by vectors.
template <class Place, class Cell>
int TreeGrower::part_values(Place& place, const Span& span, float cut, Cell cell) {
  std::uint32_t* index = place.index() + span.begin;
  if (part_code_.empty() || span.count < kLeastFetched)
    return parted(place, span, [&](std::uint32_t at, int i) { return cell(at, i) >= cut; });
  std::int32_t* right = part_code_.data();
  for (int i = 0; i < span.count; ++i) right[i] = cell(index[i], i) >= cut;
  return row_parting_(index, right, span.count, 0, spare_.data());
}

// The same by codes wherever they are.
template <class Place>
int TreeGrower::part_codes(Place& place, const Span& span) {
  if constexpr (!Place::kSparse)
    if (!part_code_.empty() && span.count >= kLeastFetched && !best_.missing_seen && !best_.apart)
      return part_fetched(place, span);
  const Cells<std::uint32_t> code = place.codes(best_.column);
  const std::uint32_t missing = plan_.coded.columns[best_.column].n_codes, last = best_.last_left;
  if (best_.apart) return parted(place, span, [&](std::uint32_t at, int) { return code[at] != missing; });
  if (best_.has_rows && !best_.missing_seen)
    return parted(place, span, [&](std::uint32_t at, int) { return code[at] > last; });
  std::uint64_t below = 0, above = ~std::uint64_t{0};
  const bool to_right = !best_.missing_seen || best_.default_branch == 1;
  const int left = parted(place, span, [&](std::uint32_t at, int) {
    const std::uint32_t own = code[at];
    const std::uint64_t key = static_cast<std::uint64_t>(own) << 32 | at;
    const bool over = own > last;
    const std::uint64_t if_over = std::uint64_t{0} - over;  // a mask: the processor cannot foresee a branch
    below = std::max(below, key & ~if_over);
    above = std::min(above, key | ~if_over);
    return over && (to_right || own != missing);
  });
  if (!best_.has_rows) {
    best_.row_below = static_cast<std::uint32_t>(below);
    best_.row_above = static_cast<std::uint32_t>(above);
  }
  return left;
}

// Parts the rows of a node as the split says; returns how many are on the left.
template <class Place>
int TreeGrower::part(Place& place, const Span& span) {
  const bool otherwise = best_.default_branch == 1;
  if (best_.kind == ForestSplit::Kind::value) {
    const auto cut = static_cast<float>(best_.cut);
    const float* values = best_value_.data();
    if constexpr (!Place::kSparse) {
      if (best_picked_ >= 0) {
        const Cells<float> cells = cuts_->picked_cells(best_picked_);
        return part_values(place, span, cut, [&](std::uint32_t, int i) { return cells[i]; });
      }
      if (drawn_together_) {
        const Cells<float> cells = place.values(best_.column);
        return part_values(place, span, cut, [&](std::uint32_t at, int) { return cells[at]; });
      }
    }
    if (!best_.missing_seen)
      return parted(place, span, [&](std::uint32_t, int i) { return values[i] >= cut; });
    return parted(place, span, [&](std::uint32_t, int i) {
      const float x = values[i];
      return x == x ? x >= cut : otherwise;
    });
  }
  if (best_.kind == ForestSplit::Kind::levels) {
    const CodedColumn& coded = plan_.coded.columns[best_.column];
    for (std::uint32_t level : best_.left) side_[level] = 0;
    for (std::uint32_t level : best_.right) side_[level] = 1;
    side_[coded.n_codes] = otherwise;
    return parted(place, span, [&](std::uint32_t at, int) { return side_[coded.code[place.row(at)]] != 0; });
  }
  const std::int32_t* kept = counts_ ? counts_->codes_of(best_.column) : nullptr;
  return kept && !best_.apart ? part_kept(place, span, kept) : part_codes(place, span);
}

// Missing values of a split that has no side for them follow most of the known weight.
template <class Place>
void TreeGrower::settle_default(Place& place, const Span& span) {
  if (best_.default_branch >= 0) return;
  const std::uint32_t* index = place.index() + span.begin;
  const RowView& view = place.view();
  best_.default_branch = 1;  // of codes, missing ones are last, hence on the right
  if (!best_.missing_seen) return;
  double side[2] = {0, 0};
  const CodedColumn& coded = plan_.coded.columns[best_.column];
  if (best_.kind == ForestSplit::Kind::levels) {
    for (std::uint32_t level : best_.left) side_[level] = 0;
    for (std::uint32_t level : best_.right) side_[level] = 1;
  }
  const float* values = best_.kind == ForestSplit::Kind::value ? best_value_.data() : nullptr;
  for (int i = 0; i < span.count; ++i) {
    const std::uint32_t at = index[i];
    if (values) {
      if (values[i] == values[i]) side[values[i] >= best_.cut] += view.weight_at(at);
      continue;
    }
    const bool levels = best_.kind == ForestSplit::Kind::levels;
    const std::uint32_t code = levels ? coded.code[place.row(at)] : place.codes(best_.column)[at];
    if (code == coded.n_codes) continue;
    const bool right = levels ? side_[code] : code > best_.last_left;
    side[right] += view.weight_at(at);
  }
  best_.default_branch = side[1] > side[0];
}

// The levels that do not follow the default branch: those of the rows on the other side.
template <class Place>
void TreeGrower::write_levels(Place& place, const Span& span, int left) {
  constexpr int kBits = 64;
  ForestNode& node = tree_.nodes[span.node];
  std::vector<std::uint32_t>& levels = tree_.levels;
  node.first_level = static_cast<std::int64_t>(levels.size());
  if (best_.kind == ForestSplit::Kind::levels) {
    const auto& other = best_.default_branch == 1 ? best_.left : best_.right;
    levels.insert(levels.end(), other.begin(), other.end());
  } else {
    const bool right = best_.default_branch == 0;
    const std::uint32_t* index = place.index() + span.begin;
    const std::uint32_t* code = plan_.coded.columns[best_.column].code;
    if (plan_.data.columns[best_.column].n_levels <= kBits) {
      std::uint64_t seen = 0;
      for (int i = right ? left : 0; i < (right ? span.count : left); ++i)
        seen |= std::uint64_t{1} << code[place.row(index[i])];
      for (; seen; seen &= seen - 1) levels.push_back(static_cast<std::uint32_t>(std::countr_zero(seen)));
      node.n_levels = static_cast<std::int32_t>(levels.size() - node.first_level);
      return;
    }
    for (int i = right ? left : 0; i < (right ? span.count : left); ++i) {
      const std::uint32_t level = code[place.row(index[i])];
      if (!side_[level]) levels.push_back(level);
      side_[level] = 1;
    }
    for (std::size_t i = node.first_level; i < levels.size(); ++i) side_[levels[i]] = 0;
  }
  node.n_levels = static_cast<std::int32_t>(levels.size() - node.first_level);
  std::sort(levels.begin() + node.first_level, levels.end());
}

template <class Place>
void TreeGrower::write_split(Place& place, const Span& span, int left) {
  ForestNode& node = tree_.nodes[span.node];
  node.column = best_.column;
  node.gain = best_.value;
  node.default_branch = best_.default_branch;
  if (plan_.data.columns[best_.column].scale == Scale::nominal) {
    write_levels(place, span, left);
  } else if (best_.kind == ForestSplit::Kind::value) {
    node.cut = best_.cut;
  } else if (best_.apart) {
    node.cut = -std::numeric_limits<double>::infinity();
  } else {
    uncut_.push_back({span.node, place.row(best_.row_below), place.row(best_.row_above)});
  }
}

}  // namespace bough
