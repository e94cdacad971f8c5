// A test is a named function that states facts with CHECK. A fact that fails is printed with its place and
// the test goes on; a test passes if all its facts hold and nothing escapes it.
#pragma once

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace bough::tests {

struct Test {
  const char* name;
  void (*body)();
};

inline std::vector<Test>& registry() {
  static std::vector<Test> tests;
  return tests;
}

struct Registered {
  Registered(const char* name, void (*body)()) { registry().push_back({name, body}); }
};

// Counts a failed fact of the running test and prints it, unless the test has printed enough.
void fail(const char* file, int line, const std::string& what);

template <class A, class B>
void check_equal(const A& a, const B& b, const char* text, const char* file, int line) {
  if (a == b) return;
  std::ostringstream what;
  what.precision(17);
  what << text << ": " << +a << " is not " << +b;
  fail(file, line, what.str());
}

inline void check_close(double a, double b, double tolerance, const char* text, const char* file, int line) {
  if (a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b))) return;
  std::ostringstream what;
  what.precision(17);
  what << text << ": " << a << " is not close to " << b;
  fail(file, line, what.str());
}

}  // namespace bough::tests

#define TEST(name)                                                            \
  static void name();                                                         \
  static const ::bough::tests::Registered name##_is_registered(#name, &name); \
  static void name()

#define CHECK(fact) \
  if (!(fact)) ::bough::tests::fail(__FILE__, __LINE__, #fact)

#define CHECK_EQUAL(a, b) ::bough::tests::check_equal(a, b, #a " == " #b, __FILE__, __LINE__)

// Relative above one, absolute below.
#define CHECK_CLOSE(a, b, tolerance) \
  ::bough::tests::check_close(a, b, tolerance, #a " ~ " #b, __FILE__, __LINE__)

#define CHECK_THROWS(expression, type)                                         \
  try {                                                                        \
    expression;                                                                \
    ::bough::tests::fail(__FILE__, __LINE__, #expression " throws no " #type); \
  } catch (const type&) {                                                      \
  }
