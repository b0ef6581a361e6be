// Tests the templates of compaction and its relatives with a user's own types, predicates and operators.

#include <cstring>

#include "primitives/runs.h"
#include "primitives/select/selection.h"
#include "tests/support/body_test.h"
#include "tests/support/sizes.h"

namespace copse::detail {
namespace {

COPSE_HD inline u32 hash(u64 i) {
  return u32((i + 1) * 0x9e3779b97f4a7c15u >> 40);
}

template <u32 size>
struct Record {
  u32 id;
  unsigned char rest[size - 4];
};

struct HashIsEven {
  COPSE_HD bool operator()(u64 i) const { return hash(i) % 2 == 0; }
};

/// Looks only at the value. It could be called with an index too.
struct IdIsEven {
  COPSE_HD bool operator()(u64) const { return false; }
  template <u32 size>
  COPSE_HD bool operator()(u64, const Record<size>& record) const {
    return record.id % 2 == 0;
  }
};

template <u32 size>
struct RecordOfHash {
  COPSE_HD Record<size> operator()(u64 i) const {
    Record<size> record{hash(i), {}};
    record.rest[0] = (unsigned char)(i);
    return record;
  }
};

struct OneInThirty {
  COPSE_HD bool operator()(u64 i) const { return hash(i) % 30 == 0; }
};

struct OneInAMillion {
  COPSE_HD bool operator()(u64 i) const { return i % 1000003 == 5; }
};

struct SameBucket {
  u32 bucket_size;
  COPSE_HD bool operator()(u32 a, u32 b) const { return a / bucket_size == b / bucket_size; }
};

/// The function x -> values[0] * x + values[1] modulo 2^64, and the number of functions that are chained in it. It
/// takes 24 bytes.
struct Three {
  u64 values[3];
  bool operator==(const Three&) const = default;
};
struct Append {
  COPSE_HD Three operator()(const Three& a, const Three& b) const {
    return {{a.values[0] * b.values[0], a.values[1] * b.values[0] + b.values[1], a.values[2] + b.values[2]}};
  }
};
struct ThreeOfHash {
  COPSE_HD Three operator()(u64 i) const { return {{u64(hash(i)) | 1, i, 1}}; }
};

struct TwoOrMany {
  COPSE_HD u32 operator()(u64 i) const { return i % 100 == 50 ? 3000 : u32(i % 3); }
};
struct StoreSlot {
  u64* ids;
  COPSE_HD void operator()(u64 i, u64 k, u64 slot) const { ids[slot] = i << 32 | k; }
};

template <class Executor>
class CompactTypes : public test::BodyTest<Executor> {
 protected:
  template <u32 size>
  void expect_records(u64 n) {
    if constexpr (test::is_compiled < size == 12 || size == 100 >) check_records<size>(n);
  }

