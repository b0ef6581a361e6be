#pragma once

// The pattern that stands before and after each allocation while a test looks for writes beside it. With COPSE_CANARIES=1
// in the environment, all memory of contexts has it, in every test program.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace copse::test {

inline constexpr std::size_t guard_bytes = 256;
inline constexpr unsigned char guard = 0xa5;

inline bool has_guards() {
  static const bool has = [] {
    const char* value = std::getenv("COPSE_CANARIES");
    return value != nullptr && std::strcmp(value, "0") != 0 && std::strcmp(value, "") != 0;
  }();
  return has;
}

/// True while the guards themselves call CUDA in this thread. Tests that make calls of CUDA fail leave these alone.
inline thread_local bool guards_call_cuda = false;

/// Ends the program if a guard has changed, from the byte on that is next to the memory.
///   before, after: the guards of an allocation of `bytes` bytes
inline void check_guards(const unsigned char* before, const unsigned char* after, std::size_t bytes) {
  for (std::size_t i = 0; i < guard_bytes; ++i) {
    const bool is_before = before[guard_bytes - 1 - i] != guard;
    if (!is_before && after[i] == guard) continue;
    std::fprintf(stderr, "canaries: byte %zu %s an allocation of %zu bytes was written\n", i + 1,
                 is_before ? "before" : "after", bytes);
    std::abort();
  }
}

}  // namespace copse::test
