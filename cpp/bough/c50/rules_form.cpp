// From a tree to rules: one for each node but the root, its conditions dropped one by one while that lowers
// the pessimistic error.
#include <algorithm>

#include "bough/c50/rules.hpp"
#include "bough/quinlan/information.hpp"

namespace bough::c50 {

namespace {

constexpr double kTheoryShare = 0.23;  // what a bit of theory counts against a bit of exceptions

// Bits that say which of a + b cases are the a of one class.
double bits_to_separate(double a, double b) {
  return (a + b) * quinlan::log2_or_zero(a + b) - a * quinlan::log2_or_zero(a) - b * quinlan::log2_or_zero(b);
}

class RuleForming {
 public:
  RuleForming(Training& training, const CodeLengths& codes, const std::vector<std::vector<float>>& costs,
              const std::vector<double>& class_weight)
      : training_(training),
        codes_(codes),
        costs_(costs),
        class_weight_(class_weight),
        n_failed_(training.n_cases, 0) {}

  void scan(const Node& node);

  std::vector<Rule> rules;

 private:
  // A condition on the present path, and which cases fail it.
  struct Term {
    Condition condition;
    float bits = 0;
    std::vector<std::uint8_t> failed;
    bool dropped = false;
    double total = 0, errors = 0;  // of the rule without this condition
    float pessimistic = 0;
  };

  void push(const Node& node, int branch);
  void pop();
  void make_rule(int label);
  void count_failures(int label, std::vector<Row>& covered, std::vector<Row>& failing_many);
  void drop(int index, int label, std::vector<Row>& covered, std::vector<Row>& failing_many);
  int only_failure(Row row) const;
  void add(Term& term, Row row, int label) {
    term.total += training_.weight[row];
    term.errors += training_.weight[row] * costs_[label + 1][training_.data.label[row]];
  }
  double gain(int label) const;
  void keep(int label, std::vector<Row>&& covered);
  void add_rule(Rule&& rule);

