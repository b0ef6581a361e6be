#pragma once

#include <cstring>

#include "primitives/cpu/workers.h"

namespace copse::cpu {

/// Contract: primitives/for_each.h.
template <class F>
void for_each(const Executor& ex, const char* label, u64 n, F f) {
  constexpr u64 grain = 2048;
  parallel_ranges(ex, label, n, grain, [&f](u64 begin, u64 end) {
    for (u64 i = begin; i < end; ++i) f(i);
  });
}

/// Contract: primitives/for_each.h.
template <class T>
void fill_bytes(const Executor& ex, const char* label, T* data, u64 count, u8 byte) {
  constexpr u64 grain = u64{1} << 20;
  auto* bytes = reinterpret_cast<unsigned char*>(data);
  parallel_ranges(ex, label, count * sizeof(T), grain,
                  [=](u64 begin, u64 end) { std::memset(bytes + begin, byte, end - begin); });
}

}  // namespace copse::cpu
