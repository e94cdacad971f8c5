#include "bough/machine/checksum.hpp"

#include "arrays.hpp"

namespace nb = nanobind;

void init_checksum(nb::module_& m) {
  using namespace nb::literals;
  m.def(
      "crc32",
      [](const bough_python::Array<std::uint8_t>& content, std::uint32_t before) {
        return bough::crc32(content.data(), content.n(), before);
      },
      "content"_a, "before"_a,
      "CRC-32 of bytes that follow others, whose CRC-32 is `before` (0 if there are none).");
}
