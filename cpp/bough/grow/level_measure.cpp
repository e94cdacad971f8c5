#include "bough/grow/level_measure.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "bough/grow/distinct_rows.hpp"

namespace bough {

namespace {

// Losses of counts up to this are looked up.
constexpr double kMostEvents = 4095;
constexpr int kFewLanes = 4, kLanes = 12;

// The nearest whole number, of equals the even one; below 2^51.
std::int64_t rounded(double x) {
  constexpr double kShift = 0x1.8p52;
  return std::bit_cast<std::int64_t>(x + kShift) - std::bit_cast<std::int64_t>(kShift);
}

// A number that is the same for all trees.
struct Same {
  double number;
  double operator[](int) const { return number; }
};

}  // namespace

LevelMeasure::LevelMeasure(const LevelRows& rows, const Data& data, Criterion criterion)
    : rows_(rows), y_(data.y), rates_(criterion.reads_rates()) {
  double high = 0;
  for (std::int64_t i = 0; i < data.n_rows; ++i) {
    serves_ &= std::isfinite(y_[i]) && !(y_[i] == 0 && std::signbit(y_[i]));  // which 0 counts is an order
    high = std::max(high, y_[i]);
  }
  if (!serves_) return;
  whole_ = sums_are_exact(data);
  if (rates_ && (!whole_ || high > kMostEvents)) serves_ = false;
  if (!whole_ || !serves_) return;
  number_.assign(y_, y_ + data.n_rows);
  const auto [low, most] = std::minmax_element(number_.begin(), number_.end());
  lowest_ = *low;
  n_values_ = static_cast<std::size_t>(*most - *low) + 1;
}

std::vector<std::int64_t> LevelMeasure::numbers_of(const std::vector<std::uint32_t>& rows) const {
  std::vector<std::int64_t> numbers(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) numbers[i] = number_[rows[i]];
  return numbers;
}

double LevelMeasure::prior_exposure(int tree, const Recipe& recipe) const {
  if (recipe.prior_events <= 0) return 0;
  double exposure = 0, events = 0;
  for (int i = 0; i < rows_.n_rows(); ++i) {
    if (rows_.fold(i) == tree - 1) continue;
    exposure += 1;
    events += y_[i];
  }
  return events > 0 ? recipe.prior_events * exposure / events : 0;
}

void LevelMeasure::Sums::add(const Sums& other) {
  if (other.n == 0) return;
  low = n ? std::min(low, other.low) : other.low;
  high = n ? std::max(high, other.high) : other.high;
  n += other.n;
  sum += other.sum;
  squares += other.squares;
}

// The same from the number of rows of each fold and number.
std::vector<LevelMeasure::Sums> LevelMeasure::sums_by_number(const LevelNodes& all) const {
  const std::size_t n_folds = rows_.n_folds();
  std::vector<int> counts(n_values_ * n_folds, 0);
  for (const std::uint32_t row : all.rows) ++counts[(number_[row] - lowest_) * n_folds + rows_.fold(row)];
  std::vector<Sums> folds(n_folds);
  for (std::size_t at = 0; at < counts.size(); ++at) {
    if (counts[at] == 0) continue;
    const std::int64_t number = lowest_ + static_cast<std::int64_t>(at / n_folds), n = counts[at];
    const auto y = static_cast<double>(number);
    folds[at % n_folds].add({counts[at], y, y, n * number, n * number * number});
  }
  return folds;
}

std::vector<LevelMeasure::Sums> LevelMeasure::sums_of_folds(const LevelNodes& all) const {
  if (whole_ && n_values_ * rows_.n_folds() < all.rows.size()) return sums_by_number(all);
  std::vector<Sums> folds(rows_.n_folds());
  for (Sums& one : folds) {
    one.low = std::numeric_limits<double>::infinity();
    one.high = -one.low;
  }
  for (const std::uint32_t row : all.rows) {
    Sums& own = folds[rows_.fold(row)];
    ++own.n;
    own.low = std::min(own.low, y_[row]);
    own.high = std::max(own.high, y_[row]);
    if (!whole_) continue;
    own.sum += number_[row];
    own.squares += number_[row] * number_[row];
  }
  return folds;
}

// What the sums tell of a node: all but its risk, and the sum on a grid of numbers that are not whole.
void LevelMeasure::start(const Sums& sums, LevelNode& own, Node& node) const {
  Range& range = own.range;
  const double n = sums.n;
  range.count = sums.n;
  range.weight = node.weight = node.cases = n;
  node.centre = sums.low;
  node.risk = 0;
  own.pure = sums.low == sums.high;
  if (own.pure) return;
  own.spread =
      rates_ ? Spread{0, sums.high} : Spread{sums.low / 2 + sums.high / 2, sums.high / 2 - sums.low / 2};
  range.exponent = grid_exponent(n, own.spread.radius);
  if (!whole_) return;
  // All of these are whole numbers of quarters below 2^53.
  const double origin = own.spread.origin, sum = static_cast<double>(sums.sum);
  range.sum = (sum - n * origin) * power_of_two(range.exponent);
  node.risk = static_cast<double>(sums.squares) - 2 * origin * sum + n * (origin * origin);
}

// Puts the rows on the grid of every node that is not pure.
void LevelMeasure::lay_on_grids(LevelNodes& all) const {
  std::vector<const LevelNode*> first;
  std::vector<std::vector<std::int64_t>> sums;
  for (LevelNode& own : all.nodes) {
    if (own.pure) continue;
    const auto same = std::find_if(first.begin(), first.end(), [&](const LevelNode* other) {
      return other->spread.origin == own.spread.origin && other->range.exponent == own.range.exponent;
    });
    own.grid = static_cast<int>(same - first.begin());
    if (same == first.end()) {
      first.push_back(&own);
      const double scale = power_of_two(own.range.exponent);
      std::vector<std::int64_t>& numbers = all.numbers.emplace_back(all.rows.size());
      std::vector<std::int64_t>& folds = sums.emplace_back(rows_.n_folds(), 0);
      for (std::size_t i = 0; i < all.rows.size(); ++i) {
        numbers[i] = rounded((y_[all.rows[i]] - own.spread.origin) * scale);
        folds[rows_.fold(all.rows[i])] += numbers[i];
      }
    }
    std::int64_t sum = 0;
    for (int f = 0; f < rows_.n_folds(); ++f) sum += f == own.tree - 1 ? 0 : sums[own.grid][f];
    own.range.sum = static_cast<double>(sum);
  }
}

void LevelMeasure::keep_grids_of_live(LevelNodes& all) {
  std::vector<int> place(all.numbers.size(), -1);
  std::vector<std::vector<std::int64_t>> kept;
  for (LevelNode& own : all.nodes) {
    if (!own.range.live) continue;
    if (place[own.grid] < 0) {
      place[own.grid] = static_cast<int>(kept.size());
      kept.push_back(std::move(all.numbers[own.grid]));
    }
    own.grid = place[own.grid];
  }
  all.numbers = std::move(kept);
}

// The rows by level, those of a level in their old order.
LevelMeasure::Ids LevelMeasure::in_order(const Ids& rows, int column) const {
  std::vector<std::uint32_t> end(rows_.n_levels(column) + 1, 0);
  for (const std::uint32_t row : rows) ++end[rows_.level(column, row) + 1];
  for (std::size_t l = 1; l < end.size(); ++l) end[l] += end[l - 1];
  Ids ordered(rows.size());
  for (const std::uint32_t row : rows) ordered[end[rows_.level(column, row)]++] = row;
  return ordered;
}

// Of some nodes the sums over their rows in this order; terms(row): a number for each of the nodes.
template <int kWidth, class Terms>
void LevelMeasure::sum_in_order(const LevelNodes& all, std::size_t first, const Ids& ordered,
                                const Terms& terms, double* sums) const {
  std::vector<double> counts(static_cast<std::size_t>(rows_.n_folds()) * kWidth, 0.0);
  const std::size_t n = std::min<std::size_t>(kWidth, all.nodes.size() - first);
  for (int f = 0; f < rows_.n_folds(); ++f)
    for (std::size_t j = 0; j < n; ++j) counts[f * kWidth + j] = all.nodes[first + j].tree - 1 != f;
  double own[kWidth] = {};
  for (const std::uint32_t row : ordered) {
    const double* in = counts.data() + static_cast<std::size_t>(rows_.fold(row)) * kWidth;
    const auto term = terms(row);
    for (int j = 0; j < kWidth; ++j) own[j] += term[j] * in[j];
  }
  std::copy_n(own, n, sums + first);
}

void LevelMeasure::add_squares(const LevelNodes& all, const Ids& ordered, std::vector<Node>& measured) const {
  const std::size_t n = all.nodes.size();
  std::vector<double> sums(n), squares(n, 0.0);
  std::vector<bool> done(n, false);
  for (std::size_t i = 0; i < n; ++i) {
    if (done[i] || all.nodes[i].pure) continue;
    const double origin = all.nodes[i].spread.origin;
    const auto terms = [&](std::uint32_t row) {
      const double off = y_[row] - origin;
      return Same{off * off};
    };
    for (std::size_t first = 0; first < n; first += n <= kFewLanes ? kFewLanes : kLanes)
      n <= kFewLanes ? sum_in_order<kFewLanes>(all, first, ordered, terms, sums.data())
                     : sum_in_order<kLanes>(all, first, ordered, terms, sums.data());
    for (std::size_t j = i; j < n; ++j) {
      if (all.nodes[j].pure || all.nodes[j].spread.origin != origin) continue;
      measured[j].risk = sums[j];
      done[j] = true;
    }
  }
}

void LevelMeasure::add_losses(const LevelNodes& all, const Ids& ordered, const std::vector<LevelTree>& trees,
                              std::vector<Node>& measured) const {
  const std::size_t n = all.nodes.size();
  const std::size_t lanes = n <= kFewLanes ? kFewLanes : kLanes;
  double most = 0;
  for (const std::uint32_t row : all.rows) most = std::max(most, y_[row]);
  std::vector<bool> present(static_cast<std::size_t>(most) + 1, false);
  for (const std::uint32_t row : all.rows) present[static_cast<std::size_t>(number_[row])] = true;
  std::vector<double> loss(present.size() * lanes), sums(n);
  for (std::size_t first = 0; first < n; first += lanes) {
    for (std::size_t y = 0; y < present.size(); ++y) {
      if (!present[y]) continue;
      for (std::size_t j = 0; j < lanes && first + j < n; ++j) {
        // Events that only the rows of the fold have do not count.
        const double centre = measured[first + j].centre;
        const bool counts = y == 0 || centre > 0;
        loss[y * lanes + j] =
            counts ? loss_of(trees[all.nodes[first + j].tree].problem.recipe.criterion, y, centre) : 0.0;
      }
    }
    const auto terms = [&](std::uint32_t row) { return loss.data() + number_[row] * lanes; };
    lanes == kFewLanes ? sum_in_order<kFewLanes>(all, first, ordered, terms, sums.data())
                       : sum_in_order<kLanes>(all, first, ordered, terms, sums.data());
  }
  for (std::size_t j = 0; j < n; ++j) {
    if (!all.nodes[j].pure || trees[all.nodes[j].tree].table.prior_exposure > 0)
      measured[j].risk = std::max(0.0, sums[j]);
  }
}

void LevelMeasure::measure(LevelNodes& all, int column, const std::vector<LevelTree>& trees,
                           std::vector<Node>& measured) const {
  const std::vector<Sums> folds = sums_of_folds(all);
  const std::size_t n = all.nodes.size();
  for (std::size_t i = 0; i < n; ++i) {
    Sums own;
    for (int f = 0; f < rows_.n_folds(); ++f)
      if (f != all.nodes[i].tree - 1) own.add(folds[f]);
    if (own.n > 0) start(own, all.nodes[i], measured[i]);
  }
  if (!whole_) {
    lay_on_grids(all);
    add_squares(all, in_order(all.rows, column), measured);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Range& range = all.nodes[i].range;
    const LevelTree& tree = trees[all.nodes[i].tree];
    Node& node = measured[i];
    if (range.count == 0) continue;
    const bool pure = all.nodes[i].pure;
    const double off = pure ? 0 : unscaled(range.sum / range.weight, range.exponent);
    if (!pure) node.centre = all.nodes[i].spread.origin + off;
    if (!pure && !rates_) node.risk = std::max(0.0, node.risk - range.weight * off * off);
    if (tree.table.prior_exposure > 0)
      node.centre = (node.centre * range.weight + tree.problem.recipe.prior_events) /
                    (range.weight + tree.table.prior_exposure);
  }
  if (rates_) add_losses(all, in_order(all.rows, column), trees, measured);
  for (std::size_t i = 0; i < n; ++i) {
    const LevelTree& tree = trees[all.nodes[i].tree];
    Range& range = all.nodes[i].range;
    range.live = !all.nodes[i].pure && varied_enough(range, measured[i], tree.table, tree.problem.recipe) &&
                 large_enough_to_split(range, measured[i], tree.problem.recipe.limits, tree.trunk.root_risk);
  }
  if (!whole_) keep_grids_of_live(all);
}

}  // namespace bough
