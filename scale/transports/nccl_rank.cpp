#include "scale/transports/nccl_rank.h"

#include <algorithm>
#include <exception>
#include <new>
#include <thread>
#include <utility>

#include "primitives/core/device.h"

namespace copse::detail {

namespace {

/// How long a rank that leaves waits for the work of NCCL on others.
constexpr std::chrono::seconds max_farewell(10);

}  // namespace

NcclRank::NcclRank(const NcclOptions& options, std::function<void()> check_others)
    : library_(options.library),
      deadline_(
          std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.deadline_seconds))),
      check_others_(std::move(check_others)) {}

/// After an error the others may never end their work with this rank, so it is aborted.
NcclRank::~NcclRank() {
  if (std::uncaught_exceptions() == 0) leave();
  abort();
}

/// Waits until what NCCL still does for the others has ended.
void NcclRank::leave() noexcept {
  if (comm_ == nullptr) return;
  try {
    check_others_ = [] {};  // they may leave too
    library_.check(library_.comm_finalize(comm_), "ncclCommFinalize", comm_);
    wait_until("ncclCommFinalize", std::min<Clock::duration>(deadline_, max_farewell),
               [&] { return is_ready("ncclCommFinalize"); });
    library_.comm_destroy(comm_);
    comm_ = nullptr;
  } catch (...) {  // abort() ends it
  }
}

void NcclRank::join(Context& context, u32 rank, u32 size, const NcclId& id) {
  run(context, "ncclCommInitRankConfig", [&](NcclStream) {
    NcclConfig config;
    library_.check(library_.comm_init_rank_config(&comm_, int(size), id, int(rank), &config),
                   "ncclCommInitRankConfig", comm_);
  });
}

void NcclRank::all_gather(Context& context, const void* mine, u64 bytes, void* all) {
  run(context, "ncclAllGather", [&](NcclStream stream) {
    library_.check(library_.all_gather(mine, all, bytes, nccl_u8, comm_, stream), "ncclAllGather", comm_);
  });
}

void NcclRank::sum(Context& context, u64* numbers, u64 count) {
  run(context, "ncclAllReduce", [&](NcclStream stream) {
    library_.check(library_.all_reduce(numbers, numbers, count, nccl_u64, nccl_sum, comm_, stream),
                   "ncclAllReduce", comm_);
  });
}

/// Pieces without bytes are left out on both sides. A group that has begun must end, also after an error.
void NcclRank::exchange(Context& context, std::span<const Outgoing> send, std::span<const Incoming> receive) {
  run(context, "ncclGroupEnd", [&](NcclStream stream) {
    library_.check(library_.group_start(), "ncclGroupStart", comm_);
    NcclResult sending = nccl_success, receiving = nccl_success;
    for (size_t r = 0; r < send.size() && is_good(sending) && is_good(receiving); ++r) {
      if (send[r].bytes > 0) sending = library_.send(send[r].data, send[r].bytes, nccl_u8, int(r), comm_, stream);
      if (receive[r].bytes > 0)
        receiving = library_.receive(receive[r].data, receive[r].bytes, nccl_u8, int(r), comm_, stream);
    }
    const NcclResult ending = library_.group_end();
    library_.check(sending, "ncclSend", comm_);
    library_.check(receiving, "ncclRecv", comm_);
    library_.check(ending, "ncclGroupEnd", comm_);
  });
}

void NcclRank::end(const Error& error) noexcept {
  if (!failure_) {
    failure_.emplace(Failure{error.code(), {}});
    try {
      failure_->text = error.what();
    } catch (...) {
    }
  }
  abort();
}

template <class Call>
void NcclRank::run(Context& context, const char* function, const Call& call) {
  if (failure_) throw Error(failure_->code, failure_->text);
  try {
    context.wait();
    context.device().make_current();
    call(context.stream());
    // NCCL puts its work on the stream while it is in progress.
    wait_until(function, deadline_, [&] { return is_ready(function); });
    const std::unique_ptr<Mark> mark = context.device().mark();
    wait_until(function, deadline_, [&] { return is_ready(function) && mark->has_passed(); });
    context.wait();
  } catch (const Error& error) {
    end(error);
    throw;
  } catch (const std::bad_alloc&) {
    const Error error(ErrorCode::out_of_memory, "the host has no more memory");
    end(error);
    throw error;
  }
}

/// Short waits spin, since most calls take less time than a sleep.
template <class IsDone>
void NcclRank::wait_until(const char* function, Clock::duration deadline, const IsDone& is_done) {
  constexpr u32 spin_count = 2000;
  const Clock::time_point begin = Clock::now();
  for (u32 turn = 0; !is_done(); ++turn) {
    check_others_();
    if (Clock::now() - begin > deadline) {
      const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(deadline).count();
      throw Error(ErrorCode::device_failure, std::string(function) + ": other ranks have not answered for " +
                                                 std::to_string(milliseconds) + " ms");
    }
    if (turn < spin_count) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
}

/// Returns true unless NCCL is still in a call. Throws: the error of work that it has begun earlier.
bool NcclRank::is_ready(const char* function) {
  NcclResult state = nccl_success;
  library_.check(library_.comm_get_async_error(comm_, &state), "ncclCommGetAsyncError", comm_);
  library_.check(state, function, comm_);
  return state == nccl_success;
}

void NcclRank::abort() noexcept {
  if (comm_ != nullptr) library_.comm_abort(comm_);
  comm_ = nullptr;
}

}  // namespace copse::detail
