#pragma once

#include "primitives/core/atomic.h"
#include "primitives/cpu/workers.h"

namespace copse::cpu {

namespace detail {

inline constexpr u64 count_grain = 4096;

/// Returns the answer for element i of n. A predicate that has inside(i) gives it for all but the first and the
/// last.
template <class Predicate>
auto ask(const Predicate& predicate, u64 i, u64 n) {
  if constexpr (requires { predicate.inside(i); }) {
    if (i > 0 && i + 1 < n) return predicate.inside(i);
  }
  return predicate(i);
}

/// Returns true if predicate(i) == wanted for any i below n.
template <class Predicate>
bool is_found(const Executor& ex, const char* label, u64 n, const Predicate& predicate, bool wanted) {
  u32 found = 0;
  parallel_ranges(ex, label, n, count_grain, [&](u64 begin, u64 end) {
    for (u64 i = begin; i < end && load_relaxed(&found) == 0; ++i) {
      if (bool(ask(predicate, i, n)) == wanted) store_relaxed(&found, 1u);
    }
  });
  return found != 0;
}

}  // namespace detail

/// Contract: primitives/count.h.
template <class Predicate>
void count_if(const Executor& ex, const char* label, u64 n, Predicate predicate, u64* out) {
  u64 count = 0;
  parallel_ranges(ex, label, n, detail::count_grain, [&](u64 begin, u64 end) {
    u64 mine = 0;
    for (u64 i = begin; i < end; ++i) mine += u64(detail::ask(predicate, i, n));
    fetch_add_relaxed(&count, mine);
  });
  *out = count;
}

/// Contract: primitives/count.h.
template <class Predicate>
void any_of(const Executor& ex, const char* label, u64 n, Predicate predicate, u32* out) {
  *out = detail::is_found(ex, label, n, predicate, true);
}

/// Contract: primitives/count.h.
template <class Predicate>
void all_of(const Executor& ex, const char* label, u64 n, Predicate predicate, u32* out) {
  *out = !detail::is_found(ex, label, n, predicate, false);
}

}  // namespace copse::cpu
