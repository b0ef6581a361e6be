// The steps of a sharded build that process all triangles of a rank: keys, their counts, their split by splitters,
// and the triangles that the ranks exchange. shard_build.cpp calls them.

#include "builders/bvh/hploc/hploc_slice.h"
#include "builders/geometry/make_triangle_table.h"
#include "builders/geometry/packed_triangle.h"
#include "primitives/histogram.h"
#include "primitives/split.h"
#include "scale/shards/border_search.h"
#include "scale/slices/curve_slices.h"

namespace copse::detail {

namespace {

struct StoreCurveKey {
  TriangleKeys key_of;
  u64* keys;
  COPSE_HD void operator()(u64 i) const { keys[i] = key_of(u32(i)); }
};

struct LoadCurveKey {
  const u64* keys;
  COPSE_HD u64 operator()(u64 i) const { return keys[i]; }
};

/// Returns the index of the first of the ascending numbers that is not below `value`; `count` if there is none.
COPSE_HD u32 lower_bound_of(const u64* numbers, u32 count, u64 value) {
  u32 first = 0;
  while (count > 0) {
    const u32 half = count / 2;
    if (numbers[first + half] < value) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

/// The bin of a key, if its known bits are one of the prefixes; otherwise a number past all bins.
struct PrefixBin {
  const u64* prefixes;
  u32 prefix_count;
  DigitRange digits;

  COPSE_HD u32 operator()(u64 key) const {
    const u64 prefix = key >> digits.end;
    const u32 place = lower_bound_of(prefixes, prefix_count, prefix);
    if (place == prefix_count || prefixes[place] != prefix) return ~u32{0};
    return place * digits.bin_count() + (u32(key >> digits.begin) & (digits.bin_count() - 1));
  }
};

/// The bucket of a triangle: 2 s for a key between the splitters s - 1 and s, 2 s + 1 for the key of splitter s, and the
/// last one for triangles without a key.
struct SplitterBucket {
  const u64* keys;
  const u64* splitters;
  u32 splitter_count;

  COPSE_HD u32 operator()(u64 i) const {
    const u64 key = keys[i];
    if (key >= invalid_morton_key) return 2 * splitter_count + 1;
    const u32 place = lower_bound_of(splitters, splitter_count, key);
    return 2 * place + (place < splitter_count && splitters[place] == key ? 1 : 0);
  }
};

struct PackForRanks {
  TriangleTable table;
  const u32* ids;
  const u32* places;  // null: the order of the ids
  u32 first_id;
  PackedTriangle* triangles;
  u32* masks;  // null if none are sent

  COPSE_HD void operator()(u64 i) const {
    const u32 id = ids[i];
    const u64 place = places == nullptr ? i : places[i];
    const Triangle t = table.triangle(id);
    triangles[place] = {t.a, first_id + id, t.b, table.geometry(id), t.c, table.local_id(id)};
    if (masks != nullptr) masks[place] = table.mask(id);
  }
};

struct AddToId {
  const u32* ids;
  u32 first_id;
  u32* out;
  COPSE_HD void operator()(u64 i) const { out[i] = first_id + ids[i]; }
};

struct StorePackedBox {
  const PackedTriangle* triangles;
  Aabb* boxes;
  COPSE_HD void operator()(u64 i) const { boxes[i] = bounds(triangles[i].triangle()); }
};

/// Moves triangles to the slots of their leaves. The primitive id of a slot is then the slot.
struct MoveToSlot {
  const PackedTriangle* from;
  const u32* masks_from;
  u32* ids;
  PackedTriangle* to;
  u32* masks_to;  // null if there are none

  COPSE_HD void operator()(u64 slot) const {
    const u32 id = ids[slot];
    to[slot] = from[id];
    if (masks_to != nullptr) masks_to[slot] = masks_from[id];
    ids[slot] = u32(slot);
  }
};

/// Numbers the slots, after the triangles were moved to the slots of their leaves.
struct NumberSlot {
  u32* ids;
  COPSE_HD void operator()(u64 slot) const { ids[slot] = u32(slot); }
};

/// `primitive` of a packed triangle is a place: replaces the triangle by the named one at that place, with its mask.
struct NamePacked {
  const PackedTriangle* named;
  const u32* masks;  // null if there are none
  PackedTriangle* packed;
  u32* packed_masks;

  COPSE_HD void operator()(u64 i) const {
    const u32 place = packed[i].primitive;
    packed[i] = named[place];
    if (masks != nullptr) packed_masks[i] = masks[place];
  }
};

/// The rank that brought a triangle.
struct RankOfTriangle {
  const PackedTriangle* triangles;
  const u64* first_ids;  // [rank]
  u32 rank_count;

  COPSE_HD u32 operator()(u64 slot) const {
    return lower_bound_of(first_ids, rank_count, u64{triangles[slot].primitive} + 1) - 1;
  }
};

/// The number of a triangle in the input of the rank that brought it.
struct StoreIdOfRank {
  RankOfTriangle rank_of;
  const u32* slots;
  u32* ids;

  COPSE_HD void operator()(u64 i) const {
    const u32 slot = slots[i];
    ids[i] = u32(rank_of.triangles[slot].primitive - rank_of.first_ids[rank_of(slot)]);
  }
};

/// Stores triangles that have moved at their leaves.
struct StoreAtSlot {
  const PackedTriangle* moved;
  const u32* moved_masks;
  const u32* slots;
  PackedTriangle* triangles;
  u32* masks;  // null if there are none

  COPSE_HD void operator()(u64 i) const {
    triangles[slots[i]] = moved[i];
    if (masks != nullptr) masks[slots[i]] = moved_masks[i];
  }
};

/// Stores a cluster that the host has merged.
struct StorePlacedCluster {
  const PlacedCluster* placed;
  PlaceCluster<SingleLeaves> place;
  COPSE_HD void operator()(u64 i) const { place(placed[i].cluster, placed[i].node); }
};

/// Stores their places in packed triangles as ids, so that a refit finds them.
struct StorePlace {
  const u32* places;
  PackedTriangle* packed;
  COPSE_HD void operator()(u64 i) const { packed[i].primitive = places[i]; }
};

}  // namespace

template <class Executor>
void store_shard_keys(const Executor& ex, std::span<const TriangleView> views, u64 n, const MortonSlice& curve,
                      u64* keys) {
  ScratchArena::Frame frame(ex.scratch);
  for_each(ex, "shards: keys", n,
           StoreCurveKey{{TriangleBoxes{make_triangle_table(ex, frame, views)}, curve}, keys});
}

template <class Executor>
void count_shard_keys(const Executor& ex, const u64* keys, u64 n, std::span<const u64> prefixes, DigitRange digits,
                      u64* counts) {
  histogram(ex, "shards: count keys", n, LoadCurveKey{keys},
            PrefixBin{prefixes.data(), u32(prefixes.size()), digits}, prefixes.size() * digits.bin_count(),
            counts);
}

template <class Executor>
void split_shard_keys(const Executor& ex, const u64* keys, u64 n, std::span<const u64> splitters, u32* ids,
                      u64* begins) {
  const u32 count = u32(splitters.size());
  split_index(ex, "shards: split", n, SplitterBucket{keys, splitters.data(), count}, 2 * count + 2, ids, begins);
}

template <class Executor>
void pack_for_ranks(const Executor& ex, std::span<const TriangleView> views, const u32* ids, const u32* places,
                    u64 count, u32 first_id, PackedTriangle* triangles, u32* masks) {
  ScratchArena::Frame frame(ex.scratch);
  for_each(ex, "shards: pack", count,
           PackForRanks{make_triangle_table(ex, frame, views), ids, places, first_id, triangles, masks});
}

template <class Executor>
void list_left_out(const Executor& ex, const u32* ids, u64 count, u32 first_id, u32* out) {
  for_each(ex, "shards: left out", count, AddToId{ids, first_id, out});
}

template <class Executor>
void store_shard_boxes(const Executor& ex, const PackedTriangle* triangles, u64 count, Aabb* boxes) {
  for_each(ex, "shards: boxes", count, StorePackedBox{triangles, boxes});
}

template <class Executor>
void move_to_slots(const Executor& ex, const PackedTriangle* from, const u32* masks_from, u64 count, u32* ids,
                   PackedTriangle* to, u32* masks_to) {
  for_each(ex, "shards: order", count, MoveToSlot{from, masks_from, ids, to, masks_to});
}

template <class Executor>
void number_slots(const Executor& ex, u64 count, u32* ids) {
  for_each(ex, "shards: slots", count, NumberSlot{ids});
}

template <class Executor>
void name_packed(const Executor& ex, const PackedTriangle* named, const u32* masks, u64 count,
                 PackedTriangle* packed, u32* packed_masks) {
  for_each(ex, "shards: names", count, NamePacked{named, masks, packed, packed_masks});
}

template <class Executor>
void split_by_source(const Executor& ex, const PackedTriangle* triangles, u64 count,
                     std::span<const u64> first_ids, u32* slots, u64* begins) {
  const u32 rank_count = u32(first_ids.size());
  split_index(ex, "shards: sources", count, RankOfTriangle{triangles, first_ids.data(), rank_count}, rank_count,
              slots, begins);
}

template <class Executor>
void store_ids_of_ranks(const Executor& ex, const PackedTriangle* triangles, u64 count,
                        std::span<const u64> first_ids, const u32* slots, u32* ids) {
  const RankOfTriangle rank_of{triangles, first_ids.data(), u32(first_ids.size())};
  for_each(ex, "shards: ids", count, StoreIdOfRank{rank_of, slots, ids});
}

template <class Executor>
void store_at_slots(const Executor& ex, const PackedTriangle* moved, const u32* moved_masks, const u32* slots,
                    u64 count, PackedTriangle* triangles, u32* masks) {
  for_each(ex, "shards: moved", count, StoreAtSlot{moved, moved_masks, slots, triangles, masks});
}

template <class Executor>
void store_places(const Executor& ex, const u32* places, u64 count, PackedTriangle* packed) {
  for_each(ex, "shards: places", count, StorePlace{places, packed});
}

template <class Executor>
void store_placed_clusters(const Executor& ex, const PlacedCluster* placed, u64 count, const BvhArrays& bvh) {
  for_each(ex, "shards: clusters", count, StorePlacedCluster{placed, {{}, bvh}});
}

template void store_placed_clusters(const BodyExecutor&, const PlacedCluster*, u64, const BvhArrays&);
template void split_by_source(const BodyExecutor&, const PackedTriangle*, u64, std::span<const u64>, u32*, u64*);
template void store_ids_of_ranks(const BodyExecutor&, const PackedTriangle*, u64, std::span<const u64>, const u32*,
                                 u32*);
template void store_at_slots(const BodyExecutor&, const PackedTriangle*, const u32*, const u32*, u64,
                             PackedTriangle*, u32*);
template void store_places(const BodyExecutor&, const u32*, u64, PackedTriangle*);
template void store_shard_keys(const BodyExecutor&, std::span<const TriangleView>, u64, const MortonSlice&, u64*);
template void count_shard_keys(const BodyExecutor&, const u64*, u64, std::span<const u64>, DigitRange, u64*);
template void split_shard_keys(const BodyExecutor&, const u64*, u64, std::span<const u64>, u32*, u64*);
template void pack_for_ranks(const BodyExecutor&, std::span<const TriangleView>, const u32*, const u32*, u64, u32,
                             PackedTriangle*, u32*);
template void list_left_out(const BodyExecutor&, const u32*, u64, u32, u32*);
template void store_shard_boxes(const BodyExecutor&, const PackedTriangle*, u64, Aabb*);
template void move_to_slots(const BodyExecutor&, const PackedTriangle*, const u32*, u64, u32*, PackedTriangle*,
                            u32*);
template void number_slots(const BodyExecutor&, u64, u32*);
template void name_packed(const BodyExecutor&, const PackedTriangle*, const u32*, u64, PackedTriangle*, u32*);

}  // namespace copse::detail
