// Columns and cuts of few rows drawn side by side are those drawn one after the other, and sums of class
// words are those of the rows.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bough/forest/drawn_cuts.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// A node of few rows, some of whose columns do not vary.
struct FewRowsDrawn {
  int width, n, n_drawn;
  std::vector<float> cells;
  std::vector<std::uint32_t> index;
  std::vector<int> columns;
  Random random;

  FewRowsDrawn(Draws& draws, int rows, int all, int drawn)
      : width(all),
        n(rows),
        n_drawn(drawn),
        cells(static_cast<std::size_t>(2 * n) * width + kLanes),
        columns(width),
        random(static_cast<std::uint64_t>(draws.below(1 << 20)), 3) {
    std::vector<int> n_values(width);  // of each column
    for (int& values : n_values) values = draws.below(3) ? 1000 : 1 + draws.below(3);
    for (std::size_t i = 0; i < cells.size(); ++i)
      cells[i] = static_cast<float>(draws.below(n_values[i % width])) / 7 - 1;
    for (int i = 0; i < n; ++i) index.push_back(2 * i + draws.below(2));
    std::iota(columns.begin(), columns.end(), 0);
    for (int c = 0; c < width; ++c) std::swap(columns[c], columns[c + draws.below(width - c)]);
  }

  float cell(int i, int column) const { return cells[index[i] * width + column]; }
  FewDrawRows view() const {
    return {cells.data(), static_cast<std::size_t>(width), index.data(), n, columns.data(), n_drawn};
  }
};

// One column after the other.
struct PlainDraws {
  std::vector<std::vector<int>> order;  // after each draw
  std::vector<float> least, most, cut;
  std::vector<int> n_random;  // up to each draw and its cut

  explicit PlainDraws(const FewRowsDrawn& rows) {
    Random random = rows.random;
    std::vector<int> columns = rows.columns;
    for (int seen = 0; seen < rows.n_drawn; ++seen) {
      const int from = seen + static_cast<int>(random.below(static_cast<std::uint32_t>(rows.width - seen)));
      std::swap(columns[seen], columns[from]);
      order.push_back(columns);
      float low = rows.cell(0, columns[seen]), high = low;
      for (int i = 1; i < rows.n; ++i) {
        low = std::min(low, rows.cell(i, columns[seen]));
        high = std::max(high, rows.cell(i, columns[seen]));
      }
      least.push_back(low);
      most.push_back(high);
      cut.push_back(-std::numeric_limits<float>::infinity());
      n_random.push_back((seen ? n_random.back() : 0) + 1);
      if (!(low < high)) continue;
      const auto drawn =
          static_cast<float>(low + random.uniform() * (static_cast<double>(high) - static_cast<double>(low)));
      cut.back() = drawn > low && drawn <= high ? drawn : high;
      ++n_random.back();
    }
  }
};

template <class Check>
void for_few_rows_drawn(const Check& check) {
  Draws draws(57);
  for (const int n : {1, 2, 3, 7, 16, 32})
    for (const int width : {2, 7, 8, 15, 16, 17, 28, 31, 32})
      for (const int n_drawn : {1, 5, 8, 9, 16})
        for (int time = 0; n_drawn < width && time < 10; ++time)
          check(FewRowsDrawn(draws, n, width, n_drawn));
}

}  // namespace

TEST(columns_of_few_rows_drawn_side_by_side_are_those_drawn_one_by_one) {
  const FewDrawKernels* kernels = few_draw_kernels();
  if (!kernels) return;
  for_few_rows_drawn([&](const FewRowsDrawn& rows) {
    const PlainDraws plain(rows);
    FewDraws found;
    CHECK(kernels->draw(rows.view(), rows.random, found));
    for (int c = 0; c < rows.n_drawn; ++c) {
      std::vector<int> columns(rows.width, -1);
      kernels->write_order(found, c + 1, rows.width, columns.data());
      CHECK(columns == plain.order[c]);
      CHECK_EQUAL(found.least[c], plain.least[c]);
      CHECK_EQUAL(found.most[c], plain.most[c]);
      CHECK_EQUAL(found.cut[c], plain.cut[c]);
      CHECK_EQUAL(found.constant >> c & 1, static_cast<unsigned>(!(plain.least[c] < plain.most[c])));
      for (int i = 0; i < rows.n; ++i)
        CHECK_EQUAL(found.cell[i * FewDraws::kMostDrawn + c], rows.cell(i, columns[c]));
    }
    for (int c = rows.n_drawn; c < FewDraws::kMostDrawn; ++c)
      CHECK_EQUAL(found.cut[c], -std::numeric_limits<float>::infinity());
  });
}

