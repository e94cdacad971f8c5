// PART, SimpleCart and what they rest on: Java's random numbers, and the principal axis of a matrix.
#include "bough/machine/java_random.hpp"
#include "bough/quinlan/grow.hpp"
#include "bough/quinlan/part.hpp"
#include "bough/quinlan/symmetric_eigen.hpp"
#include "harness.hpp"

using namespace bough;
using namespace bough::quinlan;

namespace {

// Twenty rows: a number that separates two classes but for one row, and levels without any effect.
struct Sample {
  std::vector<double> x;
  std::vector<std::int32_t> level, label;
  Data data;

  Sample() {
    for (int i = 0; i < 20; ++i) {
      x.push_back(i);
      level.push_back(i % 3);
      label.push_back(i >= 8);
    }
    label[2] = 1;
    data.columns = {
        {Column::Type::float64, Scale::numeric, reinterpret_cast<const char*>(x.data()), sizeof(double), 0},
        {Column::Type::code, Scale::nominal, reinterpret_cast<const char*>(level.data()),
         sizeof(std::int32_t), 3}};
    data.n_rows = 20;
    data.n_classes = 2;
    data.label = label.data();
  }
};

}  // namespace

TEST(java_random_numbers_are_those_of_its_documentation) {
  JavaRandom random(42);
  CHECK_EQUAL(random.below(10), 0);
  CHECK_EQUAL(random.below(10), 3);
  CHECK_EQUAL(random.below(10), 8);
  CHECK_EQUAL(JavaRandom(42).whole(), -1170105035);
}

TEST(the_principal_axis_is_the_eigenvector_of_the_greatest_eigenvalue) {
  // Eigenvalues 1, 3 and 6 with orthogonal vectors.
  const double a[3] = {1 / std::sqrt(2.0), 1 / std::sqrt(2.0), 0}, b[3] = {0, 0, 1};
  const double c[3] = {1 / std::sqrt(2.0), -1 / std::sqrt(2.0), 0};
  std::vector<double> matrix(9);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) matrix[i * 3 + j] = a[i] * a[j] + 3 * b[i] * b[j] + 6 * c[i] * c[j];
  const std::vector<double> axis = principal_axis(matrix, 3);
  double along = 0;
  for (int i = 0; i < 3; ++i) along += axis[i] * c[i];
  CHECK_CLOSE(std::abs(along), 1, 1e-12);
}

TEST(the_rules_of_part_take_every_row_once) {
  const Sample sample;
  PartOptions options;
  options.deviate = 0.6744897501960817;
  const auto rules = part_rules(sample.data, options, 1, nullptr);
  double total = 0;
  for (const PartRule& rule : rules)
    for (double weight : rule.distribution) total += weight;
  CHECK_CLOSE(total, 20, 1e-9);
  CHECK(!rules.empty() && rules.front().conditions.size() == 1);
  CHECK_EQUAL(rules.front().conditions.front().column, 0);
  CHECK(rules.back().conditions.empty());
}

TEST(simple_cart_splits_where_the_gini_index_falls_most) {
  const Sample sample;
  const std::vector<std::uint8_t> grown(20, 1);
  const FinishedTree tree = grow_simple_cart(sample.data, grown.data(), {}, {2, true}, 1, nullptr);
  CHECK_EQUAL(tree.arrays.column[0], 0);
  CHECK_EQUAL(tree.arrays.cut[0], 7.5);
}
