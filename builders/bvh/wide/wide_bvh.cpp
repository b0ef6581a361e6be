#include "builders/bvh/wide_bvh.h"

#include <algorithm>

#include "builders/bvh/build/bvh_arrays.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: collapse.inl, for either executor.
template <class Executor>
void copy_words(const Executor& ex, const u32* from, u64 count, u32* to);

}  // namespace detail

namespace {

/// Returns a copy of the first elements of a buffer.
template <class T>
Buffer<T> copy_first(Context& context, const Buffer<T>& from, u64 count) {
  static_assert(sizeof(T) % sizeof(u32) == 0);
  Buffer<T> to(context, count);
  dispatch(context, [&](const auto& ex) {
    detail::copy_words(ex, reinterpret_cast<const u32*>(from.data()), to.size_bytes() / sizeof(u32),
                       reinterpret_cast<u32*>(to.data()));
  });
  return to;
}

u64 parent_count(const Bvh&, u64 node_count) {
  return pair_capacity((node_count + 1) / 2);
}
template <class Node>
u64 parent_count(const WideBvh<Node>&, u64 node_count) {
  return node_count;
}

}  // namespace

template <class Tree>
Tree compact_copy(Context& context, const Tree& tree) {
  const u64 node_count = std::max(tree.counts.download().at(0).node_count, 1u);
  Tree copy;
  copy.nodes = copy_first(context, tree.nodes, node_count);
  copy.parents = copy_first(context, tree.parents, parent_count(tree, node_count));
  copy.primitive_ids = copy_first(context, tree.primitive_ids, tree.place_count());
  copy.counts = copy_first(context, tree.counts, 1);
  copy.source_count = tree.source_count;
  copy.reference_count = tree.reference_count;
  if (tree.has_repeats()) copy.repeats = copy_first(context, tree.repeats, tree.place_count());
  if constexpr (std::is_same_v<Tree, Bvh>) {
    detail::BvhAccess::deltas(copy).words = Buffer<u32>(context, detail::delta_words(tree.place_count()));
    copy.max_leaf_size = tree.max_leaf_size;
  }
  return copy;
}

template COPSE_API Bvh compact_copy(Context&, const Bvh&);
template COPSE_API Bvh4 compact_copy(Context&, const Bvh4&);
template COPSE_API CompressedBvh4 compact_copy(Context&, const CompressedBvh4&);
template COPSE_API CompressedBvh8 compact_copy(Context&, const CompressedBvh8&);

}  // namespace copse
