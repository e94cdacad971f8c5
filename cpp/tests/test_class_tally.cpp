// What lies below a cut: the class weights, the weight and the cases are those of summing row by row.
#include <numeric>

#include "bough/forest/class_tally.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

void check_tally(Draws& draws, int n, int n_classes, int most_weight, bool whole) {
  std::vector<double> weight, cases;
  std::vector<std::int32_t> label;
  std::vector<std::uint32_t> index(n);
  std::vector<float> value;
  std::iota(index.rbegin(), index.rend(), 0u);
  for (int i = 0; i < n; ++i) {
    weight.push_back(whole ? 1 + draws.below(most_weight) : 0.1 + draws.share());
    cases.push_back(whole ? weight.back() : 1);
    label.push_back(static_cast<std::int32_t>(draws.below(n_classes)));
    value.push_back(static_cast<float>(draws.share()));
  }
  RowView view;
  view.rows.weight = weight.data();
  view.rows.cases = cases.data();
  view.rows.label = label.data();
  ClassTally tally(n_classes, n);
  tally.start_tree(weight, cases);
  tally.start(index.data(), n, view);
  for (const float cut : {-1.0f, 0.3f, 0.9f, 2.0f}) {
    std::vector<double> statistics(n_classes, 0.0), plain(n_classes, 0.0);
    double below = 0, below_cases = 0, plain_below = 0, plain_cases = 0;
    for (int i = 0; i < n; ++i) {
      if (!(value[i] < cut)) continue;
      plain[label[index[i]]] += weight[index[i]];
      plain_below += weight[index[i]];
      plain_cases += cases[index[i]];
    }
    tally.below(value.data(), cut, statistics.data(), below, below_cases);
    for (int c = 0; c < n_classes; ++c) CHECK_EQUAL(statistics[c], plain[c]);
    CHECK_EQUAL(below, plain_below);
    CHECK_EQUAL(below_cases, plain_cases);
  }
}

}  // namespace

TEST(classes_below_a_cut_are_those_of_the_rows) {
  Draws draws(17);
  for (const int n : {1, 3, 4, 7, 64, 255, 1021, 3000})
    for (const int n_classes : {2, 3, 8, 9, 31, 40})
      for (const int most_weight : {1, 7, 255, 300}) {
        check_tally(draws, n, n_classes, most_weight, true);
        check_tally(draws, n, n_classes, most_weight, false);
      }
}

TEST(tallies_of_every_processor_agree) {
  Draws draws(18);
  std::vector<float> value;
  std::vector<std::uint64_t> word;
  for (int i = 0; i < 1020; ++i) {
    value.push_back(static_cast<float>(draws.share()));
    word.push_back(std::uint64_t{1} << (8 * draws.below(8)));
  }
  for (int n = 0; n <= 1020; n += 17) {
    std::vector<std::vector<std::uint32_t>> counts;
    for (const TallyKernels& kernels : runnable_tallies()) {
      counts.emplace_back(8, 0u);
      kernels.add_below(value.data(), 0.5f, word.data(), n, counts.back().data());
      CHECK(counts.back() == counts.front());
    }
  }
}

}  // namespace bough::tests
