// Groups of ranks: what they send each other, and that a failure on one rank ends the call on all of them.

#include "scale/communicator.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <stop_token>

#include "builders/geometry/generate.h"
#include "scale/sharded_queries.h"
#include "scale/sharded_rays.h"
#include "scale/transports/thread_transport.h"
#include "tests/scale/ranks.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/limited_memory.h"

namespace copse {

namespace {

using test::expect_no_error;
using test::RankOutcome;
using test::run_ranks;

TEST(Communicator, GathersSumsAndExchangesForAllRankCounts) {
  for (const u32 count : {1u, 2u, 3u, 4u, 7u, 8u, 64u}) {
    expect_no_error(run_ranks(Communicator::of_threads(count), [&](Communicator& comm, u32 rank) {
      ASSERT_EQ(comm.rank(), rank);
      ASSERT_EQ(comm.size(), count);
      for (u32 repeat = 0; repeat < 20; ++repeat) {
        const std::vector<u32> all = comm.all_gather(100 * repeat + rank);
        for (u32 r = 0; r < count; ++r) ASSERT_EQ(all[r], 100 * repeat + r);
        std::vector<u64> sums{u64{1} << 40, rank};
        comm.sum(sums);
        ASSERT_EQ(sums, (std::vector<u64>{u64{count} << 40, count * (count - 1) / 2}));
      }
    }));
  }
}

/// Rank a sends a + b numbers to rank b, so also none.
TEST(Communicator, ExchangesPiecesOfAllSizes) {
  for (const Backend backend : {Backend::cpu, Backend::cuda}) {
    if (backend == Backend::cuda && !test::gpu_answers()) continue;
    for (const u32 count : {1u, 2u, 5u, 8u}) {
      expect_no_error(run_ranks(Communicator::of_threads(count), [&](Communicator& comm, u32 rank) {
        Context context({.backend = backend, .workers = 1});
        std::vector<u32> numbers;
        std::vector<u64> sent{0}, received{0};
        for (u32 other = 0; other < count; ++other) {
          numbers.resize(numbers.size() + rank + other, 1000 * rank + other);
          sent.push_back(numbers.size());
          received.push_back(received.back() + rank + other);
        }
        const Buffer<u32> send(context, numbers);
        Buffer<u32> receive(context, received.back());
        std::vector<Outgoing> outgoing;
        std::vector<Incoming> incoming;
        for (u32 other = 0; other < count; ++other) {
          outgoing.push_back({send.data() + sent[other], 4 * (sent[other + 1] - sent[other])});
          incoming.push_back({receive.data() + received[other], 4 * u64{rank + other}});
        }
        comm.exchange(context, outgoing, incoming);
        const std::vector<u32> found = receive.download();
        for (u32 other = 0; other < count; ++other) {
          for (u64 i = received[other]; i < received[other + 1]; ++i) ASSERT_EQ(found[i], 1000 * other + rank);
        }
      }));
    }
  }
}

TEST(Communicator, ThrowsTheErrorOfTheFirstRankThatFailedOnAllRanks) {
  for (const u32 count : {1u, 2u, 5u}) {
    for (u32 failing = 0; failing < count; ++failing) {
      const auto outcomes = run_ranks(Communicator::of_threads(count), [&](Communicator& comm, u32 rank) {
        comm.agree([] {});
        comm.agree([&] {
          if (rank >= failing) throw Error(ErrorCode::capacity, "part " + std::to_string(rank) + " is too large");
        });
      });
      const std::string text = "part " + std::to_string(failing) + " is too large";
      const std::string expected = count == 1 ? text : "rank " + std::to_string(failing) + ": " + text;
      for (const RankOutcome& outcome : outcomes)
        EXPECT_EQ(outcome, (RankOutcome{true, ErrorCode::capacity, expected}));
    }
  }
}

/// An error is no end: the ranks have agreed on it, so they can go on together.
TEST(Communicator, GoesOnAfterAnErrorThatAllRanksKnow) {
  expect_no_error(run_ranks(Communicator::of_threads(3), [&](Communicator& comm, u32 rank) {
    EXPECT_COPSE_ERROR(comm.agree([&] {
      if (rank == 1) throw std::bad_alloc();
    }),
                       ErrorCode::out_of_memory, "rank 1: the host has no more memory");
    const std::string long_text(2000, 'x');
    EXPECT_COPSE_ERROR(comm.agree([&] {
      if (rank == 2) throw std::runtime_error(long_text);
    }),
                       ErrorCode::device_failure, "rank 2: " + long_text.substr(0, 500));
    EXPECT_EQ(comm.all_gather(rank), (std::vector<u32>{0, 1, 2}));
  }));
}

TEST(Communicator, EndsForAllWhenARankLeaves) {
  for (u32 leaving = 0; leaving < 3; ++leaving) {
    const auto outcomes = run_ranks(Communicator::of_threads(3), [&](Communicator& comm, u32 rank) {
      comm.all_gather(rank);
      if (rank == leaving) return;
      comm.all_gather(rank);
    });
    for (u32 rank = 0; rank < 3; ++rank) {
      const std::string text =
          "rank " + std::to_string(leaving) + " left its communicator while other ranks waited for it";
      EXPECT_EQ(outcomes[rank].text, rank == leaving ? "" : text);
    }
  }
}

TEST(Communicator, RefusesGroupsWithoutRanksAndTooLargeOnes) {
  EXPECT_COPSE_ERROR(Communicator::of_threads(0), ErrorCode::invalid_argument, "count is 0; it can be 1 to 64");
  EXPECT_COPSE_ERROR(Communicator::of_threads(65), ErrorCode::invalid_argument, "count is 65; it can be 1 to 64");
}

/// Passes calls on, and throws at one of them.
class FailingTransport final : public Transport {
 public:
  FailingTransport(std::unique_ptr<Transport> inner, u32 failing_call)
      : inner_(std::move(inner)), failing_call_(failing_call) {}

