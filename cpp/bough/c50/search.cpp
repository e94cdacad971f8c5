#include "bough/c50/search.hpp"

#include <algorithm>

#include "bough/quinlan/information.hpp"

namespace bough::c50 {

Search::Search(Training& training)
    : training_(training),
      proposals_(training.n_attributes()),
      tables_(training.n_attributes()),
      scratch_(training.team.size()) {
  for (int a = 0; a < training.n_attributes(); ++a) {
    const Attribute& attribute = training.attribute(a);
    if (attribute.numeric()) continue;
    LevelTable& table = tables_[a];
    table.n_classes = training.n_classes();
    table.n_levels = attribute.n_levels;
    table.weight.resize(static_cast<std::size_t>(attribute.n_levels + 1) * training.n_classes());
  }
}

void Search::tabulate(std::int64_t first, std::int64_t last) {
  for (int a = 0; a < training_.n_attributes(); ++a) {
    const Attribute& attribute = training_.attribute(a);
    if (attribute.numeric() || training_.skipped[a]) continue;
    LevelTable& table = tables_[a];
    std::fill(table.weight.begin(), table.weight.end(), 0.0);
    for (std::int64_t i = first; i < last; ++i) {
      const Row row = training_.order[i];
      table.row(attribute.level[row] + 1)[training_.data.label[row]] += training_.weight[row];
    }
  }
}

int Search::choose(std::int64_t first, std::int64_t last, Count cases) {
  // Below this many values, waking a second thread costs more than it saves.
  constexpr std::int64_t kValuesForTeam = 20000;
  tabulate(first, last);
  cases_.clear();
  for (std::int64_t i = first; i < last; ++i)
    cases_.push_back({0, training_.weight[training_.order[i]], training_.data.label[training_.order[i]]});
  const auto look_at = [&](int column, int member) {
    training_.watch.poll_or_throw();
    propose(column, first, last, cases, scratch_[member]);
  };
  const int n = training_.n_attributes();
  if ((last - first) * n >= kValuesForTeam && training_.team.size() > 1)
    training_.team.run(n, look_at);
  else
    for (int a = 0; a < n; ++a) look_at(a, 0);
  return best(cases);
}

void Search::propose(int column, std::int64_t first, std::int64_t last, Count cases, Scratch& scratch) {
  proposals_[column].gain = kNone;
  if (training_.skipped[column]) return;
  if (training_.attribute(column).numeric())
    propose_threshold(column, first, last, scratch);
  else
    propose_levels(column, cases, scratch);
}

int Search::n_branches(int column) const {
  const Attribute& attribute = training_.attribute(column);
  if (attribute.n_values() <= 3 || attribute.ordered()) return 3;
  return attribute.groups_levels(training_.settings) ? proposals_[column].n_groups : attribute.n_values();
}

int Search::best(Count cases) {
  int possible = 0;
  double average = 0;
  for (int a = 0; a < training_.n_attributes(); ++a) {
    float& gain = proposals_[a].gain;
    const bool few = training_.attribute(a).n_values() < 0.3 * static_cast<double>(training_.n_cases);
    if (gain >= kEpsilon && (training_.many_valued || few)) {
      ++possible;
      average += gain;
    } else {
      gain = kNone;
    }
  }
  if (possible == 0) return -1;
  average /= possible;
  const double least =
      average * training_.average_weight + quinlan::log2_or_zero(possible) / cases * training_.mdl_weight;

  int winner = -1, fewest = 0;
  double highest = -kEpsilon;
  for (int a = 0; a < training_.n_attributes(); ++a) {
    const Proposal& p = proposals_[a];
    if (!(p.gain >= 0.999 * least && p.info > 0)) continue;
    const double ratio = p.gain / p.info;
    const int branches = n_branches(a);
    const bool simpler =
        winner < 0 || branches < fewest || (branches == fewest && p.gain > proposals_[winner].gain);
    if (!(ratio > highest || (ratio > 0.999 * highest && simpler))) continue;
    winner = a;
    highest = ratio;
    fewest = branches;
  }
  return winner;
}

void Search::propose_levels(int column, Count cases, Scratch& scratch) {
  const Attribute& attribute = training_.attribute(column);
  const LevelTable& table = tables_[column];
  int branches = 0;
  if (attribute.ordered()) {
    propose_ordered(column, cases);
    branches = 2;
  } else if (attribute.groups_levels(training_.settings)) {
    propose_subsets(column, cases, scratch);
    branches = proposals_[column].n_groups;
  } else if (training_.tested[column] == 0) {
    propose_complete(column, cases);
    for (int v = 1; v <= table.n_levels; ++v) {
      double weight = 0;
      for (int c = 0; c < table.n_classes; ++c) weight += table.row(v)[c];
      if (weight > 0.5) ++branches;
    }
  }
  if (branches > training_.max_leaves + 1) proposals_[column].gain = kNone;
}

LevelFigures Search::figures_of(const LevelTable& table, Count cases) const {
  LevelFigures figures;
  figures.value.resize(table.n_levels + 1);
  for (int v = 0; v <= table.n_levels; ++v)
    for (int c = 0; c < table.n_classes; ++c) figures.value[v] += table.row(v)[c];
  figures.known = static_cast<Count>(cases - figures.value[0]);
  figures.unknown_rate = figures.value[0] / cases;
  if (figures.value[0] == 0) {
    figures.base_info = training_.base_info;
  } else if (figures.known >= 1e-5) {
    std::vector<double> sums(table.n_classes);
    for (int c = 0; c < table.n_classes; ++c) {
      Count sum = 0;
      for (int v = 1; v <= table.n_levels; ++v) sum = static_cast<Count>(sum + table.row(v)[c]);
      sums[c] = sum;
    }
    figures.base_info = quinlan::total_info<double>(sums.data(), table.n_classes) / figures.known;
  }
  return figures;
}

double Search::gain_of(const LevelTable& table, const LevelFigures& figures) const {
  if (figures.known == 0) return kNone;
  double info = 0;
  for (int v = 1; v <= table.n_levels; ++v)
    info += quinlan::total_info<double>(table.row(v), table.n_classes);
  info /= figures.known;
  const float unknown = static_cast<float>(figures.unknown_rate);
  return figures.base_info <= info ? 0.0 : (1 - unknown) * (figures.base_info - info);
}

void Search::propose_complete(int column, Count cases) {
  const LevelTable& table = tables_[column];
  const LevelFigures figures = figures_of(table, cases);
  int reasonable = 0;
  for (int v = 1; v <= table.n_levels; ++v) reasonable += figures.value[v] >= training_.min_cases;
  if (reasonable < 2) return;
  Proposal& proposal = proposals_[column];
  proposal.gain = static_cast<float>(gain_of(table, figures));
  proposal.info =
      static_cast<float>(quinlan::total_info<double>(figures.value.data(), table.n_levels + 1) / cases);
}

void Search::propose_ordered(int column, Count cases) {
  const LevelTable& table = tables_[column];
  const int k = table.n_classes;
  const LevelFigures figures = figures_of(table, cases);
  LevelTable sides{k, 2, std::vector<double>(3 * static_cast<std::size_t>(k), 0.0)};
  double split[3] = {figures.value[0], table.n_levels > 0 ? figures.value[1] : 0.0, 0};
  if (table.n_levels > 0) std::copy_n(table.row(1), k, sides.row(1));
  for (int v = table.n_levels; v > 1; --v) {
    for (int c = 0; c < k; ++c) sides.row(2)[c] += table.row(v)[c];
    split[2] += figures.value[v];
  }
  int tries = 0, below = 0;
  double best_gain = kNone, best_info = 0;
  for (int v = 2; v <= table.n_levels; ++v) {
    if (figures.value[v] > 0 && split[1] >= training_.min_cases && split[2] >= training_.min_cases) {
      ++tries;
      const double gain = gain_of(sides, figures);
      if (gain > best_gain) {
        best_gain = gain;
        best_info = quinlan::total_info<double>(split, 3) / cases;
        below = v - 1;
      }
    }
    for (int c = 0; c < k; ++c) {
      sides.row(1)[c] += table.row(v)[c];
      sides.row(2)[c] -= table.row(v)[c];
    }
    split[1] += figures.value[v];
    split[2] -= figures.value[v];
  }
  if (tries > 1) best_gain -= quinlan::log2_or_zero(tries) / cases;
  if (best_gain <= 0) return;
  Proposal& proposal = proposals_[column];
  proposal.gain = static_cast<float>(best_gain);
  proposal.info = static_cast<float>(best_info);
  proposal.cut = static_cast<float>(below);
}

}  // namespace bough::c50
