// Checks of what Python hands over. Whatever is wrong throws std::invalid_argument, which Python sees as a
// ValueError, before any native work begins.
#pragma once

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

#include "arrays.hpp"

namespace bough_python {

inline void check(bool right, const std::string& wrong) {
  if (!right) throw std::invalid_argument(wrong);
}
// Without making a string of the words where all is right.
inline void check(bool right, const char* wrong) {
  if (!right) throw std::invalid_argument(wrong);
}

// The entries of an array, of which there must be n; null for None.
template <class T>
const T* entries(const Optional<T>& array, std::int64_t n, const char* name) {
  if (!array) return nullptr;
  check(static_cast<std::int64_t>(array->n()) == n,
        std::string(name) + " have the wrong length: " + std::to_string(array->n()) + ", not " +
            std::to_string(n));
  return array->data();
}

template <class... Arrays>
void check_lengths(std::size_t n, const char* wrong, const Arrays&... arrays) {
  check(((arrays.n() == n) && ...), wrong);
}

// Codes from 0 to below n_codes.
inline void check_codes(const std::int32_t* codes, std::int64_t n, std::int64_t n_codes, const char* wrong,
                        std::int32_t least = 0) {
  bool right = true;
  for (std::int64_t i = 0; codes && i < n; ++i) right &= codes[i] >= least && codes[i] < n_codes;
  check(right, wrong);
}

inline void check_finite(const double* values, std::size_t n, const char* name) {
  bool right = true;
  for (std::size_t i = 0; values && i < n; ++i) right &= std::isfinite(values[i]);
  check(right, std::string(name) + " must be finite");
}

inline void check_weights(const double* weights, std::size_t n, const char* name) {
  bool right = true;
  for (std::size_t i = 0; weights && i < n; ++i) right &= std::isfinite(weights[i]) && weights[i] >= 0;
  check(right, std::string(name) + " must be finite and not negative");
}

// Starts of consecutive ranges: from 0, ascending, up to end.
inline void check_starts(const Array<std::int64_t>& start, std::size_t end, const char* wrong) {
  check(start.n() >= 1 && start[0] == 0, wrong);
  for (std::size_t i = 1; i < start.n(); ++i) check(start[i] >= start[i - 1], wrong);
  check(static_cast<std::size_t>(start[start.n() - 1]) == end, wrong);
}

inline int checked_threads(int n_threads) {
  check(n_threads >= 1 && n_threads <= 4096, "n_threads must be 1 to 4096");
  return n_threads;
}

// least: 1 where rows are needed.
inline std::int64_t checked_rows(std::int64_t n_rows, std::int64_t least = 0) {
  check(n_rows >= least && n_rows <= (std::int64_t{1} << 31) - 4096,
        "a table in memory may have " + std::to_string(least) + " to 2^31 - 4096 rows");
  return n_rows;
}

// What a word stands for.
template <class T>
T named(const std::string& word, std::initializer_list<std::pair<const char*, T>> words, const char* what) {
  for (const auto& [name, meaning] : words)
    if (word == name) return meaning;
  throw std::invalid_argument("unknown " + std::string(what) + " '" + word + "'");
}

// Reads the entries of a dict by name.
class Reader {
 public:
  // what: the dict's name in error messages.
  Reader(const nb::dict& given, const char* what) : given_(given), what_(what) {}

  template <class T>
  T get(const char* name) const {
    check(given_.contains(name), what_ + " lacks '" + name + "'");
    T value{};
    check(nb::try_cast<T>(given_[name], value), what_ + "['" + name + "'] has the wrong type");
    return value;
  }

  // read("max_depth", max_depth, "max_leaves", max_leaves)
  void read() const {}
  template <class T, class... More>
  void read(const char* name, T& to, More&&... more) const {
    to = get<T>(name);
    read(std::forward<More>(more)...);
  }

 private:
  const nb::dict& given_;
  std::string what_;
};

}  // namespace bough_python
