#pragma once

#include <cstddef>

#include "primitives/core/executor.h"

namespace copse::detail {

template <class Executor>
void split_values(const Executor& ex, u64 n, const u32* buckets, u32 bucket_count, const u32* in, u32* out,
                  u64* offsets);

template <class Executor>
void split_indices(const Executor& ex, u64 n, const u32* buckets, u32 bucket_count, u32* out, u64* offsets);

template <class Executor>
void split_whole_records(const Executor& ex, u64 n, const u32* buckets, u32 bucket_count, const std::byte* in,
                         u64 record_bytes, std::byte* out, u64* offsets);

}  // namespace copse::detail
