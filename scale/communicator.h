#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "scale/devices.h"

namespace copse {

class Transport;
namespace detail {
class NcclTransport;
}

/// A piece of memory that a rank sends to another one.
struct Outgoing {
  /// In the memory of the context of the exchange.
  const void* data = nullptr;
  /// May be 0.
  u64 bytes = 0;
};

/// Room for the bytes that a rank receives from another one.
struct Incoming {
  /// In the memory of the context of the exchange.
  void* data = nullptr;
  /// As many as the other rank sends.
  u64 bytes = 0;
};

/// One rank of a group that works together. The ranks are threads of a process, or processes. Each rank has a
/// communicator, a context and a part of the data.
///
///   std::vector<copse::Communicator> ranks = copse::Communicator::of_devices(gpus);
///   gpus.run([&](copse::Context& context, copse::u32 device) {
///     copse::Communicator comm = std::move(ranks[device]);
///     const copse::ShardedBvh shard = copse::build_sharded(comm, context, triangles_of(device));
///   });
///
/// A call that takes a communicator is collective: every rank makes it, in the same order, and it waits for the others.
/// If it fails on one rank, it throws the same Error on all ranks, with the rank in its message.
///
/// Each thread should own its communicator, as above. If a rank destroys it, for example because the caller's code
/// threw, ranks that wait for this rank throw Error device_failure and do not hang.
class COPSE_API Communicator {
 public:
  /// A group of one rank. Collective calls then cost no more than others.
  Communicator();

  /// Returns the ranks of a group of threads, in order. On GPUs, data of other ranks is copied through the host.
  /// Throws: Error invalid_argument unless `count` is 1 to 64.
  static std::vector<Communicator> of_threads(u32 count);

  /// Returns a rank for each device; rank r works with the context of device r. GPUs copy from each other. `devices`
  /// must outlive the ranks.
  static std::vector<Communicator> of_devices(Devices& devices);

  /// Makes a rank that reaches the others by a transport. The functions above call this constructor.
  explicit Communicator(std::unique_ptr<Transport> transport);

  /// Ranks that wait for this one throw Error device_failure.
  ~Communicator();

  /// Makes this object the rank. The other object may then only be destroyed or assigned to.
  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;

  /// This rank, counted from 0.
  u32 rank() const;
  /// The number of ranks.
  u32 size() const;

  /// Calls work() on each rank. Collective. Work that is not collective itself may fail on some ranks: then all ranks
  /// throw the error of the first rank that failed, with its number in the message. In a group of one it only calls
  /// work().
  void agree(const std::function<void()>& work);

  /// Returns the values of all ranks, [rank]. Collective.
  template <class T>
  std::vector<T> all_gather(const T& mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(size());
    all_gather_bytes(&mine, sizeof(T), all.data());
    return all;
  }

  /// Adds up the numbers of all ranks, element by element. Collective; all ranks have the same count.
  void sum(std::vector<u64>& numbers);

  /// Sends send[r] to each rank r, and stores what rank r sends at receive[r]. Collective.
  ///   send, receive: one per rank, in the memory of `context`. Rank a sends to b as many bytes as b expects from a
  /// Waits: until all bytes have arrived.
  void exchange(Context& context, const std::vector<Outgoing>& send, const std::vector<Incoming>& receive);

 private:
  void all_gather_bytes(const void* mine, u64 bytes, void* all);

  friend class detail::NcclTransport;

  std::unique_ptr<Transport> transport_;
};

}  // namespace copse
