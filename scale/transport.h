#pragma once

#include <span>

#include "primitives/core/context.h"
#include "primitives/core/error.h"
#include "scale/communicator.h"

namespace copse {

/// How the ranks of a group reach each other. All ranks make the same calls in the same order, and each call waits for
/// the other ranks. Programs use a Communicator; write a transport of your own for ranks that none of Copse's reaches.
class COPSE_API Transport {
 public:
  virtual ~Transport() = default;

  /// Returns this rank, counted from 0.
  virtual u32 rank() const = 0;
  /// Returns the number of ranks.
  virtual u32 size() const = 0;

  /// Returns whether exchange() takes memory of this context. If not, the communicator copies through the host.
  virtual bool reaches(const Context& context) const = 0;

  /// Stores the bytes of all ranks, in the order of ranks. On the host.
  virtual void all_gather(const void* mine, u64 bytes, void* all) = 0;

  /// Adds the numbers of all ranks, element by element. On the host.
  virtual void sum(u64* numbers, u64 count) = 0;

  /// Sends send[r] to each rank r, and stores what it sends as receive[r]. When it returns, all of it is there, and the
  /// memory of send[] may be used again.
  virtual void exchange(Context& context, std::span<const Outgoing> send, std::span<const Incoming> receive) = 0;

  /// Ends the group after an error of this rank inside of a call: no rank may wait for it any more.
  virtual void fail(const Error& error) noexcept = 0;
};

}  // namespace copse
