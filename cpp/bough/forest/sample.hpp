// The sample of a tree: how often each row is drawn. It follows from the forest's seed and the tree's number,
// so it need not be kept: whoever asks which rows were out of a tree's bag draws again.
#pragma once

#include <cstdint>
#include <vector>

namespace bough {

struct SampleDesign {
  enum class Draw { all, with_replacement, without_replacement };

  Draw draw = Draw::with_replacement;
  std::int64_t n_rows = 0;
  std::vector<std::int32_t> stratum;  // of each row; empty: all rows are one
  std::vector<std::int64_t> size;     // rows to draw from each stratum
};

class Sampler {
 public:
  explicit Sampler(SampleDesign design);

  std::int64_t n_rows() const { return design_.n_rows; }
  // Whether every tree has each row once.
  bool takes_all() const { return design_.draw == SampleDesign::Draw::all; }

  // How often each row is in the bag of a tree.
  void draw(std::uint64_t seed, std::uint64_t tree, std::vector<std::uint32_t>& count) const;

 private:
  SampleDesign design_;
  std::vector<std::uint32_t> rows_;  // by stratum, ascending within; empty: one stratum
  std::vector<std::int64_t> start_;  // of each stratum in rows_
};

}  // namespace bough
