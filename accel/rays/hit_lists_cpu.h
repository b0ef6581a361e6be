#pragma once

#include "primitives/cpu/for_each.h"

namespace copse::cpu {

/// Contract: accel/rays/hit_lists.inl.
template <class F>
void for_each_ray(const Executor& ex, const char* label, u64 n, F f) {
  for_each(ex, label, n, f);
}

}  // namespace copse::cpu
