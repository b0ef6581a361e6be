#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>

#include "bench/primitives/rows.h"
#include "bench/support/cub.h"
#include "primitives/compact.h"
#include "primitives/cuda/compact.cuh"
#include "primitives/cuda/partition.cuh"
#include "primitives/inputs.h"

namespace copse::bench {

namespace {

/// Takes a known share of values that look random. Our templates call it with the index and the value; CUB calls
/// it with the value.
struct SelectBelow {
  u32 limit;
  COPSE_HD bool operator()(u64, u32 value) const { return value < limit; }
  COPSE_HD bool operator()(u32 value) const { return value < limit; }
};

struct SelectFrom {
  u32 limit;
  COPSE_HD bool operator()(u32 value) const { return value >= limit; }
};

u32 limit_of(double share) {
  return u32(share * 4294967295.0);
}

struct CompactData {
  BufferSpan<u32> in, out, expected;
  BufferSpan<u64> count, expected_count;
};

CompactData make_data(Comparison& c) {
  const CompactData data{c.hashed<u32>(c.n), c.buffer<u32>(c.n), c.buffer<u32>(c.n), c.buffer<u64>(1),
                         c.buffer<u64>(1)};
  c.expect_equal(data.count, data.expected_count);
  return data;
}

template <u32 percent>
void compact_if(Comparison& c) {
  const CompactData d = make_data(c);
  const SelectBelow predicate{limit_of(percent / 100.0)};
  c.bytes = double(d.in.size_bytes()) * (1 + percent / 100.0);
  c.ours = [=, &c] {
    cuda::compact(c.context.cuda_executor(), "compact", c.n, predicate, Elements<u32>{d.in.data()}, d.out.data(),
                  d.count.data());
  };
  c.add_rival(with_temporary_storage(c, [=, &c](void* temp, size_t& bytes) {
    return cub::DeviceSelect::If(temp, bytes, d.in.data(), d.expected.data(), d.expected_count.data(), i64(c.n),
                                 predicate, stream_of(c.context));
  }));
  c.expect_equal(d.out, d.expected);
}

BufferSpan<u8> random_flags(Comparison& c) {
  return c.hashed<u8>(c.n, 1, 1);
}

void compact_flagged(Comparison& c) {
  const CompactData d = make_data(c);
  const BufferSpan<u8> flags = random_flags(c);
  c.bytes = 1.5 * double(d.in.size_bytes()) + double(flags.size_bytes());
  c.ours = [=, &c] { compact<u32>(c.context, d.in, flags, d.out, d.count); };
  c.add_rival(with_temporary_storage(c, [=, &c](void* temp, size_t& bytes) {
    return cub::DeviceSelect::Flagged(temp, bytes, d.in.data(), flags.data(), d.expected.data(),
                                      d.expected_count.data(), i64(c.n), stream_of(c.context));
  }));
  c.expect_equal(d.out, d.expected);
}

void compact_flagged_indices(Comparison& c) {
  const CompactData d = make_data(c);
  const BufferSpan<u8> flags = random_flags(c);
  c.bytes = double(flags.size_bytes()) + 0.5 * double(d.out.size_bytes());
  c.ours = [=, &c] { compact_indices(c.context, BufferSpan<const u8>(flags), d.out, d.count); };
  c.add_rival(with_temporary_storage(c, [=, &c](void* temp, size_t& bytes) {
    return cub::DeviceSelect::Flagged(temp, bytes, thrust::counting_iterator<u32>(0), flags.data(),
                                      d.expected.data(), d.expected_count.data(), i64(c.n), stream_of(c.context));
  }));
  c.expect_equal(d.out, d.expected);
}

/// CUB leaves the second part in reverse order. So that part is checked against a compaction of its own.
void partition_if(Comparison& c) {
  const CompactData d = make_data(c);
  const SelectBelow predicate{limit_of(0.5)};
  c.bytes = 2.0 * double(d.in.size_bytes());
  c.ours = [=, &c] {
    cuda::partition(c.context.cuda_executor(), "partition", c.n, predicate, Elements<u32>{d.in.data()},
                    d.out.data(), d.count.data());
  };
  add_cub_rival(c, [=, &c](void* temp, size_t& bytes, auto n) {
    return cub::DevicePartition::If(temp, bytes, d.in.data(), d.expected.data(), d.expected_count.data(), n,
                                    predicate, stream_of(c.context));
  });
  const BufferSpan<u32> others = c.buffer<u32>(c.n);
  const BufferSpan<u64> other_count = c.buffer<u64>(1);
  const Work select_others = with_temporary_storage(c, [=, &c](void* temp, size_t& bytes) {
    return cub::DeviceSelect::If(temp, bytes, d.in.data(), others.data(), other_count.data(), i64(c.n),
                                 SelectFrom{predicate.limit}, stream_of(c.context));
  });
  c.expect([=, &c] {
    select_others();
    const u64 selected = download(c.context, d.count)[0];
    return equal_bytes(c.context, d.out.data(), d.expected.data(), selected * sizeof(u32)) &&
           equal_bytes(c.context, d.out.data() + selected, others.data(), (c.n - selected) * sizeof(u32));
  });
}

}  // namespace

void add_compact_rows(Rows& rows) {
  for (u32 log_n : {16, 20, 24, 28}) {
    rows.add("compact/if/selected:50", u64{1} << log_n, compact_if<50>);
    rows.add("partition/if", u64{1} << log_n, partition_if);
  }
  const u64 n = u64{1} << 28;
  rows.add("compact/if/selected:10", n, compact_if<10>);
  rows.add("compact/if/selected:100", n, compact_if<100>);
  rows.add("compact/flagged", n, compact_flagged);
  rows.add("compact/flagged_indices", n, compact_flagged_indices);
}

}  // namespace copse::bench
