// A library that stands for NCCL: its names, over memory of the host, for ranks that are threads. Like NCCL, it works in the
// background, and a rank that is aborted leaves the others waiting.

#include "tests/scale/nccl_double.h"

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "scale/transports/nccl_library.h"

using copse::NcclId;
using copse::u32;
using copse::u64;
using copse::u8;
using copse::detail::NcclConfig;
using copse::detail::NcclOperation;
using copse::detail::NcclResult;
using copse::detail::NcclStream;
using copse::detail::NcclType;
using copse::test::NcclFault;

namespace {

constexpr auto success = copse::detail::nccl_success, in_progress = copse::detail::nccl_in_progress;
constexpr auto remote_error = NcclResult(6), invalid_usage = NcclResult(5);

/// The ranks of an id, and the messages between them, in order for each pair.
struct Group {
  std::mutex mutex;
  std::condition_variable changed;
  u32 joined = 0;
  std::map<std::pair<int, int>, std::vector<std::vector<u8>>> mail;  // [from, to]
};

std::mutex groups_mutex;
std::map<std::string, std::shared_ptr<Group>> groups;
std::atomic<u32> id_count = 0, open_count = 0;

thread_local u32 call_count = 0, failing_call = ~u32{0};
thread_local NcclFault wanted_fault = NcclFault::none;

NcclFault next_fault() {
  return call_count++ == failing_call ? wanted_fault : NcclFault::none;
}

}  // namespace

namespace copse::detail {

/// A communicator. Its work runs in a thread, one call after another.
struct NcclComm {
  std::shared_ptr<Group> group;
  int rank, size;
  std::atomic<NcclResult> state = success;
  std::atomic<bool> is_aborted = false;
  std::thread thread;

  template <class Work>
  NcclResult begin(NcclFault fault, const Work& work) {
    if (fault == NcclFault::refused) return invalid_usage;
    if (thread.joinable()) thread.join();
    state = in_progress;
    if (fault == NcclFault::stuck) return in_progress;
    thread = std::thread([this, fault, work] {
      const bool is_done = fault != NcclFault::later && work();
      state = is_done ? success : remote_error;
    });
    return in_progress;
  }

  /// Waits for a change of the group. Returns false if the rank is aborted.
  template <class Condition>
  bool wait(std::unique_lock<std::mutex>& lock, const Condition& condition) {
    group->changed.wait(lock, [&] { return is_aborted || condition(); });
    return !is_aborted;
  }

  void post(const void* data, u64 bytes, int to) {
    const auto* const begin = static_cast<const u8*>(data);
    const std::lock_guard lock(group->mutex);
    group->mail[{rank, to}].emplace_back(begin, begin + bytes);
    group->changed.notify_all();
  }

  bool take(void* data, u64 bytes, int from) {
    std::unique_lock lock(group->mutex);
    auto& letters = group->mail[{from, rank}];
    if (!wait(lock, [&] { return !letters.empty(); })) return false;
    const bool fits = letters.front().size() == bytes;
    if (fits) std::memcpy(data, letters.front().data(), bytes);
    letters.erase(letters.begin());
    return fits;
  }
};

}  // namespace copse::detail

using copse::detail::NcclComm;

namespace {

struct Piece {
  NcclComm* comm;
  const void* send;
  void* receive;
  u64 bytes;
  int peer;
};

thread_local bool is_in_group = false;
thread_local std::vector<Piece> pieces;

bool all_gather_bytes(NcclComm* comm, const void* send, u8* receive, u64 bytes) {
  for (int r = 0; r < comm->size; ++r) comm->post(send, bytes, r);
  for (int r = 0; r < comm->size; ++r) {
    if (!comm->take(receive + u64(r) * bytes, bytes, r)) return false;
  }
  return true;
}

}  // namespace

