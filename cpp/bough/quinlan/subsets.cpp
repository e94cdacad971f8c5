// Subsets of levels, as C4.5's option -s forms them: pairs are merged while the gain ratio rises.
#include "bough/quinlan/release8.hpp"
#include "bough/quinlan/rounded_sum.hpp"

namespace bough::quinlan {

// The blocks of levels while they are merged. Figures of block v stand in row v of the counts, from 1 on; row
// 0 is that of missing values.
class Blocks {
 public:
  Blocks(ClassSearch<Release8>::Scratch& counts, int n_classes, int n_values)
      : counts_(counts), k_(n_classes), info_(n_values + 1), term_(n_values + 1), together_(n_classes) {
    term_[0] = Release8::xlog2x(counts.value_freq[0]);
    for (int v = 1; v <= n_values; ++v) {
      if (!(counts.value_freq[v] > 0.5)) {
        absent.push_back(v - 1);
        continue;
      }
      members.push_back({v - 1});
      ++many;
      if (many < v) {
        counts.value_freq[many] = counts.value_freq[v];
        std::copy_n(freq(v), k_, freq(many));
      }
      refresh(many);
    }
  }

  // The entropy of the classes in all blocks up to the last, times their weight, summed as the program does.
  float info(int last) const {
    float sum = 0;
    for (int v = 1; v <= last; ++v) sum += info_[v];
    return sum;
  }
  // The same of the blocks themselves, missing values being one of them.
  float split_info(int last) const {
    float sum = 0, total = 0;
    for (int v = 0; v <= last; ++v) {
      sum = static_cast<float>(sum + term_[v]);
      total += counts_.value_freq[v];
    }
    return static_cast<float>(Release8::xlog2x(total) - sum);
  }

  float* freq(int block) { return counts_.freq.data() + static_cast<std::size_t>(block) * k_; }
  float weight(int block) const { return counts_.value_freq[block]; }

  // Puts y into x and the last block in the place of y.
  void merge(int x, int y) {
    for (int c = 0; c < k_; ++c) {
      freq(x)[c] += freq(y)[c];
      freq(y)[c] = freq(many)[c];
    }
    counts_.value_freq[x] += counts_.value_freq[y];
    counts_.value_freq[y] = counts_.value_freq[many];
    info_[y] = info_[many];
    term_[y] = term_[many];
    refresh(x);
    auto &into = members[x - 1], &from = members[y - 1];
    into.insert(into.end(), from.begin(), from.end());
    from = members[many - 1];
    members.pop_back();
    --many;
  }

  MergedBlock merged(int x, int y) {
    for (int c = 0; c < k_; ++c) together_[c] = freq(x)[c] + freq(y)[c];
    const float both = weight(x) + weight(y);
    return {x, y, total_info<float>(together_.data(), k_), both, Release8::xlog2x(both)};
  }

  const std::vector<float>& infos() const { return info_; }
  const std::vector<double>& terms() const { return term_; }
  const std::vector<float>& weights() const { return counts_.value_freq; }

  int many = 0;
  std::vector<std::vector<std::int32_t>> members;  // levels of block v at v - 1
  std::vector<std::int32_t> absent;

 private:
  void refresh(int block) {
    info_[block] = total_info<float>(freq(block), k_);
    term_[block] = Release8::xlog2x(counts_.value_freq[block]);
  }

  ClassSearch<Release8>::Scratch& counts_;
  int k_;
  std::vector<float> info_;  // of each block
  std::vector<double> term_;
  std::vector<float> together_;
};

namespace {

// Blocks of one class only go together with others of the same class.
bool merge_single_class(Blocks& blocks, int n_classes) {
  bool merged = false;
  for (int x = 1; x < blocks.many; ++x) {
    int c = 0;
    while (c < n_classes - 1 && blocks.freq(x)[c] < 0.1) ++c;
    if (blocks.freq(x)[c] < blocks.weight(x) - 0.1) continue;
    for (int y = x + 1; y <= blocks.many;) {
      if (blocks.freq(y)[c] < blocks.weight(y) - 0.1) {
        ++y;
      } else {
        blocks.merge(x, y);
        merged = true;
      }
    }
  }
  return merged;
}

// Which mergers may be better than the best so far: those that add `info` and `term` such that a * info - b *
// term <= most or a * info <= most_for_gain. The slack of both blocks is added to the right sides.
struct PairFilter {
  bool all = false;
  float a = 0, b = 0, most = 0, most_for_gain = 0;
  std::vector<float> slack;
};

// What merging each pair of blocks would add to the sums over blocks, kept while blocks are merged. Rounded
// so that less is added to the information of the classes, and more to that of the blocks, than in truth.
// While there are too many blocks for a table of their pairs, it is computed whenever it is asked for.
class PairTable {
 public:
  PairTable(Blocks& blocks, Watch& watch) : blocks_(blocks), watch_(watch) { fill_if_few(); }

