// Every criterion against its textbook formula, written out over shares and raw values.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "bough/criteria/list.hpp"
#include "bough/criteria/pearson.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

using Table = std::vector<std::vector<double>>;  // a row of class weights a child

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr Criterion kOfClasses[] = {criterion_of<Misclassification>, criterion_of<Gini>,
                                    criterion_of<Entropy>,           criterion_of<Deviance>,
                                    criterion_of<GainRatio>,         criterion_of<ChiSquare>,
                                    criterion_of<GeneralizedGini>};

double total(const std::vector<double>& x) {
  double sum = 0;
  for (double v : x) sum += v;
  return sum;
}

std::vector<double> flat(const Table& table) {
  std::vector<double> all;
  for (const auto& row : table) all.insert(all.end(), row.begin(), row.end());
  return all;
}

std::vector<double> column_sums(const Table& table) {
  std::vector<double> sums(table[0].size(), 0.0);
  for (const auto& row : table)
    for (std::size_t c = 0; c < row.size(); ++c) sums[c] += row[c];
  return sums;
}

double bits(const std::vector<double>& counts) {
  double h = 0;
  for (double c : counts)
    if (c > 0) h -= c / total(counts) * std::log2(c / total(counts));
  return h;
}

double textbook_impurity(Criterion criterion, const std::vector<double>& counts) {
  const double w = total(counts);
  double squares = 0;
  for (double c : counts) squares += c / w * (c / w);
  if (criterion == criterion_of<Misclassification>)
    return 1 - *std::max_element(counts.begin(), counts.end()) / w;
  if (criterion == criterion_of<Entropy> || criterion == criterion_of<GainRatio>) return bits(counts);
  if (criterion == criterion_of<Deviance>) return 2 * std::numbers::ln2 * bits(counts);
  return 1 - squares;
}

double textbook_chi_square(const Table& table) {
  const std::vector<double> columns = column_sums(table);
  double statistic = 0;
  for (const auto& row : table)
    for (std::size_t c = 0; c < row.size(); ++c) {
      const double expected = total(row) * columns[c] / total(columns);
      if (expected > 0) statistic += (row[c] - expected) * (row[c] - expected) / expected;
    }
  return statistic;
}

double textbook_value(Criterion criterion, const Table& children, double node_weight) {
  if (criterion == criterion_of<ChiSquare>) return textbook_chi_square(children);
  const std::vector<double> parent = column_sums(children);
  const double known = total(parent);
  double within = 0;
  std::vector<double> sizes;
  for (const auto& child : children) {
    sizes.push_back(total(child));
    if (sizes.back() > 0) within += sizes.back() / known * textbook_impurity(criterion, child);
  }
  const double gain = known / node_weight * (textbook_impurity(criterion, parent) - within);
  return criterion == criterion_of<GainRatio> ? gain / bits(sizes) : gain;
}

Table draw_table(Draws& draws, int n_children, int n_classes, int most) {
  Table table(n_children, std::vector<double>(n_classes));
  for (auto& row : table) {
    for (double& x : row) x = draws.below(3) == 0 ? 0 : draws.below(most);
    row[draws.below(n_classes)] += 1;  // no child is empty
  }
  return table;
}

// Values of y of each child.
Table draw_numbers(Draws& draws, int n_children) {
  Table children(n_children);
  for (auto& child : children)
    for (int i = 0, n = 1 + draws.below(12); i < n; ++i) child.push_back(1 + draws.below(30));
  return children;
}

std::vector<double> moments(const Table& children) {
  std::vector<double> statistics;
  for (const auto& y : children) {
    statistics.push_back(static_cast<double>(y.size()));
    statistics.push_back(total(y));
  }
  return statistics;
}

std::vector<double> pooled(const Table& children) { return flat(children); }

double squared_error(const std::vector<double>& y) {
  const double mean = total(y) / static_cast<double>(y.size());
  double sum = 0;
  for (double v : y) sum += (v - mean) * (v - mean);
  return sum;
}

double absolute_error(std::vector<double> y) {
  std::sort(y.begin(), y.end());
  double sum = 0;
  for (double v : y) sum += std::abs(v - y[(y.size() - 1) / 2]);
  return sum;
}

double half_deviance(const std::vector<double>& y) {
  const double mean = total(y) / static_cast<double>(y.size());
  double sum = 0;
  for (double v : y) sum += (v > 0 ? v * std::log(v / mean) : 0) - (v - mean);
  return sum;
}

double textbook_fall(const std::function<double(std::vector<double>)>& error, const Table& children,
                     double node_weight) {
  double within = 0;
  for (const auto& y : children) within += error(y);
  return (error(pooled(children)) - within) / node_weight;
}

