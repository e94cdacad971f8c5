// Growth of a tree by several threads, each of which splits a leaf of its own. Leaves are split before it is
// their turn, in the order in which they would come if the children that are not known yet were worth
// nothing. Splits enter the tree one by one in the order of a single thread, so that the tree is the same;
// those whose turn does not come before the tree has all its leaves are dropped. A leaf of most of the rows
// is split by all threads together.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "bough/grow/branching.hpp"
#include "bough/histogram/row_list.hpp"
#include "bough/machine/team.hpp"
#include "bough/machine/waiting.hpp"
#include "bough/machine/watch.hpp"

namespace bough {

// G: a HistogramGrower, whose leaves wait to be split.
template <class G>
class GrowthAhead {
 public:
  using Leaf = typename G::Leaf;

  // n_rows: of the tree. max_leaves: 0 is no bound.
  GrowthAhead(G& grower, Team& team, std::int64_t n_rows, int max_leaves, Branching& out, Watch& watch)
      : g_(grower), team_(team), n_rows_(n_rows), max_leaves_(max_leaves), out_(out), watch_(watch) {
    for (const std::size_t at : g_.waiting_) {
      waiting_.push_back(std::make_unique<Sprout>());
      waiting_.back()->leaf = std::move(g_.leaves_[at]);
      waiting_.back()->at = at;
    }
    for (int member = 0; member < team.size(); ++member) alone_.push_back(std::make_unique<Alone>());
  }

  // Splits leaves until the tree has all it may have.
  void run() {
    for (;;) {
      enter_splits();
      const Choice next = choose();
      if (!next.sprout) break;
      watch_.poll_or_throw();
      if (wants_team(next))
        show(part(next, g_.all_hands_), *next.sprout);
      else
        team_.run(team_.size(), [&](int, int member) { work(alone_[member]->hands); });
    }
    g_.waiting_.clear();
    for (std::unique_ptr<Sprout>& sprout : waiting_) {
      drop(sprout->left.get());
      drop(sprout->right.get());
      settle(*sprout);
    }
  }

 private:
  enum class State { waiting, taken, parted };

  // A leaf, and its children if it is parted already.
  struct Sprout {
    Leaf leaf;
    std::size_t at = 0;  // its place among the leaves of the tree, once it is one
    State state = State::waiting;
    typename G::Hands* by = nullptr;  // who has taken it
    Branching nodes;                  // the split, then both children
    std::vector<std::uint8_t> branch;
    std::unique_ptr<Sprout> left, right;
  };

  struct Choice {
    Sprout* sprout = nullptr;  // null: there is none
    bool last = false;         // the tree has all its leaves once this one is split
  };

  struct Alone {
    Team team{1};
    typename G::Hands hands{team};
  };

  int n_left() const {
    return max_leaves_ == 0 ? std::numeric_limits<int>::max()
                            : max_leaves_ - static_cast<int>(g_.leaves_.size());
  }

  // A leaf that holds others up, or that is worth the effort of sharing it out.
  bool wants_team(const Choice& choice) const {
    constexpr std::int64_t kRowsOfMember = 32768;
    const std::int64_t count = choice.sprout->leaf.count, size = team_.size();
    return count >= kRowsForTeam && (count * (size + 1) > 2 * n_rows_ || count >= kRowsOfMember * size);
  }

  // The place of the leaf that is split next.
  template <class Sprouts>
  std::size_t first_of(const Sprouts& sprouts) const {
    std::size_t first = 0;
    for (std::size_t i = 1; i < sprouts.size(); ++i)
      if (g_.is_before(sprouts[i]->leaf, sprouts[first]->leaf)) first = i;
    return first;
  }

  // The first leaf that nobody has split yet, if the children that are not known are worth nothing.
  Choice choose() {
    queue_.clear();
    for (const std::unique_ptr<Sprout>& sprout : waiting_) queue_.push_back(sprout.get());
    auto number = static_cast<int>(out_.nodes.size());
    bool certain = true;  // that all leaves before are split
    for (int left = n_left(); left > 0 && !queue_.empty(); --left, number += 2) {
      const std::size_t at = first_of(queue_);
      Sprout* first = queue_[at];
      if (first->state == State::waiting) return {first, left == 1 && certain};
      queue_[at] = queue_.back();
      queue_.pop_back();
      if (first->state == State::taken) {
        certain = certain && first->by->permitted.load();
        continue;
      }
      first->left->leaf.node = number;
      first->right->leaf.node = number + 1;
      for (Sprout* child : {first->left.get(), first->right.get()})
        if (child->leaf.split.column >= 0) queue_.push_back(child);
    }
    return {};
  }

  // What became of a leaf.
  struct Parted {
    Leaf leaf;
    bool is_parted = false;
    std::unique_ptr<Sprout> left, right;
  };

  // Splits a leaf, which nobody else does. The others see what it was before.
  Parted part(const Choice& choice, typename G::Hands& hands) {
    Sprout& sprout = *choice.sprout;
    Parted parted;
    parted.leaf = std::move(sprout.leaf);  // numbers stay readable
    parted.left = std::make_unique<Sprout>();
    parted.right = std::make_unique<Sprout>();
    sprout.nodes.root_risk = out_.root_risk;
    parted.is_parted = g_.expand(parted.leaf, 0, 1, !choice.last, hands, parted.left->leaf,
                                 parted.right->leaf, sprout.nodes);
    if (parted.is_parted) sprout.branch = hands.branch;
    return parted;
  }