  u32 rank() const override { return inner_->rank(); }
  u32 size() const override { return inner_->size(); }
  bool reaches(const Context& context) const override { return inner_->reaches(context); }
  void all_gather(const void* mine, u64 bytes, void* all) override {
    count_call();
    inner_->all_gather(mine, bytes, all);
  }
  void sum(u64* numbers, u64 count) override {
    count_call();
    inner_->sum(numbers, count);
  }
  void exchange(Context& context, std::span<const Outgoing> send, std::span<const Incoming> receive) override {
    count_call();
    inner_->exchange(context, send, receive);
  }
  void fail(const Error& error) noexcept override { inner_->fail(error); }

 private:
  void count_call() {
    if (call_count_++ == failing_call_) throw Error(ErrorCode::device_failure, "the link is broken");
  }

  std::unique_ptr<Transport> inner_;
  u32 failing_call_, call_count_ = 0;
};

/// All that ranks do together: a build, a rebuild, a gather, refits, rays and questions.
///   data: has the triangles and the rays. Its device is that of `context`
void work_together(Communicator& comm, Context& context, Context& data, Context& host) {
  const Mesh mesh = generate_random(300, 0.2f);
  const test::DeviceMesh on_device(data, mesh);
  ShardedBvh shard = build_sharded(comm, context, on_device.view());
  rebuild(comm, context, shard, on_device.view(), {.hploc_radius = 4});
  const Bvh whole = gather(comm, host, shard);
  ShardedAccel accel = make_accel(comm, context, shard, Quality::fast);
  refit(comm, context, shard, on_device.view());
  refit(comm, context, accel, shard);
  const Buffer<Ray> rays(data, std::vector<Ray>(20, Ray{{0.5f, 0.5f, -1}, 0, {0, 0, 1}, 10}));
  Buffer<Hit> hits(data, rays.size());
  closest_hits(comm, context, accel, rays.span(), hits.span());
  const Buffer<vec3> points(data, std::vector<vec3>(20, vec3(0.5f)));
  Buffer<NearestPoint> nearest(data, points.size());
  Buffer<Neighbour> neighbours(data, 3 * points.size());
  Buffer<u8> inside(data, points.size());
  nearest_points(comm, context, accel, points.span(), nearest.span());
  nearest_primitives(comm, context, accel, points.span(), neighbours.span());
  points_inside(comm, context, accel, points.span(), inside.span());
  const Buffer<Sphere> spheres(data, std::vector<Sphere>(20, Sphere{vec3(0.5f), 0.3f}));
  const OverlapLists lists = all_overlaps(comm, context, accel, BufferSpan<const Sphere>(spheres.span()));
}

/// Returns what the ranks throw if one of them fails at a call, the first call being number 0.
std::vector<RankOutcome> work_with_failure(u32 rank_count, u32 failing_rank, u32 failing_call) {
  std::vector<Communicator> ranks;
  for (auto& transport : detail::make_thread_transports(rank_count, nullptr)) {
    const bool fails = transport->rank() == failing_rank;
    ranks.emplace_back(std::make_unique<FailingTransport>(std::move(transport), fails ? failing_call : ~u32{0}));
  }
  return run_ranks(std::move(ranks), [&](Communicator& comm, u32) {
    Context context({.backend = Backend::cpu, .workers = 1});
    work_together(comm, context, context, context);
  });
}

TEST(Communicator, EndsForAllWhenAnyCallFailsOnAnyRank) {
  const RankOutcome broken{true, ErrorCode::device_failure, "the link is broken"};
  u32 call_count = 0;
  while (work_with_failure(3, 0, call_count)[0].has_failed) {
    for (u32 failing_rank = 0; failing_rank < 3; ++failing_rank) {
      const auto outcomes = work_with_failure(3, failing_rank, call_count);
      for (const RankOutcome& outcome : outcomes) EXPECT_EQ(outcome, broken) << "call " << call_count;
    }
    ++call_count;
    ASSERT_LT(call_count, 500u);
  }
  EXPECT_GT(call_count, 100u);
}

TEST(Communicator, EndsForAllWhenARankHasTooLittleMemory) {
  constexpr u32 count = 3;
  const auto run_with = [&](test::LimitedMemory& memory, u32 poor_rank) {
    return run_ranks(Communicator::of_threads(count), [&](Communicator& comm, u32 rank) {
      Context data({.backend = Backend::cpu, .workers = 1});
      Context context({.backend = Backend::cpu, .memory = rank == poor_rank ? &memory : nullptr, .workers = 1});
      work_together(comm, context, data, context);
    });
  };
  for (u32 poor_rank = 0; poor_rank < count; ++poor_rank) {
    test::LimitedMemory enough;
    expect_no_error(run_with(enough, poor_rank));
    for (u64 part = 0; part < 16; ++part) {
      test::LimitedMemory memory(enough.peak() * part / 16);
      const auto outcomes = run_with(memory, poor_rank);
      for (const RankOutcome& outcome : outcomes) {
        EXPECT_EQ(outcome, outcomes[poor_rank]);
        EXPECT_EQ(outcome.code, ErrorCode::out_of_memory);
      }
      EXPECT_EQ(memory.in_use(), 0u);
    }
  }
}

TEST(Communicator, EndsForAllWhenOneContextIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  const auto outcomes = run_ranks(Communicator::of_threads(3), [&](Communicator& comm, u32 rank) {
    ContextOptions options{.backend = Backend::cpu, .workers = 1};
    if (rank == 2) options.cancel = stop.get_token();
    Context context(options);
    Context data({.backend = Backend::cpu, .workers = 1});
    work_together(comm, context, data, context);
  });
  for (const RankOutcome& outcome : outcomes) {
    EXPECT_EQ(outcome, outcomes[0]);
    EXPECT_EQ(outcome.code, ErrorCode::cancelled);
  }
}

/// The ranks of devices copy from each other's memory; on one machine with several GPUs by their links.
TEST(Communicator, OfDevicesWorksWithTheirContexts) {
  for (const Backend backend : {Backend::cpu, Backend::cuda}) {
    if (backend == Backend::cuda && !test::gpu_answers()) continue;
    Devices devices({.backend = backend, .count = backend == Backend::cpu ? 3u : 0u, .workers = 1});
    std::vector<Communicator> ranks = Communicator::of_devices(devices);
    ASSERT_EQ(ranks.size(), devices.count());
    devices.run([&](Context& context, u32 device) {
      Communicator comm = std::move(ranks[device]);
      Context host({.backend = Backend::cpu, .workers = 1});
      work_together(comm, context, context, host);
    });
  }
}

}  // namespace

}  // namespace copse