// The weight of each of the values in each child.
std::vector<double> weights_of_values(const Table& children, const std::vector<double>& values) {
  std::vector<double> statistics;
  for (const auto& y : children)
    for (double v : values) statistics.push_back(static_cast<double>(std::count(y.begin(), y.end(), v)));
  return statistics;
}

std::vector<double> distinct(std::vector<double> y) {
  std::sort(y.begin(), y.end());
  y.erase(std::unique(y.begin(), y.end()), y.end());
  return y;
}

}  // namespace

TEST(criteria_of_classes_follow_the_textbook) {
  Draws draws(1);
  for (int round = 0; round < 400; ++round) {
    const int n_children = 2 + draws.below(5), n_classes = 2 + draws.below(5);
    const Table table = draw_table(draws, n_children, n_classes, round % 2 ? 10 : 100000);
    const double known = total(flat(table)), node_weight = known + draws.below(3) * 7;
    for (Criterion criterion : kOfClasses) {
      const Evaluator evaluator(criterion, n_classes);
      const double value = evaluator.value(flat(table).data(), n_children, node_weight);
      CHECK_CLOSE(value, textbook_value(criterion, table, node_weight), 1e-10);
      CHECK(value >= 0);
      if (criterion->impurity)
        CHECK_CLOSE(evaluator.impurity(table[0].data()), textbook_impurity(criterion, table[0]), 1e-12);
      else
        CHECK_THROWS(evaluator.impurity(table[0].data()), std::invalid_argument);
    }
  }
}

TEST(two_children_give_the_same_by_either_door) {
  Draws draws(2);
  for (int round = 0; round < 100; ++round) {
    const Table table = draw_table(draws, 2, 3, 50);
    for (Criterion criterion : kOfClasses) {
      const Evaluator evaluator(criterion, 3);
      CHECK_EQUAL(evaluator.value(flat(table).data(), 2, 500),
                  evaluator.value(table[0].data(), table[1].data(), 500));
    }
  }
}

TEST(twoing_follows_the_textbook) {
  Draws draws(3);
  for (int round = 0; round < 200; ++round) {
    const int k = 2 + draws.below(5);
    const Table table = draw_table(draws, 2, k, 40);
    const double wl = total(table[0]), wr = total(table[1]), w = wl + wr, node_weight = w + draws.below(5);
    double apart = 0;
    for (int c = 0; c < k; ++c) apart += std::abs(table[0][c] / wl - table[1][c] / wr);
    const double expected = w / node_weight * (wl / w) * (wr / w) / 4 * apart * apart;
    CHECK_CLOSE(Evaluator(criterion_of<Twoing>, k).value(flat(table).data(), 2, node_weight), expected,
                1e-12);
  }
  const double three[] = {1, 0, 0, 1, 1, 1};
  CHECK_EQUAL(Evaluator(criterion_of<Twoing>, 2).value(three, 3, 4), kNone);
}

// The sum of loss(j | i) * p_i * p_j.
double expected_loss(const std::vector<double>& loss, const std::vector<double>& counts) {
  const std::size_t k = counts.size();
  double sum = 0;
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < k; ++j) sum += loss[i * k + j] * counts[i] * counts[j];
  return sum / (total(counts) * total(counts));
}

TEST(generalized_gini_follows_the_textbook) {
  Draws draws(6);
  for (int round = 0; round < 400; ++round) {
    const int k = 2 + draws.below(4), n_children = 2 + draws.below(3);
    const Table table = draw_table(draws, n_children, k, 40);
    std::vector<double> loss(k * k);
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < k; ++j) loss[i * k + j] = i == j ? 0 : draws.below(9);
    const std::vector<double> parent = column_sums(table);
    const double known = total(parent), node_weight = known + draws.below(5);
    double fall = expected_loss(loss, parent);
    for (const auto& child : table) fall -= total(child) / known * expected_loss(loss, child);
    Evaluator evaluator(criterion_of<GeneralizedGini>, k);
    evaluator.set_loss(loss);
    CHECK_CLOSE(evaluator.impurity(table[0].data()), expected_loss(loss, table[0]), 1e-12);
    CHECK_CLOSE(evaluator.value(flat(table).data(), n_children, node_weight),
                std::max(0.0, known / node_weight * fall), 1e-10);
    CHECK_EQUAL(evaluator.value(table[0].data(), table[1].data(), node_weight),
                evaluator.value(table[1].data(), table[0].data(), node_weight));
  }
}

