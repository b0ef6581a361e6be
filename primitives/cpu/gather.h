#pragma once

#include <cstring>

#include "primitives/cpu/workers.h"

namespace copse::cpu {

namespace detail {

/// Moves n records from `in` to `out`: with `gathers` record index(i) to place i, else record i to place index(i).
/// An index of all ones stands for no record. If the compiler knows the size, a few moves replace a call.
template <u64 fixed_bytes, bool gathers, class IndexFunction>
void move_records(const Executor& ex, const char* label, u64 n, const void* in, u64 record_bytes,
                  const IndexFunction& index, void* out) {
  const u64 bytes = fixed_bytes != 0 ? fixed_bytes : record_bytes;
  const auto* from = static_cast<const unsigned char*>(in);
  auto* to = static_cast<unsigned char*>(out);
  const u64 grain = larger(u64{64}, (u64{1} << 16) / bytes);
  parallel_ranges(ex, label, n, grain, [&](u64 begin, u64 end) {
    for (u64 i = begin; i < end; ++i) {
      const auto id = index(i);
      if (id == static_cast<decltype(id)>(~u64{0})) continue;
      const u64 source = gathers ? u64(id) : i;
      const u64 target = gathers ? i : u64(id);
      std::memcpy(to + target * bytes, from + source * bytes, bytes);
    }
  });
}

template <bool gathers, class IndexFunction>
void move_records_of_any_size(const Executor& ex, const char* label, u64 n, const void* in, u64 record_bytes,
                              const IndexFunction& index, void* out) {
  switch (record_bytes) {
    case 4: return move_records<4, gathers>(ex, label, n, in, 4, index, out);
    case 8: return move_records<8, gathers>(ex, label, n, in, 8, index, out);
    case 16: return move_records<16, gathers>(ex, label, n, in, 16, index, out);
    case 32: return move_records<32, gathers>(ex, label, n, in, 32, index, out);
    case 64: return move_records<64, gathers>(ex, label, n, in, 64, index, out);
    case 128: return move_records<128, gathers>(ex, label, n, in, 128, index, out);
    default: return move_records<0, gathers>(ex, label, n, in, record_bytes, index, out);
  }
}

}  // namespace detail

/// Contract: primitives/gather.h.
template <class T, class IndexFunction>
void gather(const Executor& ex, const char* label, u64 n, const T* in, IndexFunction index, T* out) {
  detail::move_records<sizeof(T), true>(ex, label, n, in, sizeof(T), index, out);
}

/// Contract: primitives/gather.h.
template <class T, class IndexFunction>
void scatter(const Executor& ex, const char* label, u64 n, const T* in, IndexFunction index, T* out) {
  detail::move_records<sizeof(T), false>(ex, label, n, in, sizeof(T), index, out);
}

/// Contract: primitives/gather.h.
template <class IndexFunction>
void gather_records(const Executor& ex, const char* label, u64 n, const void* in, u64 record_bytes,
                    IndexFunction index, void* out) {
  detail::move_records_of_any_size<true>(ex, label, n, in, record_bytes, index, out);
}

/// Contract: primitives/gather.h.
template <class IndexFunction>
void scatter_records(const Executor& ex, const char* label, u64 n, const void* in, u64 record_bytes,
                     IndexFunction index, void* out) {
  detail::move_records_of_any_size<false>(ex, label, n, in, record_bytes, index, out);
}

}  // namespace copse::cpu
