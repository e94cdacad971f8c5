// The CRC-32 of zip files.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bough {

// The checksum of n bytes that follow bytes of the checksum `before`; 0 for none.
std::uint32_t crc32(const std::uint8_t* bytes, std::size_t n, std::uint32_t before = 0);

// The same without instructions that some processors lack.
std::uint32_t plain_crc32(const std::uint8_t* bytes, std::size_t n, std::uint32_t before = 0);

}  // namespace bough
