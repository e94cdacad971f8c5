#include <algorithm>

#include "bough/c50/classify.hpp"
#include "bough/c50/rules.hpp"
#include "bough/quinlan/information.hpp"

namespace bough::c50 {

namespace {

constexpr double kSelectedShare = 0.23;

class RuleSelection {
 public:
  RuleSelection(Training& training, std::vector<Rule>&& rules, const CodeLengths& codes,
                const std::vector<std::vector<float>>& costs, const std::vector<double>& class_weight)
      : training_(training),
        codes_(codes),
        costs_(costs),
        class_weight_(class_weight),
        rules_(std::move(rules)),
        chosen_(rules_.size(), 0),
        bits_(rules_.size(), 0),
        delta_(rules_.size(), 0),
        covering_(training.n_cases),
        votes_(static_cast<std::size_t>(training.n_cases) * training.n_classes(), 0),
        top_(training.n_cases, -1),
        second_(training.n_cases, -1) {
    for (std::size_t r = 0; r < rules_.size(); ++r)
      for (const Row i : rules_[r].fires) covering_[i].push_back(static_cast<int>(r));
  }

  void forget_absent_levels();
  void start();
  void climb(float error_rate);
  int default_label();
  std::vector<Rule> ordered();

 private:
  void cover(int label);
  std::int64_t message_length(std::int64_t n_rules, double bits, float errors) const;
  int* votes(Row i) { return votes_.data() + static_cast<std::size_t>(i) * training_.n_classes(); }
  void count_votes(Row i);
  void update_deltas(Row i, double weight, int except);
  Count start_votes();
  void toggle(int rule);
  std::vector<int> by_class() const;
  std::vector<int> by_utility();

