#include "bough/conditional/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "bough/machine/random.hpp"

namespace bough::conditional {

namespace {

constexpr double kPi = 3.14159265358979323846;

// Standardized deviations of the counts of a multinomial variable: unit vectors that sum, weighted, to 0.
// Entry i is (e_i - sqrt(p_i) s) / sqrt(1 - p_i), where s holds the square roots of the shares.
class Deviations {
 public:
  explicit Deviations(const std::vector<double>& shares) {
    for (double p : shares)
      if (p > 0 && p < 1) {
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
  // Removes what lies along the square roots of the shares from the entries at `from`, `step` apart.
  void project(double* from, int step) const {
    if (is_number()) return;
    double along = 0;
    for (int i = 0; i < size(); ++i) along += root_[i] * from[static_cast<std::ptrdiff_t>(i) * step];
    for (int i = 0; i < size(); ++i) from[static_cast<std::ptrdiff_t>(i) * step] -= along * root_[i];
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

// P(some |Z_i| > x) = sum of P(|Z_i| > x) times the mean of 1 / (number of entries above x), where the
// entries are drawn given that one of them, chosen at random, is above x.
double sampled_survival(double x, const Deviations& levels, const Deviations& classes,
                        const std::function<void()>& between) {
  const int n_levels = levels.size(), n_classes = classes.size(), n = n_levels * n_classes;
  const double bound = n * normal_two_sided(x);
  const int draws = bound < 1e-3 ? 2048 : 16384;
  Random random(0, 0);
  Normal normal(random);
  std::vector<double> z(n);
  double sum = 0;
  for (int draw = 0; draw < draws; ++draw) {
    if (draw % 64 == 0) between();
    for (double& each : z) each = normal();
    for (int c = 0; c < n_classes; ++c) levels.project(z.data() + c, n_classes);
    for (int l = 0; l < n_levels; ++l) classes.project(z.data() + l * n_classes, 1);
    const int chosen = draw % n, level = chosen / n_classes, of_class = chosen % n_classes;
    const double own = z[chosen] * levels.scale(level) * classes.scale(of_class);
    const double shift = normal_above(x, normal, random) - own;
    int above = 0;
    for (int l = 0; l < n_levels; ++l)
      for (int c = 0; c < n_classes; ++c) {
        const double moved =
            z[l * n_classes + c] + shift * levels.component(level, l) * classes.component(of_class, c);
        above += std::abs(moved * levels.scale(l) * classes.scale(c)) > x * (1 - 1e-12);
      }
    sum += 1.0 / std::max(1, above);
  }
  return std::min(1.0, bound * sum / draws);
}

}  // namespace

double normal_two_sided(double x) { return std::erfc(x / std::sqrt(2.0)); }

double maximum_survival(double x, const std::vector<double>& level_shares,
                        const std::vector<double>& class_shares, const std::function<void()>& between) {
  if (!(x > 0)) return 1;
  // The deviations of two levels or classes differ in their signs alone: they are as one number.
  const auto entries = [](const std::vector<double>& shares) {
    const auto present = std::count_if(shares.begin(), shares.end(), [](double share) { return share > 0; });
    return present == 2 ? std::vector<double>() : shares;
  };
  const Deviations levels(entries(level_shares)), classes(entries(class_shares));
  const int rank = levels.rank() * classes.rank();
  if (rank == 1) return normal_two_sided(x);
  if (rank > 2) return sampled_survival(x, levels, classes, between);
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
