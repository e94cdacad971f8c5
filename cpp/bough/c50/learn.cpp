// Boosting as C5.0 does it: the weight of misclassified cases is raised halfway to half of all weight, cases
// that can no longer come right are dropped, and each classifier votes with its confidence.
#include "bough/c50/learn.hpp"

#include <algorithm>

#include "bough/c50/classify.hpp"
#include "bough/c50/prune.hpp"
#include "bough/c50/thresholds.hpp"
#include "bough/c50/winnow.hpp"

namespace bough::c50 {

namespace {

// Leaves as they would be if branches of the same answer had not been merged.
int expanded_leaf_count(const Node& node) {
  if (node.is_leaf()) return 1;
  int sum = 0;
  for (int v = 0; v < node.n_branches(); ++v) {
    const Node& branch = *node.branches[v];
    if (branch.cases < kMinLeaf) continue;
    sum += node.test == Test::subset && branch.is_leaf() ? static_cast<int>(node.subsets[v].size())
                                                         : expanded_leaf_count(branch);
  }
  return sum;
}

class Boosting {
 public:
  Boosting(Training& training, Model& model)
      : training_(training),
        model_(model),
        n_trials_(training.settings.trials),
        boosted_(n_trials_ > 1),
        wrong_(boosted_ ? training.data.n_rows : 0),
        votes_(boosted_ ? static_cast<std::size_t>(training.data.n_rows) * training.n_classes() : 0),
        leading_(boosted_ ? training.data.n_rows : 0, -1) {
    if (training.cost_weights)
      least_weight_ = std::min({1.0f, training.weight_factor[0], training.weight_factor[1]});
  }

  void run();

 private:
  // The weights of the cases that a trial classified wrongly and rightly.
  struct Tally {
    double wrong_weight = 0, right_weight = 0;
    std::int64_t n_wrong = 0;
  };

  bool grow_trial();  // false if the classifier has no structure
  Tally tally();
  bool is_hopeless(Row row, int actual) const;
  bool go_on(const Tally& tally, bool structured);
  void reweigh(const Tally& tally);
  void trim_light_cases();

