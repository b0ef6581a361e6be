// The Burrows-Wheeler transform and its inverse (Burrows, Wheeler, "A Block-sorting Lossless Data Compression
// Algorithm", SRC 124, 1994).
//
// The inverse: sort the bytes of the transform, keeping the order of equal ones. Then the j-th of them is the first
// byte of row j + 1, and the row in which it stood before is the row of the text that begins one byte later. So the
// rows make a list from the primary row, which is the whole text, to row 0, which is the end mark.
//
//   text banana: row   0  1  2   3    4      5     6
//                      $  a$ ana$ anana$ banana$ na$ nana$
//   transform          a  n  n   b    $      a     a          primary row 4
//   list               4 -> 3 -> 6 -> 2 -> 5 -> 1 -> 0
//   first bytes        b    a    n    a    n    a    $

#include "primitives/core/device.h"
#include "primitives/inputs.h"
#include "primitives/radix_key.h"

namespace copse::detail {

// The body: radix_sort.inl, for either executor.
template <class Executor, class Bits>
void sort_elements(const Executor& ex, const Bits* keys_in, const u32* values_in, u64 n, Bits* keys_out,
                   u32* values_out, BitRange bits, const KeyEncoding<Bits>& encoding);
// The body: list_rank.inl, for either executor.
template <class Executor>
void rank_nodes(const Executor& ex, const u32* next, u32 n, u32 head, u32* ranks);

struct FindPrimary {
  const u32* suffixes;
  u32* primary;
  COPSE_HD void operator()(u64 r) const {
    if (suffixes[r] == 0) *primary = u32(r + 1);
  }
};

/// Stores the byte before the suffix of row `row`; row 0 is the end mark.
struct StoreBytesBefore {
  const u8* text;
  u64 n;
  const u32* suffixes;
  const u32* primary;
  u8* transform;
  COPSE_HD void operator()(u64 row) const {
    const u64 i = row == 0 ? n : suffixes[row - 1];
    if (i != 0) transform[row - (row > *primary ? 1 : 0)] = text[i - 1];
  }
};

template <class Executor>
void transform_text(const Executor& ex, const u8* text, u64 n, const u32* suffixes, u8* transform, u32* primary) {
  fill_bytes(ex, "bwt: primary row", primary, 1, 0);
  for_each(ex, "bwt: primary row", n, FindPrimary{suffixes, primary});
  if (n > 0) for_each(ex, "bwt: bytes", n + 1, StoreBytesBefore{text, n, suffixes, primary, transform});
}

struct WidenByte {
  const u8* bytes;
  u32* words;
  COPSE_HD void operator()(u64 k) const { words[k] = bytes[k]; }
};

/// Stores the row that follows each row in the text.
struct StoreNextRow {
  const u32* order;
  u32 primary;
  u32* next;
  COPSE_HD void operator()(u64 row) const {
    if (row == 0) {
      next[0] = invalid_id;
    } else {
      const u32 k = order[row - 1];
      next[row] = k + (k >= primary ? 1 : 0);
    }
  }
};

struct StoreFirstBytes {
  const u8* transform;
  const u32* order;
  const u32* places;  // in the text, of each row
  u64 n;
  u8* text;
  COPSE_HD void operator()(u64 j) const {
    const u32 place = places[j + 1];
    if (place < n) text[place] = transform[order[j]];
  }
};

template <class Executor>
bool restore_text(const Executor& ex, const u8* transform, u64 n, u32 primary, u8* text) {
  ScratchArena::Frame frame(ex.scratch);
  u32* order = frame.template allocate<u32>(n);
  u32* next = frame.template allocate<u32>(n + 1);
  {
    ScratchArena::Frame keys_frame(ex.scratch);
    u32* keys = keys_frame.template allocate<u32>(n);
    for_each(ex, "inverse bwt: bytes", n, WidenByte{transform, keys});
    sort_elements<Executor, u32>(ex, keys, nullptr, n, next, order, BitRange{0, 8}, {});  // `next` is free yet
  }
  for_each(ex, "inverse bwt: rows", n + 1, StoreNextRow{order, primary, next});
  rank_nodes(ex, next, u32(n + 1), primary, next);
  for_each(ex, "inverse bwt: text", n, StoreFirstBytes{transform, order, next, n, text});
  u32 end;
  ex.device.download(&end, next, sizeof end);
  return end == n;
}

template void transform_text(const BodyExecutor&, const u8*, u64, const u32*, u8*, u32*);
template bool restore_text(const BodyExecutor&, const u8*, u64, u32, u8*);

}  // namespace copse::detail
