#include "bough/forest/quantile.hpp"

#include <algorithm>

#include "bough/machine/team.hpp"

namespace bough {

RawVector<double> quantiles(const ForestWalker& walker, const LeafMembers& members,
                            const std::vector<double>& values, const ForestTable& table, std::int64_t n_rows,
                            const std::vector<double>& wanted, int n_threads, const Monitor& monitor) {
  constexpr std::int64_t kRows = 256;
  const ForestView& forest = walker.forest();
  RawVector<double> out(static_cast<std::size_t>(n_rows) * wanted.size());
  const int n_blocks = static_cast<int>((n_rows + kRows - 1) / kRows);
  Team team(std::min(n_threads, std::max(1, n_blocks)));
  Watch watch(monitor, n_blocks);
  team.run(n_blocks + team.size(), [&](int b, int) {
    if (watch.should_stop()) return;
    if (b >= n_blocks) return watch.wait();
    const Watch::Piece piece(watch, 1);
    const std::int64_t begin = b * kRows, end = std::min(n_rows, begin + kRows);
    const int n = static_cast<int>(end - begin);
    std::vector<std::uint32_t> leaf(static_cast<std::size_t>(n) * forest.n_trees);
    walker.walk_all(table, begin, end, [&](int t, const std::uint32_t* of_tree) {
      std::copy_n(of_tree, n, leaf.data() + static_cast<std::size_t>(t) * n);
    });
    std::vector<double> weight(values.size(), 0.0);
    std::vector<std::uint32_t> met;
    for (int i = 0; i < n; ++i) {
      // Large leaves make a row a long piece of work.
      if (watch.should_stop()) return;
      met.clear();
      for (int t = 0; t < forest.n_trees; ++t) {
        const std::int64_t l = forest.leaf_start[t] + leaf[static_cast<std::size_t>(t) * n + i];
        for (std::int64_t m = members.start[l]; m < members.start[l + 1]; ++m) {
          if (weight[members.rank[m]] == 0) met.push_back(members.rank[m]);
          weight[members.rank[m]] += members.weight[m];
        }
      }
      std::sort(met.begin(), met.end());
      double total = 0;
      for (std::uint32_t r : met) total += weight[r];
      for (std::size_t q = 0; q < wanted.size(); ++q) {
        double below = 0;
        double value = values[met.back()];
        for (std::uint32_t r : met) {
          below += weight[r];
          if (below >= wanted[q] * total * (1 - 1e-9)) {
            value = values[r];
            break;
          }
        }
        out[(begin + i) * wanted.size() + q] = value;
      }
      for (std::uint32_t r : met) weight[r] = 0;
    }
  });
  watch.throw_if_stopped();
  return out;
}

}  // namespace bough
