#include <algorithm>

#include "bough/c50/classify.hpp"
#include "bough/c50/information.hpp"
#include "bough/c50/rules.hpp"

namespace bough::c50 {

namespace {

constexpr double kTheoryShare = 0.23;

class Sieve {
 public:
  Sieve(Workshop& shop, std::vector<Rule>&& rules, const CodeLengths& codes,
        const std::vector<std::vector<float>>& costs, const std::vector<double>& class_weight)
      : shop_(shop),
        codes_(codes),
        costs_(costs),
        class_weight_(class_weight),
        rules_(std::move(rules)),
        chosen_(rules_.size(), 0),
        bits_(rules_.size(), 0),
        delta_(rules_.size(), 0),
        covering_(shop.n_cases),
        votes_(static_cast<std::size_t>(shop.n_cases) * shop.n_classes(), 0),
        top_(shop.n_cases, -1),
        second_(shop.n_cases, -1) {
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
  int* votes(Row i) { return votes_.data() + static_cast<std::size_t>(i) * shop_.n_classes(); }
  void count_votes(Row i);
  void update_deltas(Row i, double weight, int except);
  Count start_votes();
  void toggle(int rule);
  std::vector<int> by_class() const;
  std::vector<int> by_utility();

  Workshop& shop_;
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

// Levels that no covered case has are no part of a condition.
void Sieve::forget_absent_levels() {
  for (Rule& rule : rules_) {
    for (Condition& condition : rule.conditions) {
      if (condition.test != Test::subset) continue;
      const Attribute& attribute = shop_.attribute(condition.column);
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
void Sieve::start() {
  for (int c = 0; c < shop_.n_classes(); ++c) cover(c);
  for (std::uint8_t& chosen : chosen_) chosen &= 1;
}

void Sieve::cover(int label) {
  constexpr std::uint8_t kTriedInVain = 2;
  std::vector<std::uint8_t> covered(shop_.n_cases, 0);
  double remaining = class_weight_[label], false_positives = 0;
  while (remaining > false_positives) {
    int best = -1;
    for (std::size_t r = 0; r < rules_.size(); ++r)
      if (rules_[r].label == label && !chosen_[r] && rules_[r].correct >= shop_.min_cases &&
          (best < 0 || rules_[r].vote > rules_[best].vote))
        best = static_cast<int>(r);
    if (best < 0) return;
    double right = 0, wrong = 0;
    const std::vector<Row>& fires = rules_[best].fires;
    for (auto i = fires.rbegin(); i != fires.rend(); ++i)
      if (!covered[*i]) (shop_.data.label[*i] == label ? right : wrong) += shop_.weight[*i];
    if (right - wrong <= shop_.min_cases + kEpsilon) {
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
std::int64_t Sieve::message_length(std::int64_t n_rules, double bits, float errors) const {
  const double theory = std::max(0.0, bits - codes_.log_factorial(n_rules));
  return std::llrint(100.0 * (kTheoryShare * theory + errors * error_bits_ +
                              (static_cast<float>(shop_.n_cases) - errors) * right_bits_ +
                              errors * codes_.log(shop_.n_classes() - 1)));
}

void Sieve::count_votes(Row i) {
  int first = -1, second = -1;
  const int* vote = votes(i);
  for (int c = 0; c < shop_.n_classes(); ++c) {
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

void Sieve::update_deltas(Row i, double weight, int except) {
  const int actual = shop_.data.label[i], top = top_[i], second = second_[i];
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

Count Sieve::start_votes() {
  for (std::size_t r = 0; r < rules_.size(); ++r)
    if (chosen_[r])
      for (const Row i : rules_[r].fires) votes(i)[rules_[r].label] += rules_[r].vote;
  double errors = 0;
  for (Row i = 0; i < shop_.n_cases; ++i) {
    count_votes(i);
    errors += shop_.weight[i] * costs_[top_[i] + 1][shop_.data.label[i]];
  }
  for (Row i = 0; i < shop_.n_cases; ++i) update_deltas(i, shop_.weight[i], -1);
  return static_cast<Count>(errors);
}

void Sieve::toggle(int rule) {
  const std::vector<Row>& fires = rules_[rule].fires;
  const int vote = chosen_[rule] ? -rules_[rule].vote : rules_[rule].vote;
  for (auto i = fires.rbegin(); i != fires.rend(); ++i) {
    update_deltas(*i, -shop_.weight[*i], rule);
    votes(*i)[rules_[rule].label] += vote;
    count_votes(*i);
    update_deltas(*i, shop_.weight[*i], rule);
  }
  chosen_[rule] = !chosen_[rule];
}

void Sieve::climb(float error_rate) {
  if (error_rate > 0.5) error_rate = 0.45f;
  error_bits_ = static_cast<float>(-log_of(error_rate));
  right_bits_ = static_cast<float>(-log_of(1.0 - error_rate));
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
    shop_.watch.poll_or_throw();
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
int Sieve::default_label() {
  std::vector<std::uint8_t> covered(shop_.n_cases, 0);
  for (std::size_t r = 0; r < rules_.size(); ++r)
    if (chosen_[r])
      for (const Row i : rules_[r].fires) covered[i] = 1;
  std::vector<double> uncovered(shop_.n_classes(), 0.0);
  double total = 1e-3;
  for (Row i = 0; i < shop_.n_cases; ++i) {
    if (covered[i]) continue;
    uncovered[shop_.data.label[i]] += shop_.weight[i];
    total += shop_.weight[i];
  }
  for (int c = 0; c < shop_.n_classes(); ++c)
    uncovered[c] = (uncovered[c] + 1) / (total + 2.0) + class_weight_[c] / shop_.n_cases;
  return select_class(shop_, uncovered, 0, shop_.has_costs() && !shop_.cost_weights);
}

// Rules are swapped into place, as C5.0 does it: of equals that decides the order.
std::vector<int> Sieve::by_class() const {
  std::vector<int> at(rules_.size());
  for (std::size_t r = 0; r < at.size(); ++r) at[r] = static_cast<int>(r);
  std::size_t n = 0;
  for (int c = 0; c < shop_.n_classes(); ++c) {
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
std::vector<int> Sieve::by_utility() {
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

std::vector<Rule> Sieve::ordered() {
  const std::vector<int> order = shop_.settings.bands > 0 ? by_utility() : by_class();
  std::vector<Rule> rules;
  for (const int r : order) rules.push_back(std::move(rules_[r]));
  return rules;
}

}  // namespace

RuleSet sift_rules(Workshop& shop, std::vector<Rule>&& rules, const CodeLengths& codes,
                   const std::vector<std::vector<float>>& costs, const std::vector<double>& class_weight,
                   float error_rate) {
  Sieve sieve(shop, std::move(rules), codes, costs, class_weight);
  if (shop.settings.subset) sieve.forget_absent_levels();
  sieve.start();
  sieve.climb(error_rate);
  RuleSet set;
  set.default_label = sieve.default_label();
  set.rules = sieve.ordered();
  return set;
}

int classify(Workshop& shop, const RuleSet& set, Row row) {
  std::vector<double> sums(shop.n_classes(), 0.0);
  std::vector<const Rule*> specific(shop.n_classes(), nullptr);
  float total = 0;
  for (const Rule& rule : set.rules) {
    const bool fires = std::all_of(rule.conditions.begin(), rule.conditions.end(), [&](const Condition& c) {
      return c.holds(shop.attribute(c.column), row);
    });
    if (!fires) continue;
    sums[rule.label] += rule.vote;
    total += 1000.0f;
    const Rule*& most = specific[rule.label];
    if (most == nullptr || rule.cover < most->cover || (rule.cover == most->cover && rule.vote > most->vote))
      most = &rule;
  }
  if (total == 0) {
    shop.confidence_of_class = 0.5;
    return set.default_label;
  }
  for (double& sum : sums) sum /= total;
  const int best = select_class(shop, sums, set.default_label, false);
  shop.confidence_of_class = specific[best]->vote / 1000.0;
  return best;
}

}  // namespace bough::c50
