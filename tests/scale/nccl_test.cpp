// Ranks that send by NCCL: by a library that stands for it, whose calls fail where a test wants it, and by NCCL itself where
// GPUs and the library are there.

#include "scale/nccl_communicator.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "accel/accel_rays.h"
#include "builders/bvh/build.h"
#include "builders/geometry/generate.h"
#include "scale/sharded_rays.h"
#include "scale/transports/nccl_transport.h"
#include "tests/scale/nccl_double.h"
#include "tests/scale/ranks.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/host_bvh.h"

namespace copse {

namespace test {

NcclDouble::NcclDouble(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto find = [library](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) throw std::runtime_error(dlerror());
  };
  find("nccl_double_fail", fail);
  find("nccl_double_calls", calls);
  find("nccl_double_open_communicators", open_communicators);
}

}  // namespace test

namespace {

using test::NcclFault;
using test::RankOutcome;
using test::run_ranks;

/// Returns the path of a library that lies beside this program.
std::string beside_program(const char* name) {
  return std::filesystem::read_symlink("/proc/self/exe").replace_filename(name);
}

const std::string double_path = beside_program("libcopse-test-nccl-double.so");

const test::NcclDouble& nccl_double() {
  static const test::NcclDouble library(double_path);
  return library;
}

const NcclOptions with_double{.library = double_path, .deadline_seconds = 60};

/// How the ranks find each other: by an id alone, or as threads.
enum class Bootstrap { id, threads };
constexpr Bootstrap bootstraps[] = {Bootstrap::id, Bootstrap::threads};

using Work = std::function<void(Communicator&, Context&)>;

/// Makes ranks that are threads, with contexts of the CPU, and returns what they threw.
///   begin: called on each rank before it joins
std::vector<RankOutcome> run_with_double(
    Bootstrap bootstrap, u32 count, const Work& work, const NcclOptions& options = with_double,
    const std::function<void(u32)>& begin = [](u32) {}) {
  const NcclId id = new_nccl_id(with_double);
  return run_ranks(Communicator::of_threads(count), [&](Communicator& threads, u32 rank) {
    begin(rank);
    Context context({.backend = Backend::cpu, .workers = 1});
    Communicator comm = bootstrap == Bootstrap::id
                            ? detail::make_nccl_communicator(context, rank, count, id, options)
                            : detail::make_nccl_communicator(context, std::move(threads), options);
    work(comm, context);
  });
}

void expect_all_ended(const std::vector<RankOutcome>& outcomes) {
  test::expect_no_error(outcomes);
  EXPECT_EQ(nccl_double().open_communicators(), 0u);
}

/// Rank a sends (a + 2 b) % 5 times `unit` numbers to rank b, so also none.
void check_exchange(Communicator& comm, Context& context, u64 unit) {
  const u32 rank = comm.rank(), count = comm.size();
  const auto numbers_of = [&](u32 from, u32 to) { return (from + 2 * to) % 5 * unit; };
  std::vector<u32> numbers;
  std::vector<u64> sent{0}, received{0};
  for (u32 other = 0; other < count; ++other) {
    numbers.resize(numbers.size() + numbers_of(rank, other), 1000 * rank + other);
    sent.push_back(numbers.size());
    received.push_back(received.back() + numbers_of(other, rank));
  }
  const Buffer<u32> send(context, numbers);
  Buffer<u32> receive(context, received.back());
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (u32 other = 0; other < count; ++other) {
    outgoing.push_back({send.data() + sent[other], 4 * numbers_of(rank, other)});
    incoming.push_back({receive.data() + received[other], 4 * numbers_of(other, rank)});
  }
  comm.exchange(context, outgoing, incoming);
  const std::vector<u32> found = receive.download();
  for (u32 other = 0; other < count; ++other) {
    for (u64 i = received[other]; i < received[other + 1]; ++i) ASSERT_EQ(found[i], 1000 * other + rank);
  }
}

/// Values and sums that take more than one piece of the staging memory.
void check_host_calls(Communicator& comm) {
  struct Large {
    u8 bytes[300000];
  };
  const u32 rank = comm.rank(), count = comm.size();
  auto mine = std::make_unique<Large>();
  for (size_t i = 0; i < sizeof(Large); ++i) mine->bytes[i] = u8(i * 7 + rank);
  const std::vector<Large> all = comm.all_gather(*mine);
  for (u32 r = 0; r < count; ++r) {
    for (size_t i = 0; i < sizeof(Large); i += 999) ASSERT_EQ(all[r].bytes[i], u8(i * 7 + r));
  }
  std::vector<u64> sums(40000);
  for (u64 i = 0; i < sums.size(); ++i) sums[i] = (u64{1} << 40) + i * rank;
  comm.sum(sums);
  for (u64 i = 0; i < sums.size(); ++i)
    ASSERT_EQ(sums[i], (u64{count} << 40) + i * (u64{count} * (count - 1) / 2));
}

/// The tree that the ranks build, and the hits of each, against those of one context.
void check_tree(Communicator& comm, Context& context, const Mesh& mesh) {
  const u64 n = mesh.triangles.size(), first = n * comm.rank() / comm.size(),
            end = n * (comm.rank() + 1) / comm.size();
  const Mesh part{mesh.positions, {mesh.triangles.begin() + i64(first), mesh.triangles.begin() + i64(end)}};
  const test::DeviceMesh on_device(context, part);
  Context host({.backend = Backend::cpu, .workers = 1});
  ShardedBvh shard = build_sharded(comm, context, on_device.view(), {.hploc_radius = 3});
  const Bvh hploc = gather(comm, host, shard);
  rebuild(comm, context, shard, on_device.view());
  const Bvh whole = gather(comm, host, shard);
  if (comm.rank() == 0) {
    const Bvh expected = build(host, test::host_view(mesh), LbvhOptions{});
    EXPECT_TRUE(test::same_bytes(test::BvhCopy(whole), test::BvhCopy(expected)));
    const Bvh expected_hploc = build(host, test::host_view(mesh), HplocOptions{.radius = 3, .morton_bits = 63});
    EXPECT_TRUE(test::same_bytes(test::BvhCopy(hploc), test::BvhCopy(expected_hploc)));
  }
  const ShardedAccel accel = make_accel(comm, context, shard);
  std::vector<Ray> rays;
  for (u32 i = 0; i < 100; ++i) rays.push_back({vec3(float(i) * 0.01f, 0.5f, -1), 0, vec3(0, 0, 1), 10});
  const Buffer<Ray> on_device_rays(context, rays);
  Buffer<Hit> hits(context, rays.size()), expected_hits(host, rays.size());
  closest_hits(comm, context, accel, on_device_rays.span(), hits.span());
  const Accel single = build(host, test::host_view(mesh), AccelOptions{});
  closest_hits(host, single, Buffer<Ray>(host, rays).span(), expected_hits.span());
  const std::vector<Hit> found = hits.download(), expected = expected_hits.download();
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].t, expected[i].t) << i;
    ASSERT_EQ(found[i].u, expected[i].u) << i;
  }
}

