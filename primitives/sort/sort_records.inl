// The body of sort_records.cpp: sorts the indices of the records by key, then moves each record once.

#include <cstddef>
#include <cstring>

#include "primitives/gather.h"
#include "primitives/inputs.h"
#include "primitives/radix_sort.h"

namespace copse::detail {

struct RecordArray {
  const std::byte* records;
  u64 count, record_bytes, key_offset;
};

/// Returns the bits of the key in each record.
template <class Bits>
struct KeysInRecords {
  RecordArray in;
  bool aligned;

  COPSE_HD Bits operator()(u64 i) const {
    const std::byte* key = in.records + i * in.record_bytes + in.key_offset;
    if (aligned) return *reinterpret_cast<const Bits*>(key);
    Bits bits;
    memcpy(&bits, key, sizeof(Bits));
    return bits;
  }
};

template <class Executor, class Bits>
void sort_whole_records(const Executor& ex, const std::byte* records, u64 count, u64 record_bytes, u64 key_offset,
                        std::byte* out, BitRange bits, const KeyEncoding<Bits>& encoding) {
  const RecordArray in{records, count, record_bytes, key_offset};
  ScratchArena::Frame frame(ex.scratch);
  u32* indices = frame.allocate<u32>(in.count);
  const u64 misalignment = (reinterpret_cast<u64>(in.records) | in.record_bytes | in.key_offset) % sizeof(Bits);
  const KeysInRecords<Bits> keys{in, misalignment == 0};
  radix_sort_read_once<Bits>(ex, "sort records: indices", in.count, keys, indices, bits, encoding);
  gather_records(ex, "sort records: move", in.count, in.records, in.record_bytes, Elements<u32>{indices}, out);
}

template void sort_whole_records(const BodyExecutor&, const std::byte*, u64, u64, u64, std::byte*, BitRange,
                                 const KeyEncoding<u32>&);
template void sort_whole_records(const BodyExecutor&, const std::byte*, u64, u64, u64, std::byte*, BitRange,
                                 const KeyEncoding<u64>&);

}  // namespace copse::detail
