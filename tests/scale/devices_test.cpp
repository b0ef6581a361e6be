// Devices: their number, work on all of them at once, and errors that any of them throws.

#include "scale/devices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "builders/geometry/generate.h"
#include "scale/replicated_accel.h"
#include "scale/split_work.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/limited_memory.h"

namespace copse {
namespace {

constexpr u32 counts[] = {1, 2, 3, 4, 7};

Devices on_cpu(u32 count) {
  return Devices({.backend = Backend::cpu, .count = count, .workers = 2});
}

TEST(Devices, RunOncePerDeviceEachOnItsOwnThread) {
  for (const u32 count : counts) {
    Devices devices = on_cpu(count);
    ASSERT_EQ(devices.count(), count);
    for (u32 repeat = 0; repeat < 50; ++repeat) {
      std::vector<std::thread::id> threads(count);
      std::vector<Context*> contexts(count);
      devices.run([&](Context& context, u32 device) {
        threads[device] = std::this_thread::get_id();
        contexts[device] = &context;
      });
      EXPECT_EQ(threads[0], std::this_thread::get_id());
      EXPECT_EQ(std::set(threads.begin(), threads.end()).size(), count);
      for (u32 device = 0; device < count; ++device) EXPECT_EQ(contexts[device], &devices.context(device));
    }
  }
}

TEST(Devices, ThrowTheErrorOfTheFirstThatFailedAfterAllHaveEnded) {
  for (const u32 count : counts) {
    Devices devices = on_cpu(count);
    for (u32 failing = 0; failing < count; ++failing) {
      std::atomic<u32> ended = 0;
      const auto work = [&](Context&, u32 device) {
        ++ended;
        if (device >= failing)
          throw Error(ErrorCode::capacity, "work " + std::to_string(device) + " is too large");
      };
      const std::string name = count == 1 ? "" : "device " + std::to_string(failing) + " (CPU): ";
      EXPECT_COPSE_ERROR(devices.run(work), ErrorCode::capacity,
                         name + "work " + std::to_string(failing) + " is too large");
      EXPECT_EQ(ended, count);
    }
  }
}

TEST(Devices, PassOnWhatTheWorkOfAUserThrows) {
  Devices devices = on_cpu(3);
  for (u32 failing = 0; failing < 3; ++failing) {
    EXPECT_THROW(devices.run([&](Context&, u32 device) {
      if (device == failing) throw std::out_of_range("no such thing");
    }),
                 std::out_of_range);
  }
  devices.run([](Context&, u32) {});
}

TEST(Devices, RefuseMoreThanThereAre) {
  EXPECT_COPSE_ERROR(on_cpu(65), ErrorCode::invalid_argument,
                     "Devices: 65 contexts of the CPU were asked for, at most 64 are possible");
  Devices devices = on_cpu(2);
  EXPECT_COPSE_ERROR(devices.context(2), ErrorCode::invalid_argument,
                     "Devices::context: device 2 was asked for, but there are 2, counted from 0");
  test::LimitedMemory memory;
  EXPECT_COPSE_ERROR(Devices({.backend = Backend::cpu, .count = 2, .memory = {&memory}}),
                     ErrorCode::invalid_argument, "Devices: 1 memory resource for 2 devices");
  COPSE_SKIP_WITHOUT_GPU();
  const std::string there = std::to_string(gpu_count());
  EXPECT_COPSE_ERROR(Devices({.backend = Backend::cuda, .count = 1000}), ErrorCode::invalid_argument,
                     "Devices: 1000 GPUs were asked for, but the number of GPUs is " + there);
}

TEST(Devices, WithoutAGpuAreOneContextOfTheCpuOrRefused) {
  if (test::gpu_answers()) GTEST_SKIP() << "a GPU answers";
  Devices devices;
  EXPECT_EQ(devices.count(), 1u);
  EXPECT_EQ(devices.first().backend(), Backend::cpu);
  EXPECT_EQ(gpu_count(), 0u);
  for (const u32 count : {0u, 1u, 3u}) {
    EXPECT_COPSE_ERROR(Devices({.backend = Backend::cuda, .count = count}), ErrorCode::no_device, "");
  }
}

TEST(Devices, RefuseARunInsideOfARun) {
  Devices devices = on_cpu(2);
  const auto nested = [&](Context&, u32) { devices.run([](Context&, u32) {}); };
  EXPECT_COPSE_ERROR(devices.run(nested), ErrorCode::invalid_argument, "run: the devices are in a run already");
  devices.run([](Context&, u32) {});
}

TEST(Devices, SplitABatchIntoPiecesThatCoverItOnce) {
  for (const u32 count : counts) {
    Devices devices = on_cpu(count);
    for (const u64 size : {0u, 1u, 63u, 64u, 127u, 128u, 129u, 1000u, 4097u, 100000u}) {
      std::vector<std::vector<detail::SplitPiece>> of_device(count);
      detail::split_work("test", devices, {&devices, size, 0},
                         [&](Context& context, const detail::SplitPiece& piece) {
                           EXPECT_EQ(&context, &devices.context(piece.device));
                           of_device[piece.device].push_back(piece);
                         });
      std::vector<detail::SplitPiece> pieces;
      for (const auto& each : of_device) pieces.insert(pieces.end(), each.begin(), each.end());
      std::sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      u64 covered = 0;
      for (const detail::SplitPiece& piece : pieces) {
        EXPECT_EQ(piece.first, covered);
        covered += piece.count;
      }
      EXPECT_EQ(covered, size);
      if (size == 100000) {
        for (const auto& each : of_device) EXPECT_EQ(each.size(), 1u);
      }
    }
  }
}

/// A device whose memory ends during a copy names itself. The others are as before.
TEST(Devices, WithoutMemoryAreNamedAndLeaveNothingBehind) {
  const Mesh mesh = generate_sphere(3);
  for (u32 poor = 1; poor < 3; ++poor) {
    for (u64 limit = 0; limit < 40000; limit += 4999) {
      std::vector<test::LimitedMemory> memories(3);
      memories[poor] = test::LimitedMemory(limit);
      Devices devices({.backend = Backend::cpu,
                       .count = 3,
                       .workers = 1,
                       .memory = {&memories[0], &memories[1], &memories[2]}});
      const test::DeviceMesh on_first(devices.first(), mesh);
      Accel accel = build(devices.first(), on_first.view());
      EXPECT_COPSE_ERROR(replicate(devices, std::move(accel)), ErrorCode::out_of_memory,
                         "device " + std::to_string(poor) + " (CPU): ");
      for (u32 device = 1; device < 3; ++device) EXPECT_EQ(memories[device].in_use(), 0u);
    }
  }
}

}  // namespace
}  // namespace copse