  static void show(Parted parted, Sprout& sprout) {
    const int node = sprout.leaf.node;  // the leaf may have entered the tree meanwhile
    sprout.leaf = std::move(parted.leaf);
    sprout.leaf.node = node;
    sprout.state = parted.is_parted ? State::parted : State::waiting;
    if (!parted.is_parted) return;
    sprout.left = std::move(parted.left);
    sprout.right = std::move(parted.right);
  }

  // Splits leaves until there is no more work for one thread.
  void work(typename G::Hands& hands) {
    std::unique_lock<std::mutex> lock(lock_);
    while (!failed_) {
      enter_splits();
      Choice next = choose();
      if (next.sprout && wants_team(next)) next = {};
      if (!next.sprout && n_taken_ == 0) return;
      if (!next.sprout) {
        const std::uint32_t seen = news_.load();
        lock.unlock();
        wait_while(news_, seen);
        lock.lock();
        continue;
      }
      next.sprout->state = State::taken;
      next.sprout->by = &hands;
      hands.permitted.store(false);
      ++n_taken_;
      lock.unlock();
      Parted parted;
      try {
        watch_.poll_or_throw();
        parted = part(next, hands);
      } catch (...) {
        lock.lock();
        failed_ = true;
        tell();
        throw;
      }
      lock.lock();
      show(std::move(parted), *next.sprout);
      --n_taken_;
      tell();
    }
  }

  // Wakes those who wait.
  void tell() {
    news_.fetch_add(1);
    news_.notify_all();
  }

  // A split that left too few rows on a side may have been the last one of a leaf.
  static bool has_split(const Sprout& sprout) {
    return sprout.state != State::waiting || sprout.leaf.split.column >= 0;
  }

  // Enters the splits into the tree whose turn it is.
  void enter_splits() {
    for (std::size_t i = 0; i < waiting_.size();) {
      if (has_split(*waiting_[i]))
        ++i;
      else
        settle(*taken_out(i));
    }
    while (!waiting_.empty() && n_left() > 0) {
      const std::size_t at = first_of(waiting_);
      if (waiting_[at]->state != State::parted) return;
      enter(*taken_out(at));
    }
  }

  std::unique_ptr<Sprout> taken_out(std::size_t at) {
    std::unique_ptr<Sprout> sprout = std::move(waiting_[at]);
    waiting_[at] = std::move(waiting_.back());
    waiting_.pop_back();
    return sprout;
  }

  void enter(Sprout& sprout) {
    const auto first = static_cast<int>(out_.nodes.size());
    const Branching& from = sprout.nodes;
    write_split(from.nodes[0], static_cast<std::int64_t>(out_.level_code.size()),
                out_.nodes[sprout.leaf.node]);
    const auto append = [](const auto& some, std::size_t begin, auto& all) {
      all.insert(all.end(), some.begin() + static_cast<std::ptrdiff_t>(begin), some.end());
    };
    append(from.nodes, 1, out_.nodes);
    append(from.counts, from.counts.size() / from.nodes.size(), out_.counts);
    append(from.level_code, 0, out_.level_code);
    append(from.level_branch, 0, out_.level_branch);
    g_.route(sprout.leaf, first, sprout.branch, out_);
    sprout.left->leaf.node = first;
    sprout.right->leaf.node = first + 1;
    sprout.left->at = sprout.at;
    sprout.right->at = g_.leaves_.size();
    g_.leaves_.emplace_back();
    for (std::unique_ptr<Sprout>* child : {&sprout.left, &sprout.right})
      if (has_split(**child))
        waiting_.push_back(std::move(*child));
      else
        settle(**child);
  }

  // Gives a node the split of another, whose levels begin at first_level now.
  static void write_split(const Node& from, std::int64_t first_level, Node& to) {
    to.column = from.column;
    to.default_branch = from.default_branch;
    to.gain = from.gain;
    to.kind = from.kind;
    to.apart = from.apart;
    to.row_below = from.row_below;
    to.row_above = from.row_above;
    to.n_levels = from.n_levels;
    if (from.n_levels > 0) to.first_level = first_level + from.first_level;
  }

  void settle(Sprout& sprout) { g_.leaves_[sprout.at] = std::move(sprout.leaf); }

  // Takes back the histograms of a leaf that does not enter the tree.
  void drop(Sprout* sprout) {
    if (!sprout) return;
    g_.spare(sprout->leaf.histogram);
    drop(sprout->left.get());
    drop(sprout->right.get());
  }

  G& g_;
  Team& team_;
  const std::int64_t n_rows_;
  const int max_leaves_;
  Branching& out_;
  Watch& watch_;
  std::vector<std::unique_ptr<Sprout>> waiting_;  // leaves of the tree that have a split
  std::vector<Sprout*> queue_;
  std::vector<std::unique_ptr<Alone>> alone_;  // of each member
  std::mutex lock_;                            // of all that follows and of the tree
  int n_taken_ = 0;
  bool failed_ = false;
  std::atomic<std::uint32_t> news_{0};
};

}  // namespace bough
