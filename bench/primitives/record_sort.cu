#include <thrust/execution_policy.h>
#include <thrust/gather.h>

#include <cub/device/device_radix_sort.cuh>

#include "bench/primitives/rows.h"
#include "bench/support/cub.h"
#include "primitives/cuda/for_each.cuh"
#include "primitives/sort_records.h"

namespace copse::bench {

namespace {

struct alignas(16) Record {
  u32 words[32];
};

struct KeyOf {
  const Record* records;
  u32* keys;
  COPSE_HD void operator()(u64 i) const { keys[i] = records[i].words[0]; }
};

BufferSpan<std::byte> as_bytes(BufferSpan<u32> words) {
  return {reinterpret_cast<std::byte*>(words.data()), words.size_bytes()};
}

/// Sorts records of 128 bytes by their first 4 bytes. The rival consists of calls of CUB and Thrust: it takes out
/// the keys, sorts pairs of key and index, and gathers the records. The array of indices is ready.
void records_by_key(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n * sizeof(Record) / 4);
  const BufferSpan<u32> out = c.buffer<u32>(in.size()), expected = c.buffer<u32>(in.size());
  const BufferSpan<u32> indices = c.buffer<u32>(c.n), sorted = c.buffer<u32>(c.n);
  const BufferSpan<u32> keys = c.buffer<u32>(c.n), sorted_keys = c.buffer<u32>(c.n);
  fill_indices(c.context, indices);
  // The bytes: a sector of 32 bytes for a key, the passes of the sort over pairs, and the move.
  c.bytes = double(c.n) * (32 + 8 + 68 + 260);
  c.ours = [=, &c] { sort_records<u32>(c.context, as_bytes(in), sizeof(Record), 0, as_bytes(out)); };
  const auto* records = reinterpret_cast<const Record*>(in.data());
  auto* moved = reinterpret_cast<Record*>(expected.data());
  const Work sort_pairs = with_temporary_storage(c, [=, &c](void* temp, size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(temp, bytes, keys.data(), sorted_keys.data(), indices.data(),
                                           sorted.data(), int(c.n), 0, 32, stream_of(c.context));
  });
  c.add_rival([=, &c] {
    cuda::for_each(c.context.cuda_executor(), "keys", c.n, KeyOf{records, keys.data()});
    sort_pairs();
    thrust::gather(thrust::cuda::par_nosync.on(stream_of(c.context)), sorted.data(), sorted.data() + c.n, records,
                   moved);
  });
  c.expect_equal(out, expected);
}

}  // namespace

void add_record_sort_rows(Rows& rows) {
  for (u32 log_n : {20, 24}) rows.add("sort/records_128_bytes", u64{1} << log_n, records_by_key);
}

}  // namespace copse::bench
