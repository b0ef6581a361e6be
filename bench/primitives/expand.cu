#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_scan.cuh>

#include "bench/primitives/rows.h"
#include "bench/support/cub.h"
#include "primitives/cuda/for_each.cuh"
#include "primitives/expand.h"
#include "primitives/inputs.h"

namespace copse::bench {

namespace {

/// One element in 1024 asks for 1024 times as many slots as it says. The others ask for none.
struct GatherCounts {
  u32* counts;
  COPSE_HD void operator()(u64 i) const { counts[i] = i % 1024 == 77 ? counts[i] * 1024 : 0; }
};

struct Collapse {
  COPSE_HD u64 operator()(u32 count) const { return count; }
};

struct MarkFirstSlots {
  const u32* counts;
  const u64* offsets;
  u32* owners;
  COPSE_HD void operator()(u64 i) const {
    if (counts[i] > 0) owners[offsets[i]] = u32(i);
  }
};

/// Elements ask for 0 to 3 slots. CUB's way is that of Thrust's example "expand". It scans the counts and writes
/// the number of each element to the element's first slot. A scan of maxima then carries it on to the slots
/// behind.
template <bool even>
void owners_of_slots(Comparison& c) {
  const BufferSpan<u32> counts = c.hashed<u32>(c.n, 2);
  if (!even) cuda::for_each(c.context.cuda_executor(), "counts", c.n, GatherCounts{counts.data()});
  const BufferSpan<u64> offsets = c.buffer<u64>(c.n), expected_offsets = c.buffer<u64>(c.n);
  const BufferSpan<u64> total = c.buffer<u64>(1);
  expand(c.context, counts, offsets, {}, total);
  const u64 slot_count = download(c.context, total)[0];
  const BufferSpan<u32> owners = c.buffer<u32>(slot_count), expected = c.buffer<u32>(slot_count);
  c.bytes = 12.0 * double(c.n) + double(owners.size_bytes());
  c.ours = [=, &c] { expand(c.context, counts, offsets, owners, total); };
  const Work scan_counts = with_temporary_storage(c, [=, &c](void* temp, size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(temp, bytes, thrust::make_transform_iterator(counts.data(), Collapse{}),
                                         expected_offsets.data(), int(c.n), stream_of(c.context));
  });
  const Work carry_on = with_temporary_storage(c, [=, &c](void* temp, size_t& bytes) {
    return cub::DeviceScan::InclusiveScan(temp, bytes, expected.data(), expected.data(), Larger{}, i64(slot_count),
                                          stream_of(c.context));
  });
  c.add_rival([=, &c] {
    scan_counts();
    cuda::check(cudaMemsetAsync(expected.data(), 0, expected.size_bytes(), stream_of(c.context)), "clearing");
    cuda::for_each(c.context.cuda_executor(), "first slots", c.n,
                   MarkFirstSlots{counts.data(), expected_offsets.data(), expected.data()});
    carry_on();
  });
  c.expect_equal(offsets, expected_offsets);
  c.expect_equal(owners, expected);
}

}  // namespace

void add_expand_rows(Rows& rows) {
  for (u32 log_n : {16, 20, 24, 27}) {
    rows.add("expand/even", u64{1} << log_n, owners_of_slots<true>);
    rows.add("expand/uneven", u64{1} << log_n, owners_of_slots<false>);
  }
}

}  // namespace copse::bench