extern "C" {

void nccl_double_fail(u32 call, NcclFault fault) {
  call_count = 0, failing_call = call, wanted_fault = fault;
}

u32 nccl_double_calls() {
  return call_count;
}

u32 nccl_double_open_communicators() {
  return open_count;
}

NcclResult ncclGetVersion(int* version) {
  *version = COPSE_NCCL_DOUBLE_VERSION;
  return success;
}

const char* ncclGetErrorString(NcclResult result) {
  return result == remote_error ? "remote error" : "invalid usage";
}

const char* ncclGetLastError(NcclComm*) {
  return "of the double";
}

NcclResult ncclGetUniqueId(NcclId* id) {
  if (next_fault() != NcclFault::none) return invalid_usage;
  std::snprintf(id->bytes.data(), id->bytes.size(), "double %u", unsigned(++id_count));
  return success;
}

NcclResult ncclCommInitRankConfig(NcclComm** comm, int size, NcclId id, int rank, NcclConfig* config) {
  const NcclFault fault = next_fault();
  if (config->blocking != 0 || config->magic != 0xcafebeef) return invalid_usage;
  const std::lock_guard lock(groups_mutex);
  auto& group = groups[id.bytes.data()];
  if (group == nullptr) group = std::make_shared<Group>();
  if (fault == NcclFault::refused) return invalid_usage;
  *comm = new NcclComm{group, rank, size, {}, {}, {}};
  ++open_count;
  NcclComm* const made = *comm;
  return made->begin(fault, [made] {
    std::unique_lock of_group(made->group->mutex);
    ++made->group->joined;
    made->group->changed.notify_all();
    return made->wait(of_group, [made] { return made->group->joined >= u32(made->size); });
  });
}

NcclResult ncclCommGetAsyncError(NcclComm* comm, NcclResult* state) {
  *state = comm->state;
  return success;
}

NcclResult ncclCommFinalize(NcclComm* comm) {
  return comm->begin(NcclFault::none, [] { return true; });
}

NcclResult ncclCommDestroy(NcclComm* comm) {
  if (comm->thread.joinable()) comm->thread.join();
  delete comm;
  --open_count;
  return success;
}

#ifndef COPSE_NCCL_DOUBLE_LACKS_ABORT
NcclResult ncclCommAbort(NcclComm* comm) {
  {
    const std::lock_guard lock(comm->group->mutex);
    comm->is_aborted = true;
    comm->group->changed.notify_all();
  }
  return ncclCommDestroy(comm);
}
#endif

NcclResult ncclGroupStart() {
  if (next_fault() != NcclFault::none) return invalid_usage;
  is_in_group = true;
  pieces.clear();
  return success;
}

NcclResult ncclSend(const void* data, size_t count, NcclType, int peer, NcclComm* comm, NcclStream) {
  if (next_fault() != NcclFault::none || !is_in_group) return invalid_usage;
  pieces.push_back({comm, data, nullptr, count, peer});
  return success;
}

NcclResult ncclRecv(void* data, size_t count, NcclType, int peer, NcclComm* comm, NcclStream) {
  if (next_fault() != NcclFault::none || !is_in_group) return invalid_usage;
  pieces.push_back({comm, nullptr, data, count, peer});
  return success;
}

NcclResult ncclGroupEnd() {
  const NcclFault fault = next_fault();
  is_in_group = false;
  if (fault == NcclFault::refused) return invalid_usage;
  if (pieces.empty()) return success;
  return pieces[0].comm->begin(fault, [work = pieces] {
    for (const Piece& piece : work) {
      if (piece.send != nullptr) piece.comm->post(piece.send, piece.bytes, piece.peer);
    }
    for (const Piece& piece : work) {
      if (piece.receive != nullptr && !piece.comm->take(piece.receive, piece.bytes, piece.peer)) return false;
    }
    return true;
  });
}

NcclResult ncclAllGather(const void* send, void* receive, size_t count, NcclType, NcclComm* comm, NcclStream) {
  return comm->begin(next_fault(), [=] { return all_gather_bytes(comm, send, static_cast<u8*>(receive), count); });
}

NcclResult ncclAllReduce(const void* send, void* receive, size_t count, NcclType type, NcclOperation,
                         NcclComm* comm, NcclStream) {
  if (type != copse::detail::nccl_u64) return invalid_usage;
  return comm->begin(next_fault(), [=] {
    std::vector<u64> all(count * u64(comm->size)), sums(count);
    if (!all_gather_bytes(comm, send, reinterpret_cast<u8*>(all.data()), count * sizeof(u64))) return false;
    for (u64 i = 0; i < all.size(); ++i) sums[i % count] += all[i];
    std::memcpy(receive, sums.data(), count * sizeof(u64));
    return true;
  });
}
}
