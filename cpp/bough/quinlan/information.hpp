// Entropies times the number of cases, as the programs compute them. Quinlan's hold counts as 32-bit floats
// and take logarithms in doubles; release 8 of C4.5 holds sums as floats too, C5.0 as doubles. Weka holds all
// as doubles.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace bough::quinlan {

constexpr double kLn2 = 0.69314718055994530942;

inline double log2_or_zero(double n) { return n <= 0 ? 0.0 : std::log(n) / kLn2; }

struct Release8 {
  using Number = float;
  static double xlog2x(double n) { return n <= 0 ? 0.0 : n * log2_or_zero(n); }
};

struct Weka {
  using Number = double;
  static double xlog2x(double n) { return n < 1e-6 ? 0.0 : n * std::log(n) / kLn2; }
};

// n log2 n of whole numbers, from a table.
template <class Program>
class XLog2XTable {
 public:
  explicit XLog2XTable(std::int64_t most) : of_(most + 1) {
    for (std::int64_t n = 0; n <= most; ++n)
      of_[n] = Program::xlog2x(static_cast<typename Program::Number>(n));
  }
  double operator()(std::int64_t n) const { return of_[n]; }

 private:
  std::vector<double> of_;
};

// N log2 N less the same of each part, as Quinlan's programs compute it: every part is rounded to a float,
// and Sum is the type that sums are rounded to after each part.
template <class Sum, class Part>
Sum total_info(const Part* parts, int n_parts) {
  Sum sum = 0, total = 0;
  for (int i = 0; i < n_parts; ++i) {
    const auto n = static_cast<float>(parts[i]);
    sum = static_cast<Sum>(sum + Release8::xlog2x(n));
    total += n;
  }
  return static_cast<Sum>(Release8::xlog2x(total) - sum);
}

// Where classes are many, sums over classes leave out those that are absent, which add nothing.
constexpr int kManyClasses = 32;

// The classes that have any weight, in their order; empty where classes are few.
template <class Part>
void list_present(const std::vector<Part>& weight, std::vector<int>& present) {
  present.clear();
  if (weight.size() < kManyClasses) return;
  for (std::size_t c = 0; c < weight.size(); ++c)
    if (weight[c] != 0) present.push_back(static_cast<int>(c));
}

// total_info of all classes; the present ones are enough, if they are listed.
template <class Sum, class Part>
Sum class_info(const std::vector<Part>& weight, const std::vector<int>& present) {
  if (present.empty()) return total_info<Sum>(weight.data(), static_cast<int>(weight.size()));
  Sum sum = 0, total = 0;
  for (const int c : present) {
    const auto n = static_cast<float>(weight[c]);
    sum = static_cast<Sum>(sum + Release8::xlog2x(n));
    total += n;
  }
  return static_cast<Sum>(Release8::xlog2x(total) - sum);
}

}  // namespace bough::quinlan