TEST(Nccl, GathersSumsAndExchangesForAllRankCounts) {
  for (const Bootstrap bootstrap : bootstraps) {
    for (const u32 count : {1u, 2u, 3u, 8u}) {
      expect_all_ended(run_with_double(bootstrap, count, [&](Communicator& comm, Context& context) {
        ASSERT_EQ(comm.size(), count);
        check_host_calls(comm);
        for (const u64 unit : {0, 1, 1000}) check_exchange(comm, context, unit);
      }));
    }
  }
}

/// Memory that NCCL does not reach goes in pieces through memory that it does.
TEST(Nccl, SendsHostMemoryWithoutAnotherTransport) {
  constexpr u32 count = 3;
  const NcclId id = new_nccl_id(with_double);
  expect_all_ended(run_ranks(Communicator::of_threads(count), [&](Communicator&, u32 rank) {
    Context context({.backend = Backend::cpu, .workers = 1});
    const auto nccl = std::make_shared<detail::NcclRank>(with_double, [] {});
    nccl->join(context, rank, count, id);
    Communicator comm(std::make_unique<detail::NcclHostTransport>(context, rank, count, nccl));
    for (const u64 unit : {0, 10, 100000}) check_exchange(comm, context, unit);
  }));
}

TEST(Nccl, BuildsTheTreeOfOneContext) {
  const Mesh mesh = generate_random(500, 0.2f);
  for (const Bootstrap bootstrap : bootstraps) {
    for (const u32 count : {1u, 2u, 4u}) {
      expect_all_ended(run_with_double(
          bootstrap, count, [&](Communicator& comm, Context& context) { check_tree(comm, context, mesh); }));
    }
  }
}

TEST(Nccl, ThrowsTheErrorOfTheFirstRankThatFailedOnAllRanks) {
  for (const Bootstrap bootstrap : bootstraps) {
    const auto outcomes = run_with_double(bootstrap, 3, [](Communicator& comm, Context& context) {
      EXPECT_COPSE_ERROR(comm.agree([&] {
        if (comm.rank() == 1) throw Error(ErrorCode::capacity, "too large");
      }),
                         ErrorCode::capacity, "rank 1: too large");
      check_exchange(comm, context, 10);  // they go on together
    });
    expect_all_ended(outcomes);
  }
}