  Training& training_;
  Model& model_;
  int n_trials_;
  bool boosted_;
  std::int64_t first_ = 0;  // cases before it in the order are left out of growth
  std::int64_t n_dropped_ = 0;
  int base_leaves_ = 0;
  double least_weight_ = 1;
  std::vector<std::uint8_t> wrong_;  // by position in the order
  std::vector<float> votes_;
  std::vector<int> leading_;
};

bool Boosting::grow_trial() {
  std::fill(training_.tested.begin(), training_.tested.end(), 0);
  Grower grower(training_);
  Tree tree = grower.grow(first_, training_.n_cases);
  training_.restore_order();
  prune(training_, grower, *tree);
  snap_thresholds(training_, *tree);
  if (training_.trial == 0)
    base_leaves_ = training_.settings.rules || training_.settings.subset ? leaf_count(*tree)
                                                                         : expanded_leaf_count(*tree);
  bool structured = !tree->is_leaf();
  if (training_.settings.fuzzy) soften_thresholds(training_, *tree);
  training_.restore_order();
  if (training_.settings.rules) {
    model_.rule_sets.push_back(form_rules(training_, *tree));
    structured = structured && !model_.rule_sets.back().rules.empty();
  }
  model_.trees.push_back(std::move(tree));
  return structured;
}

// The vote for another class cannot be caught up with in the trials that are left.
bool Boosting::is_hopeless(Row row, int actual) const {
  if (!(training_.trial + 1 > n_trials_ / 2.0)) return false;
  const float* votes = votes_.data() + static_cast<std::size_t>(row) * training_.n_classes();
  return leading_[row] >= 0 && votes[leading_[row]] > votes[actual] + (n_trials_ - 1) - training_.trial;
}

Boosting::Tally Boosting::tally() {
  Tally tally;
  first_ = 0;
  const auto leave_out = [&](Row i) {
    training_.order[i] = training_.order[first_];
    wrong_[i] = wrong_[first_];
    ++first_;
  };
  for (Row i = 0; i < training_.n_cases; ++i) {
    const Row row = training_.order[i];
    if (training_.weight[row] <= 0) {
      leave_out(i);
      continue;
    }
    const int predicted = training_.settings.rules ? classify(training_, model_.rule_sets.back(), row)
                                                   : classify(training_, *model_.trees.back(), row);
    const int actual = training_.data.label[row];
    float* votes = votes_.data() + static_cast<std::size_t>(row) * training_.n_classes();
    votes[predicted] = static_cast<float>(votes[predicted] + training_.confidence_of_class);
    if (votes[predicted] > (leading_[row] < 0 ? 0.0f : votes[leading_[row]])) leading_[row] = predicted;
    if (is_hopeless(row, actual)) {
      ++n_dropped_;
      training_.weight[row] = 0;
      leave_out(i);
      continue;
    }
    wrong_[i] = predicted != actual;
    (wrong_[i] ? tally.wrong_weight : tally.right_weight) += training_.weight[row];
    tally.n_wrong += wrong_[i];
  }
  return tally;
}

bool Boosting::go_on(const Tally& tally, bool structured) {
  if (!training_.settings.early_stopping) return true;
  const auto n_left = static_cast<double>(training_.n_cases - n_dropped_);
  if (tally.wrong_weight < 0.1) {
    n_trials_ = training_.trial + 1;
    return false;
  }
  if ((training_.trial > 0 && !structured) || tally.wrong_weight / n_left >= 0.49) {
    n_trials_ = std::max(training_.trial, 1);
    return false;
  }
  return true;
}

void Boosting::reweigh(const Tally& tally) {
  const double shifted = 0.25 * (tally.right_weight - tally.wrong_weight);
  const double factor = (tally.right_weight - shifted) / tally.right_weight;
  const double added = shifted / static_cast<double>(tally.n_wrong);
  const double scale =
      static_cast<double>(training_.n_cases - n_dropped_) / (tally.right_weight + tally.wrong_weight);
  least_weight_ *= factor * scale;
  for (std::int64_t i = first_; i < training_.n_cases; ++i) {
    float& weight = training_.weight[training_.order[i]];
    if (wrong_[i]) {
      weight = static_cast<float>(scale * (weight + added));
    } else {
      weight = static_cast<float>(weight * (scale * factor));
      if (weight < 1e-3) weight = 1e-3f;
    }
  }
}

// In a large table the cases of the least weight are passed over when the next tree is grown.
void Boosting::trim_light_cases() {
  if (!(training_.n_cases > 4001 && least_weight_ <= 0.2)) return;
  for (std::int64_t i = first_; i < training_.n_cases; ++i)
    if (training_.weight[training_.order[i]] <= least_weight_ + 1e-3) training_.swap(i, first_++);
}

void Boosting::run() {
  for (training_.trial = 0; training_.trial < n_trials_; ++training_.trial) {
    const bool structured = grow_trial();
    training_.watch.done(1);
    if (training_.trial == n_trials_ - 1) break;
    const Tally outcome = tally();
    if (!go_on(outcome, structured)) break;
    reweigh(outcome);
    if (training_.trial == 0)
      training_.leaf_ratio = static_cast<float>(1.1 * base_leaves_ / static_cast<double>(training_.n_cases));
    trim_light_cases();
  }
  if (training_.settings.early_stopping && boosted_ && n_trials_ <= 2) n_trials_ = 1;
  model_.trees.resize(n_trials_);
  if (training_.settings.rules) model_.rule_sets.resize(n_trials_);
}

}  // namespace

Model learn(const Problem& problem, const Settings& settings, const Monitor& monitor) {
  Training training(problem, settings, monitor);
  if (problem.n_classes == 1) training.settings.rules = false;
  Model model;
  if (settings.winnow) model.winnow_importance = winnow(training);
  model.skipped = training.skipped;
  training.start_weights();
  training.leaf_ratio = 0;
  training.set_gain_threshold();
  Boosting(training, model).run();
  if (settings.rules && problem.n_classes == 1) model.rule_sets.resize(model.trees.size());
  return model;
}

}  // namespace bough::c50
