// Primitives in Morton order (sort_keys.h), and which of them make up a leaf.
//
// The cooperative stages, morton_sort_cpu.h and morton_sort.cuh, are those that sort_keys.h names, and:
//
//   sort_from_last_order(ex, frame, boxes, n, morton_bits, bvh)
//     Does what sort_by_morton_key does (sort_keys.h). It may begin with the order of the primitives in `bvh`, a
//     tree that was built before.
//   last_order_scratch(ex, n, of_triangles, morton_bits)

#include "builders/bvh/morton/order_slice.h"
#include "builders/bvh/morton/sort_keys.h"
#include "primitives/compact.h"
#include "primitives/radix_sort.h"
#include "primitives/reduce.h"

namespace copse::detail {

namespace {

/// Whether a leaf begins in slot i: whether the node that splits right before the slot has more than max_leaf_size
/// primitives. That node reaches to both sides over all splits with higher deltas than its own.
struct StartsLeaf {
  const u8* deltas;
  const u32* slot_count;
  u32 max_leaf_size;

  COPSE_HD bool operator()(u64 i) const {
    const u32 count = *slot_count;
    if (i >= count) return false;
    if (i == 0) return true;
    const u8 own = deltas[i - 1];
    u32 left = u32(i) - 1, right = u32(i);
    while (right - left < max_leaf_size && left > 0 && deltas[left - 1] > own) --left;
    while (right - left < max_leaf_size && right + 1 < count && deltas[right] > own) ++right;
    return right - left >= max_leaf_size;
  }
};

/// Stores the slot where leaf k begins.
struct WriteLeafStart {
  u32* firsts;
  COPSE_HD void operator()(u64 k, u64 i) const { firsts[k] = u32(i); }
};

/// Stores the end of the last leaf, and the counts of a tree whose leaves hold several primitives.
struct StoreLeafCount {
  const u64* leaf_count;
  u32* firsts;
  u32 source_count;
  BvhArrays bvh;

  COPSE_HD void operator()(u64) const {
    const u32 primitive_count = bvh.counts->primitive_count;
    firsts[*leaf_count] = primitive_count;
    store_counts(bvh, u32(*leaf_count), primitive_count, source_count);
  }
};

/// Stores given bounds.
struct StoreGivenBounds {
  Aabb bounds;
  Aabb* out;
  COPSE_HD void operator()(u64) const { *out = bounds; }
};

/// Replaces the deltas between equal keys by those for slots numbered through a larger tree: equal keys are
/// extended by the bits of their slots (common_prefix).
struct CountSlotsFrom {
  u32 first_slot;
  u8* deltas;

  COPSE_HD void operator()(u64 slot) const {
    const bool keys_are_equal = deltas[slot] > morton_key_bits;
    if (keys_are_equal) deltas[slot] = u8(common_prefix(0, 0, first_slot + u32(slot)));
  }
};

}  // namespace

template <class Executor>
void find_leaves(const Executor& ex, const u8* deltas, u64 n, u32 max_leaf_size, const BvhArrays& bvh,
                 u32* firsts) {
  ScratchArena::Frame frame(ex.scratch);
  u64* leaf_count = frame.allocate<u64>(1);
  compact_each(ex, "leaves: begin", n, StartsLeaf{deltas, &bvh.counts->primitive_count, max_leaf_size},
               WriteLeafStart{firsts}, leaf_count);
  for_each(ex, "leaves: counts", 1, StoreLeafCount{leaf_count, firsts, u32(n), bvh});
}

template <class Executor>
u64 find_leaves_scratch_bytes(const Executor& ex, u64 n) {
  return ScratchArena::bytes_for<u64>(1) + compact_scratch_bytes<u32>(ex, n);
}

template <class Executor, class Boxes>
MortonOrder order_primitives(const Executor& ex, ScratchArena::Frame& frame, const Boxes& boxes, u64 n,
                             u32 morton_bits, bool from_last_order, const BvhArrays& bvh) {
  return from_last_order ? sort_from_last_order(ex, frame, boxes, n, morton_bits, bvh)
                         : sort_by_morton_key(ex, frame, boxes, n, morton_bits, bvh);
}

template <class Executor>
MortonOrderScratch order_primitives_scratch(const Executor& ex, u64 n, bool of_triangles, u32 morton_bits,
                                            bool from_last_order) {
  return from_last_order ? last_order_scratch(ex, n, of_triangles, morton_bits)
                         : sort_by_morton_key_scratch(ex, n, of_triangles, morton_bits);
}

template <class Executor>
void order_slice(const Executor& ex, const CustomBoxes& boxes, u64 n, const MortonSlice& slice,
                 const BvhArrays& bvh) {
  ScratchArena::Frame frame(ex.scratch);
  auto* bounds = frame.allocate<Aabb>(1);
  for_each(ex, "Morton order: bounds", 1, StoreGivenBounds{slice.bounds, bounds});
  sort_all_keys(ex, MortonKeyOf<CustomBoxes>{boxes, bounds, {}}, n, slice.morton_bits,
                MortonOrderOutput{bvh, bvh.deltas, u32(n)});
  if (slice.first_slot > 0) {
    for_each(ex, "Morton order: deltas of a slice", n - 1, CountSlotsFrom{slice.first_slot, bvh.deltas});
  }
}

template <class Executor>
u64 order_slice_scratch_bytes(const Executor& ex, u64 n, u32 morton_bits) {
  return sort_by_morton_key_scratch(ex, n, false, morton_bits).bytes;
}

template MortonOrder order_primitives(const BodyExecutor&, ScratchArena::Frame&, const TriangleBoxes&, u64, u32,
                                      bool, const BvhArrays&);
template MortonOrder order_primitives(const BodyExecutor&, ScratchArena::Frame&, const CustomBoxes&, u64, u32,
                                      bool, const BvhArrays&);
template MortonOrderScratch order_primitives_scratch(const BodyExecutor&, u64, bool, u32, bool);
template void order_slice(const BodyExecutor&, const CustomBoxes&, u64, const MortonSlice&, const BvhArrays&);
template u64 order_slice_scratch_bytes(const BodyExecutor&, u64, u32);
template void find_leaves(const BodyExecutor&, const u8*, u64, u32, const BvhArrays&, u32*);
template u64 find_leaves_scratch_bytes(const BodyExecutor&, u64);

}  // namespace copse::detail
