#include "bough/quinlan/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bough::quinlan {

namespace {

// A symmetric matrix on its way to the diagonal; the columns of `vectors` become its eigenvectors.
class Decomposition {
 public:
  Decomposition(const std::vector<double>& matrix, int n)
      : n_(n), vectors_(matrix), diagonal_(n), beside_(n, 0.0) {}

  void run() {
    for (int j = 0; j < n_; ++j) diagonal_[j] = at(n_ - 1, j);
    for (int i = n_ - 1; i > 0; --i) reflect(i);
    accumulate();
    for (int i = 1; i < n_; ++i) beside_[i - 1] = beside_[i];
    beside_[n_ - 1] = 0;
    double shift = 0, size = 0;
    for (int l = 0; l < n_; ++l) find_value(l, shift, size);
  }

  std::vector<double> greatest() const {
    int best = 0;
    for (int i = 1; i < n_; ++i)
      if (diagonal_[i] > diagonal_[best]) best = i;
    std::vector<double> vector(n_);
    for (int k = 0; k < n_; ++k) vector[k] = at(k, best);
    return vector;
  }

 private:
  double& at(int row, int column) { return vectors_[static_cast<std::size_t>(row) * n_ + column]; }
  double at(int row, int column) const { return vectors_[static_cast<std::size_t>(row) * n_ + column]; }

  // One of Householder's reflections: clears row i up to its last entry but one.
  void reflect(int i) {
    double scale = 0, h = 0;
    for (int k = 0; k < i; ++k) scale += std::abs(diagonal_[k]);
    if (scale == 0) {
      beside_[i] = diagonal_[i - 1];
      for (int j = 0; j < i; ++j) {
        diagonal_[j] = at(i - 1, j);
        at(i, j) = at(j, i) = 0;
      }
      diagonal_[i] = 0;
      return;
    }
    for (int k = 0; k < i; ++k) {
      diagonal_[k] /= scale;
      h += diagonal_[k] * diagonal_[k];
    }
    const double last = diagonal_[i - 1], root = last > 0 ? -std::sqrt(h) : std::sqrt(h);
    beside_[i] = scale * root;
    h -= last * root;
    diagonal_[i - 1] = last - root;
    std::fill_n(beside_.begin(), i, 0.0);
    for (int j = 0; j < i; ++j) {
      const double f = diagonal_[j];
      at(j, i) = f;
      double g = beside_[j] + at(j, j) * f;
      for (int k = j + 1; k < i; ++k) {
        g += at(k, j) * diagonal_[k];
        beside_[k] += at(k, j) * f;
      }
      beside_[j] = g;
    }
    double along = 0;
    for (int j = 0; j < i; ++j) {
      beside_[j] /= h;
      along += beside_[j] * diagonal_[j];
    }
    for (int j = 0; j < i; ++j) beside_[j] -= along / (h + h) * diagonal_[j];
    for (int j = 0; j < i; ++j) {
      const double f = diagonal_[j], g = beside_[j];
      for (int k = j; k < i; ++k) at(k, j) -= f * beside_[k] + g * diagonal_[k];
      diagonal_[j] = at(i - 1, j);
      at(i, j) = 0;
    }
    diagonal_[i] = h;
  }

  // Multiplies the reflections.
  void accumulate() {
    for (int i = 0; i < n_ - 1; ++i) {
      at(n_ - 1, i) = at(i, i);
      at(i, i) = 1;
      const double h = diagonal_[i + 1];
      if (h != 0) {
        for (int k = 0; k <= i; ++k) diagonal_[k] = at(k, i + 1) / h;
        for (int j = 0; j <= i; ++j) {
          double g = 0;
          for (int k = 0; k <= i; ++k) g += at(k, i + 1) * at(k, j);
          for (int k = 0; k <= i; ++k) at(k, j) -= g * diagonal_[k];
        }
      }
      for (int k = 0; k <= i; ++k) at(k, i + 1) = 0;
    }
    for (int j = 0; j < n_; ++j) {
      diagonal_[j] = at(n_ - 1, j);
      at(n_ - 1, j) = 0;
    }
    at(n_ - 1, n_ - 1) = 1;
    beside_[0] = 0;
  }

  // QL steps until the entry beside the diagonal at l is negligible. shift: of all values so far; size: the
  // greatest entry met.
  void find_value(int l, double& shift, double& size) {
    const double epsilon = std::numeric_limits<double>::epsilon();
    size = std::max(size, std::abs(diagonal_[l]) + std::abs(beside_[l]));
    int m = l;
    while (m < n_ - 1 && std::abs(beside_[m]) > epsilon * size) ++m;
    // More steps than ever needed end the search for matrices that hold NaN.
    for (int step = 0; m > l && step < 1000; ++step) {
      rotate(l, m, shift);
      if (!(std::abs(beside_[l]) > epsilon * size)) break;
    }
    diagonal_[l] += shift;
    beside_[l] = 0;
  }

  void rotate(int l, int m, double& shift) {
    const double first = diagonal_[l];
    double p = (diagonal_[l + 1] - first) / (2.0 * beside_[l]);
    const double r = p < 0 ? -std::hypot(p, 1.0) : std::hypot(p, 1.0);
    diagonal_[l] = beside_[l] / (p + r);
    diagonal_[l + 1] = beside_[l] * (p + r);
    const double second = diagonal_[l + 1], change = first - diagonal_[l], next = beside_[l + 1];
    for (int i = l + 2; i < n_; ++i) diagonal_[i] -= change;
    shift += change;
    p = diagonal_[m];
    double c = 1, c2 = 1, c3 = 1, s = 0, s2 = 0;
    for (int i = m - 1; i >= l; --i) {
      c3 = c2;
      c2 = c;
      s2 = s;
      const double g = c * beside_[i], h = c * p, length = std::hypot(p, beside_[i]);
      beside_[i + 1] = s * length;
      s = beside_[i] / length;
      c = p / length;
      p = c * diagonal_[i] - s * g;
      diagonal_[i + 1] = h + s * (c * g + s * diagonal_[i]);
      for (int k = 0; k < n_; ++k) {
        const double v = at(k, i + 1);
        at(k, i + 1) = s * at(k, i) + c * v;
        at(k, i) = c * at(k, i) - s * v;
      }
    }
    p = -s * s2 * c3 * next * beside_[l] / second;
    beside_[l] = s * p;
    diagonal_[l] = c * p;
  }

  int n_;
  std::vector<double> vectors_, diagonal_, beside_;
};

}  // namespace

std::vector<double> principal_axis(const std::vector<double>& matrix, int n) {
  Decomposition decomposition(matrix, n);
  decomposition.run();
  return decomposition.greatest();
}

}  // namespace bough::quinlan