TEST(cuts_of_few_rows_count_random_numbers_and_take_columns_back) {
  for_few_rows_drawn([](const FewRowsDrawn& rows) {
    DrawnCuts cuts(rows.width, 0);
    cuts.draw_few_columns(rows.n_drawn);
    CHECK(!cuts.draws_few(FewDraws::kMostRows + 1));
    CHECK_EQUAL(cuts.draws_few(rows.n), few_draw_kernels() != nullptr);
    if (!cuts.draws_few(rows.n)) return;
    const PlainDraws plain(rows);
    std::vector<int> columns = rows.columns;
    CHECK(cuts.draw_few(rows.cells.data(), rows.index.data(), rows.n, rows.random, columns.data()));
    CHECK(cuts.picked());
    CHECK(columns == plain.order.back());
    for (int c = 0; c < rows.n_drawn; ++c) {
      CHECK_EQUAL(cuts.varies(c), plain.least[c] < plain.most[c]);
      CHECK_EQUAL(cuts.cut(c), plain.cut[c]);
      CHECK_EQUAL(cuts.n_random(c + 1), plain.n_random[c]);
      Random jumped = rows.random, stepped = rows.random;
      jumped.skip(plain.n_random[c]);
      for (int i = 0; i < plain.n_random[c]; ++i) stepped.next();
      CHECK_EQUAL(jumped.next(), stepped.next());
      cuts.keep_first(c + 1, columns.data());
      CHECK(columns == plain.order[c]);
    }
  });
}

TEST(columns_that_reach_too_far_are_not_drawn_side_by_side) {
  const FewDrawKernels* kernels = few_draw_kernels();
  if (!kernels) return;
  Draws draws(3);
  FewRowsDrawn rows(draws, 4, 9, 8);
  for (int c = 0; c < rows.width; ++c) {
    rows.cells[rows.index[0] * rows.width + c] = -std::numeric_limits<float>::infinity();
    rows.cells[rows.index[1] * rows.width + c] = 1;
  }
  FewDraws found;
  CHECK(!kernels->draw(rows.view(), rows.random, found));
}

TEST(class_words_below_cuts_are_counts_of_the_rows) {
  const ClassWordKernels* kernels = class_word_kernels();
  if (!kernels) return;
  Draws draws(58);
  for (const int n : {1, 2, 9, 63, 254, 255, 256, 1000})
    for (const int n_classes : {1, 2, 7, 8})
      for (const int most_weight : {1, 3, 255}) {
        std::vector<float> cells(static_cast<std::size_t>(n) * kLanes), cut;
        for (float& cell : cells) cell = static_cast<float>(draws.below(9));
        for (int c = 0; c < kLanes; ++c) cut.push_back(static_cast<float>(draws.below(11)));
        std::vector<std::int32_t> label;
        std::vector<double> weight;
        std::vector<std::uint32_t> index(n), place(n);
        std::iota(place.begin(), place.end(), 0u);
        for (int i = 0; i < n; ++i) {
          index[i] = static_cast<std::uint32_t>(n - 1 - i);
          label.push_back(draws.below(n_classes));
          weight.push_back(1 + draws.below(most_weight));
        }
        const CellRows rows{cells.data(), kLanes, index.data(), n, place.data()};
        std::vector<std::int32_t> plain(n_classes * kLanes, 0), total(n_classes, 0), found(plain.size(), -1);
        for (int i = 0; i < n; ++i) {
          const auto own = static_cast<std::int32_t>(weight[index[i]]);
          total[label[index[i]]] += own;
          for (int c = 0; c < kLanes; ++c)
            if (rows.cells_of(i)[c] < cut[c]) plain[label[index[i]] * kLanes + c] += own;
        }
        kernels->count(rows, cut.data(), label.data(), weight.data(), n_classes, found.data());
        CHECK(found == plain);
        if (std::accumulate(total.begin(), total.end(), 0) > ClassWordKernels::kMostWeight) continue;
        std::vector<std::int32_t> sums(3 * kLanes, -1), expected(3 * kLanes, 0);
        for (int k = 0; k < n_classes; ++k)
          for (int c = 0; c < kLanes; ++c) {
            const std::int32_t own = plain[k * kLanes + c];
            expected[c] += own;
            expected[kLanes + c] += own * own;
            expected[2 * kLanes + c] += own * total[k];
          }
        kernels->squares(rows, cut.data(), label.data(), weight.data(),
                         {sums.data(), sums.data() + kLanes, sums.data() + 2 * kLanes});
        CHECK(sums == expected);
      }
}

}  // namespace bough::tests
