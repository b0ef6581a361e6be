#pragma once

#include <span>

#include "primitives/core/context.h"
#include "primitives/core/error.h"
#include "scale/communicator.h"

namespace copse {

/// The connection between the ranks of a group. All ranks make the same calls in the same order, and each call waits
/// for the other ranks. Programs use a Communicator. Write a transport of your own if no transport of Copse reaches
/// your ranks.
class COPSE_API Transport {
 public:
  virtual ~Transport() = default;

  /// Returns this rank, counted from 0.
  virtual u32 rank() const = 0;
  /// Returns the number of ranks.
  virtual u32 size() const = 0;

  /// Returns true if exchange() takes memory of this context. If not, the communicator copies through the host.
  virtual bool reaches(const Context& context) const = 0;

  /// Stores the bytes of all ranks, in the order of ranks. On the host.
  virtual void all_gather(const void* mine, u64 bytes, void* all) = 0;

  /// Adds the numbers of all ranks, element by element. On the host.
  virtual void sum(u64* numbers, u64 count) = 0;

  /// Sends send[r] to each rank r, and stores what rank r sends at receive[r]. When it returns, all bytes have
  /// arrived, and the memory of send[] may be reused.
  virtual void exchange(Context& context, std::span<const Outgoing> send, std::span<const Incoming> receive) = 0;

  /// Throws the error that has ended the group, if this rank can know it without a call. For those who wait for other ranks
  /// by other means.
  virtual void check_group() {}

  /// Ends the group after an error of this rank inside a call: afterwards no rank may wait for this one.
  virtual void fail(const Error& error) noexcept = 0;
};

}  // namespace copse
