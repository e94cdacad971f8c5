// Runs every test, or those whose name contains the first argument.
#include <cstdio>
#include <cstring>
#include <exception>

#include "harness.hpp"

namespace bough::tests {

namespace {

constexpr int kMostPrinted = 5;
int failures = 0;  // of the running test

bool passes(const Test& test) {
  failures = 0;
  try {
    test.body();
  } catch (const std::exception& e) {
    fail(test.name, 0, std::string("escaped: ") + e.what());
  } catch (...) {
    fail(test.name, 0, "escaped: not a std::exception");
  }
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
  int passed = 0, failed = 0;
  for (const bough::tests::Test& test : bough::tests::registry()) {
    if (argc > 1 && std::strstr(test.name, argv[1]) == nullptr) continue;
    ++(bough::tests::passes(test) ? passed : failed);
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
