#include "bough/forest/level_order.hpp"

#include <algorithm>
#include <cmath>

namespace bough {

namespace {

// A number of mean 0 and deviation 1: four uniform ones added, so that it is the same on every machine.
double bell(Random& random) {
  const std::uint64_t bits = random.next();
  const std::uint64_t sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
  return (static_cast<double>(sum) / 65536 - 2 + 2.0 / 65536) * 1.7320508075688772;
}

}  // namespace

LevelOrder::LevelOrder(const ForestPlan& plan)
    : plan_(plan),
      ranks_(plan.data.columns.size()),
      codes_(plan.data.columns.size()),
      columns_(plan.coded.columns) {
  if (plan.recipe.splitter != Splitter::best || plan.recipe.nominal != ForestNominal::ordered) return;
  for (std::size_t c = 0; c < ranks_.size(); ++c) {
    const Column& column = plan.data.columns[c];
    if (column.scale != Scale::nominal || column.n_levels <= 2) continue;
    ranks_[c].resize(column.n_levels + 1);
    codes_[c].resize(plan.data.n_rows);
    columns_[c].code = codes_[c].data();
  }
}

void LevelOrder::draw(const std::uint32_t* rows, int n, Random& random) {
  together_.clear();
  for (std::size_t c = 0; c < ranks_.size(); ++c) {
    if (!ranks_[c].empty()) together_.push_back(static_cast<int>(c));
    const std::size_t most = draws_targets() ? 1 : kTogether;
    if (together_.empty() || (together_.size() < most && c + 1 < ranks_.size())) continue;
    if (draws_targets() || target_.empty()) read_targets(rows, n, random);
    sum_levels(rows, n);
    for (std::size_t k = 0; k < together_.size(); ++k) {
      const int column = together_[k];
      order(column, level_[k], rows, n, random);
      const std::uint32_t* code = plan_.coded.columns[column].code;
      for (int i = 0; i < n; ++i) codes_[column][rows[i]] = ranks_[column][code[rows[i]]];
    }
    together_.clear();
  }
  target_.clear();
}

// Sums up the levels of the columns taken together. Rows of one level that follow each other wait for each
// other's sum, those of different columns do not.
void LevelOrder::sum_levels(const std::uint32_t* rows, int n) {
  const std::uint32_t* code[kTogether];
  Level* level[kTogether];
  const std::size_t many = together_.size();
  for (std::size_t k = 0; k < kTogether; ++k) {
    const int column = together_[std::min(k, many - 1)];
    level_[k].assign(ranks_[column].size(), {});
    code[k] = plan_.coded.columns[column].code;
    level[k] = level_[k].data();
  }
  const auto add = [&](std::size_t k, int i) {
    Level& own = level[k][code[k][rows[i]]];
    own.n += weight_[i];
    own.sum += weighted_[i];
  };
  if (many == 1) {
    for (int i = 0; i < n; ++i) add(0, i);
    return;
  }
  for (int i = 0; i < n; ++i)
    for (std::size_t k = 0; k < kTogether; ++k) add(k, i);
}

// Whether the targets of a column depend on a random number.
bool LevelOrder::draws_targets() const {
  return plan_.data.n_classes > 2 || (plan_.data.n_classes == 0 && plan_.data.n_targets() > 1);
}

// Of several classes, one is set against the others that is drawn in proportion to its rows.
int LevelOrder::drawn_class(const std::uint32_t* rows, int n, Random& random) const {
  const Data& data = plan_.data;
  if (data.n_classes <= 2) return 1;
  std::vector<std::uint32_t> count(data.n_classes, 0);
  for (int i = 0; i < n; ++i) ++count[data.label[target_at(rows[i])]];
  std::uint32_t drawn = random.below(static_cast<std::uint32_t>(n));
  int one = 0;
  while (drawn >= count[one]) drawn -= count[one++];
  return one;
}

// Classes are summed as whole numbers, which do not round, so that the order of the rows does not matter.
void LevelOrder::read_targets(const std::uint32_t* rows, int n, Random& random) {
  const Data& data = plan_.data;
  target_.resize(n);
  weight_.resize(n);
  if (data.n_targets() > 1) of_targets_ = random.below(static_cast<std::uint32_t>(data.n_targets()));
  const int one = data.n_classes ? drawn_class(rows, n, random) : 0;
  double total = 0, sum = 0;
  for (int i = 0; i < n; ++i) {
    weight_[i] = data.weight ? data.weight[rows[i]] : 1.0;
    target_[i] = data.n_classes ? data.label[target_at(rows[i])] == one : data.y[target_at(rows[i])];
    total += weight_[i];
    sum += weight_[i] * target_[i];
  }
  mean_ = 0;
  // Weights are taken in proportion: were all of them trebled, nothing more would be known of a level.
  for (int i = 0; i < n && total > 0; ++i) weight_[i] *= n / total;
  if (data.n_classes)
    mean_ = total > 0 ? sum / total : 0;
  else
    for (int i = 0; i < n && total > 0; ++i) target_[i] -= sum / total;
  all_weight_ = all_sum_ = all_squares_ = 0;
  weighted_.resize(n);
  for (int i = 0; i < n; ++i) {
    weighted_[i] = weight_[i] * target_[i];
    all_weight_ += weight_[i];
    all_sum_ += weighted_[i];
    all_squares_ += weighted_[i] * target_[i];
  }
}

void LevelOrder::order(int column, std::vector<Level>& levels, const std::uint32_t* rows, int n,
                       Random& random) {
  std::vector<std::uint32_t>& rank = ranks_[column];
  const auto n_levels = static_cast<std::uint32_t>(rank.size() - 1);
  const std::uint32_t* code = plan_.coded.columns[column].code;
  double squares = all_squares_, known_weight = all_weight_, known_sum = all_sum_, all = 0, between = 0,
         crowding = 0;
  if (levels[n_levels].n > 0) {
    squares = known_weight = known_sum = 0;
    for (int i = 0; i < n; ++i) {
      if (code[rows[i]] == n_levels) continue;
      known_weight += weight_[i];
      known_sum += weighted_[i];
      squares += weighted_[i] * target_[i];
    }
  }
  squares += mean_ * (mean_ * known_weight - 2 * known_sum);
  for (Level& level : levels) level.sum -= mean_ * level.n;
  int present = 0;
  for (std::uint32_t l = 0; l < n_levels; ++l) {
    if (!(levels[l].n > 0)) continue;
    ++present;
    all += levels[l].n;
    between += levels[l].sum * levels[l].sum / levels[l].n;
    crowding += levels[l].n * levels[l].n;
  }
  // The variance within levels and of their true means: moments of the one-way layout (Searle 1971).
  const double within = all > present ? std::max(0.0, squares - between) / (all - present) : squares / all;
  const double spread = (between - (present - 1) * within) / (all - crowding / all);
  score_.resize(n_levels);
  for (std::uint32_t l = 0; l < n_levels; ++l) {
    double score = bell(random);
    if (spread > 0 && levels[l].n > 0) {
      const double known = levels[l].n + within / spread;
      score = levels[l].sum / known + score * std::sqrt(within / known);
    }
    score_[l] = {score, l};
  }
  std::sort(score_.begin(), score_.end());
  for (std::uint32_t i = 0; i < n_levels; ++i) rank[score_[i].second] = i;
  rank[n_levels] = n_levels;
}

}  // namespace bough
