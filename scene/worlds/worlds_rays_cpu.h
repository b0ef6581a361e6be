#pragma once

#include "primitives/cpu/for_each.h"

namespace copse::cpu {

/// Contract: scene/worlds/worlds_rays.inl.
template <class Trace>
void trace_each_in_world(const Executor& ex, const char* label, u64 n, Trace trace) {
  for_each(ex, label, n, trace);
}

}  // namespace copse::cpu