TEST(criteria_of_numbers_follow_the_textbook) {
  Draws draws(4);
  for (int round = 0; round < 300; ++round) {
    const Table children = draw_numbers(draws, 2 + draws.below(4));
    const int n = static_cast<int>(children.size());
    const double node_weight = static_cast<double>(pooled(children).size()) + draws.below(4);
    const std::vector<double> statistics = moments(children), values = distinct(pooled(children));
    CHECK_CLOSE(Evaluator(criterion_of<SquaredError>, 2).value(statistics.data(), n, node_weight),
                textbook_fall(squared_error, children, node_weight), 1e-10);
    CHECK_CLOSE(Evaluator(criterion_of<Poisson>, 2).value(statistics.data(), n, node_weight),
                textbook_fall(half_deviance, children, node_weight), 1e-10);
    CHECK_CLOSE(Evaluator(criterion_of<AbsoluteError>, values)
                    .value(weights_of_values(children, values).data(), n, node_weight),
                textbook_fall(absolute_error, children, node_weight), 1e-10);
  }
}

TEST(a_rate_of_zero_is_a_choice) {
  const double two[] = {2, 6, 1, 0}, three[] = {2, 6, 1, 0, 1, 2};
  Evaluator evaluator(criterion_of<Poisson>, 2);
  CHECK_EQUAL(evaluator.value(two, 2, 3), kNone);
  CHECK_EQUAL(evaluator.value(three, 3, 4), kNone);
  evaluator.allow_zero_rates();
  CHECK_CLOSE(evaluator.value(two, 2, 3), (6 * std::log(3.0) - 6 * std::log(2.0)) / 3, 1e-12);
  CHECK_CLOSE(evaluator.value(three, 3, 4), (6 * std::log(3.0) + 2 * std::log(2.0) - 8 * std::log(2.0)) / 4,
              1e-12);
}

TEST(impurity_and_centre_of_numbers) {
  const std::vector<double> y = {1, 2, 2, 7};
  const double moments_of_y[] = {4, 12, 58}, weights[] = {1, 2, 1};
  const Evaluator squares(criterion_of<SquaredError>, 2),
      median(criterion_of<AbsoluteError>, std::vector<double>{1, 2, 7});
  CHECK_CLOSE(squares.impurity(moments_of_y), squared_error(y) / 4, 1e-15);
  CHECK_EQUAL(squares.centre(moments_of_y), 3.0);
  CHECK_EQUAL(median.impurity(weights), absolute_error(y) / 4);
  CHECK_EQUAL(median.centre(weights), 2.0);
  const double even[] = {1, 0, 1};
  CHECK_EQUAL(median.centre(even), 1.0);  // the lower median
  CHECK_EQUAL(absolute_deviation(even, {1, 2, 7}), 6.0);
}

TEST(a_mirror_image_has_the_same_value_to_the_last_bit) {
  Draws draws(5);
  for (int round = 0; round < 500; ++round) {
    const int k = 2 + draws.below(6);
    Table table = draw_table(draws, 2, k, 1000);
    if (round % 2)
      for (auto& row : table)
        for (double& x : row)
          x = std::floor(x * 0x1p38 * (1 + draws.share()));  // as large as grid weights get
    const double node_weight = total(flat(table));
    for (const CriterionRecord& record : all_criteria()) {
      if (record.statistics != StatisticsKind::classes) continue;
      const Evaluator evaluator(Criterion(&record), k);
      CHECK_EQUAL(evaluator.value(table[0].data(), table[1].data(), node_weight),
                  evaluator.value(table[1].data(), table[0].data(), node_weight));
    }
    const double left[] = {table[0][0] + 1, table[0][1]}, right[] = {table[1][0] + 1, table[1][1]};
    for (Criterion criterion : {criterion_of<SquaredError>, criterion_of<Poisson>}) {
      const Evaluator evaluator(criterion, 2);
      CHECK_EQUAL(evaluator.value(left, right, node_weight), evaluator.value(right, left, node_weight));
    }
    std::vector<double> values(k);
    for (int i = 0; i < k; ++i) values[i] = i * 3;
    const Evaluator evaluator(criterion_of<AbsoluteError>, values);
    CHECK_EQUAL(evaluator.value(table[0].data(), table[1].data(), node_weight),
                evaluator.value(table[1].data(), table[0].data(), node_weight));
  }
}