  Training& training_;
  const CodeLengths& codes_;
  const std::vector<std::vector<float>>& costs_;
  const std::vector<double>& class_weight_;
  std::vector<Term> terms_;
  Term whole_;  // the rule as it stands
  std::vector<std::int16_t> n_failed_, left_failed_;
  std::vector<Row> failing_once_;
};

void RuleForming::scan(const Node& node) {
  training_.watch.poll_or_throw();
  for (int v = 0; v < node.n_branches(); ++v) {
    if (node.branches[v]->cases < kMinLeaf) continue;
    push(node, v);
    scan(*node.branches[v]);
    pop();
  }
  if (!terms_.empty() && node.cases >= 1) make_rule(node.label);
}

void RuleForming::push(const Node& node, int branch) {
  Term term;
  Condition& condition = term.condition;
  condition.test = node.test;
  condition.column = node.column;
  condition.cut = node.cut;
  condition.value = branch;
  if (node.test == Test::subset) {
    condition.value = 0;
    const LevelList& levels = node.subsets[branch];
    if (levels.size() == 1) {
      condition.test = Test::discrete;
      condition.value = levels.front();
    } else {
      condition.levels = flags_of(levels, training_.attribute(node.column).n_levels);
    }
  }
  term.bits = codes_.bits(condition);
  term.failed.resize(training_.n_cases);
  const Attribute& attribute = training_.attribute(node.column);
  for (Row i = 0; i < training_.n_cases; ++i) {
    term.failed[i] = !condition.holds(attribute, i);
    n_failed_[i] = static_cast<std::int16_t>(n_failed_[i] + term.failed[i]);
  }
  terms_.push_back(std::move(term));
}

void RuleForming::pop() {
  for (Row i = 0; i < training_.n_cases; ++i)
    n_failed_[i] = static_cast<std::int16_t>(n_failed_[i] - terms_.back().failed[i]);
  terms_.pop_back();
}

int RuleForming::only_failure(Row row) const {
  for (std::size_t d = 0; d < terms_.size(); ++d)
    if (!terms_[d].dropped && terms_[d].failed[row]) return static_cast<int>(d);
  return 0;
}

void RuleForming::count_failures(int label, std::vector<Row>& covered, std::vector<Row>& failing_many) {
  left_failed_ = n_failed_;
  failing_once_.clear();
  whole_ = Term();
  for (Term& term : terms_) {
    term.dropped = false;
    term.total = term.errors = 0;
  }
  for (Row i = 0; i < training_.n_cases; ++i) {
    if (left_failed_[i] == 0) {
      add(whole_, i, label);
      covered.push_back(i);
    } else if (left_failed_[i] == 1) {
      add(terms_[only_failure(i)], i, label);
      failing_once_.push_back(i);
    } else {
      failing_many.push_back(i);
    }
  }
  for (Term& term : terms_) {
    term.total += whole_.total;
    term.errors += whole_.errors;
  }
}

double RuleForming::gain(int label) const {
  const double of_class = class_weight_[label], others = training_.n_cases - of_class;
  return bits_to_separate(of_class, others) - bits_to_separate(whole_.total - whole_.errors, whole_.errors) -
         bits_to_separate(of_class - whole_.total + whole_.errors, others - whole_.errors);
}

void RuleForming::drop(int index, int label, std::vector<Row>& covered, std::vector<Row>& failing_many) {
  Term& gone = terms_[index];
  gone.dropped = true;
  for (Term& term : terms_) {
    if (&term == &gone) continue;
    term.total += gone.total - whole_.total;
    term.errors += gone.errors - whole_.errors;
  }
  whole_.total = gone.total;
  whole_.errors = gone.errors;
  std::erase_if(failing_once_, [&](Row i) {
    if (gone.failed[i]) covered.push_back(i);
    return gone.failed[i] != 0;
  });
  std::erase_if(failing_many, [&](Row i) {
    if (!gone.failed[i] || --left_failed_[i] != 1) return false;
    add(terms_[only_failure(i)], i, label);
    failing_once_.push_back(i);
    return true;
  });
}

void RuleForming::make_rule(int label) {
  std::vector<Row> covered, failing_many;
  count_failures(label, covered, failing_many);
  int remaining = static_cast<int>(terms_.size());
  double bits = 0, gained = 0;
  for (const Term& term : terms_) bits += term.bits;
  bits -= codes_.log_factorial(remaining);
  const auto estimate = [](Term& term) {
    term.errors = std::min(term.errors, term.total);
    term.pessimistic =
        static_cast<float>(term.total < kEpsilon ? 0.5 : (term.errors + 1) / (term.total + 2.0));
  };
  while (true) {
    gained = gain(label);
    estimate(whole_);
    int best = -1;
    for (std::size_t d = 0; d < terms_.size(); ++d) {
      if (terms_[d].dropped) continue;
      estimate(terms_[d]);
      if (best < 0 || terms_[d].pessimistic <= terms_[best].pessimistic) best = static_cast<int>(d);
    }
    if (remaining == 1 || best < 0) break;
    if (kTheoryShare * bits <= gained && terms_[best].pessimistic > whole_.pessimistic) break;
    --remaining;
    bits -= terms_[best].bits - codes_.log_factorial(remaining + 1) + codes_.log_factorial(remaining);
    drop(best, label, covered, failing_many);
  }
  if (remaining > 0 && whole_.total > 0.99 && kTheoryShare * bits <= gained) keep(label, std::move(covered));
}

void RuleForming::keep(int label, std::vector<Row>&& covered) {
  Rule rule;
  rule.label = label;
  rule.prior = static_cast<float>(class_weight_[label] / training_.n_cases);
  double total = whole_.total, correct = whole_.total - whole_.errors;
  if (training_.cost_weights) {
    rule.prior /= training_.weight_factor[label];
    total = 0;
    for (const Row i : covered)
      total += training_.weight[i] / training_.weight_factor[training_.data.label[i]];
    correct = (whole_.total - whole_.errors) / training_.weight_factor[label];
  } else if (training_.has_costs()) {
    correct = 0;
    for (const Row i : covered)
      if (training_.data.label[i] == label) correct += training_.weight[i];
  }
  if (!((correct + 1) / ((total + 2) * rule.prior) >= 0.95)) return;
  rule.cover = static_cast<Count>(total);
  rule.correct = static_cast<Count>(correct);
  rule.vote = static_cast<int>(1000 * (rule.correct + 1.0) / (rule.cover + 2.0) + 0.5);
  std::sort(covered.begin(), covered.end());
  rule.fires = std::move(covered);
  for (const Term& term : terms_)
    if (!term.dropped) rule.conditions.push_back(term.condition);
  std::stable_sort(rule.conditions.begin(), rule.conditions.end(),
                   [](const Condition& a, const Condition& b) {
                     return a.column != b.column ? a.column < b.column : a.cut < b.cut;
                   });
  add_rule(std::move(rule));
}

void RuleForming::add_rule(Rule&& rule) {
  for (Rule& known : rules) {
    if (known.label != rule.label || known.conditions != rule.conditions) continue;
    known.vote = std::max(known.vote, rule.vote);
    return;
  }
  rules.push_back(std::move(rule));
}

}  // namespace

RuleSet form_rules(Training& training, Node& tree) {
  std::vector<double> class_weight(training.n_classes());
  training.class_weights(0, training.n_cases, class_weight);
  const CodeLengths codes(training);
  const auto costs = normalised_costs(training, class_weight);
  RuleForming forming(training, codes, costs, class_weight);
  forming.scan(tree);
  const float rate = static_cast<float>((tree.errors + training.n_classes() - 1) /
                                        static_cast<float>(training.n_cases + training.n_classes()));
  return select_rules(training, std::move(forming.rules), codes, costs, class_weight, rate);
}

}  // namespace bough::c50
