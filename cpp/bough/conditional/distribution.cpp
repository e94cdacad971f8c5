#include "bough/conditional/distribution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "bough/machine/random.hpp"

namespace bough::conditional {

namespace {

constexpr double kPi = 3.14159265358979323846;

// Standardized deviations of the counts of a multinomial variable: unit vectors that sum, weighted, to 0.
// Entry i is (e_i - sqrt(p_i) s) / sqrt(1 - p_i), where s holds the square roots of the shares.
class Deviations {
 public:
  explicit Deviations(const std::vector<double>& shares) {
    for (double p : shares) {
      root_.push_back(std::sqrt(p));
      scale_.push_back(1 / std::sqrt(1 - p));
    }
  }
  // Entries; 1 for a number.
  int size() const { return std::max<int>(1, static_cast<int>(root_.size())); }
  int rank() const { return std::max<int>(1, static_cast<int>(root_.size()) - 1); }
  bool is_number() const { return root_.empty(); }
  double component(int entry, int axis) const {
    if (is_number()) return 1;
    return ((entry == axis) - root_[entry] * root_[axis]) * scale_[entry];
  }
  double scale(int entry) const { return is_number() ? 1 : scale_[entry]; }
  // Removes what lies along the square roots of the shares from the entries at `from`, `step` entries apart.
  template <int kLanes>
  void project(double* from, int step) const {
    if (is_number()) return;
    double along[kLanes] = {};
    const std::ptrdiff_t apart = static_cast<std::ptrdiff_t>(step) * kLanes;
    for (int i = 0; i < size(); ++i)
      for (int k = 0; k < kLanes; ++k) along[k] += root_[i] * from[i * apart + k];
    for (int i = 0; i < size(); ++i)
      for (int k = 0; k < kLanes; ++k) from[i * apart + k] -= along[k] * root_[i];
  }

 private:
  std::vector<double> root_, scale_;
};

// Two dimensions: the entries are |r cos(t - t_i)|, and r^2 / 2 is exponentially distributed. Integrates over
// half a turn, between the angles at which another entry becomes the greatest.
double survival_in_plane(double x, const std::vector<double>& angles) {
  std::vector<double> ends;
  for (double angle : angles) ends.push_back(angle - kPi * std::floor(angle / kPi));
  std::sort(ends.begin(), ends.end());
  // Gauss-Legendre nodes of order 8.
  constexpr double kNode[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                               0.9602898564975363};
  constexpr double kWeight[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                 0.1012285362903763};
  constexpr int kParts = 16;
  // The area next to an entry, up to half the way to its neighbour.
  const auto side = [&](double width) {
    double sum = 0;
    for (int part = 0; part < kParts; ++part) {
      const double half = width / kParts / 2, middle = width / kParts * (part + 0.5);
      for (int k = 0; k < 4; ++k)
        for (double sign : {-1.0, 1.0}) {
          const double c = std::cos(middle + sign * half * kNode[k]);
          sum += half * kWeight[k] * std::exp(-x * x / (2 * c * c));
        }
    }
    return sum;
  };
  double total = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const double next = i + 1 < ends.size() ? ends[i + 1] : ends[0] + kPi;
    total += 2 * side((next - ends[i]) / 2);
  }
  return total / kPi;
}

// Standard normal variables, by Marsaglia's polar method, which yields two at a time.
class Normal {
 public:
  explicit Normal(Random& random) : random_(random) {}

  double operator()() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    double u, v, square;
    do {
      u = 2 * random_.uniform() - 1;
      v = 2 * random_.uniform() - 1;
      square = u * u + v * v;
    } while (square >= 1 || square == 0);
    const double scale = std::sqrt(-2 * std::log(square) / square);
    has_spare_ = true;
    spare_ = v * scale;
    return u * scale;
  }

 private:
  Random& random_;
  bool has_spare_ = false;
  double spare_ = 0;
};

// A standard normal variable, given that it exceeds x (Marsaglia's tail method, or rejection for small x).
double normal_above(double x, Normal& normal, Random& random) {
  if (x < 1) {
    double z = normal();
    while (std::abs(z) <= x) z = normal();
    return std::abs(z);
  }
  while (true) {
    const double t = std::sqrt(x * x - 2 * std::log(1 - random.uniform()));
    if (random.uniform() * t < x) return t;
  }
}

// Gauss-Legendre nodes and weights of order 16 on [-1, 1], the positive half.
constexpr int kHalfNodes = 8;
constexpr double kNode16[kHalfNodes] = {0.0950125098376374, 0.2816035507792589, 0.4580167776572274,
                                        0.6178762444026438, 0.7554044083550030, 0.8656312023878318,
                                        0.9445750230732326, 0.9894009349916499};
