// The losses of R's gbm, which calls them distributions: where scores start, the response that a tree is
// fitted to, and the values of its leaves.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bough/boost/gbm_tree.hpp"

namespace bough {

struct GbmTarget {
  std::int64_t n_rows = 0;
  int n_classes = 0;
  const double* y = nullptr;       // a number, the code of a class, or whether a time ended by an event
  const double* weight = nullptr;  // of each row; their mean is 1
};

struct GbmLossSettings {
  std::string name;
  double quantile = 0.5;  // of quantile loss
  double degrees = 4;     // of freedom of Student's t
};

// Leaves and the leaf of each row; rows that were not drawn do not count.
struct GbmLeaves {
  std::vector<GbmLeaf>& leaves;
  const std::vector<int>& leaf_of_row;
  const std::uint8_t* drawn;
};

class GbmLoss {
 public:
  explicit GbmLoss(const GbmTarget& target) : target_(target) {}
  virtual ~GbmLoss() = default;

  virtual int n_scores() const { return 1; }
  virtual double start() const = 0;
  // Called before the trees of a round.
  virtual void begin_round(const std::vector<std::vector<double>>&) {}
  virtual void respond(const std::vector<double>& score, int which, const std::uint8_t* drawn,
                       std::vector<double>& response) const = 0;
  virtual void fit_leaves(const std::vector<double>& score, const std::vector<double>& response,
                          const GbmLeaves& leaves) const = 0;
  // The mean loss of all rows, as gbm reports it.
  virtual double loss(const std::vector<std::vector<double>>& scores) const = 0;

 protected:
  GbmTarget target_;
};

// Throws std::invalid_argument for a name that no loss has.
std::unique_ptr<GbmLoss> make_gbm_loss(const GbmLossSettings& settings, const GbmTarget& target);

}  // namespace bough
