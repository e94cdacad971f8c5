#include "bough/model_trees/cubist_neighbours.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace bough::model_trees::cubist {

namespace {

constexpr int kMost = 20;          // neighbours, with ties
constexpr double kPrecision = 16;  // distances are rounded to multiples of a sixteenth

// Knuth's subtractive generator, as Cubist has it.
class KnuthRandom {
 public:
  KnuthRandom() {
    double a = 1, b = 0.314159285;
    for (int i = 1; i <= 55; ++i) {
      const int j = i * 21 % 55;
      state_[j] = a;
      a = b - a;
      if (a < 0) a += 1;
      b = state_[j];
    }
    for (int round = 0; round <= 5; ++round)
      for (int i = 0; i < 55; ++i) modify(i, (i + 30) % 55);
  }
  double next() {
    first_ = (first_ + 1) % 55;
    second_ = (second_ + 1) % 55;
    modify(first_, second_);
    return state_[first_];
  }

 private:
  void modify(int i, int j) {
    state_[i] -= state_[j];
    if (state_[i] < 0) state_[i] += 1;
  }
  std::array<double, 55> state_{};
  int first_ = 0, second_ = 31;
};

}  // namespace

struct Neighbours::Index {
  int column = -1;  // -1: a leaf
  float cut = 0;
  float low[2] = {0, 0}, high[2] = {0, 0};  // of the distances to the points of reference
  int first = 0, last = -1;
  std::vector<std::unique_ptr<Index>> parts;
};

struct Neighbours::Search {
  std::array<float, kMost> distance;
  std::array<int, kMost> place;
  int worst;
  std::vector<float> least;  // distance in each column, at least
  float to_origin = 0, to_far = 0;

  float worst_distance() const { return distance[worst]; }
};

Neighbours::~Neighbours() = default;

Neighbours::Neighbours(Data data) : data_(std::move(data)), tested_(data_.columns.size()) {
  const int n = static_cast<int>(data_.y.size());
  instances_.resize(n);
  std::iota(instances_.begin(), instances_.end(), 0);
  for (int row = 0; row < n; ++row) {
    to_origin_.push_back(distance_to_origin(data_, row));
    if (to_origin_[row] > to_origin_[far_]) far_ = row;
  }
  for (int row = 0; row < n; ++row) to_far_.push_back(distance(data_, row, far_, 1e38));
  index_ = build(0, n - 1);
}

Neighbours::Neighbours(Data data, std::vector<float> predicted, int n_neighbours, float max_distance,
                       float floor, float ceiling)
    : Neighbours(std::move(data)) {
  predicted_ = std::move(predicted);
  n_neighbours_ = n_neighbours;
  max_distance_ = max_distance;
  floor_ = floor;
  ceiling_ = ceiling;
}

// The difference from a number in one continuous column.
double Neighbours::part(const Data& data, int row, int column, float value) const {
  const double difference = std::abs(data.columns[column].value[row] - value);
  return difference / (5 * data_.columns[column].deviation);
}

float Neighbours::distance(const Data& data, int row, int instance, double limit) const {
  double sum = 0;
  for (int c = 0; c < static_cast<int>(data_.columns.size()) && sum < limit; ++c) {
    const Column& own = data_.columns[c];
    if (!own.used) continue;
    if (own.continuous) {
      sum += std::min(1.0, part(data, row, c, own.value[instance]));
    } else if (!own.ordered && own.code[instance] != data.columns[c].code[row]) {
      // Ordered levels do not count: Cubist divides whole numbers here.
      sum += 2.0 / own.n_levels;
    }
  }
  return static_cast<float>(sum);
}

float Neighbours::distance_to_origin(const Data& data, int row) const {
  double sum = 0;
  for (int c = 0; c < static_cast<int>(data_.columns.size()); ++c) {
    const Column& own = data_.columns[c];
    if (!own.used) continue;
    if (own.continuous) {
      sum += std::min(1.0, part(data, row, c, static_cast<float>(own.mean - 2.5 * own.deviation)));
    } else if (!own.ordered && data.columns[c].code[row] != 0) {
      sum += 2.0 / own.n_levels;
    }
  }
  return static_cast<float>(sum);
}

std::unique_ptr<Neighbours::Index> Neighbours::build(int first, int last) {
  if (last < first) return nullptr;
  auto node = std::make_unique<Index>();
  node->first = first;
  node->last = last;
  double best = 0, best_mean = 0;
  const double n = last - first + 1;
  for (int c = 0; last > first && c < static_cast<int>(data_.columns.size()); ++c) {
    const Column& column = data_.columns[c];
    if (!column.used || (tested_[c] && !column.continuous)) continue;
    double expected = 0, mean = 0;
    if (column.continuous) {
      for (int i = first; i <= last; ++i) mean += column.value[instances_[i]];
      mean /= n;
      for (int i = first; i <= last; ++i)
        expected += std::abs(column.value[instances_[i]] - mean) / (5 * column.deviation);
      expected /= n;
    } else {
      std::vector<double> counts(column.n_levels);
      for (int i = first; i <= last; ++i) counts[column.code[instances_[i]]] += 1;
      for (int v = 0; v < column.n_levels; ++v) {
        if (!column.ordered) expected += counts[v] * (n - counts[v]) * 2.0;
        for (int w = 0; column.ordered && w < column.n_levels; ++w)
          expected += counts[v] * counts[w] * std::abs(v - w);
      }
      expected /= column.n_levels * n * n;
    }
    if (expected > best) {
      best = expected;
      best_mean = mean;
      node->column = c;
    }
  }
  if (node->column >= 0 && !is_split(*node, first, last, best_mean)) node->column = -1;
  return node;
}