TEST(an_empty_child_changes_nothing_or_makes_no_split) {
  const double two[] = {3, 4, 0, 0}, three[] = {3, 4, 5, 1, 2, 2}, four[] = {3, 4, 0, 0, 5, 1, 2, 2};
  for (Criterion criterion : kOfClasses) {
    const Evaluator evaluator(criterion, 2);
    CHECK_EQUAL(evaluator.value(two, 2, 7), kNone);
    CHECK_EQUAL(evaluator.value(four, 4, 17), evaluator.value(three, 3, 17));
  }
  for (Criterion criterion : {criterion_of<SquaredError>, criterion_of<Poisson>})
    CHECK_EQUAL(Evaluator(criterion, 2).value(four, 4, 10), Evaluator(criterion, 2).value(three, 3, 10));
  const Evaluator median(criterion_of<AbsoluteError>, std::vector<double>{1, 5});
  CHECK_EQUAL(median.value(two, 2, 7), kNone);
  CHECK_EQUAL(median.value(four, 4, 17), median.value(three, 3, 17));
}

TEST(a_poisson_child_without_events_makes_no_split) {
  const double two[] = {3, 4, 2, 0}, three[] = {3, 4, 2, 0, 1, 1};
  const Evaluator evaluator(criterion_of<Poisson>, 2);
  CHECK_EQUAL(evaluator.value(two, 2, 5), kNone);
  CHECK_EQUAL(evaluator.value(three, 3, 6), kNone);
}

TEST(shares_that_agree_gain_nothing) {
  const double two[] = {3, 6, 9, 7, 14, 21}, three[] = {3, 6, 9, 7, 14, 21, 1, 2, 3};
  for (Criterion criterion : kOfClasses) {
    const Evaluator evaluator(criterion, 3);
    CHECK_CLOSE(evaluator.value(two, 2, 60), 0.0, 1e-15);
    CHECK_CLOSE(evaluator.value(three, 3, 66), 0.0, 1e-15);
  }
}

TEST(names_lead_to_criteria) {
  CHECK(criterion_named("gini") == criterion_of<Gini>);
  CHECK(criterion_named("misclassification") == criterion_of<Misclassification>);
  CHECK(criterion_named("poisson") == criterion_of<Poisson>);
  CHECK(criterion_named("absolute_error") == criterion_of<AbsoluteError>);
  CHECK_THROWS(criterion_named("Gini"), std::invalid_argument);
  CHECK_THROWS(criterion_named(""), std::invalid_argument);
}

TEST(the_table_of_x_log_x_holds_what_is_computed) {
  const XLog2X table(100);
  for (double x : {0.0, 1.0, 2.0, 3.5, 99.0, 99.5, 100.0, 1e6, 0x1p52})
    CHECK_EQUAL(table(x), XLog2X::direct(x));
  CHECK_EQUAL(table(8), 24.0);
}

TEST(pearson_of_known_tables) {
  const double two[] = {10, 20, 30, 40};
  CHECK_CLOSE(pearson(two, 2, 2).statistic, 50.0 / 63, 1e-15);
  CHECK_EQUAL(pearson(two, 2, 2).degrees, 1);
  const double with_empty[] = {10, 0, 20, 0, 0, 0, 30, 0, 40};
  CHECK_CLOSE(pearson(with_empty, 3, 3).statistic, 50.0 / 63, 1e-15);
  CHECK_EQUAL(pearson(with_empty, 3, 3).degrees, 1);
  const double pure[] = {3, 0, 4, 0};
  CHECK_EQUAL(pearson(pure, 2, 2).degrees, 0);
}

TEST(chi_square_survival_of_known_values) {
  struct Known {
    double x;
    int degrees;
    double survival;  // from the closed forms, in 60 digits
  };
  const Known known[] = {
      {0.5, 1, 0.47950012218695348},      {3.84, 1, 0.050043521248705099}, {50, 1, 1.5374597944280349e-12},
      {0.001, 2, 0.99950012497916929},    {9.21, 2, 0.010001702004705482}, {0.7, 3, 0.87320394906395415},
      {7.81, 3, 0.05010605635000593},     {25, 5, 0.00013933379118562619}, {5, 10, 0.89117801891415127},
      {60, 10, 3.6243009520614882e-09},   {30, 31, 0.51729654931489577},   {100, 100, 0.48119168452795674},
      {150, 100, 0.00090393204235400906}, {400, 7, 2.3852710811123277e-82}};
  for (const Known& k : known) CHECK_CLOSE(chi_square_survival(k.x, k.degrees) / k.survival, 1.0, 1e-12);
}

TEST(chi_square_survival_at_its_ends) {
  CHECK_EQUAL(chi_square_survival(0, 3), 1.0);
  CHECK_EQUAL(chi_square_survival(5, 0), 1.0);
  CHECK_EQUAL(chi_square_survival(1e6, 2), 0.0);
  for (int degrees : {1, 2, 7, 30})
    for (double x = 0.25; x < 80; x += 0.25)
      CHECK(chi_square_survival(x, degrees) <= chi_square_survival(x - 0.25, degrees));
}

}  // namespace bough::tests
