// Arrays of a caller's host memory as calls of the C interface read them on a device.

#include <gtest/gtest.h>

#include <numeric>

#include "capi/bridge/arrays.h"
#include "primitives/core/buffer.h"
#include "tests/support/backends.h"

namespace copse::capi {
namespace {

class HostRangesOnEachBackend : public test::OnEachBackend {
 protected:
  /// Returns `count` bytes from the copy of a byte on.
  std::vector<u8> copied(const HostRanges& ranges, const void* data, size_t count) {
    std::vector<u8> bytes(count);
    copse::detail::download_bytes(context().parts(), bytes.data(), ranges.address_of(data), count);
    return bytes;
  }
};

TEST_P(HostRangesOnEachBackend, KeepsPartsTogetherThatTouch) {
  alignas(16) u8 ray[32];
  std::iota(ray, ray + 32, u8(0));
  HostRanges ranges;  // the parts of one record: origin, direction, t_min, t_max
  ranges.add(ray, 12);
  ranges.add(ray + 16, 12);
  ranges.add(ray + 12, 4);
  ranges.add(ray + 28, 4);
  ranges.upload(context());
  const u8* first = static_cast<const u8*>(ranges.address_of(ray));
  for (const int at : {12, 16, 28}) EXPECT_EQ(ranges.address_of(ray + at), first + at);
  EXPECT_EQ(copied(ranges, ray, 32), std::vector<u8>(ray, ray + 32));
  ray[20] = 99;
  ranges.refresh();
  EXPECT_EQ(copied(ranges, ray + 20, 1)[0], 99);
}

TEST_P(HostRangesOnEachBackend, CopiesPartsThatOverlapOnceAndOthersApart) {
  alignas(16) u8 bytes[64];
  std::iota(bytes, bytes + 64, u8(0));
  HostRanges ranges;
  ranges.add(bytes + 40, 8);
  ranges.add(bytes + 4, 16);
  ranges.add(bytes + 8, 4);
  ranges.add(nullptr, 0);
  ranges.upload(context());
  EXPECT_EQ(ranges.address_of(bytes + 8), static_cast<const u8*>(ranges.address_of(bytes + 4)) + 4);
  EXPECT_EQ(copied(ranges, bytes + 4, 16), std::vector<u8>(bytes + 4, bytes + 20));
  EXPECT_EQ(copied(ranges, bytes + 40, 8), std::vector<u8>(bytes + 40, bytes + 48));
  for (const int outside : {0, 3, 20, 39, 48}) EXPECT_EQ(ranges.address_of(bytes + outside), nullptr);
  EXPECT_EQ(ranges.address_of(nullptr), nullptr);
  const auto alignment = [](const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 16; };
  EXPECT_EQ(alignment(ranges.address_of(bytes + 4)), 4u);
  EXPECT_EQ(alignment(ranges.address_of(bytes + 40)), 8u);
}

COPSE_ON_EACH_BACKEND(HostRangesOnEachBackend);

}  // namespace
}  // namespace copse::capi