  void merge(int x, int y) {
    const int last = blocks_.many;
    for (int v = 1; v < last && !pairs_.empty(); ++v)
      if (v != y) pairs_[at(v, y)] = pairs_[at(v, last)];
    blocks_.merge(x, y);
    for (int v = 1; v <= blocks_.many && !pairs_.empty(); ++v)
      if (v != x) pairs_[at(x, v)] = measure(std::min(v, x), std::max(v, x));
    fill_if_few();
  }
  // The first block from y on whose merger with x passes; else end.
  int next(int x, int y, int end, const PairFilter& filter) const {
    constexpr int kStep = 16;
    const float* slack = filter.slack.data();
    const float most = filter.most + slack[x], most_for_gain = filter.most_for_gain + slack[x];
    const auto passes = [&](const Added& pair, int other) {
      const float info = filter.a * pair.info - slack[other];
      return (info - filter.b * pair.term <= most) | (info <= most_for_gain);
    };
    if (pairs_.empty()) {
      while (y < end && !passes(measure(x, y), y)) ++y;
      return y;
    }
    const Added* row = pairs_.data() + start(x);
    for (; y + kStep <= end; y += kStep) {
      int any = 0;
      for (int i = 0; i < kStep; ++i) any |= passes(row[y + i - x - 1], y + i);
      if (any) break;
    }
    while (y < end && !passes(row[y - x - 1], y)) ++y;
    return y;
  }

 private:
  static constexpr int kMostBlocks = 4096;
  static constexpr double kSlack = 0x1p-19;

  struct Added {
    float info, term;
  };

  void fill_if_few() {
    if (!pairs_.empty() || blocks_.many > kMostBlocks) return;
    n_ = blocks_.many;
    pairs_.resize(start(n_));
    for (int x = 1; x < n_; ++x) {
      watch_.poll_or_throw();
      for (int y = x + 1; y <= n_; ++y) pairs_[at(x, y)] = measure(x, y);
    }
  }
  std::size_t start(int x) const {
    return static_cast<std::size_t>(x - 1) * n_ - static_cast<std::size_t>(x) * (x - 1) / 2;
  }
  std::size_t at(int a, int b) const { return start(std::min(a, b)) + std::abs(a - b) - 1; }
  Added measure(int x, int y) const {
    const MergedBlock merged = blocks_.merged(x, y);
    const double info = static_cast<double>(merged.info) - blocks_.infos()[x] - blocks_.infos()[y];
    const double term = merged.term - blocks_.terms()[x] - blocks_.terms()[y];
    return {static_cast<float>(info - kSlack * std::abs(info)),
            static_cast<float>(term + kSlack * std::abs(term))};
  }

  Blocks& blocks_;
  Watch& watch_;
  int n_ = 0;
  std::vector<Added> pairs_;
};

}  // namespace

// The search for subsets of one column in one node.
class Release8Search::SubsetSearch {
 public:
  SubsetSearch(const Release8Search& search, int n_values, const NodeView<float>& view, Scratch& counts)
      : search_(search),
        counts_(counts),
        n_values_(n_values),
        all_(view.weight),
        known_(view.weight - counts.value_freq[0]),
        unknown_(counts.value_freq[0] / view.recounted),
        base_(search.base_info(counts, n_values, known_)),
        // While blocks are merged, one case is enough for a branch.
        last_(figures(search.gain_of(counts, n_values, base_, unknown_, known_, 1.0f),
                      total_info<float>(counts.value_freq.data(), n_values + 1) / all_)),
        blocks_(counts, search.n_classes_, n_values) {}

