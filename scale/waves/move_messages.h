#pragma once

// The step of a wave that sorts messages by the ranks that they are sent to. For bodies: the executor's primitives
// must be included.

#include "primitives/core/executor.h"

namespace copse::detail {

template <class Message>
struct MoveMessage {
  const Message* live;
  const u32* ids;
  Message* out;
  COPSE_HD void operator()(u64 i) const { out[i] = live[ids[i]]; }
};

template <class Executor, class Message>
void move_messages(const Executor& ex, const Message* live, const u32* ids, u64 count, Message* out) {
  for_each(ex, "waves: move", count, MoveMessage<Message>{live, ids, out});
}

}  // namespace copse::detail
