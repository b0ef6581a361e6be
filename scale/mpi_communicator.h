#pragma once

// Ranks that are processes, by the Message Passing Interface (MPI). The implementations of MPI have no common binary
// interface. So no part of the library has this code: a program compiles it with its own <mpi.h>, and links to
// copse::shards and to its MPI.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "scale/transport.h"

namespace copse {

namespace detail {

/// Takes host memory, as every MPI does. The memory of GPUs is copied through the host.
class MpiTransport final : public Transport {
 public:
  MpiTransport(MPI_Comm ranks, u64 message_bytes) : message_bytes_(message_bytes) {
    MPI_Comm_dup(ranks, &ranks_);
    MPI_Comm_rank(ranks_, &rank_);
    MPI_Comm_size(ranks_, &size_);
  }
  ~MpiTransport() override {
    int is_over = 0;
    MPI_Finalized(&is_over);
    if (is_over == 0) MPI_Comm_free(&ranks_);
  }
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  u32 rank() const override { return u32(rank_); }
  u32 size() const override { return u32(size_); }
  bool reaches(const Context& context) const override { return context.backend() == Backend::cpu; }

  void all_gather(const void* mine, u64 bytes, void* all) override {
    MPI_Allgather(mine, int(bytes), MPI_BYTE, all, int(bytes), MPI_BYTE, ranks_);
  }

  void sum(u64* numbers, u64 count) override {
    MPI_Allreduce(MPI_IN_PLACE, numbers, int(count), MPI_UINT64_T, MPI_SUM, ranks_);
  }

  /// Counts of MPI have 31 bits. So large pieces are sent as several messages, which stay in order.
  void exchange(Context&, std::span<const Outgoing> send, std::span<const Incoming> receive) override {
    std::vector<MPI_Request> requests;
    for (int other = 0; other < size_; ++other) {
      for_each_message(receive[other].bytes, [&](u64 begin, int bytes) {
        requests.emplace_back();
        MPI_Irecv(static_cast<u8*>(receive[other].data) + begin, bytes, MPI_BYTE, other, 0, ranks_,
                  &requests.back());
      });
    }
    for (int other = 0; other < size_; ++other) {
      for_each_message(send[other].bytes, [&](u64 begin, int bytes) {
        requests.emplace_back();
        MPI_Isend(static_cast<const u8*>(send[other].data) + begin, bytes, MPI_BYTE, other, 0, ranks_,
                  &requests.back());
      });
    }
    MPI_Waitall(int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

  /// MPI cannot tell processes that wait in a call that another process has failed. So this ends all of them.
  void fail(const Error& error) noexcept override {
    std::fprintf(stderr, "copse: rank %d failed while others wait for it: %s\n", rank_, error.what());
    MPI_Abort(ranks_, 1);
  }

 private:
  template <class Message>
  void for_each_message(u64 bytes, const Message& message) const {
    for (u64 begin = 0; begin < bytes; begin += message_bytes_) {
      message(begin, int(std::min(message_bytes_, bytes - begin)));
    }
  }

  MPI_Comm ranks_ = MPI_COMM_NULL;
  u64 message_bytes_;
  int rank_ = 0, size_ = 1;
};

}  // namespace detail

/// Returns this process's rank among those of an MPI communicator. All its processes must call it. It works with a
/// duplicate of the communicator, so messages of your own never meet those of Copse. Destroy it before MPI_Finalize.
///
/// If a call fails on one process, it throws the same Error on all of them. But if a process leaves while others are
/// in a call, MPI lets them wait for ever. Let errors of your own code end the process, or call MPI_Abort: mpirun
/// then ends the others.
///   message_bytes: the largest message, 1 to 2^31 - 1. Default: 1 GiB. Only tests need another number
/// Throws: Error invalid_argument if MPI is not initialised or message_bytes is out of range.
inline Communicator communicator_of_mpi(MPI_Comm ranks, u64 message_bytes = u64{1} << 30) {
  int is_ready = 0;
  MPI_Initialized(&is_ready);
  if (is_ready == 0) {
    throw Error(ErrorCode::invalid_argument, "communicator_of_mpi: MPI is not initialised; call MPI_Init first");
  }
  constexpr u64 max_message_bytes = (u64{1} << 31) - 1;
  if (message_bytes == 0 || message_bytes > max_message_bytes) {
    throw Error(ErrorCode::invalid_argument, "communicator_of_mpi: message_bytes is " +
                                                 std::to_string(message_bytes) + "; it can be 1 to " +
                                                 std::to_string(max_message_bytes));
  }
  return Communicator(std::make_unique<detail::MpiTransport>(ranks, message_bytes));
}

}  // namespace copse
