// The sample of a tree: how often each row is drawn. It follows from the forest's seed and the tree's number,
// so it need not be kept: whoever asks which rows were out of a tree's bag draws again. The caller may also
// give the samples; each row of such a sample is one case, however often it was drawn.
#pragma once

#include <cstdint>
#include <vector>

namespace bough {

struct SampleDesign {
  enum class Draw { all, with_replacement, without_replacement, given };

  Draw draw = Draw::with_replacement;
  std::int64_t n_rows = 0;
  std::vector<std::int32_t> stratum;  // of each row; empty: all rows are one
  std::vector<std::int64_t> size;     // rows to draw from each stratum
  // Given samples, tree by tree from first_tree on: how often each row was drawn, or its weight in the tree.
  const std::uint32_t* counts = nullptr;
  const double* weights = nullptr;
  std::int64_t n_trees = 0;
  std::uint64_t first_tree = 0;
};

class Sampler {
 public:
  explicit Sampler(SampleDesign design);

  std::int64_t n_rows() const { return design_.n_rows; }
  // Whether every tree has each row once.
  bool takes_all() const { return design_.draw == SampleDesign::Draw::all; }
  // Whether the caller gave the samples.
  bool is_given() const { return design_.draw == SampleDesign::Draw::given; }
  // The weight of each row in a given sample; null where rows weigh as often as they were drawn.
  const double* weights(std::uint64_t tree) const {
    return design_.weights ? design_.weights + at(tree) : nullptr;
  }

  bool has_weights() const { return design_.weights != nullptr; }

  // How often each row is in the bag of a tree.
  void draw(std::uint64_t seed, std::uint64_t tree, std::vector<std::uint32_t>& count) const;

 private:
  // Where the given sample of a tree begins.
  std::int64_t at(std::uint64_t tree) const {
    return static_cast<std::int64_t>(tree - design_.first_tree) * design_.n_rows;
  }

  SampleDesign design_;
  std::vector<std::uint32_t> rows_;  // by stratum, ascending within; empty: one stratum
  std::vector<std::int64_t> start_;  // of each stratum in rows_
};

}  // namespace bough
