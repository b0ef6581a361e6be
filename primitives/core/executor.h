#pragma once

#include "primitives/core/cancel_token.h"
#include "primitives/core/error.h"
#include "primitives/core/memos.h"
#include "primitives/core/profile.h"
#include "primitives/core/scratch_arena.h"
#include "primitives/core/zeroed_memory.h"

// The executors that primitives run on. The body of a builder is a template on the executor; its unqualified calls
// find the primitives of the backend through the namespace of the executor.

namespace copse {

class Device;

/// The part of executors that both backends share.
struct ExecutorBase {
  Device& device;
  ScratchArena& scratch;
  Profile& profile;
  Memos& memos;
  CancelToken cancel;
};

/// Throws: Error cancelled, once the token of the context requests a stop.
inline void throw_if_cancelled(const ExecutorBase& ex) {
  if (ex.cancel.stop_requested()) throw Error(ErrorCode::cancelled, "cancelled by the context's token");
}

/// Returns true while the stream of the executor is being captured.
COPSE_API bool is_capturing(const ExecutorBase& ex);

namespace cpu {

class Workers;

struct Executor : ExecutorBase {
  Workers& workers;
};

}  // namespace cpu

namespace cuda {

struct Executor : ExecutorBase {
  ZeroedMemory& zeroed;
  void* stream;  // cudaStream_t
  u32 multiprocessor_count;
  u32 capability;        // the major number of the compute capability
  u32 max_shared_bytes;  // of a block
  bool check_every_launch;
};

}  // namespace cuda

}  // namespace copse
