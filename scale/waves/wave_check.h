#pragma once

#include <string>

#include "primitives/core/backend_check.h"
#include "primitives/core/check.h"
#include "scale/sharded_accel.h"

namespace copse::detail {

/// Throws if an accel was never built, or was built by another number of ranks or for another backend.
inline void check_sharded(const char* function, const Communicator& comm, const Context& context,
                          const ShardedAccel& accel) {
  if (accel.rank_count() == 0) refuse(function, "the structure was never built");
  if (accel.rank_count() != comm.size()) {
    refuse(function, "the structure was built by " + counted(accel.rank_count(), "ranks") + ", but there are " +
                         std::to_string(comm.size()));
  }
  check_backend(function, context, "the structure was", accel.own().backend());
}

/// Throws for more messages than 32-bit numbers can count.
inline void check_message_count(const char* function, const char* things, u64 count) {
  constexpr u64 max_messages = (u64{1} << 32) - 1;
  if (count <= max_messages) return;
  refuse(function, std::to_string(count) + " " + things + " on one rank, at most " + std::to_string(max_messages) +
                       " are possible");
}

}  // namespace copse::detail
