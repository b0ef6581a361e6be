#include "primitives/expand.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "primitives/core/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/sizes.h"

namespace copse::test {

inline constexpr u32 no_owner = 0xdeadbeef;

class Expand : public OnEachBackend {
 protected:
  void expect_slots(const std::vector<u32>& counts, u64 capacity) {
    SCOPED_TRACE(std::to_string(counts.size()) + " elements, room for " + std::to_string(capacity));
    std::vector<u64> offsets;
    std::vector<u32> owners;
    u64 sum = 0;
    for (u32 i = 0; i < counts.size(); ++i) {
      offsets.push_back(sum);
      sum += counts[i];
      for (u32 k = 0; k < counts[i] && owners.size() < capacity; ++k) owners.push_back(i);
    }
    const u64 guard = 5;
    owners.resize(capacity + guard, no_owner);

    const Buffer<u32> in(context(), counts);
    Buffer<u64> out_offsets(context(), counts.size()), total(context(), 1);
    Buffer<u32> out_owners(context(), std::vector<u32>(capacity + guard, no_owner));
    expand(context(), in.span(), out_offsets.span(), out_owners.span().first(capacity), total.span());
    EXPECT_EQ(total.download()[0], sum);
    EXPECT_EQ(out_offsets.download(), offsets);
    EXPECT_EQ(out_owners.download(), owners);
  }

  static u64 sum_of(const std::vector<u32>& counts) {
    return std::accumulate(counts.begin(), counts.end(), u64{0});
  }

  void expect_all_capacities(const std::vector<u32>& counts) {
    const u64 sum = sum_of(counts);
    for (u64 capacity : {u64{0}, sum / 2, sum, sum + 100}) expect_slots(counts, capacity);
    if (sum > 0) expect_slots(counts, sum - 1);
  }
};
COPSE_ON_EACH_BACKEND(Expand);

TEST_P(Expand, GivesEachElementItsSlotsInOrder) {
  std::mt19937 random(11);
  for (u64 n : {0, 1, 2, 3, 255, 256, 257, 1023, 1024, 1025, 2047, 2048, 2049, 20000}) {
    std::vector<u32> counts(n);
    for (u32& count : counts) count = random() % 4;
    expect_all_capacities(counts);
    std::fill(counts.begin(), counts.end(), 1u);
    expect_slots(counts, n);
    std::fill(counts.begin(), counts.end(), 0u);
    expect_slots(counts, 10);
  }
}

TEST_P(Expand, SharesOutOneElementWithNearlyAllSlots) {
  for (u64 place : {0, 1, 2047, 2500, 4999}) {
    std::vector<u32> counts(5000, 0);
    counts[place] = 100000;
    expect_all_capacities(counts);
    std::fill(counts.begin(), counts.end(), 1u);
    counts[place] = 100000;
    expect_all_capacities(counts);
  }
}

TEST_P(Expand, CrossesManyElementsWithoutSlots) {
  std::vector<u32> counts(50000, 0);
  counts[10] = 3;
  counts[30000] = 2500;
  counts[49999] = 1;
  expect_all_capacities(counts);
}

TEST_P(Expand, RefusesWhatDoesNotFit) {
  Buffer<u32> counts(context(), 10), owners(context(), 10);
  Buffer<u64> offsets(context(), 10), total(context(), 1), none(context(), 0);
  const auto code = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR(expand(context(), counts.span(), offsets.span().first(9), owners.span(), total.span()), code,
                     "9 offsets");
  EXPECT_COPSE_ERROR(expand(context(), counts.span(), offsets.span(), counts.span(), total.span()), code,
                     "overlaps");
  EXPECT_COPSE_ERROR(expand(context(), counts.span(), offsets.span(), owners.span(), none.span()), code,
                     "0 elements");
}

TEST_P(Expand, LargeOutputOfUnevenCountsIsRight) {
  std::mt19937 random(12);
  std::vector<u32> counts(1000000);
  for (u32& count : counts) count = random() % 1000 == 0 ? random() % 10000 : random() % 3;
  counts[777777] = 3000000;
  expect_slots(counts, sum_of(counts));
}

}  // namespace copse::test
