// Groups of levels: from one block a level, blocks are merged while that raises the gain ratio, and the
// grouping of the best gain ratio is proposed. The number of ways to form as many groups is charged for.
#include <algorithm>

#include "bough/c50/search.hpp"
#include "bough/quinlan/information.hpp"

namespace bough::c50 {

namespace {

class Blocks {
 public:
  Blocks(const LevelTable& table, const LevelFigures& figures, Count cases, Count min_cases);

  int size() const { return static_cast<int>(blocks_.size()); }
  int n_reasonable() const { return n_reasonable_; }
  // Writes down the block of each level; absent levels are a last group of their own.
  void write_groups(int n_levels, Proposal& proposal) const;
  double split_info() const;

  // Merges levels whose classes are shared out alike; false if there are none.
  bool merge_alike();
  void measure();

  struct Merger {
    int first = -1, second = -1;
    double gain = 0, info = 0;
  };
  Merger best_merger(double gain, double info) const;
  void merge(const Merger& merger);

 private:
  struct Block {
    double weight = 0;
    std::vector<double> dist;
    std::vector<std::int32_t> levels;
    double info = 0, entropy = 0;
  };
  struct Pair {
    double info = 0, entropy = 0;
  };

  bool is_reasonable(const Block& block) const { return block.weight >= min_cases_ - kEpsilon; }
  bool alike(const Block& a, const Block& b) const;
  void absorb(Block& into, Block& from);
  double entropy_of(const std::vector<double>& dist) const;
  void measure_pair(int a, int b);
  Pair& pair(int a, int b) { return pairs_[static_cast<std::size_t>(a) * stride_ + b]; }
  const Pair& pair(int a, int b) const { return pairs_[static_cast<std::size_t>(a) * stride_ + b]; }