  Training& training_;
  const CodeLengths& codes_;
  const std::vector<std::vector<float>>& costs_;
  const std::vector<double>& class_weight_;
  std::vector<Rule> rules_;
  std::vector<std::uint8_t> chosen_;
  std::vector<float> bits_, delta_;  // delta: the change of errors if the rule were added or taken away
  std::vector<std::vector<int>> covering_;
  std::vector<int> votes_, top_, second_;
  float error_bits_ = 0, right_bits_ = 0;
};

// Removes levels that no covered case has from the conditions.
void RuleSelection::forget_absent_levels() {
  for (Rule& rule : rules_) {
    for (Condition& condition : rule.conditions) {
      if (condition.test != Test::subset) continue;
      const Attribute& attribute = training_.attribute(condition.column);
      LevelSet seen(attribute.n_levels, 0);
      for (const Row i : rule.fires) seen[attribute.level[i]] = 1;
      for (std::size_t l = 0; l < seen.size(); ++l) condition.levels[l] &= seen[l];
      if (size_of(condition.levels) != 1) continue;
      const auto only = std::find(condition.levels.begin(), condition.levels.end(), 1);
      condition.test = Test::discrete;
      condition.value = static_cast<int>(only - condition.levels.begin());
      condition.levels.clear();
    }
  }
}

// Class by class the most accurate rules that cover enough more; the climb is sensitive to where it starts.
void RuleSelection::start() {
  for (int c = 0; c < training_.n_classes(); ++c) cover(c);
  for (std::uint8_t& chosen : chosen_) chosen &= 1;
}

void RuleSelection::cover(int label) {
  constexpr std::uint8_t kTriedInVain = 2;
  std::vector<std::uint8_t> covered(training_.n_cases, 0);
  double remaining = class_weight_[label], false_positives = 0;
  while (remaining > false_positives) {
    int best = -1;
    for (std::size_t r = 0; r < rules_.size(); ++r)
      if (rules_[r].label == label && !chosen_[r] && rules_[r].correct >= training_.min_cases &&
          (best < 0 || rules_[r].vote > rules_[best].vote))
        best = static_cast<int>(r);
    if (best < 0) return;
    double right = 0, wrong = 0;
    const std::vector<Row>& fires = rules_[best].fires;
    for (auto i = fires.rbegin(); i != fires.rend(); ++i)
      if (!covered[*i]) (training_.data.label[*i] == label ? right : wrong) += training_.weight[*i];
    if (right - wrong <= training_.min_cases + kEpsilon) {
      chosen_[best] = kTriedInVain;
      continue;
    }
    remaining -= right;
    false_positives += wrong;
    chosen_[best] = 1;
    for (const Row i : fires) covered[i] = 1;
  }
}

// In hundredths of a bit.
std::int64_t RuleSelection::message_length(std::int64_t n_rules, double bits, float errors) const {
  const double theory = std::max(0.0, bits - codes_.log_factorial(n_rules));
  return std::llrint(100.0 * (kSelectedShare * theory + errors * error_bits_ +
                              (static_cast<float>(training_.n_cases) - errors) * right_bits_ +
                              errors * codes_.log(training_.n_classes() - 1)));
}

void RuleSelection::count_votes(Row i) {
  int first = -1, second = -1;
  const int* vote = votes(i);
  for (int c = 0; c < training_.n_classes(); ++c) {
    if (vote[c] == 0) continue;
    if (first < 0 || vote[c] > vote[first]) {
      second = first;
      first = c;
    } else if (second < 0 || vote[c] > vote[second]) {
      second = c;
    }
  }
  top_[i] = first;
  second_[i] = second;
}

void RuleSelection::update_deltas(Row i, double weight, int except) {
  const int actual = training_.data.label[i], top = top_[i], second = second_[i];
  const int* vote = votes(i);
  const auto votes_for = [&](int label) { return label < 0 ? 0 : vote[label]; };
  const auto preferred = [](int margin, int a, int b) { return margin > 0 || (margin == 0 && a < b); };
  for (const int r : covering_[i]) {
    if (r == except) continue;
    const Rule& rule = rules_[r];
    int instead = top;
    if (chosen_[r]) {
      if (rule.label == top && preferred(votes_for(second) - (votes_for(top) - rule.vote), second, top))
        instead = second;
    } else if (rule.label != top &&
               preferred(votes_for(rule.label) + rule.vote - votes_for(top), rule.label, top)) {
      instead = rule.label;
    }
    if (instead == top) continue;
    delta_[r] =
        static_cast<float>(delta_[r] + (costs_[instead + 1][actual] - costs_[top + 1][actual]) * weight);
  }
}

Count RuleSelection::start_votes() {
  for (std::size_t r = 0; r < rules_.size(); ++r)
    if (chosen_[r])
      for (const Row i : rules_[r].fires) votes(i)[rules_[r].label] += rules_[r].vote;
  double errors = 0;
  for (Row i = 0; i < training_.n_cases; ++i) {
    count_votes(i);
    errors += training_.weight[i] * costs_[top_[i] + 1][training_.data.label[i]];
  }
  for (Row i = 0; i < training_.n_cases; ++i) update_deltas(i, training_.weight[i], -1);
  return static_cast<Count>(errors);
}

void RuleSelection::toggle(int rule) {
  const std::vector<Row>& fires = rules_[rule].fires;
  const int vote = chosen_[rule] ? -rules_[rule].vote : rules_[rule].vote;
  for (auto i = fires.rbegin(); i != fires.rend(); ++i) {
    update_deltas(*i, -training_.weight[*i], rule);
    votes(*i)[rules_[rule].label] += vote;
    count_votes(*i);
    update_deltas(*i, training_.weight[*i], rule);
  }
  chosen_[rule] = !chosen_[rule];
}

void RuleSelection::climb(float error_rate) {
  if (error_rate > 0.5) error_rate = 0.45f;
  error_bits_ = static_cast<float>(-quinlan::log2_or_zero(error_rate));
  right_bits_ = static_cast<float>(-quinlan::log2_or_zero(1.0 - error_rate));
  std::int64_t n_chosen = 0;
  double bits = 0;
  for (std::size_t r = 0; r < rules_.size(); ++r) {
    float length = 0;
    for (const Condition& condition : rules_[r].conditions) length += codes_.bits(condition);
    const auto size = static_cast<std::int64_t>(rules_[r].conditions.size());
    bits_[r] = static_cast<float>(length + codes_.log(size) - codes_.log_factorial(size));
    if (!chosen_[r]) continue;
    bits += bits_[r];
    ++n_chosen;
  }
  Count errors = start_votes();
  for (int last = -1;;) {
    training_.watch.poll_or_throw();
    std::int64_t least = message_length(n_chosen, bits, errors);
    int best = -1;
    for (int r = 0; r < static_cast<int>(rules_.size()); ++r) {
      if (r == last || (!chosen_[r] && errors < 1e-3)) continue;
      const int sign = chosen_[r] ? -1 : 1;
      const std::int64_t length = message_length(n_chosen + sign, bits + sign * bits_[r], errors + delta_[r]);
      if (!(length < least || (length == least && chosen_[r]))) continue;
      best = r;
      least = length;
    }
    if (best < 0) return;
    const int sign = chosen_[best] ? -1 : 1;
    toggle(best);
    bits += sign * bits_[best];
    n_chosen += sign;
    errors += delta_[best];
    delta_[best] = -delta_[best];
    last = best;
  }
}

// The class of most weight among the cases no rule covers, its share of all cases counted in.
int RuleSelection::default_label() {
  std::vector<std::uint8_t> covered(training_.n_cases, 0);
  for (std::size_t r = 0; r < rules_.size(); ++r)
    if (chosen_[r])
      for (const Row i : rules_[r].fires) covered[i] = 1;
  std::vector<double> uncovered(training_.n_classes(), 0.0);
  double total = 1e-3;
  for (Row i = 0; i < training_.n_cases; ++i) {
    if (covered[i]) continue;
    uncovered[training_.data.label[i]] += training_.weight[i];
    total += training_.weight[i];
  }
  for (int c = 0; c < training_.n_classes(); ++c)
    uncovered[c] = (uncovered[c] + 1) / (total + 2.0) + class_weight_[c] / training_.n_cases;
  return select_class(training_, uncovered, 0, training_.has_costs() && !training_.cost_weights);
}

// Selection sort by swaps, as C5.0 does it: this decides the order of rules with equal votes.
std::vector<int> RuleSelection::by_class() const {
  std::vector<int> at(rules_.size());
  for (std::size_t r = 0; r < at.size(); ++r) at[r] = static_cast<int>(r);
  std::size_t n = 0;
  for (int c = 0; c < training_.n_classes(); ++c) {
    while (true) {
      std::size_t next = at.size();
      for (std::size_t r = n; r < at.size(); ++r)
        if (chosen_[at[r]] && rules_[at[r]].label == c &&
            (next == at.size() || rules_[at[r]].vote > rules_[at[next]].vote))
          next = r;
      if (next == at.size()) break;
      std::swap(at[n++], at[next]);
    }
  }
  at.resize(n);
  return at;
}

// The rule whose loss adds the fewest errors is taken away, and again; the last one left stands first.
std::vector<int> RuleSelection::by_utility() {
  std::vector<int> dropped;
  while (true) {
    int least = -1;
    for (int r = 0; r < static_cast<int>(rules_.size()); ++r) {
      if (!chosen_[r]) continue;
      if (least < 0 || delta_[r] < delta_[least] - 1e-3 ||
          (delta_[r] < delta_[least] + 1e-3 && bits_[r] > bits_[least]))
        least = r;
    }
    if (least < 0) break;
    toggle(least);
    dropped.push_back(least);
  }
  std::reverse(dropped.begin(), dropped.end());
  return dropped;
}

std::vector<Rule> RuleSelection::ordered() {
  const std::vector<int> order = training_.settings.bands > 0 ? by_utility() : by_class();
  std::vector<Rule> rules;
  for (const int r : order) rules.push_back(std::move(rules_[r]));
  return rules;
}

}  // namespace

RuleSet select_rules(Training& training, std::vector<Rule>&& rules, const CodeLengths& codes,
                     const std::vector<std::vector<float>>& costs, const std::vector<double>& class_weight,
                     float error_rate) {
  RuleSelection selection(training, std::move(rules), codes, costs, class_weight);
  if (training.settings.subset) selection.forget_absent_levels();
  selection.start();
  selection.climb(error_rate);
  RuleSet set;
  set.default_label = selection.default_label();
  set.rules = selection.ordered();
  return set;
}

int classify(Training& training, const RuleSet& set, Row row) {
  std::vector<double> sums(training.n_classes(), 0.0);
  std::vector<const Rule*> specific(training.n_classes(), nullptr);
  float total = 0;
  for (const Rule& rule : set.rules) {
    const bool fires = std::all_of(rule.conditions.begin(), rule.conditions.end(), [&](const Condition& c) {
      return c.holds(training.attribute(c.column), row);
    });
    if (!fires) continue;
    sums[rule.label] += rule.vote;
    total += 1000.0f;
    const Rule*& most = specific[rule.label];
    if (most == nullptr || rule.cover < most->cover || (rule.cover == most->cover && rule.vote > most->vote))
      most = &rule;
  }
  if (total == 0) {
    training.confidence_of_class = 0.5;
    return set.default_label;
  }
  for (double& sum : sums) sum /= total;
  const int best = select_class(training, sums, set.default_label, false);
  training.confidence_of_class = specific[best]->vote / 1000.0;
  return best;
}

}  // namespace bough::c50