  Candidate<float> run() {
    if (merge_single_class(blocks_, search_.n_classes_)) last_ = figures_of_blocks(blocks_.many);
    const float least_gain = last_.gain / 2;
    if (blocks_.many > 2) {
      PairTable pairs(blocks_, search_.watch_);
      while (blocks_.many > 2 && merge_best_pair(least_gain, pairs)) {
      }
    }
    return last_.value <= 0 ? Candidate<float>{} : candidate();
  }

 private:
  struct Figures {
    float value, gain, info;
  };

  Figures figures(float gain, float info) const {
    return {search_.score(info, gain, static_cast<float>(kEpsilon)), gain, info};
  }

  // Of a test whose branches are the first blocks.
  Figures figures_of_blocks(int many) const {
    int reasonable = 0;
    for (int v = 1; v <= many && reasonable < 2; ++v) reasonable += blocks_.weight(v) >= 1;
    return figures(gain(reasonable, blocks_.info(many)), blocks_.split_info(many) / all_);
  }
  float gain(int reasonable, float info) const {
    return known_ == 0 || reasonable < 2 ? static_cast<float>(-kEpsilon)
                                         : (1 - unknown_) * (base_ - info / known_);
  }

  struct Round {
    float least_gain;
    int reasonable = 0, barred = 1;
    Figures best{0, static_cast<float>(-kEpsilon), 0};
    int best_x = 0, best_y = 0;
  };

  // Merges the best pair of blocks; false: none is worth it.
  bool merge_best_pair(float least_gain, PairTable& pairs) {
    const bool by_ratio = search_.options_.gain_ratio;
    Round round{least_gain};
    n_reasonable_ = 0;
    for (int v = 1; v <= blocks_.many; ++v) {
      n_reasonable_ += blocks_.weight(v) >= 1;
      round.reasonable += blocks_.weight(v) >= search_.min_cases_;
      if (blocks_.weight(v) > blocks_.weight(round.barred)) round.barred = v;
    }
    if (round.reasonable >= 3) round.barred = 0;
    sums_.start(blocks_.infos(), blocks_.terms(), blocks_.weights(), blocks_.many);
    try_pairs(round, pairs);
    const Figures& best = round.best;
    if (!round.best_x) return false;
    if (by_ratio && round.reasonable >= 2 &&
        (best.value < last_.value + 1e-5 || (best.value == last_.value && best.gain < last_.gain)))
      return false;
    last_ = best;
    pairs.merge(round.best_x, round.best_y);
    return true;
  }

  // Goes through the pairs in order. Those that may be better are collected and evaluated many at a time.
  void try_pairs(Round& round, const PairTable& pairs) {
    const int many = blocks_.many;
    batch_.clear();
    PairFilter filter = filter_of(round);
    for (int x = 1, y = 2;;) {
      if (x >= many || x == round.barred)
        y = many + 1;
      else if (!filter.all)
        y = pairs.next(x, y, many + 1, filter);
      if (y <= many) {
        if (y != round.barred) batch_.push_back(blocks_.merged(x, y));
        ++y;
      } else if (x < many) {
        ++x;
        search_.watch_.poll_or_throw();
        y = x + 1;
      }
      const bool done = x >= many;
      if (batch_.empty()) {
        if (done) return;
        continue;
      }
      if (!done && !filter.all && batch_.size() < RoundedSums::kLanes) continue;
      if (const MergedBlock* last = take_best(round)) {
        x = last->x;
        y = last->y + 1;
      }
      batch_.clear();
      filter = filter_of(round);
    }
  }

  // Evaluates the collected pairs in order. After a change that lets pairs pass which the filter held back,
  // returns the pair after which to go on; else null.
  const MergedBlock* take_best(Round& round) {
    BlockSums sums[RoundedSums::kLanes];
    sums_.after(batch_, sums);
    const bool any_pair = !search_.options_.gain_ratio || round.reasonable < 2;
    for (std::size_t i = 0; i < batch_.size(); ++i) {
      const Figures now = figures_after(batch_[i], sums[i]);
      const bool short_of_gain = round.best.gain < round.least_gain;
      if (!(now.gain >= round.least_gain && short_of_gain) && !(now.value >= round.best.value) &&
          !(!round.best_x && any_pair))
        continue;
      round.best = now;
      round.best_x = batch_[i].x;
      round.best_y = batch_[i].y;
      if (short_of_gain != (now.gain < round.least_gain)) return &batch_[i];
    }
    return nullptr;
  }

