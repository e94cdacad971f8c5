// The checksum of zip files, by tables and by products of polynomials.
#include <cstdint>
#include <string>
#include <vector>

#include "bough/machine/checksum.hpp"
#include "draws.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

// By the definition: one bit at a time.
std::uint32_t crc32_by_bits(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t remainder = ~std::uint32_t{0};
  for (const std::uint8_t byte : bytes) {
    remainder ^= byte;
    for (int bit = 0; bit < 8; ++bit) remainder = (remainder >> 1) ^ ((remainder & 1) ? 0xedb88320u : 0u);
  }
  return ~remainder;
}

}  // namespace

TEST(the_checksum_of_the_nine_digits_is_the_one_that_is_published) {
  const std::string digits = "123456789";
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(digits.data());
  CHECK_EQUAL(crc32(bytes, digits.size()), 0xcbf43926u);
  CHECK_EQUAL(plain_crc32(bytes, digits.size()), 0xcbf43926u);
}

TEST(checksums_of_any_length_and_in_any_parts_are_those_of_single_bits) {
  Draws draws(1);
  for (int n = 0; n < 400; ++n) {
    std::vector<std::uint8_t> bytes(n);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(draws.below(256));
    const std::uint32_t wanted = crc32_by_bits(bytes);
    const std::size_t first = n == 0 ? 0 : draws.below(n);
    CHECK_EQUAL(crc32(bytes.data(), n), wanted);
    CHECK_EQUAL(plain_crc32(bytes.data(), n), wanted);
    CHECK_EQUAL(crc32(bytes.data() + first, n - first, crc32(bytes.data(), first)), wanted);
  }
}

}  // namespace bough::tests
