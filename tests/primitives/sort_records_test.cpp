#include "primitives/sort_records.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "primitives/core/buffer.h"
#include "tests/support/backends.h"

namespace copse::test {

class SortRecords : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(SortRecords);

namespace {

std::vector<std::byte> random_bytes(u64 n, u32 seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(n);
  for (std::byte& byte : bytes) byte = std::byte(random());
  return bytes;
}

template <class Key>
void expect_sorts_records(Context& context, u64 count, u64 record_bytes, u64 key_offset, u64 mask, BitRange bits) {
  auto host = random_bytes(count * record_bytes, u32(record_bytes));
  const auto key_of = [&](u64 i) {
    Key key;
    std::memcpy(&key, &host[i * record_bytes + key_offset], sizeof(Key));
    return key;
  };
  for (u64 i = 0; i < count; ++i) {  // few different keys, so that the order of equal keys shows
    const Key key = Key(u64(key_of(i)) & mask);
    std::memcpy(&host[i * record_bytes + key_offset], &key, sizeof(Key));
  }
  const Buffer<std::byte> in(context, host);
  Buffer<std::byte> out(context, host.size());
  sort_records<Key>(context, in.span(), record_bytes, key_offset, out.span(), bits);
  const u64 counted = bits.end == 64 ? ~u64{0} : (u64{1} << bits.end) - 1;
  std::vector<u64> expected(count);
  std::iota(expected.begin(), expected.end(), u64{0});
  std::stable_sort(expected.begin(), expected.end(),
                   [&](u64 a, u64 b) { return (u64(key_of(a)) & counted) < (u64(key_of(b)) & counted); });
  const auto got = out.download();
  for (u64 k = 0; k < count; ++k) {
    ASSERT_EQ(std::memcmp(&got[k * record_bytes], &host[expected[k] * record_bytes], record_bytes), 0)
        << k << " of " << count << ", records of " << record_bytes;
  }
}

}  // namespace

TEST_P(SortRecords, IsStableForRecordsOf32To256Bytes) {
  for (u64 record_bytes : {32, 64, 128, 256}) {
    for (u64 count : {0, 1, 4097, 10000}) {
      expect_sorts_records<u32>(context(), count, record_bytes, 8, 0xfff, {0, 32});
      expect_sorts_records<u64>(context(), count, record_bytes, 16, 0xfff000000ff, {0, 48});
    }
  }
}

TEST_P(SortRecords, TakesKeysAtAnyPlace) {
  expect_sorts_records<u32>(context(), 3000, 7, 3, 0xff, {0, 32});
  expect_sorts_records<u64>(context(), 3000, 13, 1, 0xffff, {0, 64});
}

TEST_P(SortRecords, RefusesKeysThatLeaveTheRecord) {
  Buffer<std::byte> in(context(), 64), out(context(), 64);
  EXPECT_COPSE_ERROR(sort_records<u32>(context(), in.span(), 16, 13, out.span()), ErrorCode::invalid_argument,
                     "13");
  EXPECT_COPSE_ERROR(sort_records<u32>(context(), in.span(), 0, 0, out.span()), ErrorCode::invalid_argument,
                     "0 bytes");
  EXPECT_COPSE_ERROR(sort_records<u32>(context(), in.span(), 24, 0, out.span()), ErrorCode::invalid_argument,
                     "whole");
  EXPECT_COPSE_ERROR(sort_records<u32>(context(), in.span(), 16, 0, in.span()), ErrorCode::invalid_argument,
                     "overlap the input");
}

}  // namespace copse::test
