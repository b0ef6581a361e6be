#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"

namespace copse::bench {

/// Writes values that look random in their lowest `bits` bits and are 0 above. T is u8, u16, u32 or u64.
template <class T>
void fill_hashed(Context& context, BufferSpan<T> span, u32 bits, u32 seed);

/// Writes 0, 1, 2 and so on.
void fill_indices(Context& context, BufferSpan<u32> span);

/// Writes each index below span.size() once, in an order that looks random. The size must be a power of two.
void fill_permutation(Context& context, BufferSpan<u32> span);

/// Writes the successors of a list through all nodes, in an order that looks random. The last node is its own
/// successor. The number of nodes must be a power of two. Returns the first node.
u32 fill_list(Context& context, BufferSpan<u32> next);

/// Returns whether `ranks` numbers the nodes of fill_list from the first one on. Waits.
bool ranks_of_list(Context& context, BufferSpan<const u32> ranks);

/// Returns whether no element is smaller than the one before it. T is u32 or u64. Waits.
template <class T>
bool ascending(Context& context, BufferSpan<const T> span);

/// Does the same as ascending for keys of `key_words` words each, with the lowest word first. Only the lowest
/// `bits` bits count.
bool ascending_words(Context& context, BufferSpan<const u32> words, u32 key_words, u32 bits);

/// Returns whether both hold the same elements, each equally often, in any order. It compares sums of hashes.
/// Different elements agree only by a chance of 1 in 2^64. T is u32 or u64. Waits.
template <class T>
bool same_elements(Context& context, BufferSpan<const T> a, BufferSpan<const T> b);

/// Returns whether `sorted` holds the elements of `in` in ascending order. T is u32 or u64. Waits.
template <class T>
bool sorted_from(Context& context, BufferSpan<const T> in, BufferSpan<const T> sorted) {
  return ascending<T>(context, sorted) && same_elements<T>(context, in, sorted);
}

/// Returns whether record i of `out` holds the bytes of record `index[i]` of `in`. `record_bytes` must be a
/// multiple of 4. Waits.
bool gathered(Context& context, const void* in, BufferSpan<const u32> index, const void* out, u64 record_bytes);

/// Returns whether both hold the same bytes. Waits.
bool equal_bytes(Context& context, const void* a, const void* b, u64 bytes);

}  // namespace copse::bench
