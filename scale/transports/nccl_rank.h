#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>

#include "scale/transports/nccl_library.h"

namespace copse::detail {

/// A rank of NCCL. Its communicator does not block: each call is polled until its work has ended, an error comes or the
/// deadline has passed. After an error it aborts its part, and every later call throws that error again.
class NcclRank {
 public:
  /// Opens the library.
  ///   check_others: throws if the caller knows by other means that the group has ended; asked while it waits
  NcclRank(const NcclOptions& options, std::function<void()> check_others);
  ~NcclRank();
  NcclRank(const NcclRank&) = delete;
  NcclRank& operator=(const NcclRank&) = delete;

  const NcclLibrary& library() const { return library_; }

  /// Waits until all ranks have joined, each with the GPU of its context.
  void join(Context& context, u32 rank, u32 size, const NcclId& id);

  // Collective calls over memory of the context. They wait for the work of its stream and until their own has ended.

  /// Stores `bytes` bytes of each rank, in the order of ranks.
  void all_gather(Context& context, const void* mine, u64 bytes, void* all);
  /// Adds up the numbers of all ranks, element by element.
  void sum(Context& context, u64* numbers, u64 count);
  void exchange(Context& context, std::span<const Outgoing> send, std::span<const Incoming> receive);

  /// Ends this rank. Later calls throw `error`.
  void end(const Error& error) noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  /// The error that ended the rank. It is no Error, since copies of one share their text.
  struct Failure {
    ErrorCode code;
    std::string text;
  };

  template <class Call>
  void run(Context& context, const char* function, const Call& call);
  template <class IsDone>
  void wait_until(const char* function, Clock::duration deadline, const IsDone& is_done);
  bool is_ready(const char* function);
  void leave() noexcept;
  void abort() noexcept;

  NcclLibrary library_;
  Clock::duration deadline_;
  std::function<void()> check_others_;
  NcclComm* comm_ = nullptr;
  std::optional<Failure> failure_;
};

}  // namespace copse::detail
