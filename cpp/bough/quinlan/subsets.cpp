// Subsets of levels, as C4.5's option -s forms them: pairs are merged while the gain ratio rises.
#include "bough/quinlan/release8.hpp"

namespace bough::quinlan {

namespace {

constexpr int kPairsBetweenPolls = 64;

// The blocks of levels while they are merged. Figures of block v stand in row v of the counts, from 1 on; row
// 0 is that of missing values.
class Blocks {
 public:
  Blocks(ClassSearch<Release8>::Scratch& counts, int n_classes, int n_values)
      : counts_(counts),
        k_(n_classes),
        info_(n_values + 1),
        term_(n_values + 1),
        saved_(static_cast<std::size_t>(n_classes + 1) * 2) {
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
  void combine(int x, int y) {
    save(x, 0);
    save(y, 1);
    for (int c = 0; c < k_; ++c) {
      freq(x)[c] += freq(y)[c];
      freq(y)[c] = freq(many)[c];
    }
    counts_.value_freq[x] += counts_.value_freq[y];
    counts_.value_freq[y] = counts_.value_freq[many];
    info_[y] = info_[many];
    term_[y] = term_[many];
    refresh(x);
  }
  void undo(int x, int y) {
    restore(x, 0);
    restore(y, 1);
  }
  void merge(int x, int y) {
    combine(x, y);
    auto &into = members[x - 1], &from = members[y - 1];
    into.insert(into.end(), from.begin(), from.end());
    from = members[many - 1];
    members.pop_back();
    --many;
  }

  int many = 0;
  std::vector<std::vector<std::int32_t>> members;  // levels of block v at v - 1
  std::vector<std::int32_t> absent;

 private:
  void save(int block, int slot) {
    float* to = saved_.data() + static_cast<std::size_t>(slot) * (k_ + 1);
    std::copy_n(freq(block), k_, to);
    to[k_] = counts_.value_freq[block];
    saved_info_[slot] = info_[block];
    saved_term_[slot] = term_[block];
  }
  void restore(int block, int slot) {
    const float* from = saved_.data() + static_cast<std::size_t>(slot) * (k_ + 1);
    std::copy_n(from, k_, freq(block));
    counts_.value_freq[block] = from[k_];
    info_[block] = saved_info_[slot];
    term_[block] = saved_term_[slot];
  }
  void refresh(int block) {
    info_[block] = total_info<float>(freq(block), k_);
    term_[block] = Release8::xlog2x(counts_.value_freq[block]);
  }

  ClassSearch<Release8>::Scratch& counts_;
  int k_;
  std::vector<float> info_;  // of each block
  std::vector<double> term_;
  std::vector<float> saved_;
  float saved_info_[2];
  double saved_term_[2];
};

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
    while (blocks_.many > 2 && merge_best_pair(least_gain)) {
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
    const float gain = known_ == 0 || reasonable < 2 ? static_cast<float>(-kEpsilon)
                                                     : (1 - unknown_) * (base_ - blocks_.info(many) / known_);
    return figures(gain, blocks_.split_info(many) / all_);
  }

  // Tries to merge each pair of blocks; false: no merger is score it.
  bool merge_best_pair(float least_gain) {
    const bool by_ratio = search_.options_.gain_ratio;
    int reasonable = 0, barred = 1, best_x = 0, best_y = 0;
    for (int v = 1; v <= blocks_.many; ++v) {
      reasonable += blocks_.weight(v) >= search_.min_cases_;
      if (blocks_.weight(v) > blocks_.weight(barred)) barred = v;
    }
    if (reasonable >= 3) barred = 0;
    Figures best{0, static_cast<float>(-kEpsilon), 0};
    for (int x = 1; x < blocks_.many; ++x) {
      for (int y = x + 1; y <= blocks_.many; ++y) {
        if ((x + y) % kPairsBetweenPolls == 0) search_.watch_.poll_or_throw();
        if (x == barred || y == barred) continue;
        blocks_.combine(x, y);
        const Figures now = figures_of_blocks(blocks_.many - 1);
        if ((now.gain >= least_gain && best.gain < least_gain) || now.value >= best.value ||
            (!best_x && (!by_ratio || reasonable < 2))) {
          best = now;
          best_x = x;
          best_y = y;
        }
        blocks_.undo(x, y);
      }
    }
    if (!best_x) return false;
    if (by_ratio && reasonable >= 2 &&
        (best.value < last_.value + 1e-5 || (best.value == last_.value && best.gain < last_.gain)))
      return false;
    last_ = best;
    blocks_.merge(best_x, best_y);
    return true;
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
};

Candidate<float> Release8Search::best_subset_test(int column, const NodeView<float>& view,
                                                  Scratch& counts) const {
  return SubsetSearch(*this, table_.data->columns[column].n_levels, view, counts).run();
}

}  // namespace bough::quinlan