// Divides the rows of a node among its parts; false if that is not sensible.
bool Neighbours::is_split(Index& node, int first, int last, double best_mean) {
  for (int which = 0; which < 2; ++which) {
    const std::vector<float>& distances = which ? to_far_ : to_origin_;
    node.low[which] = node.high[which] = distances[instances_[first]];
    for (int i = first + 1; i <= last; ++i) {
      node.low[which] = std::min(node.low[which], distances[instances_[i]]);
      node.high[which] = std::max(node.high[which], distances[instances_[i]]);
    }
  }
  const Column& column = data_.columns[node.column];
  if (column.continuous) {
    node.cut = static_cast<float>(best_mean);
    int end = first;
    for (int i = first; i <= last; ++i)
      if (column.value[instances_[i]] <= best_mean) std::swap(instances_[i], instances_[end++]);
    if (end == last + 1 || end == first) return false;
    node.parts.push_back(build(first, end - 1));
    node.parts.push_back(build(end, last));
    return true;
  }
  tested_[node.column] = true;
  int end = first;
  for (int v = 0; v < column.n_levels; ++v) {
    for (int i = end; i <= last; ++i)
      if (column.code[instances_[i]] == v) std::swap(instances_[i], instances_[end++]);
    node.parts.push_back(build(first, end - 1));
    first = end;
  }
  tested_[node.column] = false;
  return true;
}

void Neighbours::check(const Data& data, int row, int place, Search& search) const {
  const float found = distance(data, row, instances_[place], search.worst_distance() + 0.55 / kPrecision);
  const float rounded = static_cast<float>(std::rint(kPrecision * found) / kPrecision);
  if (!(rounded <= search.worst_distance())) return;
  int d = 0;
  while (d < kMost && search.distance[d] < rounded) ++d;
  if (d == kMost) return;
  for (int other = kMost - 1; other > d; --other) {
    search.distance[other] = search.distance[other - 1];
    search.place[other] = search.place[other - 1];
  }
  search.distance[d] = rounded;
  search.place[d] = place;
}

void Neighbours::scan(const Data& data, int row, const Index* node, float least, Search& search) const {
  if (!node) return;
  if (node->column < 0) {
    for (int place = node->first; place <= node->last; ++place) check(data, row, place, search);
    return;
  }
  const double reach = search.worst_distance() + 0.5 / kPrecision;
  if (std::max(node->low[0] - search.to_origin, search.to_origin - node->high[0]) > reach ||
      std::max(node->low[1] - search.to_far, search.to_far - node->high[1]) > reach)
    return;
  const Column& column = data_.columns[node->column];
  const int own = column.continuous ? !(data.columns[node->column].value[row] <= node->cut)
                                    : data.columns[node->column].code[row];
  scan(data, row, node->parts[own].get(), least, search);
  const float saved = search.least[node->column];
  for (int v = 0; v < static_cast<int>(node->parts.size()); ++v) {
    if (v == own || !node->parts[v]) continue;
    search.least[node->column] =
        static_cast<float>(column.continuous ? part(data, row, node->column, node->cut)
                           : column.ordered  ? 0
                                             : 2.0 / column.n_levels);
    const float next = least + search.least[node->column] - saved;
    if (next <= search.worst_distance() + 0.5 / kPrecision)
      scan(data, row, node->parts[v].get(), next, search);
  }
  search.least[node->column] = saved;
}

double Neighbours::correct(const Data& data, int row, double base) const {
  Search search;
  search.distance.fill(max_distance_);
  search.place.fill(-1);
  search.worst = n_neighbours_ - 1;
  search.least.assign(data_.columns.size(), 0);
  search.to_origin = distance_to_origin(data, row);
  search.to_far = distance(data, row, far_, 1e38);
  scan(data, row, index_.get(), 0, search);
  int n_found = 0;
  while (n_found < kMost && search.place[n_found] >= 0) ++n_found;
  if (n_found < (n_neighbours_ + 1) / 2) return base;
  const auto limited = [&](double value) {
    return value > ceiling_ ? ceiling_ : value < floor_ ? static_cast<double>(floor_) : value;
  };
  double total = 0, weight = 0;
  int used = 0;
  // Neighbours at the same distance share what is left of the number of neighbours.
  for (int d = 0; d < n_found && used < n_neighbours_ && used < static_cast<int>(instances_.size()) - 1;) {
    const double its_weight = 1 / (search.distance[d] + 0.5);
    double sum = 0, sum_weight = 0;
    int same = 0;
    do {
      const int instance = instances_[search.place[d]];
      sum += its_weight * limited(data_.y[instance] + base - predicted_[instance]);
      sum_weight += its_weight;
      ++same;
      ++d;
    } while (d < n_found && search.distance[d] == search.distance[d - 1]);
    const double share =
        used + same > n_neighbours_ ? (n_neighbours_ - used) / static_cast<float>(same) : 1.0f;
    total += share * sum;
    weight += share * sum_weight;
    used = std::min(used + same, n_neighbours_);
  }
  if (weight == 0) return base;
  return limited(total / weight);
}

float mean_distance(const Data& data) {
  const Neighbours index{Data(data)};
  const int n = static_cast<int>(index.instances_.size()), tries = std::min(n, 1000);
  if (n < 2) return 0;
  KnuthRandom random;
  double sum = 0;
  for (int t = 0; t < tries; ++t) {
    const int i = tries == n ? t : static_cast<int>(n * ((2 * t + 1) / (2.0 * tries)));
    int j;
    do j = static_cast<int>(random.next() * n);
    while (j == i);
    sum += index.distance(data, index.instances_[i], index.instances_[j], 1e10);
  }
  return static_cast<float>(std::rint(kPrecision * sum / tries) / kPrecision);
}

}  // namespace bough::model_trees::cubist
