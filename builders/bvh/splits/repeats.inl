// Where the same primitive stands in several leaves of a tree: see RepeatedPlace.

#include "builders/bvh/splits/leaf_places.h"
#include "primitives/inputs.h"
#include "primitives/loops/zeroed_words.h"
#include "primitives/radix_sort.h"

namespace copse::detail {

namespace {

/// The primitive of a place. Places that are in no leaf have numbers past all primitives.
struct PrimitiveOfPlace {
  const u32* primitive_ids;
  const u32* place_count;
  u32 none;
  COPSE_HD u32 operator()(u64 place) const { return place < *place_count ? primitive_ids[place] : none; }
};

/// Stores, for a place among those in the order of their primitives, the place before it of the same primitive. The
/// places that the tree does not use come last; they keep invalid_id as their leaf.
struct LinkPlace {
  const u32* ids;
  const u32* places;
  RepeatedPlace* repeats;
  COPSE_HD void operator()(u64 i) const {
    const u32 previous = i > 0 && ids[i] == ids[i - 1] ? places[i - 1] : invalid_id;
    repeats[places[i]] = {previous, invalid_id};
  }
};

template <class View>
struct StoreLeafOfPlaces {
  View tree;
  RepeatedPlace* repeats;
  COPSE_HD void operator()(u64 i) const {
    if (i < tree.counts.data()->node_count) for_each_place_of(tree.nodes.data()[i], *this, u32(i));
  }
  COPSE_HD void operator()(u32 place, u32 node) const { repeats[place].leaf = node; }
};

/// The bits of a number up to `most`.
constexpr u32 bits_up_to(u64 most) {
  u32 bits = 1;
  while (most >> bits != 0) ++bits;
  return bits;
}

}  // namespace

template <class Executor, class View>
void find_leaves_of_places(const Executor& ex, const View& tree, RepeatedPlace* repeats) {
  for_each(ex, "repeats: leaves", tree.nodes.size(), StoreLeafOfPlaces<View>{tree, repeats});
}

template <class Executor, class View>
void find_repeats(const Executor& ex, const View& tree, u64 n, u64 place_count, RepeatedPlace* repeats) {
  ScratchArena::Frame frame(ex.scratch);
  u32* const ids = frame.allocate<u32>(place_count);
  u32* const places = frame.allocate<u32>(place_count);
  const PrimitiveOfPlace of_place{tree.primitive_ids.data(), &tree.counts.data()->primitive_count, u32(n)};
  radix_sort_pairs(ex, "repeats: sort places", place_count, of_place, Index{}, ids, places,
                   BitRange{0, bits_up_to(n)}, SortOrder::ascending);
  for_each(ex, "repeats: link", place_count, LinkPlace{ids, places, repeats});
  find_leaves_of_places(ex, tree, repeats);
}

template <class Executor>
u64 find_repeats_scratch_bytes(const Executor& ex, u64 n, u64 place_count) {
  return 2 * ScratchArena::bytes_for<u32>(place_count) +
         radix_sort_pairs_scratch_bytes<u32, u32>(ex, place_count, BitRange{0, bits_up_to(n)});
}

#define COPSE_REPEATS(View)                                                              \
  template void find_leaves_of_places(const BodyExecutor&, const View&, RepeatedPlace*); \
  template void find_repeats(const BodyExecutor&, const View&, u64, u64, RepeatedPlace*);
COPSE_REPEATS(BvhView)
COPSE_REPEATS(Bvh4View)
COPSE_REPEATS(CompressedBvh4View)
COPSE_REPEATS(CompressedBvh8View)
#undef COPSE_REPEATS

template u64 find_repeats_scratch_bytes(const BodyExecutor&, u64, u64);

}  // namespace copse::detail
