// Boosting of rows that are divided: the trees are those of all rows together.
#include <algorithm>
#include <bit>
#include <memory>

#include "bough/boost/gradient_partition.hpp"
#include "draws.hpp"
#include "harness.hpp"
#include "same.hpp"

namespace bough::tests {

namespace {

constexpr int kLevels[] = {5, 40, 300, 12};

// Codes of four columns, the last one nominal; -1 is missing.
struct Rows {
  std::vector<std::vector<std::int32_t>> codes;
  std::vector<double> y;
  std::vector<Column> columns;
  BinnedTable bins;

  explicit Rows(std::vector<std::vector<std::int32_t>> given, std::vector<double> target)
      : codes(std::move(given)), y(std::move(target)) {
    for (std::size_t c = 0; c < codes.size(); ++c)
      columns.push_back(view(codes[c], kLevels[c], c == 3 ? Scale::nominal : Scale::ordinal));
    Team team(1);
    bins = bin_table(columns, static_cast<std::int64_t>(codes[0].size()), nullptr, nullptr, 2, team, [] {});
  }

  Rows part(std::size_t begin, std::size_t end) const {
    const auto of = [&](const auto& all) {
      return std::decay_t<decltype(all)>(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                         all.begin() + static_cast<std::ptrdiff_t>(end));
    };
    std::vector<std::vector<std::int32_t>> some;
    for (const auto& column : codes) some.push_back(of(column));
    return Rows(some, of(y));
  }

  BoostTarget target() const { return {static_cast<std::int64_t>(y.size()), 0, nullptr, y.data()}; }
};

Rows drawn_rows(int n) {
  Draws draws(5);
  std::vector<std::vector<std::int32_t>> codes(4, std::vector<std::int32_t>(n));
  std::vector<double> y(n);
  for (int i = 0; i < n; ++i) {
    for (int c = 0; c < 4; ++c) codes[c][i] = draws.below(9) ? draws.below(kLevels[c]) : -1;
    y[i] = codes[0][i] + 0.02 * codes[2][i] + (codes[3][i] % 5) + draws.share();
  }
  return Rows(codes, y);
}

// A row for each code that some row has.
Rows code_rows(const Rows& rows) {
  std::vector<std::vector<std::int32_t>> codes(4, std::vector<std::int32_t>(300, -1));
  for (int c = 0; c < 4; ++c)
    for (const std::int32_t code : rows.codes[c])
      if (code >= 0) codes[c][code] = code;
  return Rows(codes, std::vector<double>(300));
}

// Two partitions in memory, whose histograms are added.
class Divided final : public BoostedRows {
 public:
  Divided(const Rows& all, std::size_t at, const BoostSettings& settings, double start, bool wide)
      : first_rows_(all.part(0, at)), second_rows_(all.part(at, all.y.size())), wide_(wide) {
    parts_.emplace_back(
        new GradientPartition(first_rows_.bins, first_rows_.target(), settings, 0, true, {start}));
    parts_.emplace_back(new GradientPartition(second_rows_.bins, second_rows_.target(), settings,
                                              static_cast<std::uint32_t>(at), true, {start}));
  }

  DrawnRange range(int round, int which) override {
    DrawnRange all;
    for (auto& part : parts_) {
      part->begin_round(round);
      const DrawnRange own = part->range(which);
      all.n_rows += own.n_rows;
      all.range.add(own.range);
    }
    return all;
  }
  RootReply begin(int round, int which, const GradientGrid& grid) override {
    CHECK_EQUAL(grid.wide, wide_);
    RootReply all;
    for (auto& part : parts_) {
      all.sums += part->begin_tree(round, which, grid);
      add(all.histogram, part->histogram(0));
    }
    return all;
  }
  std::vector<PartReply> part(const std::vector<PartRequest>& requests) override {
    std::vector<PartReply> replies;
    most_requests_ = std::max(most_requests_, requests.size());
    for (const PartRequest& request : requests) {
      PartReply& reply = replies.emplace_back();
      for (auto& part : parts_) {
        part->part(request);
        const int left = 2 * part->n_parted() - 1;
        reply.n_left += part->count(left);
        add(reply.histogram, part->histogram(request.counts_left ? left : left + 1));
      }
    }
    return replies;
  }
  std::vector<double> quantiles(int which, const std::vector<int>& leaves, double share) override {
    std::vector<double> found;
    for (const int leaf : leaves) {
      std::vector<double> values;
      for (auto& part : parts_)
        for (const std::uint32_t row : part->rows(leaf)) values.push_back(part->residual(which, row));
      std::sort(values.begin(), values.end());
      std::size_t at = 0;
      while (at + 1 < values.size() &&
             static_cast<double>(at + 1) < share * static_cast<double>(values.size()))
        ++at;
      found.push_back(values[at]);
    }
    return found;
  }
  void add(int which, CodedTree tree) override {
    for (auto& part : parts_) part->add(which, tree);
  }

  std::size_t most_requests() const { return most_requests_; }

 private:
  void add(DistantRows::Histogram& to, const DistantRows::Histogram& from) const {
    to.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i)
      to[i] =
          wide_ ? std::bit_cast<std::uint64_t>(std::bit_cast<double>(to[i]) + std::bit_cast<double>(from[i]))
                : to[i] + from[i];
  }

  Rows first_rows_, second_rows_;
  bool wide_;
  std::vector<std::unique_ptr<GradientPartition>> parts_;
  std::size_t most_requests_ = 0;
};

}  // namespace

TEST(boosting_of_divided_rows_is_that_of_all) {
  for (const int n : {600, 30000}) {
    const Rows rows = drawn_rows(n), codes = code_rows(rows);
    for (const GrowthOrder order : {GrowthOrder::best_first, GrowthOrder::by_level})
      for (const double share : {1.0, 0.7}) {
        BoostSettings settings;
        settings.loss.name = order == GrowthOrder::by_level && share < 1 ? "absolute_error" : "squared_error";
        settings.n_rounds = 4;
        settings.order = order;
        settings.row_share = share;
        const BoostedTrees together =
            boost(rows.columns, rows.bins, rows.target(), nullptr, nullptr, settings, 1, {});
        Divided divided(rows, static_cast<std::size_t>(n) / 3, settings, together.start[0], n == 600);
        const std::vector<GrownTree> trees = boost_elsewhere(
            codes.columns, codes.bins, *make_loss(settings.loss, {}), true, settings, divided, 1, {});
        CHECK_EQUAL(trees.size(), together.trees.size());
        CHECK(divided.most_requests() > 1);
        for (std::size_t t = 0; t < trees.size(); ++t) {
          CHECK(trees[t].column.size() > 10);
          CHECK(same(trees[t].column, together.trees[t].column));
          CHECK(same(trees[t].cut, together.trees[t].cut));
          CHECK(same(trees[t].statistics, together.trees[t].statistics));
          CHECK(same(trees[t].level_code, together.trees[t].level_code));
        }
      }
  }
}

}  // namespace bough::tests
