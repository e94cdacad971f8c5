// Sums over the rows of a node, by all threads where the node is large: to the bit those of one thread.
#pragma once

#include <algorithm>

#include "bough/machine/buffer.hpp"
#include "bough/machine/team.hpp"

namespace bough {

class RowSums {
 public:
  RowSums() = default;
  // team: null for one thread.
  explicit RowSums(Team* team) : team_(team) {}

  // Whether so many rows are shared out.
  bool shares(int count) const { return team_ && team_->size() > 1 && count >= 2 * kPiece; }
  static int n_pieces(int count) { return (count + kPiece - 1) / kPiece; }

  // Calls work(begin, end, piece) for every piece of the rows.
  template <class Work>
  void in_pieces(int count, const Work& work) {
    team_->run(n_pieces(count), [&](int piece, int) {
      const int begin = piece * kPiece;
      work(begin, std::min(count, begin + kPiece), piece);
    });
  }

  // Room for a term of each row, which one thread adds in their order: rounded sums depend on it.
  double* terms(int count) {
    if (terms_.size() < static_cast<std::size_t>(count)) terms_.resize(count);
    return terms_.data();
  }
  double sum_of_terms(int count) const {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += terms_[i];
    return sum;
  }

  // The sum of the terms of all rows, in their order. each_term: calls take(row, term) for the rows from
  // begin to end.
  template <class EachTerm>
  double in_order(int count, const EachTerm& each_term) {
    if (!shares(count)) {
      double sum = 0;
      each_term(0, count, [&](int, double term) { sum += term; });
      return sum;
    }
    double* const own = terms(count);
    in_pieces(count, [&](int begin, int end, int) {
      each_term(begin, end, [&](int i, double term) { own[i] = term; });
    });
    return sum_of_terms(count);
  }

 private:
  static constexpr int kPiece = 2048;

  Team* team_ = nullptr;
  RawVector<double> terms_;
};

}  // namespace bough
