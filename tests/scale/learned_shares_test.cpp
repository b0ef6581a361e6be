// Shares of a batch become such that all devices take equal times.

#include "scale/shares/learned_shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace copse::detail {
namespace {

/// A mark at a given time, which passes when the test says so.
class SetMark final : public Mark {
 public:
  SetMark(double at, const bool& passes) : at_(at), passes_(passes) {}
  double milliseconds_since(const Mark& earlier) const override {
    return at_ - static_cast<const SetMark&>(earlier).at_;
  }
  bool has_passed() const override { return passes_; }

 private:
  double at_;
  const bool& passes_;
};

constexpr u64 batch_size = 1 << 20;

/// Devices that take a fixed time and, for each element, a time that depends on where it is in the batch.
struct SimulatedDevices {
  std::vector<double> speeds;
  bool marks_pass = true;

  double milliseconds(u32 device, u64 first, u64 end) const {
    const auto sum = [](u64 to) { return double(to) + 2 * double(to) * double(to) / batch_size; };
    return 0.05 + (sum(end) - sum(first)) / batch_size / speeds[device];
  }

  /// Makes a call, and returns the time of each device.
  std::vector<double> call(LearnedShares::Batch& batch) {
    const bool is_timed = batch.prepare();
    std::vector<double> times;
    for (u32 device = 0; device < speeds.size(); ++device) {
      times.push_back(
          milliseconds(device, batch.begin_of(device, batch_size), batch.begin_of(device + 1, batch_size)));
      if (is_timed) {
        batch.time(device, std::make_unique<SetMark>(7, marks_pass),
                   std::make_unique<SetMark>(7 + times.back(), marks_pass));
      }
    }
    return times;
  }
};

double excess(const std::vector<double>& times) {
  return *std::max_element(times.begin(), times.end()) * double(times.size()) /
         std::accumulate(times.begin(), times.end(), 0.0);
}

TEST(LearnedShares, MakeDevicesOfAnySpeedEndTogetherAndThenStay) {
  for (const std::vector<double>& speeds :
       {std::vector<double>{1, 1}, {1, 0.3}, {1, 0.8, 0.8, 0.8}, {3, 1, 0.2, 5, 1, 1, 1}}) {
    SimulatedDevices devices{speeds};
    LearnedShares shares(u32(speeds.size()));
    LearnedShares::Batch& batch = shares.find(&devices, batch_size);
    EXPECT_GT(excess(devices.call(batch)), 1.1);
    for (u32 i = 0; i < 30; ++i) devices.call(batch);
    const u64 border = batch.begin_of(1, batch_size);
    for (u32 i = 0; i < 100; ++i) {
      EXPECT_LE(excess(devices.call(batch)), 1.05);
      EXPECT_EQ(batch.begin_of(1, batch_size), border);
    }
  }
}

TEST(LearnedShares, FollowDevicesThatBecomeSlower) {
  SimulatedDevices devices{{1, 1}};
  LearnedShares shares(2);
  LearnedShares::Batch& batch = shares.find(&devices, batch_size);
  for (u32 i = 0; i < 50; ++i) devices.call(batch);
  devices.speeds[1] = 0.25;
  EXPECT_GT(excess(devices.call(batch)), 1.2);
  for (u32 i = 0; i < 200; ++i) devices.call(batch);
  EXPECT_LE(excess(devices.call(batch)), 1.05);
}

TEST(LearnedShares, WaitForNoMark) {
  SimulatedDevices devices{{1, 0.3}, false};
  LearnedShares shares(2);
  LearnedShares::Batch& batch = shares.find(&devices, batch_size);
  for (u32 i = 0; i < 10; ++i) devices.call(batch);
  EXPECT_EQ(batch.begin_of(1, batch_size), batch_size / 2);
  devices.marks_pass = true;
  for (u32 i = 0; i < 30; ++i) devices.call(batch);
  EXPECT_LE(excess(devices.call(batch)), 1.05);
}

TEST(LearnedShares, GoOnAfterACallThatFailed) {
  SimulatedDevices devices{{1, 0.3}};
  LearnedShares shares(2);
  LearnedShares::Batch& batch = shares.find(&devices, batch_size);
  ASSERT_TRUE(batch.prepare());
  batch.time(1, std::make_unique<SetMark>(0, devices.marks_pass),
             std::make_unique<SetMark>(1, devices.marks_pass));
  for (u32 i = 0; i < 30; ++i) devices.call(batch);
  EXPECT_LE(excess(devices.call(batch)), 1.05);
}

TEST(LearnedShares, OfManyBatchesForgetTheOldest) {
  LearnedShares shares(2);
  std::vector<char> addresses(200);
  SimulatedDevices devices{{1, 0.3}};
  for (u32 i = 0; i < 30; ++i) devices.call(shares.find(&addresses[0], batch_size));
  EXPECT_NE(shares.find(&addresses[0], batch_size).begin_of(1, batch_size), batch_size / 2);
  EXPECT_EQ(shares.find(&addresses[0], 4 * batch_size).begin_of(1, batch_size), batch_size / 2);
  for (char& address : addresses) shares.find(&address, batch_size + 7);
  EXPECT_EQ(shares.find(&addresses[0], batch_size).begin_of(1, batch_size), batch_size / 2);
}

}  // namespace
}  // namespace copse::detail
