// A block puts its rows in the order of each column, whatever the number of codes: missing values come last,
// and rows of one code in their own order.
#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "bough/forest/block.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

SampleDesign whole_table() {
  SampleDesign design;
  design.draw = SampleDesign::Draw::all;
  return design;
}

// A coded table of random numbers under squared error, of which a block keeps lists.
struct CodedRows {
  int n_rows;
  std::vector<std::uint32_t> n_codes;
  std::vector<std::vector<std::uint32_t>> code, rank;
  std::vector<double> y, ones;
  Data data;
  CodedTable coded;
  ForestRecipe recipe;
  Sampler sampler{whole_table()};

  CodedRows(Draws& draws, int n, bool ranked)
      : n_rows(n),
        n_codes{1, 2, 31, 32, 33, 254, 255, 256, 65534, 65535, (1u << 20) - 1, 1u << 20, 1u << 24},
        rank(n_codes.size()),
        y(n),
        ones(n, 1.0) {
    for (double& number : y) number = draws.share();
    const std::size_t width = n_codes.size();
    coded.rows = make_buffer<std::uint32_t>(width * n_rows);
    for (std::size_t c = 0; c < width; ++c) {
      std::vector<std::uint32_t> own(n_rows);
      const bool missing = draws.below(2);
      for (std::uint32_t& one : own)
        one = missing && draws.below(9) == 0 ? n_codes[c]
                                             : static_cast<std::uint32_t>(draws.bits() % n_codes[c]);
      code.push_back(own);
      for (int i = 0; i < n_rows; ++i) coded.rows[i * width + c] = own[i];
    }
    if (ranked) turn_first_columns();
    for (std::size_t c = 0; c < width; ++c)
      coded.columns.push_back(
          {code[c].data(), n_codes[c], static_cast<int>(std::bit_width(n_codes[c])), true});
    data.n_rows = n_rows;
    data.columns.resize(width);
    data.y = y.data();
    recipe.criterion = criterion_of<SquaredError>;
    recipe.max_features = static_cast<int>(width);
  }

  // The codes of columns of few are put in another order.
  void turn_first_columns() {
    for (std::size_t c = 0; n_codes[c] < 256; ++c) {
      rank[c].resize(n_codes[c] + 1);
      for (std::uint32_t own = 0; own < n_codes[c]; ++own) rank[c][own] = n_codes[c] - 1 - own;
      rank[c].back() = n_codes[c];
    }
  }

  std::uint32_t ordered_code(std::size_t column, std::uint32_t row) const {
    const std::uint32_t own = code[column][row];
    return rank[column].empty() ? own : rank[column][own];
  }

  ForestPlan plan() const {
    return {
        {data, recipe, coded, sampler, 0}, 0, Evaluator(recipe.criterion, 2), {}, false, false, false, false};
  }
};

// Entries must be those rows of the block, given by index, in the order of the column.
void check_order(const CodedRows& table, int column, const std::vector<std::uint32_t>& rows,
                 std::vector<std::uint32_t> index, const std::uint32_t* entries) {
  constexpr std::uint32_t kMissing = EntryTraits<std::uint32_t>::kMissing;
  const auto code = [&](std::uint32_t i) { return table.ordered_code(column, rows[i]); };
  std::stable_sort(index.begin(), index.end(), [&](auto a, auto b) { return code(a) < code(b); });
  for (std::size_t p = 0; p < index.size(); ++p) {
    CHECK_EQUAL(index_of(entries[p]), index[p]);
    CHECK_EQUAL(code_of(entries[p]) == kMissing, code(index[p]) == table.n_codes[column]);
    if (p > 0)
      CHECK_EQUAL(code_of(entries[p - 1]) == code_of(entries[p]), code(index[p - 1]) == code(index[p]));
  }
}

void check_block(const CodedRows& table, const std::vector<std::uint32_t>& rows) {
  const ForestPlan plan = table.plan();
  Block block(plan);
  block.set_ranks(table.rank);
  std::vector<double> grid = table.y;
  RowView view;
  view.rows.y = table.y.data();
  view.rows.grid = grid.data();
  view.rows.weight = view.rows.cases = table.ones.data();
  const auto n = static_cast<int>(rows.size());
  CHECK(block.keeps_lists() && n <= block.most_rows());
  block.load(rows.data(), n, view);
  std::vector<std::uint32_t> all(n), some;
  std::iota(all.begin(), all.end(), 0u);
  for (int i = 0; i < n; i += 1 + i % 3) some.push_back(static_cast<std::uint32_t>(i));
  for (int c = 0; c < static_cast<int>(table.n_codes.size()); ++c) {
    CHECK_EQUAL(block.has_list(c), table.n_codes[c] > kMostSummedCodes);
    if (!block.has_list(c)) {
      for (int i = 0; i < n; ++i)
        CHECK_EQUAL(std::uint32_t{block.few_codes(c)[i]}, table.ordered_code(c, rows[i]));
      check_order(table, c, rows, some, block.ordered_by_few(c, some.data(), static_cast<int>(some.size())));
      continue;
    }
    check_order(table, c, rows, all, block.list(c));
    for (int p = 0; !block.has_ties(c) && p + 1 < n; ++p)
      CHECK(code_of(block.list(c)[p]) != code_of(block.list(c)[p + 1]));
  }
}

}  // namespace

TEST(rows_of_a_block_lie_in_the_order_of_each_column) {
  Draws draws(61);
  for (const int n_rows : {30, 300, 9000})
    for (const bool ranked : {false, true}) {
      const CodedRows table(draws, n_rows, ranked);
      // Of large blocks the codes are read from the table.
      for (const int n : {1, 2, 7, 39, 40, 300, 4096}) {
        if (n > n_rows) continue;
        std::vector<std::uint32_t> rows;
        for (int i = 0; i < n; ++i) rows.push_back(static_cast<std::uint32_t>(i * (n_rows / n)));
        check_block(table, rows);
      }
    }
}

}  // namespace bough::tests
