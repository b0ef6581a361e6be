#pragma once

#include <cstddef>

#include "primitives/core/executor.h"
#include "primitives/radix_key.h"

namespace copse::detail {

struct RecordArray {
  const std::byte* records;
  u64 count, record_bytes, key_offset;
};

template <class Executor, class Bits>
void sort_whole_records(const Executor& ex, const RecordArray& in, std::byte* out, BitRange bits,
                        const KeyEncoding<Bits>& encoding);

}  // namespace copse::detail