constexpr double kWeight16[kHalfNodes] = {0.1894506104550685, 0.1826034150449236, 0.1691565193950025,
                                          0.1495959888165767, 0.1246289712555339, 0.0951585116824928,
                                          0.0622535239386479, 0.0271524594117541};

double normal_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * kPi); }

// Multiplies transform[k] by the Fourier transform at k * step of the normal density on [-end, end].
void transform_times_truncated_normal(double end, double step, std::vector<double>& transform) {
  const double highest = step * static_cast<double>(transform.size() - 1);
  const int panels = std::max(1, static_cast<int>(std::ceil(end * std::max(highest / 8, 0.7))));
  const double half = end / panels / 2;
  // cos(k u) of each node follows from those of k - 1 and k - 2.
  std::vector<double> weight, now, before, twice;
  for (int panel = 0; panel < panels; ++panel)
    for (int k = 0; k < kHalfNodes; ++k)
      for (const double sign : {-1.0, 1.0}) {
        const double v = half * (2 * panel + 1 + sign * kNode16[k]);
        weight.push_back(2 * half * kWeight16[k] * normal_density(v));
        now.push_back(1);
        before.push_back(std::cos(step * v));
        twice.push_back(2 * before.back());
      }
  for (double& factor : transform) {
    double sum = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
      sum += weight[i] * now[i];
      const double next = twice[i] * now[i] - before[i];
      before[i] = now[i];
      now[i] = next;
    }
    factor *= sum;
  }
}

// Entries of one multinomial variable: independent normal variables e_i, given that sum s_i e_i = 0 with
// s_i = sqrt(p_i), of which none may exceed c_i = x sqrt(1 - p_i). So the probability is the density at 0 of
// the sum of s_i e_i, cut off at c_i, over that of a normal variable. Cut off, the sum is bounded by
// sum s_i c_i, so that its density at 0 is a sum of its Fourier transform over a grid (Poisson).
double survival_by_transform(double x, const std::vector<double>& shares, double error) {
  std::vector<double> root, end, density;
  double bound = 0;
  for (const double p : shares) {
    root.push_back(std::sqrt(p));
    end.push_back(x * std::sqrt(1 - p));
    density.push_back(normal_density(end.back()));
    bound += root.back() * end.back();
  }
  const double step = 2 * kPi / bound;
  // Terms are at most the product of exp(-u^2 / 2) + 4 density / u.
  constexpr int kMostTerms = 256;
  int n_terms = 1;
  for (; n_terms < kMostTerms; ++n_terms) {
    double most = n_terms;
    for (std::size_t i = 0; i < root.size(); ++i) {
      const double u = root[i] * step * n_terms;
      most *= std::min(1.0, std::exp(-u * u / 2) + 4 * density[i] / u);
    }
    if (most < error) break;
  }
  std::vector<double> transform(n_terms + 1, 1);
  for (std::size_t i = 0; i < root.size(); ++i)
    transform_times_truncated_normal(end[i], root[i] * step, transform);
  double sum = transform[0];
  for (int k = 1; k <= n_terms; ++k) sum += 2 * transform[k];
  return std::clamp(1 - step / std::sqrt(2 * kPi) * sum, 0.0, 1.0);
}

// Far out, the probability is that of single entries less that of pairs; three are never above x together.
double survival_by_pairs(double x, const std::vector<double>& shares) {
  const double one = normal_two_sided(x);
  double sum = one * static_cast<double>(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double correlation = -std::sqrt(shares[i] * shares[j] / ((1 - shares[i]) * (1 - shares[j])));
      constexpr double kNotable = -0.1;
      if (correlation > kNotable) continue;
      sum -= 2 * one - survival_in_plane(x, {0, std::acos(std::max(-1.0, correlation))});
    }
  return std::max(sum, one);
}

double survival_of_counts(double x, const std::vector<double>& shares) {
  const double bound = static_cast<double>(shares.size()) * normal_two_sided(x);
  if (bound < 1e-6) return survival_by_pairs(x, shares);
  return survival_by_transform(x, shares, 1e-7 * std::min(bound, 1.0));
}

// Standard normal variables, drawn once from a fixed seed and read round and round.
class DrawnNormals {
 public:
  void read(std::vector<double>& to) {
    static const std::vector<double> drawn = [] {
      constexpr std::size_t kDrawn = 131071;  // a prime, so that rounds do not repeat
      Random random(0, 1);
      Normal normal(random);
      std::vector<double> values(kDrawn);
      for (double& value : values) value = normal();
      return values;
    }();
    for (double& value : to) {
      value = drawn[next_];
      next_ = next_ + 1 == drawn.size() ? 0 : next_ + 1;
    }
  }

 private:
  std::size_t next_ = 0;
};

