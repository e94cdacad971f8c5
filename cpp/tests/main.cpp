// Runs every test, or those whose name contains the first argument; with two numbers i and n, every n-th from
// the i-th on, so that several processes share the tests. Prints the tests that take long.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "harness.hpp"

namespace bough::tests {

namespace {

constexpr int kMostPrinted = 5;
constexpr double kLong = 5;  // seconds
int failures = 0;            // of the running test

bool passes(const Test& test) {
  failures = 0;
  const auto began = std::chrono::steady_clock::now();
  try {
    test.body();
  } catch (const std::exception& e) {
    fail(test.name, 0, std::string("escaped: ") + e.what());
  } catch (...) {
    fail(test.name, 0, "escaped: not a std::exception");
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  if (took.count() > kLong) std::printf("%.0f s: %s\n", took.count(), test.name);
  if (failures > 0) std::printf("FAILED %s: %d facts\n", test.name, failures);
  return failures == 0;
}

}  // namespace

void fail(const char* file, int line, const std::string& what) {
  if (++failures <= kMostPrinted) std::printf("%s:%d: %s\n", file, line, what.c_str());
}

}  // namespace bough::tests

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IONBF, 0);  // what a sanitizer ends is printed up to there
  int passed = 0, failed = 0, number = 0;
  for (const bough::tests::Test& test : bough::tests::registry()) {
    if (argc > 2 && number++ % std::atoi(argv[2]) != std::atoi(argv[1])) continue;
    if (argc == 2 && std::strstr(test.name, argv[1]) == nullptr) continue;
    ++(bough::tests::passes(test) ? passed : failed);
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