  template <u32 size>
  void check_records(u64 n) {
    std::vector<Record<size>> host, selected, others;
    for (u64 i = 0; i < n; ++i) {
      host.push_back(RecordOfHash<size>{}(i));
      (host.back().id % 2 == 0 ? selected : others).push_back(host.back());
    }
    const Buffer<Record<size>> in(this->context(), host);
    Buffer<Record<size>> out(this->context(), n);
    Buffer<u64> count(this->context(), 1);
    const auto expect_front = [&](const std::vector<Record<size>>& expected, const char* what) {
      ASSERT_EQ(count.download()[0], selected.size()) << what << " of " << n << " of " << size << " bytes";
      const auto got = out.download(expected.size());
      for (u64 i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(std::memcmp(&got[i], &expected[i], size), 0) << what << ", " << i << " of " << n << ", " << size;
      }
    };
    const Elements<Record<size>> elements{in.data()};
    const auto& ex = this->executor();
    compact(ex, "by value", n, IdIsEven{}, elements, out.data(), count.data());
    expect_front(selected, "compact by value");
    compact(ex, "by index", n, HashIsEven{}, RecordOfHash<size>{}, out.data(), count.data());
    expect_front(selected, "compact by index");
    compact(ex, "function by value", n, IdIsEven{}, RecordOfHash<size>{}, out.data(), count.data());
    expect_front(selected, "compact of a function by value");
    std::vector<Record<size>> both = selected;
    both.insert(both.end(), others.begin(), others.end());
    partition(ex, "by value", n, IdIsEven{}, elements, out.data(), count.data());
    expect_front(both, "partition by value");
    partition(ex, "by index", n, HashIsEven{}, RecordOfHash<size>{}, out.data(), count.data());
    expect_front(both, "partition by index");
  }
};

TYPED_TEST_SUITE(CompactTypes, TheBackend, BackendName);

TYPED_TEST(CompactTypes, RecordsOfAnySizeKeepTheirOrder) {
  for (u64 n : {0, 1, 511, 512, 513, 2049, 8193}) {
    this->template expect_records<8>(n);
    this->template expect_records<12>(n);
    this->template expect_records<20>(n);
    this->template expect_records<64>(n);
    this->template expect_records<100>(n);
  }
}

TYPED_TEST(CompactTypes, PredicatesAreCounted) {
  for (u64 n : test::boundary_sizes()) {
    u64 expected = 0;
    for (u64 i = 0; i < n; ++i) expected += HashIsEven{}(i) ? 1 : 0;
    Buffer<u64> count(this->context(), 1);
    Buffer<u32> any(this->context(), 1), all(this->context(), 1);
    count_if(this->executor(), "count", n, HashIsEven{}, count.data());
    any_of(this->executor(), "any", n, HashIsEven{}, any.data());
    all_of(this->executor(), "all", n, HashIsEven{}, all.data());
    EXPECT_EQ(count.download()[0], expected) << n;
    EXPECT_EQ(any.download()[0], u32(expected > 0)) << n;
    EXPECT_EQ(all.download()[0], u32(expected == n)) << n;
  }
}

TYPED_TEST(CompactTypes, UniqueTakesAnyEquality) {
  const u64 n = 20000;
  std::vector<u32> expected;
  for (u32 i = 0; i < n; i += 7) expected.push_back(i);
  Buffer<u32> out(this->context(), n);
  Buffer<u64> lengths(this->context(), n), count(this->context(), 1);
  unique(this->executor(), "buckets", n, Index{}, SameBucket{7}, out.data(), count.data());
  ASSERT_EQ(count.download()[0], expected.size());
  EXPECT_EQ(out.download(expected.size()), expected);
  run_length_encode(this->executor(), "buckets", n, Index{}, SameBucket{7}, out.data(), lengths.data(),
                    count.data());
  ASSERT_EQ(count.download()[0], expected.size());
  EXPECT_EQ(out.download(expected.size()), expected);
  std::vector<u64> expected_lengths(expected.size(), 7);
  expected_lengths.back() = n - 7 * (expected.size() - 1);
  EXPECT_EQ(lengths.download(expected.size()), expected_lengths);
}

TYPED_TEST(CompactTypes, SegmentedScanKeepsTheOrderOfAnOperatorThatDoesNotCommute) {
  const Three init{{3, 5, 0}};
  for (u64 n : {0, 1, 2, 511, 512, 513, 1024, 1025, 20001}) {
    Buffer<Three> inclusive(this->context(), n), exclusive(this->context(), n);
    const auto starts = OneInThirty{};
    segmented_inclusive_scan(this->executor(), "inclusive", n, starts, ThreeOfHash{}, Append{}, inclusive.data());
    segmented_exclusive_scan(this->executor(), "exclusive", n, starts, ThreeOfHash{}, init, Append{},
                             exclusive.data());
    const auto got_inclusive = inclusive.download(), got_exclusive = exclusive.download();
    Three sum{}, sum_from_init = init;
    for (u64 i = 0; i < n; ++i) {
      const bool is_start = i == 0 || starts(i);
      sum = is_start ? ThreeOfHash{}(i) : Append{}(sum, ThreeOfHash{}(i));
      if (is_start) sum_from_init = init;
      ASSERT_EQ(got_inclusive[i], sum) << i << " of " << n;
      ASSERT_EQ(got_exclusive[i], sum_from_init) << i << " of " << n;
      sum_from_init = Append{}(sum_from_init, ThreeOfHash{}(i));
    }
  }
}

TYPED_TEST(CompactTypes, ExpandCallsEachSlotOnce) {
  const u64 n = 10000;
  std::vector<u64> expected;
  for (u64 i = 0; i < n; ++i) {
    for (u64 k = 0; k < TwoOrMany{}(i); ++k) expected.push_back(i << 32 | k);
  }
  Buffer<u64> ids(this->context(), expected.size()), total(this->context(), 1);
  this->context().reserve_scratch(expand_scratch_bytes(this->executor(), n));
  const u64 reserved = this->context().scratch_bytes();
  expand(this->executor(), "slots", n, TwoOrMany{}, StoreSlot{ids.data()}, expected.size(),
         static_cast<u64*>(nullptr), total.data());
  EXPECT_EQ(this->context().scratch_bytes(), reserved);
  EXPECT_EQ(total.download()[0], expected.size());
  EXPECT_EQ(ids.download(), expected);
}

TYPED_TEST(CompactTypes, ScratchIsEnough) {
  const u64 n = 300000;
  Buffer<u64> out(this->context(), n), count(this->context(), 1);
  Buffer<u32> lengths(this->context(), n);
  const auto expect_enough = [&](u64 bytes, const auto& run) {
    this->context().release_scratch();
    this->context().reserve_scratch(bytes);
    const u64 reserved = this->context().scratch_bytes();
    run();
    EXPECT_LE(this->context().scratch_bytes(), larger(reserved, u64{256}));
    this->context().wait();
  };
  const auto& ex = this->executor();
  expect_enough(compact_scratch_bytes<u64>(ex, n),
                [&] { compact(ex, "compact", n, HashIsEven{}, Index{}, out.data(), count.data()); });
  expect_enough(partition_scratch_bytes<u64>(ex, n),
                [&] { partition(ex, "partition", n, HashIsEven{}, Index{}, out.data(), count.data()); });
  expect_enough(segmented_scan_scratch_bytes<u64>(ex, n), [&] {
    segmented_inclusive_scan(ex, "segmented", n, HashIsEven{}, Elements<u64>{out.data()}, Plus{}, out.data());
  });
  expect_enough(run_length_encode_scratch_bytes<u64>(ex, n), [&] {
    run_length_encode(ex, "runs", n, Index{}, SameBucket{3}, out.data(), lengths.data(), count.data());
  });
}

TYPED_TEST(CompactTypes, LargeInputPast32BitsIsCountedAndCompacted) {
  if (body_backend == Backend::cpu) GTEST_SKIP() << "takes long";
  const u64 n = (u64{1} << 32) + 123456789;
  std::vector<u64> expected;
  for (u64 i = 5; i < n; i += 1000003) expected.push_back(i);
  Buffer<u64> out(this->context(), expected.size() + 1), count(this->context(), 1);
  count_if(this->executor(), "count", n, OneInAMillion{}, count.data());
  EXPECT_EQ(count.download()[0], expected.size());
  compact_each(this->executor(), "compact", n, OneInAMillion{}, StoreIndex<u64>{out.data()}, count.data());
  ASSERT_EQ(count.download()[0], expected.size());
  EXPECT_EQ(out.download(expected.size()), expected);
}

}  // namespace
}  // namespace copse::detail