/// Everything that ranks do by NCCL.
void work_with_nccl(Communicator& comm, Context& context) {
  std::vector<u64> sums(10, comm.rank());
  comm.sum(sums);
  check_exchange(comm, context, 100);
  comm.all_gather(comm.rank());
}

/// Returns what three ranks throw if a call of one of them fails.
std::vector<RankOutcome> run_with_fault(Bootstrap bootstrap, u32 failing_rank, u32 call, NcclFault fault,
                                        double deadline) {
  const NcclOptions options{.library = double_path, .deadline_seconds = deadline};
  const auto outcomes = run_with_double(bootstrap, 3, work_with_nccl, options, [&](u32 rank) {
    nccl_double().fail(rank == failing_rank ? call : ~u32{0}, fault);
  });
  EXPECT_EQ(nccl_double().open_communicators(), 0u);
  return outcomes;
}

/// Returns the calls of a rank that can fail.
u32 count_calls(Bootstrap bootstrap, u32 of_rank) {
  u32 calls = 0;
  expect_all_ended(run_with_double(
      bootstrap, 3,
      [&](Communicator& comm, Context& context) {
        work_with_nccl(comm, context);
        if (comm.rank() == of_rank) calls = nccl_double().calls();
      },
      with_double, [](u32) { nccl_double().fail(~u32{0}, NcclFault::none); }));
  return calls;
}

TEST(Nccl, ThreadsEndWithOneErrorWhateverCallFails) {
  for (const u32 failing_rank : {0u, 2u}) {
    const u32 calls = count_calls(Bootstrap::threads, failing_rank);
    EXPECT_GT(calls, 5u);
    for (u32 call = 0; call < calls; ++call) {
      for (const NcclFault fault : {NcclFault::refused, NcclFault::later}) {
        SCOPED_TRACE("rank " + std::to_string(failing_rank) + ", call " + std::to_string(call));
        const auto outcomes = run_with_fault(Bootstrap::threads, failing_rank, call, fault, 60);
        const std::string begin = "rank " + std::to_string(failing_rank) + ": nccl";
        EXPECT_EQ(outcomes[0].text.substr(0, begin.size()), begin);
        EXPECT_NE(outcomes[0].text.find(" (of the double)"), std::string::npos) << outcomes[0].text;
        for (const RankOutcome& outcome : outcomes) EXPECT_EQ(outcome, outcomes[0]) << outcome.text;
      }
    }
  }
}

TEST(Nccl, ThreadsEndWithOneErrorWhenACallNeverEnds) {
  const u32 calls = count_calls(Bootstrap::threads, 1);
  for (u32 call = 0; call < calls; ++call) {
    const auto outcomes = run_with_fault(Bootstrap::threads, 1, call, NcclFault::stuck, 0.2);
    for (const RankOutcome& outcome : outcomes) {
      EXPECT_TRUE(outcome.has_failed) << call;
      EXPECT_EQ(outcome, outcomes[0]) << call;
    }
  }
}

/// Without another transport an error inside NCCL is known to its rank alone. The others stop at the deadline.
TEST(Nccl, RanksWithoutAnotherTransportEndAtTheDeadline) {
  const u32 calls = count_calls(Bootstrap::id, 1);
  EXPECT_GT(calls, 10u);
  for (u32 call = 0; call < calls; ++call) {
    for (const NcclFault fault : {NcclFault::refused, NcclFault::later, NcclFault::stuck}) {
      const auto outcomes = run_with_fault(Bootstrap::id, 1, call, fault, 0.1);
      for (const RankOutcome& outcome : outcomes) {
        EXPECT_TRUE(outcome.has_failed) << call;
        EXPECT_EQ(outcome.code, ErrorCode::device_failure) << call;
      }
      EXPECT_NE(outcomes[0].text.find(": other ranks have not answered for 100 ms"), std::string::npos)
          << outcomes[0].text;
    }
  }
}

TEST(Nccl, EndsForAllThreadsWhenARankLeaves) {
  for (const bool throws : {false, true}) {
    const auto outcomes = run_with_double(Bootstrap::threads, 3, [&](Communicator& comm, Context& context) {
      check_exchange(comm, context, 10);
      if (comm.rank() == 1 && throws) throw Error(ErrorCode::capacity, "enough");
      if (comm.rank() == 1) return;
      check_exchange(comm, context, 10);
    });
    EXPECT_EQ(outcomes[1].text, throws ? "enough" : "");
    for (const u32 rank : {0, 2})
      EXPECT_EQ(outcomes[rank].text, "rank 1 left its communicator while other ranks waited for it");
    EXPECT_EQ(nccl_double().open_communicators(), 0u);
  }
}

