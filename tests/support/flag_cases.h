#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "primitives/core/types.h"

namespace copse::test {

/// Flags of one byte each. A flag that is not set is 0. The bytes of set flags have many values.
struct FlagCase {
  std::string name;
  std::function<u8(u64, std::mt19937_64&)> flag;

  std::vector<u8> bytes(u64 n) const {
    std::mt19937_64 random(n);
    std::vector<u8> flags(n);
    for (u64 i = 0; i < n; ++i) flags[i] = flag(i, random);
    return flags;
  }
};

inline std::vector<FlagCase> flag_cases() {
  const auto some_byte = [](std::mt19937_64& random) { return u8(1 + random() % 255); };
  return {
      {"none", [](u64, std::mt19937_64&) { return u8(0); }},
      {"all", [](u64, std::mt19937_64&) { return u8(1); }},
      {"half", [=](u64, std::mt19937_64& random) { return random() % 2 ? some_byte(random) : u8(0); }},
      {"few", [=](u64, std::mt19937_64& random) { return random() % 1000 == 0 ? some_byte(random) : u8(0); }},
      {"alternate", [](u64 i, std::mt19937_64&) { return u8(i % 2 == 0 ? 0x80 : 0); }},
      {"runs", [](u64 i, std::mt19937_64&) { return u8(i / 5000 % 2); }},
      {"first", [](u64 i, std::mt19937_64&) { return u8(i == 0 ? 0x10 : 0); }},
  };
}

/// Returns the flags as bits. The bits past the end are set; they must not matter.
inline std::vector<u32> bits_of_flags(const std::vector<u8>& bytes) {
  std::vector<u32> words((bytes.size() + 31) / 32, 0xffffffffu);
  for (u64 i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == 0) words[i / 32] &= ~(1u << (i % 32));
  }
  return words;
}

}  // namespace copse::test
