#include "bough/machine/checksum.hpp"

#include <array>

#if defined(__x86_64__)
#include <immintrin.h>
#define BOUGH_CLMUL __attribute__((target("pclmul,sse4.1")))
#endif

namespace bough {

namespace {

// Bytes are polynomials modulo two whose highest power is the lowest bit of the first byte. The checksum is
// the remainder of division by this polynomial, of degree 32.
constexpr std::uint32_t kDivisor = 0xedb88320;

// The remainder times x.
constexpr std::uint32_t times_x(std::uint32_t remainder) {
  return (remainder >> 1) ^ ((remainder & 1) ? kDivisor : 0);
}

// Sixteen bytes are looked up at once: table k holds the remainders of a byte that k bytes follow.
constexpr int kSlices = 16;
using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t remainder = byte;
    for (auto& table : tables) {
      for (int bit = 0; bit < 8; ++bit) remainder = times_x(remainder);
      table[byte] = remainder;
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

// The remainder of n bytes after those of the remainder `before`.
std::uint32_t remainder_of(const std::uint8_t* bytes, std::size_t n, std::uint32_t before) {
  std::uint32_t remainder = before;
  for (; n >= kSlices; bytes += kSlices, n -= kSlices) {
    const std::uint8_t with[4] = {static_cast<std::uint8_t>(bytes[0] ^ remainder),
                                  static_cast<std::uint8_t>(bytes[1] ^ remainder >> 8),
                                  static_cast<std::uint8_t>(bytes[2] ^ remainder >> 16),
                                  static_cast<std::uint8_t>(bytes[3] ^ remainder >> 24)};
    remainder = 0;
    for (int k = 0; k < kSlices; ++k) remainder ^= kTables[kSlices - 1 - k][k < 4 ? with[k] : bytes[k]];
  }
  for (; n > 0; ++bytes, --n) remainder = kTables[0][(remainder ^ *bytes) & 255] ^ (remainder >> 8);
  return remainder;
}

#if defined(BOUGH_CLMUL)
constexpr std::size_t kVector = 16, kLanes = 4, kFewBytes = 2 * kVector * kLanes;

// The remainder of x to a power, as the upper half of a word, whose highest bit is the power 0.
constexpr std::uint64_t power_of_x(int power) {
  std::uint32_t remainder = std::uint32_t{1} << 31;
  for (int i = 0; i < power; ++i) remainder = times_x(remainder);
  return std::uint64_t{remainder} << 32;
}

// What moves a vector past some bytes: factors of its first and of its second word. The product of two words
// has one power less than its place in a vector means.
template <std::size_t kBytes>
BOUGH_CLMUL inline __m128i factors() {
  constexpr std::uint64_t first = power_of_x(8 * kBytes + 63), second = power_of_x(8 * kBytes - 1);
  return _mm_set_epi64x(static_cast<long long>(second), static_cast<long long>(first));
}

BOUGH_CLMUL inline __m128i moved(__m128i value, __m128i by, __m128i onto) {
  return _mm_xor_si128(
      onto, _mm_xor_si128(_mm_clmulepi64_si128(value, by, 0x00), _mm_clmulepi64_si128(value, by, 0x11)));
}

// Folds the bytes into one vector of the same remainder, four vectors at a time (Gopal and others 2009).
BOUGH_CLMUL std::uint32_t remainder_by_products(const std::uint8_t* bytes, std::size_t n,
                                                std::uint32_t before) {
  const auto load = [](const std::uint8_t* from)
                        BOUGH_CLMUL { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); };
  const __m128i far = factors<kVector * kLanes>(), near = factors<kVector>();
  __m128i lane[kLanes];
  for (std::size_t k = 0; k < kLanes; ++k) lane[k] = load(bytes + k * kVector);
  lane[0] = _mm_xor_si128(lane[0], _mm_cvtsi32_si128(static_cast<int>(before)));
  constexpr std::size_t kStep = kVector * kLanes;
  for (bytes += kStep, n -= kStep; n >= kStep; bytes += kStep, n -= kStep)
    for (std::size_t k = 0; k < kLanes; ++k) lane[k] = moved(lane[k], far, load(bytes + k * kVector));
  for (std::size_t k = 1; k < kLanes; ++k) lane[0] = moved(lane[0], near, lane[k]);
  std::uint8_t folded[kVector];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(folded), lane[0]);
  return remainder_of(bytes, n, remainder_of(folded, kVector, 0));
}

bool has_products() {
  static const bool yes = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  return yes;
}
#endif

}  // namespace

std::uint32_t plain_crc32(const std::uint8_t* bytes, std::size_t n, std::uint32_t before) {
  return ~remainder_of(bytes, n, ~before);
}

std::uint32_t crc32(const std::uint8_t* bytes, std::size_t n, std::uint32_t before) {
#if defined(BOUGH_CLMUL)
  if (n >= kFewBytes && has_products()) return ~remainder_by_products(bytes, n, ~before);
#endif
  return plain_crc32(bytes, n, before);
}

}  // namespace bough
