#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"

namespace copse::bench {

/// Values that look random in their lowest `bits` bits and are 0 above. For T of u8, u16, u32, u64.
template <class T>
void fill_hashed(Context& context, BufferSpan<T> span, u32 bits, u32 seed);

/// 0, 1, 2 and so on.
void fill_indices(Context& context, BufferSpan<u32> span);

/// Every index below span.size() once, in an order that looks random. The size is a power of two.
void fill_permutation(Context& context, BufferSpan<u32> span);

/// The successors of a list through all nodes, whose order looks random; the last node is its own successor. The
/// number of nodes is a power of two. Returns the first node.
u32 fill_list(Context& context, BufferSpan<u32> next);

/// True where `ranks` numbers the nodes of fill_list from the first one on. Waits.
bool ranks_of_list(Context& context, BufferSpan<const u32> ranks);

/// True where no element is smaller than the one before. For T of u32, u64. Waits.
template <class T>
bool ascending(Context& context, BufferSpan<const T> span);

/// As ascending, of keys of `key_words` words each, the lowest first, of which the lowest `bits` bits count.
bool ascending_words(Context& context, BufferSpan<const u32> words, u32 key_words, u32 bits);

/// True where both hold the same elements, each as often, in whatever order (by sums of hashes, which could only
/// agree by a chance of 1 in 2^64). For T of u32, u64. Waits.
template <class T>
bool same_elements(Context& context, BufferSpan<const T> a, BufferSpan<const T> b);

/// True where `sorted` holds the elements of `in` in ascending order. For T of u32, u64. Waits.
template <class T>
bool sorted_from(Context& context, BufferSpan<const T> in, BufferSpan<const T> sorted) {
  return ascending<T>(context, sorted) && same_elements<T>(context, in, sorted);
}

/// True where record i of `out` holds the bytes of record `index[i]` of `in`. `record_bytes` is a multiple of 4.
/// Waits.
bool gathered(Context& context, const void* in, BufferSpan<const u32> index, const void* out, u64 record_bytes);

/// True where both hold the same bytes. Waits.
bool equal_bytes(Context& context, const void* a, const void* b, u64 bytes);

}  // namespace copse::bench
