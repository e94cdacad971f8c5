// Cubist's correction by neighbours: the prediction of a row is moved by the errors of the rules on the
// training rows that are nearest to it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bough/model_trees/cubist.hpp"

namespace bough::model_trees::cubist {

// Mean distance of pairs of rows drawn at random: neighbours farther away do not count.
float mean_distance(const Data& data);

class Neighbours {
 public:
  // predicted: by the rules, for each row of the data.
  Neighbours(Data data, std::vector<float> predicted, int n_neighbours, float max_distance, float floor,
             float ceiling);
  ~Neighbours();

  // Of a row of other data with the same columns; base: what the rules predict for it.
  double correct(const Data& data, int row, double base) const;

 private:
  friend float mean_distance(const Data& data);
  struct Index;
  struct Search;

  explicit Neighbours(Data data);
  std::unique_ptr<Index> build(int first, int last);
  bool is_split(Index& node, int first, int last, double best_mean);
  // Up to `limit`, beyond which the sum is not finished.
  float distance(const Data& data, int row, int instance, double limit) const;
  float distance_to_origin(const Data& data, int row) const;
  double part(const Data& data, int row, int column, float value) const;
  void scan(const Data& data, int row, const Index* node, float least, Search& search) const;
  void check(const Data& data, int row, int place, Search& search) const;

  Data data_;
  std::vector<float> predicted_;
  int n_neighbours_ = 1;
  float max_distance_ = 0, floor_ = 0, ceiling_ = 0;
  std::vector<int> instances_;             // rows in the order of the index
  std::vector<float> to_origin_, to_far_;  // distances of the rows to two points of reference
  int far_ = 0;
  std::vector<bool> tested_;
  std::unique_ptr<Index> index_;
};

}  // namespace bough::model_trees::cubist