  // Of a test whose branches are the blocks after a merger.
  Figures figures_after(const MergedBlock& merger, const BlockSums& sums) const {
    const int reasonable = n_reasonable_ - (blocks_.weight(merger.x) >= 1) - (blocks_.weight(merger.y) >= 1) +
                           (merger.weight >= 1);
    const float split = static_cast<float>(Release8::xlog2x(sums.weight) - sums.term);
    return figures(gain(reasonable, sums.info), split / all_);
  }

  // A pair is better only if its value is not below the best, or its gain is enough and the best one's is
  // not. Gain and value follow from what the merger adds, up to the rounding of sums and of what is computed
  // of them.
  PairFilter filter_of(const Round& round) const {
    constexpr double kSlack = 0x1p-20;
    constexpr float kNever = std::numeric_limits<float>::lowest();
    const Figures& best = round.best;
    PairFilter filter;
    filter.all = !round.best_x || !(best.value > 0) || !(round.least_gain > -kEpsilon) || known_ <= 0;
    if (filter.all) return filter;
    const double a = (1.0 - unknown_) / known_, all = all_;
    const double gain = a * (static_cast<double>(base_) * known_ - sums_.info()) +
                        kSlack * (std::abs(base_) + std::abs(sums_.info()) / known_);
    const double weight = sums_.weight(), split = Release8::xlog2x(weight) - sums_.term();
    const bool by_ratio = search_.options_.gain_ratio;
    const double value = best.value * (1 - kSlack), per_term = by_ratio ? value / all : 0;
    const double least = by_ratio ? per_term * (split * (1 - kSlack) - kSlack) : value;
    const auto up = [](double x) { return static_cast<float>(x + kSlack * std::abs(x)); };
    std::array<float, RoundedSums::kTiers> slack;
    for (int t = 0; t < RoundedSums::kTiers; ++t) {
      const auto& slip = sums_.slip(t);
      const double of_split = slip.term + (std::log2(weight + 1) + 2) * slip.weight;
      slack[t] = up(a * slip.info + (by_ratio ? per_term * of_split : 0));
    }
    filter.a = static_cast<float>(a);
    filter.b = static_cast<float>(per_term);
    filter.most = up(gain - least);
    filter.most_for_gain = best.gain < round.least_gain ? up(gain - round.least_gain) : kNever;
    filter.slack.resize(blocks_.many + 1);
    for (int v = 1; v <= blocks_.many; ++v) filter.slack[v] = slack[sums_.tier(v)];
    return filter;
  }

  Candidate<float> candidate() const {
    Candidate<float> found;
    found.gain = search_.gain_of(counts_, blocks_.many, base_, unknown_, known_, search_.min_cases_);
    found.info = last_.info;
    if (!(found.gain > -kEpsilon)) return {};
    found.kind = SplitKind::subset;
    found.branch_of.assign(n_values_, -1);
    for (int v = 0; v < blocks_.many; ++v)
      for (std::int32_t level : blocks_.members[v]) found.branch_of[level] = v;
    found.n_branches = blocks_.many + !blocks_.absent.empty();
    for (std::int32_t level : blocks_.absent) found.branch_of[level] = blocks_.many;
    return found;
  }

  const Release8Search& search_;
  Scratch& counts_;
  int n_values_;
  float all_, known_, unknown_, base_;
  Figures last_;
  Blocks blocks_;
  RoundedSums sums_;
  std::vector<MergedBlock> batch_;
  int n_reasonable_ = 0;  // blocks of one case or more
};

Candidate<float> Release8Search::best_subset_test(int column, const NodeView<float>& view,
                                                  Scratch& counts) const {
  return SubsetSearch(*this, table_.data->columns[column].n_levels, view, counts).run();
}

}  // namespace bough::quinlan