  double unknown_, unknown_rate_;
  Count cases_, known_, min_cases_;
  int n_reasonable_ = 0;
  std::vector<Block> blocks_;
  std::vector<Pair> pairs_;
  std::size_t stride_ = 0;
};

Blocks::Blocks(const LevelTable& table, const LevelFigures& figures, Count cases, Count min_cases)
    : unknown_(figures.value[0]),
      unknown_rate_(figures.unknown_rate),
      cases_(cases),
      known_(figures.known),
      min_cases_(min_cases) {
  for (int v = 1; v <= table.n_levels; ++v) {
    n_reasonable_ += figures.value[v] >= min_cases;
    if (!(figures.value[v] > kEpsilon)) continue;
    Block block;
    block.weight = figures.value[v];
    block.dist.assign(table.row(v), table.row(v) + table.n_classes);
    block.levels = {v - 1};
    blocks_.push_back(std::move(block));
  }
}

void Blocks::write_groups(int n_levels, Proposal& proposal) const {
  proposal.group_of.assign(n_levels, size());
  int n_written = 0;
  for (int b = 0; b < size(); ++b) {
    for (const std::int32_t level : blocks_[b].levels) proposal.group_of[level] = b;
    n_written += static_cast<int>(blocks_[b].levels.size());
  }
  proposal.n_groups = size() + (n_written < n_levels ? 1 : 0);
}

double Blocks::split_info() const {
  std::vector<double> weights{unknown_};
  for (const Block& block : blocks_) weights.push_back(block.weight);
  return quinlan::total_info<double>(weights.data(), static_cast<int>(weights.size())) / cases_;
}

bool Blocks::alike(const Block& a, const Block& b) const {
  const Count na = static_cast<Count>(a.weight), nb = static_cast<Count>(b.weight);
  for (std::size_t c = 0; c < a.dist.size(); ++c)
    if (std::fabs(a.dist[c] / na - b.dist[c] / nb) > 0.001) return false;
  return true;
}

void Blocks::absorb(Block& into, Block& from) {
  if (is_reasonable(into) && is_reasonable(from))
    --n_reasonable_;
  else if (!is_reasonable(into) && !is_reasonable(from) && into.weight + from.weight >= min_cases_ - kEpsilon)
    ++n_reasonable_;
  for (std::size_t c = 0; c < into.dist.size(); ++c) into.dist[c] += from.dist[c];
  into.weight += from.weight;
  from.weight = 0;
  into.levels.insert(into.levels.end(), from.levels.begin(), from.levels.end());
}

bool Blocks::merge_alike() {
  const int before = size();
  for (int a = 0; a + 1 < size(); ++a) {
    for (int b = a + 1; b < size(); ++b)
      if (alike(blocks_[a], blocks_[b])) absorb(blocks_[a], blocks_[b]);
    std::erase_if(blocks_, [](const Block& block) { return block.weight == 0; });
  }
  return size() < before;
}

double Blocks::entropy_of(const std::vector<double>& dist) const {
  double entropy = 0;
  Count total = 0;
  for (const double n : dist) {
    entropy -= n * quinlan::log2_or_zero(n);
    total = static_cast<Count>(total + n);
  }
  return entropy + total * quinlan::log2_or_zero(total);
}

void Blocks::measure_pair(int a, int b) {
  if (b < a) std::swap(a, b);
  const Block &x = blocks_[a], &y = blocks_[b];
  const Count weight = static_cast<Count>(x.weight + y.weight);
  double entropy = 0;
  Count total = 0;
  for (std::size_t c = 0; c < x.dist.size(); ++c) {
    const Count n = static_cast<Count>(x.dist[c] + y.dist[c]);
    entropy -= n * quinlan::log2_or_zero(n);
    total += n;
  }
  pair(a, b) = {-weight * quinlan::log2_or_zero(static_cast<double>(weight) / cases_),
                entropy + total * quinlan::log2_or_zero(total)};
}

void Blocks::measure() {
  for (Block& block : blocks_) {
    block.info = -block.weight * quinlan::log2_or_zero(block.weight / cases_);
    block.entropy = quinlan::total_info<double>(block.dist.data(), static_cast<int>(block.dist.size()));
  }
  stride_ = blocks_.size();
  pairs_.resize(stride_ * stride_);
  for (int a = 0; a < size(); ++a)
    for (int b = a + 1; b < size(); ++b) measure_pair(a, b);
}

Blocks::Merger Blocks::best_merger(double gain, double info) const {
  Merger best;
  best.gain = -kEpsilon;
  for (int a = 0; a + 1 < size(); ++a) {
    for (int b = a + 1; b < size(); ++b) {
      const Block &x = blocks_[a], &y = blocks_[b];
      if (n_reasonable_ == 2 && is_reasonable(x) && is_reasonable(y)) continue;
      const double this_gain =
          gain - ((1 - unknown_rate_) / known_) * (pair(a, b).entropy - (x.entropy + y.entropy));
      if (!(this_gain > best.gain + kEpsilon)) continue;
      best = {a, b, this_gain, info + (pair(a, b).info - (x.info + y.info)) / cases_};
    }
  }
  return best;
}

void Blocks::merge(const Merger& merger) {
  Block& into = blocks_[merger.first];
  absorb(into, blocks_[merger.second]);
  into.info = -into.weight * quinlan::log2_or_zero(into.weight / cases_);
  into.entropy = entropy_of(into.dist);
  const int gone = merger.second;
  blocks_.erase(blocks_.begin() + gone);
  for (int a = 0; a <= size(); ++a)
    for (int b = gone; b < size(); ++b) pair(a, b) = pair(a, b + 1);
  for (int a = gone; a < size(); ++a)
    for (int b = 0; b < size(); ++b) pair(a, b) = pair(a + 1, b);
  for (int b = 0; b < size(); ++b)
    if (b != merger.first) measure_pair(merger.first, b);
}

}  // namespace

// Ways to put n things into k groups, infinite where too many to count.
double Search::Scratch::stirling(int n, int k) {
  std::vector<double>& row = stirling_rows[n];
  if (row.empty()) {
    row.assign(n + 1, 0.0);
    for (int m = 1; m <= n; ++m)
      for (int j = m; j >= 1; --j) row[j] = j == 1 || j == m ? 1 : row[j - 1] + j * row[j];
  }
  return row[k];
}

void Search::propose_subsets(int column, Count cases, Scratch& scratch) {
  const LevelTable& table = tables_[column];
  const LevelFigures figures = figures_of(table, cases);
  Blocks blocks(table, figures, cases, training_.min_cases);
  if (blocks.n_reasonable() == 0) return;
  Proposal& proposal = proposals_[column];
  double gain = gain_of(table, figures);
  double info = quinlan::total_info<double>(figures.value.data(), table.n_levels + 1) / cases;
  double highest = gain / info;
  const int n_first = blocks.size();
  proposal.gain = static_cast<float>(gain);
  proposal.info = static_cast<float>(info);
  blocks.write_groups(table.n_levels, proposal);

  const auto weigh = [&](bool sensible, int n_merged) {
    const int n = blocks.size();
    const double ways = scratch.stirling(n_first, n);
    const double penalty =
        std::isfinite(ways) ? quinlan::log2_or_zero(ways) : n_merged * quinlan::log2_or_zero(n);
    const double value = (gain - penalty / cases) / info;
    if (!sensible || !(value >= highest)) return;
    blocks.write_groups(table.n_levels, proposal);
    proposal.info = static_cast<float>(info);
    proposal.gain = static_cast<float>(gain - penalty / figures.known);
    highest = value;
  };
  if (blocks.merge_alike()) {
    info = blocks.split_info();
    weigh(blocks.size() >= 2 && blocks.n_reasonable() >= 2, n_first - blocks.size() + 1);
  }
  blocks.measure();
  while (blocks.size() > 2) {
    training_.watch.poll_or_throw();
    const auto merger = blocks.best_merger(gain, info);
    if (merger.first < 0) break;
    gain = merger.gain;
    info = merger.info;
    blocks.merge(merger);
    weigh(true, n_first - blocks.size());
  }
}

}  // namespace bough::c50