// P(some |Z_i| > x) = sum of P(|Z_i| > x) times the mean of 1 / (number of entries above x), where the
// entries are drawn given that one of them is above x. Draws are made in blocks, with the same entry above x.
class SampledSurvival {
 public:
  SampledSurvival(double x, const Deviations& levels, const Deviations& classes)
      : x_(x),
        levels_(levels),
        classes_(classes),
        n_(levels.size() * classes.size()),
        z_(static_cast<std::size_t>(n_) * kLanes) {}

  double estimate(const std::function<void()>& between) {
    double sum = 0, squares = 0, draws = 0;
    while (draws < kMost) {
      for (int entry = 0; entry < n_; ++entry) {
        between();
        for (const double inverse : draw_block(entry)) {
          sum += inverse;
          squares += inverse * inverse;
        }
      }
      draws += static_cast<double>(n_) * kLanes;
      const double mean = sum / draws, variance = squares / draws - mean * mean;
      if (draws >= kLeast && variance / draws < kError * kError * mean * mean) break;
    }
    return std::min(1.0, n_ * normal_two_sided(x_) * sum / draws);
  }

 private:
  static constexpr int kLanes = 16;
  static constexpr double kLeast = 1024, kMost = 16384;
  static constexpr double kError = 0.002;  // relative
  using Lanes = std::array<double, kLanes>;

  double* at(int level, int of_class) {
    return z_.data() + static_cast<std::size_t>(level * classes_.size() + of_class) * kLanes;
  }

  Lanes draw_block(int entry) {
    normals_.read(z_);
    for (int c = 0; c < classes_.size(); ++c) levels_.project<kLanes>(at(0, c), classes_.size());
    for (int l = 0; l < levels_.size(); ++l) classes_.project<kLanes>(at(l, 0), 1);
    const int level = entry / classes_.size(), of_class = entry % classes_.size();
    Lanes shift, above{};
    for (int k = 0; k < kLanes; ++k)
      shift[k] = normal_above(x_, normal_, random_) -
                 at(level, of_class)[k] * levels_.scale(level) * classes_.scale(of_class);
    const double limit = x_ * (1 - 1e-12);
    for (int l = 0; l < levels_.size(); ++l)
      for (int c = 0; c < classes_.size(); ++c) {
        const double along = levels_.component(level, l) * classes_.component(of_class, c);
        const double scale = levels_.scale(l) * classes_.scale(c);
        const double* z = at(l, c);
        for (int k = 0; k < kLanes; ++k)
          above[k] += std::abs((z[k] + shift[k] * along) * scale) > limit ? 1.0 : 0.0;
      }
    for (double& each : above) each = 1 / std::max(1.0, each);
    return above;
  }

  double x_;
  const Deviations& levels_;
  const Deviations& classes_;
  int n_;
  std::vector<double> z_;  // [entry][lane]
  DrawnNormals normals_;
  Random random_{0, 0};
  Normal normal_{random_};
};

}  // namespace

double normal_two_sided(double x) { return std::erfc(x / std::sqrt(2.0)); }

double maximum_survival(double x, const std::vector<double>& level_shares,
                        const std::vector<double>& class_shares, const std::function<void()>& between) {
  if (!(x > 0)) return 1;
  const auto present = [](std::vector<double> shares) {
    std::erase_if(shares, [](double share) { return !(share > 0 && share < 1); });
    return shares;
  };
  // The deviations of two levels or classes differ in their signs alone: they are as one number.
  const auto entries = [&](const std::vector<double>& shares) {
    const std::vector<double> kept = present(shares);
    return kept.size() == 2 ? std::vector<double>() : kept;
  };
  const Deviations levels(entries(level_shares)), classes(entries(class_shares));
  const int rank = levels.rank() * classes.rank();
  if (rank == 1) return normal_two_sided(x);
  if (rank > 2 && levels.is_number()) return survival_of_counts(x, present(class_shares));
  if (rank > 2 && classes.is_number()) return survival_of_counts(x, present(level_shares));
  if (rank > 2) return SampledSurvival(x, levels, classes).estimate(between);
  // Three levels or classes, and a number or two of the other: the angles of three vectors in a plane.
  const Deviations& three = levels.size() == 3 ? levels : classes;
  std::vector<double> angles;
  double first[3], second[3];
  for (int axis = 0; axis < 3; ++axis) first[axis] = three.component(0, axis);
  double along = 0, length = 0;
  for (int axis = 0; axis < 3; ++axis) along += three.component(1, axis) * first[axis];
  for (int axis = 0; axis < 3; ++axis) second[axis] = three.component(1, axis) - along * first[axis];
  for (double each : second) length += each * each;
  for (int entry = 0; entry < 3; ++entry) {
    double a = 0, b = 0;
    for (int axis = 0; axis < 3; ++axis) {
      a += three.component(entry, axis) * first[axis];
      b += three.component(entry, axis) * second[axis] / std::sqrt(length);
    }
    angles.push_back(std::atan2(b, a));
  }
  return survival_in_plane(x, angles);
}

}  // namespace bough::conditional
