// Where a grower finds the rows of a node and their cells: in the whole table or in a block. Part of
// TreeGrower.
#pragma once

#include "bough/forest/tree_grower.hpp"
#include "bough/machine/radix_sort.hpp"

namespace bough {

// The rows of the whole table.
class TreeGrower::Whole {
 public:
  static constexpr bool kSparse = false;
  static constexpr bool kAnyOrder = false;  // they are kept ascending, so that memory is read forwards
  static constexpr bool kBlock = false;

  explicit Whole(TreeGrower& grower) : g_(grower) {}

  std::uint32_t* index() { return g_.rows_.data(); }
  const RowView& view() const { return g_.view_; }
  std::uint32_t row(std::uint32_t index) const { return index; }
  Cells<float> values(int column) const {
    return {g_.plan_.coded.values.get() + static_cast<std::size_t>(g_.plan_.data.n_rows) * column, 1};
  }

  const float* value_rows() const { return g_.plan_.coded.value_rows.get(); }

  bool varies(int column, const Span& span) const {
    const CodedColumn& coded = g_.order_.columns()[column];
    const std::uint32_t* index = g_.rows_.data() + span.begin;
    const std::uint32_t first = coded.code[index[0]];
    for (int i = 1; i < span.count; ++i)
      if (coded.code[index[i]] != first) return true;
    return false;
  }

  void search(int column, const Span& span, const NodeSums& sums) {
    if (g_.counter_) {
      const CountedCodes codes = g_.counter_->count(g_.plan_.coded.columns[column], g_.view_.counted,
                                                    index() + span.begin, span.count);
      return g_.search_.search(column, codes, sums, g_.best_);
    }
    if (!varies(column, span)) return;
    const CodedColumn& coded = g_.order_.columns()[column];
    const std::uint32_t* index = g_.rows_.data() + span.begin;
    for (int i = 0; i < span.count; ++i)
      g_.keys_[i] = make_entry<std::uint64_t>(coded.code[index[i]], index[i], 0);
    const std::uint64_t* list = radix_sort(g_.keys_.data(), g_.other_keys_.data(), span.count,
                                           EntryTraits<std::uint64_t>::kCodeShift, coded.bits);
    g_.search_.search(column, list, span.count, coded.n_codes, g_.view_, sums, g_.best_);
  }

  // The code of each row, by index.
  Cells<std::uint32_t> codes(int column) const { return {g_.order_.columns()[column].code, 1}; }

 private:
  TreeGrower& g_;
};

// The rows of a block.
class TreeGrower::Small {
 public:
  static constexpr bool kSparse = false;
  static constexpr bool kAnyOrder = true;  // sums of counts are the same in any
  static constexpr bool kBlock = true;

  explicit Small(TreeGrower& grower) : g_(grower), block_(grower.block_) {}

  std::uint32_t* index() { return g_.index_.data(); }
  const RowView& view() const { return block_.view(); }
  std::uint32_t row(std::uint32_t index) const { return block_.row(index); }
  Cells<float> values(int column) const { return block_.values(column); }
  const float* value_rows() const { return block_.value_rows(); }

  void search(int column, const Span& span, const NodeSums& sums) {
    const std::uint32_t* own = index() + span.begin;
    const std::uint32_t* list = !has_lists(span)          ? block_.ordered(column, own, span.count)
                                : block_.has_list(column) ? this->list(column, span)
                                                          : block_.ordered_by_few(column, own, span.count);
    g_.search_.search(column, list, span.count, EntryTraits<std::uint32_t>::kMissing, block_.view(), sums,
                      g_.best_);
  }

  Cells<std::uint32_t> codes(int column) const { return block_.codes(column); }
  const std::uint32_t* code_rows() const { return block_.code_rows(); }

  // Whether the rows of a node lie in the order of each column.
  bool has_lists(const Span& span) const { return block_.keeps_lists() && span.count >= g_.least_listed_; }
  const std::uint32_t* list(int column, const Span& span) const { return block_.list(column) + span.begin; }
  const Block& block() const { return block_; }
  // Parts the lists of a node whose rows were parted.
  void part_lists(const Span& span, const Span& low, const Span& high) {
    const bool left = has_lists(low) && g_.live(low), right = has_lists(high) && g_.live(high);
    if (left || right)
      block_.part_lists(g_.columns_.data(), g_.n_columns_, index() + span.begin, span.begin, span.count,
                        low.count,
                        left && right ? Kept::both
                        : left        ? Kept::left
                                      : Kept::right);
  }

 private:
  TreeGrower& g_;
  Block& block_;
};

}  // namespace bough
