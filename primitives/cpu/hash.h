#pragma once

// Brings the templates of hash_templates.h to the CPU backend.

#include "primitives/cpu/compact.h"
#include "primitives/cpu/count.h"
#include "primitives/cpu/for_each.h"
#include "primitives/cpu/split.h"
#include "primitives/hash_templates.h"
#include "primitives/loops/for_each_interleaved_cpu.h"
#include "primitives/loops/for_each_prefetched_cpu.h"

namespace copse::cpu {

/// Returns the size of the part of a table that stays in the L2 cache of a core while its keys are inserted.
inline u64 hash_part_bytes(const Executor&) {
  return u64{512} << 10;
}

}  // namespace copse::cpu
