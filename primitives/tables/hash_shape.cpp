#include "primitives/hash_shape.h"

#include <cmath>
#include <string>

#include "primitives/core/bits.h"
#include "primitives/core/check.h"

namespace copse::detail {

namespace {

constexpr double max_slots = double(u64{1} << 48);

[[noreturn]] void refuse_options(const std::string& what) {
  refuse("hash table", what);
}

}  // namespace

void check_hash_options(u64 capacity, const HashTableOptions& options) {
  const u32 bytes = options.bucket_bytes;
  if (!(options.max_load > 0 && options.max_load <= 1)) {
    refuse_options("max_load is " + std::to_string(options.max_load) + "; it must be above 0 and at most 1");
  }
  if (bytes != 32 && bytes != 64 && bytes != 128) {
    refuse_options("bucket_bytes is " + std::to_string(bytes) + "; it must be 32, 64 or 128");
  }
  if (double(capacity) / double(options.max_load) > max_slots) {
    refuse_options("a capacity of " + std::to_string(capacity) + " at a max_load of " +
                   std::to_string(options.max_load) + " takes more than 2^48 slots, which is the limit");
  }
}

HashShape hash_shape(u64 capacity, const HashTableOptions& options, u32 probed_bytes, u32 record_bytes) {
  check_hash_options(capacity, options);
  const u32 bucket_slots = options.bucket_bytes / probed_bytes;
  const u32 group_slots = 32 / probed_bytes;
  const u64 slots = larger(capacity, u64(std::ceil(double(capacity) / double(options.max_load))));
  HashShape shape;
  shape.bucket_slots = bucket_slots;
  shape.slot_count = larger(divide_rounding_up(slots, bucket_slots), u64{1}) * bucket_slots;
  shape.max_probes = shape.slot_count;
  if (options.max_probes != 0 && options.max_probes < shape.slot_count) {
    shape.max_probes = divide_rounding_up(options.max_probes, group_slots) * group_slots;
  }
  shape.bytes = sizeof(HashHeader) + shape.slot_count * (u64{probed_bytes} + record_bytes);
  return shape;
}

HashShape cuckoo_shape(u64 capacity, const HashTableOptions& options, u32 slot_bytes) {
  constexpr u64 min_buckets = 3;  // two, and one of the stash
  HashTableOptions with_buckets = options;
  with_buckets.bucket_bytes = cuckoo_bucket_bytes;
  with_buckets.max_probes = 0;
  HashShape shape = hash_shape(capacity, with_buckets, slot_bytes, 0);
  const u64 bucket_count = larger(shape.slot_count / shape.bucket_slots, min_buckets);
  shape.slot_count = bucket_count * shape.bucket_slots;
  shape.bytes = sizeof(HashHeader) + bucket_count * cuckoo_bucket_bytes + divide_rounding_up(bucket_count, 4) * 4;
  shape.seed = options.seed;
  return shape;
}

}  // namespace copse::detail