TEST(Nccl, NamesALibraryThatCannotBeUsed) {
  const auto expect_refused = [](const std::string& library, const std::string& cause) {
    EXPECT_COPSE_ERROR(new_nccl_id({.library = library}), ErrorCode::no_device, "NCCL: " + library + " " + cause);
  };
  expect_refused("libno-such-nccl.so.2", "cannot be opened: libno-such-nccl.so.2: cannot open shared object file");
  expect_refused(beside_program("libcopse-test-nccl-double-old.so"),
                 "has version 2.14.3; 2.18.0 or newer is needed");
  expect_refused(beside_program("libcopse-test-nccl-double-lacking.so"), "has no function ncclCommAbort");
}

TEST(Nccl, KeepsGpusOfOneProcessFromReadingBuffersDirectly) {
  new_nccl_id(with_double);
  const char* const setting = std::getenv("NCCL_P2P_DIRECT_DISABLE");
  ASSERT_NE(setting, nullptr);
  EXPECT_STREQ(setting, "1");
}

/// A library that is missing for one rank is an error of all.
TEST(Nccl, EndsForAllThreadsWhenOneHasNoLibrary) {
  const auto outcomes = run_ranks(Communicator::of_threads(3), [&](Communicator& threads, u32 rank) {
    Context context({.backend = Backend::cpu, .workers = 1});
    const NcclOptions without{.library = "libno-such-nccl.so.2"};
    detail::make_nccl_communicator(context, std::move(threads), rank == 2 ? without : with_double);
  });
  for (const RankOutcome& outcome : outcomes) {
    EXPECT_EQ(outcome, outcomes[0]);
    EXPECT_EQ(outcome.code, ErrorCode::no_device);
    EXPECT_EQ(outcome.text.substr(0, 56), "rank 2: NCCL: libno-such-nccl.so.2 cannot be opened: lib")
        << outcome.text;
  }
}

TEST(Nccl, RefusesWhatItCannotJoin) {
  Context context({.backend = Backend::cpu, .workers = 1});
  EXPECT_COPSE_ERROR(communicator_of_nccl(context, 3, 3, NcclId(), with_double), ErrorCode::invalid_argument,
                     "communicator_of_nccl: rank 3 of 3 ranks, counted from 0");
  EXPECT_COPSE_ERROR(communicator_of_nccl(context, 0, 1, NcclId(), with_double), ErrorCode::invalid_argument,
                     "the context is of the backend cpu; NCCL needs one of cuda");
  const auto outcomes = run_ranks(Communicator::of_threads(2), [&](Communicator& threads, u32 rank) {
    Context of_rank({.backend = Backend::cpu, .workers = 1});
    communicator_of_nccl(of_rank, std::move(threads), {.deadline_seconds = rank == 0 ? 1.0 : 0.0});
  });
  EXPECT_EQ(outcomes[0], outcomes[1]);
  EXPECT_EQ(outcomes[0].text,
            "rank 0: communicator_of_nccl: the context is of the backend cpu; NCCL needs one of cuda");
  for (const double deadline : {0.0, -1.0, 1e9, std::nan("")}) {
    EXPECT_COPSE_ERROR(communicator_of_nccl(context, Communicator(), {.deadline_seconds = deadline}),
                       ErrorCode::invalid_argument, "it can be above 0 and up to 1000000");
  }
}

/// NCCL itself, with a rank for each GPU of this machine.
TEST(Nccl, SendsBetweenTheGpusOfThisMachine) {
  if (!test::gpu_answers()) GTEST_SKIP() << "no GPU answers";
  NcclId id;
  try {
    id = new_nccl_id();
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  const Mesh mesh = generate_random(5000, 0.1f);
  Devices devices({.backend = Backend::cuda});
  for (const Bootstrap bootstrap : bootstraps) {
    std::vector<Communicator> threads = Communicator::of_devices(devices);
    devices.run([&](Context& context, u32 rank) {
      Communicator comm = bootstrap == Bootstrap::id ? communicator_of_nccl(context, rank, devices.count(), id)
                                                     : communicator_of_nccl(context, std::move(threads[rank]));
      check_host_calls(comm);
      for (const u64 unit : {0, 1, 100000}) check_exchange(comm, context, unit);
      check_tree(comm, context, mesh);
    });
  }
}

}  // namespace

}  // namespace copse
