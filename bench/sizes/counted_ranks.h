#pragma once

#include <algorithm>
#include <chrono>
#include <memory>

#include "copse/scale.h"
#include "copse/shards.h"
#include "scale/transports/thread_transport.h"

namespace copse::bench {

/// What a rank has sent to other ranks.
struct Traffic {
  u64 bytes = 0;
  double seconds = 0;  // in exchanges, with the wait for the other ranks
};

/// Passes calls on, and counts the bytes that leave this rank.
class CountingTransport final : public Transport {
 public:
  CountingTransport(std::unique_ptr<Transport> inner, Traffic& traffic)
      : inner_(std::move(inner)), traffic_(traffic) {}

  u32 rank() const override { return inner_->rank(); }
  u32 size() const override { return inner_->size(); }
  bool reaches(const Context& context) const override { return inner_->reaches(context); }
  void all_gather(const void* mine, u64 bytes, void* all) override { inner_->all_gather(mine, bytes, all); }
  void sum(u64* numbers, u64 count) override { inner_->sum(numbers, count); }
  void exchange(Context& context, std::span<const Outgoing> send, std::span<const Incoming> receive) override {
    const auto begin = std::chrono::steady_clock::now();
    inner_->exchange(context, send, receive);
    traffic_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (u32 other = 0; other < send.size(); ++other) traffic_.bytes += other == rank() ? 0 : send[other].bytes;
  }
  void fail(const Error& error) noexcept override { inner_->fail(error); }

 private:
  std::unique_ptr<Transport> inner_;
  Traffic& traffic_;
};

/// A group of ranks, each with a device of its own: a GPU, or a context of the CPU.
class CountedRanks {
 public:
  /// Throws: Error no_device or invalid_argument if there are fewer GPUs.
  CountedRanks(Backend backend, u32 count)
      : devices_({.backend = backend, .count = count, .workers = backend == Backend::cpu ? 1u : 0u}),
        traffic_(count) {
    auto transports = copse::detail::make_thread_transports(count, &devices_.links());
    for (u32 rank = 0; rank < count; ++rank) {
      ranks_.emplace_back(std::make_unique<CountingTransport>(std::move(transports[rank]), traffic_[rank]));
    }
  }

  u32 count() const { return u32(ranks_.size()); }
  Devices& devices() { return devices_; }
  const Traffic& traffic(u32 rank) const { return traffic_[rank]; }
  void forget_traffic() { traffic_.assign(count(), {}); }

  /// The bytes that left a rank, of the rank with the most.
  u64 max_bytes() const {
    u64 most = 0;
    for (const Traffic& traffic : traffic_) most = std::max(most, traffic.bytes);
    return most;
  }

  /// Calls work(comm, context) on all ranks at once.
  template <class Work>
  void run(const Work& work) {
    devices_.run([&](Context& context, u32 rank) { work(ranks_[rank], context); });
  }

  /// The same, and returns the seconds from the moment when all ranks are ready to the end of the last one's work.
  template <class Work>
  double time(const Work& work) {
    std::vector<double> seconds(count());
    run([&](Communicator& comm, Context& context) {
      context.wait();
      comm.agree([] {});
      const auto begin = std::chrono::steady_clock::now();
      work(comm, context);
      context.wait();
      seconds[comm.rank()] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    });
    return *std::max_element(seconds.begin(), seconds.end());
  }

 private:
  Devices devices_;
  std::vector<Traffic> traffic_;
  std::vector<Communicator> ranks_;
};

}  // namespace copse::bench
