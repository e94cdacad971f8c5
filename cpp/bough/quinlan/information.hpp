// Entropies times the number of cases, as the two programs compute them. Release 8 of C4.5 holds figures as
// 32-bit floats, but logarithms and products of them as doubles; Weka holds all as doubles.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace bough::quinlan {

struct Release8 {
  using Number = float;
  static double term(float n) { return n <= 0 ? 0.0 : n * (std::log(static_cast<double>(n)) / kLn2); }
  static constexpr double kLn2 = 0.69314718055994530942;
};

struct Weka {
  using Number = double;
  static double term(double n) { return n < 1e-6 ? 0.0 : n * std::log(n) / Release8::kLn2; }
};

// n log2 n: from a table while n is a whole number in reach.
template <class Program>
class Terms {
 public:
  explicit Terms(std::int64_t most) : of_(most + 1) {
    for (std::int64_t n = 0; n <= most; ++n) of_[n] = Program::term(static_cast<typename Program::Number>(n));
  }
  double of_count(std::int64_t n) const { return of_[n]; }

 private:
  static constexpr std::int64_t kMost = 1 << 22;  // a larger table would not stay in any cache

  std::vector<double> of_;
};

// Release 8: the sum is rounded to a float after each class.
inline float total_info(const float* n, int many) {
  float sum = 0, total = 0;
  for (int i = 0; i < many; ++i) {
    sum = static_cast<float>(sum + Release8::term(n[i]));
    total += n[i];
  }
  return static_cast<float>(Release8::term(total) - sum);
}

}  // namespace bough::quinlan
