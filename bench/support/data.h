#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"

namespace copse::bench {

/// Values that look random in their lowest `bits` bits and are 0 above. For T of u8, u16, u32, u64.
template <class T>
void fill_hashed(Context& context, BufferSpan<T> span, u32 bits, u32 seed);

/// 0, 1, 2 and so on.
void fill_indices(Context& context, BufferSpan<u32> span);

/// True where both hold the same bytes. Waits.
bool equal_bytes(Context& context, const void* a, const void* b, u64 bytes);

}  // namespace copse::bench
