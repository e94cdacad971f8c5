// The workshop: the cases in their present order with their present weights, and what every step of C5.0
// needs to know. Steps take it by reference and are told which range of cases they work on.
#pragma once

#include <numeric>
#include <stdexcept>

#include "bough/c50/node.hpp"
#include "bough/c50/problem.hpp"
#include "bough/machine/team.hpp"
#include "bough/machine/watch.hpp"

namespace bough::c50 {

// Deeper trees would not fit the stack of a thread; C5.0's own limits make such depths a sign of odd data.
constexpr int kMostDepth = 4000;

struct Workshop {
  Workshop(const Problem& problem, const Settings& settings, const Monitor& monitor);

  const Problem& data;
  Settings settings;
  Team team;
  Watch watch;  // a unit of work a trial
  std::vector<Row> order;
  std::vector<float> weight;  // by row
  Row n_cases;                // those a tree may be grown on come first in `order`
  Count min_cases;
  float leaf_ratio = 0;
  int max_leaves = 0;  // of the node being split
  int trial = 0;
  bool winnowing = false;
  bool many_valued = true;  // all attributes have very many values
  double average_weight = 1, mdl_weight = 0;
  std::vector<std::uint8_t> skipped;                // attributes left out
  std::vector<int> tested;                          // how often above the present node
  bool cost_weights = false;                        // two classes: costs become weights
  float weight_factor[2] = {1, 1};                  // ... of the classes
  double base_info = 0;                             // of the node being split
  float error_deviation = 0;                        // square of the deviations that belong to the confidence
  std::vector<int> possible_cuts;                   // of attributes that the first tree tests
  std::vector<std::vector<float>> distinct_values;  // of attributes that some tree has tested, sorted
  double confidence_of_class = 0;                   // left behind by classify

  int n_classes() const { return data.n_classes; }
  bool has_costs() const { return !data.cost.empty(); }
  float cost(int predicted, int actual) const { return data.cost[predicted * data.n_classes + actual]; }
  const Attribute& attribute(int column) const { return data.attributes[column]; }
  int n_attributes() const { return static_cast<int>(data.attributes.size()); }

  void restore_order() { std::iota(order.begin(), order.end(), Row{0}); }
  void start_weights();
  void set_gain_threshold();
  void swap(std::int64_t a, std::int64_t b) { std::swap(order[a], order[b]); }

  Count sum_weights(std::int64_t first, std::int64_t last) const;
  // As they would be if costs had not changed them.
  Count sum_plain_weights(std::int64_t first, std::int64_t last) const;
  void class_weights(std::int64_t first, std::int64_t last, std::vector<double>& sums) const;

 private:
  void weigh_by_cost();
  void set_error_deviation();
};

}  // namespace bough::c50
