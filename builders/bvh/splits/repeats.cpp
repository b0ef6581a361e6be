#include "builders/bvh/splits.h"

#include "builders/bvh/bvh.h"
#include "builders/bvh/wide_bvh.h"
#include "primitives/core/dispatch.h"

namespace copse::detail {

// The body: repeats.inl, for either executor.

/// Stores the links of a tree over `n` primitives that has room for `place_count` places.
template <class Executor, class View>
void find_repeats(const Executor& ex, const View& tree, u64 n, u64 place_count, RepeatedPlace* repeats);
template <class Executor>
u64 find_repeats_scratch_bytes(const Executor& ex, u64 n, u64 place_count);

/// Stores the leaves of the places alone.
template <class Executor, class View>
void find_leaves_of_places(const Executor& ex, const View& tree, RepeatedPlace* repeats);

template <class Tree>
void make_room_for_repeats(Context& context, Tree& tree) {
  if (tree.has_repeats() && tree.repeats.size() < tree.place_count()) {
    tree.repeats = Buffer<RepeatedPlace>(context, tree.place_count());
  }
}

template <class Tree>
void link_repeats(Context& context, Tree& tree) {
  if (!tree.has_repeats()) return;
  context.reserve_scratch(link_repeats_scratch_bytes(context, tree.source_count, tree.place_count()));
  dispatch(context, [&](const auto& ex) {
    find_repeats(ex, tree.view(), tree.source_count, tree.place_count(), tree.repeats.data());
  });
}

template <class Tree>
void relink_leaves(Context& context, Tree& tree) {
  if (!tree.has_repeats()) return;
  dispatch(context, [&](const auto& ex) { find_leaves_of_places(ex, tree.view(), tree.repeats.data()); });
}

u64 link_repeats_scratch_bytes(Context& context, u64 primitive_count, u64 place_count) {
  return dispatch(context,
                  [&](const auto& ex) { return find_repeats_scratch_bytes(ex, primitive_count, place_count); });
}

#define COPSE_REPEATS(Tree)                                       \
  template COPSE_API void make_room_for_repeats(Context&, Tree&); \
  template COPSE_API void link_repeats(Context&, Tree&);          \
  template COPSE_API void relink_leaves(Context&, Tree&);
COPSE_REPEATS(Bvh)
COPSE_REPEATS(Bvh4)
COPSE_REPEATS(CompressedBvh4)
COPSE_REPEATS(CompressedBvh8)
#undef COPSE_REPEATS

}  // namespace copse::detail
