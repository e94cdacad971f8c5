// A tree of thresholds in pieces of four levels, which take rows of known values to their leaves.
#pragma once

#include <cstdint>
#include <vector>

#include "bough/predict/level_piece.hpp"

namespace bough {

class FourLevels {
 public:
  static constexpr std::int64_t kRows = 256;  // that go down together at most

  // Steps: of all nodes, as write_piece asks for them. The processor must be able to use pieces.
  template <class Steps>
  FourLevels(const Steps& steps, std::size_t n_columns);

  // rows: the values of the first row; those of the next begin `stride` bytes later.
  bool all_known(const char* rows, std::int64_t stride, int n_rows) const;
  // The leaf of each row; no value may be missing. n_next: rows that follow, which are asked for meanwhile.
  void walk(const char* rows, std::int64_t stride, int n_rows, int n_next, std::int32_t* leaf) const;

 private:
  struct alignas(64) Exits {
    std::int32_t to[kPieceEnds];  // another piece, or the complement of a leaf
  };
  struct OnTheirWay;

  void step_down(const char* rows, std::int64_t stride, OnTheirWay& on) const;

  RegisterColumns in_registers_;
  std::vector<PieceCuts> cuts_;
  std::vector<PieceColumns> columns_;
  std::vector<Exits> exits_;
};

template <class Steps>
FourLevels::FourLevels(const Steps& steps, std::size_t n_columns) : in_registers_(n_columns) {
  const auto step_of = [&steps](std::int32_t node) -> const auto& { return steps[node]; };
  std::vector<std::int32_t> roots(1, 0);
  const std::size_t likely = steps.size() / 6 + 1;
  cuts_.reserve(likely);
  columns_.reserve(likely);
  exits_.reserve(likely);
  roots.reserve(likely);
  PieceNodes nodes;
  for (std::size_t piece = 0; piece < roots.size(); ++piece) {
    write_piece(step_of, roots[piece], cuts_.emplace_back(), columns_.emplace_back(), nodes);
    Exits& exits = exits_.emplace_back();
    for (int i = 0; i < kPieceEnds; ++i) {
      const std::int32_t end = nodes[kPieceCuts + i];
      const bool leaf = steps[end].first == end;
      exits.to[i] = leaf ? ~end : static_cast<std::int32_t>(roots.size());
      if (!leaf) roots.push_back(end);
    }
  }
}

}  // namespace bough
