#include "builders/bvh/packed_tree.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "builders/built_check.h"
#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/splits.h"
#include "builders/bvh/splits/build_references.h"
#include "builders/bvh/splits/split_check.h"
#include "builders/bvh/validate.h"
#include "builders/bvh/wide/wide_slots.h"
#include "builders/bvh/wide/wide_tree.h"
#include "builders/geometry/make_triangle_table.h"
#include "builders/geometry/triangle_check.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "primitives/cpu/for_each.h"

namespace copse::detail {

// The bodies, for either executor: lbvh.inl, hploc.inl, sah.inl, splits.inl, reinsert.inl, collapse.inl,
// refit.inl, pack_triangles.inl.

template <class Executor, class Options>
void build_over_triangles(const Executor& ex, std::span<const TriangleView> views, u64 n, const Options& options,
                          const BvhArrays& bvh);
template <class Executor>
void reinsert_nodes(const Executor& ex, u64 node_count, const BvhArrays& bvh, const ReinsertOptions& options);
template <class Executor>
u64 reinsert_scratch_bytes(const Executor& ex, u64 node_count);
template <class Executor>
void take_cheaper_tree(const Executor& ex, u64 node_count, const BvhArrays& bvh, const BvhArrays& other);
template <class Executor>
u64 take_cheaper_tree_scratch_bytes(const Executor& ex, u64 node_count);
template <class Executor, class Node>
void collapse_tree(const Executor& ex, const BvhView& bvh, u64 n, const CollapseCosts& costs,
                   const WideArrays<Node>& wide);
template <class Node, class Executor>
u64 collapse_scratch_bytes(const Executor& ex, u64 n);
template <class Executor>
void refit_and_pack(const Executor& ex, std::span<const TriangleView> views, u64 node_capacity,
                    const WideArrays<CompressedBvh4Node>& tree, PackedTriangle* packed, u32* masks);
template <class Node, class Executor>
u64 refit_wide_scratch_bytes(const Executor& ex, u64 node_capacity, u64 view_count);
/// Stores the ids of the first `n` packed triangles, or of as many as there are.
template <class Executor>
void copy_packed_ids(const Executor& ex, const PackedTriangle* packed, const u32* primitive_count, u64 n,
                     u32* ids);
template <class Executor>
void pack_triangles(const Executor& ex, BufferSpan<const u32> primitive_ids, const u32* primitive_count,
                    std::span<const TriangleView> views, PackedTriangle* packed, u32* masks);
template <class Executor>
void copy_words(const Executor& ex, const u32* from, u64 count, u32* to);

namespace {

/// A binary tree in scratch.
struct ScratchBvh {
  BvhArrays arrays;
  BvhView view;

  ScratchBvh(ScratchArena::Frame& frame, u64 n) {
    auto* nodes = frame.allocate<BvhNode>(node_capacity(n));
    u32* parents = frame.allocate<u32>(pair_capacity(n));
    u32* ids = frame.allocate<u32>(n);
    auto* counts = frame.allocate<BvhCounts>(1);
    u32* deltas = frame.allocate<u32>(delta_words(n));
    arrays = {nodes, parents, ids, counts, reinterpret_cast<u8*>(deltas + 2), deltas, deltas + 1};
    view = {{nodes, node_capacity(n)}, {parents, pair_capacity(n)}, {ids, n}, {counts, 1}};
  }

  static u64 bytes(u64 n) {
    return ScratchArena::bytes_for<BvhNode>(node_capacity(n)) + ScratchArena::bytes_for<u32>(pair_capacity(n)) +
           ScratchArena::bytes_for<u32>(n) + ScratchArena::bytes_for<BvhCounts>(1) +
           ScratchArena::bytes_for<u32>(delta_words(n));
  }
};

/// How many triangles a tree is built over, and how many places it has for them.
struct PlaceCount {
  u64 triangles, places;

  PlaceCount(u64 triangle_count, float splits)
      : triangles(triangle_count), places(reference_count(triangle_count, splits)) {}

  bool has_splits() const { return places > triangles; }
};

/// Builds a tree and reinserts its nodes.
template <class Executor>
void build_binary(const Executor& ex, const TriangleViews& triangles, const PlaceCount& count,
                  const AnyBuildOptions& builder, const ReinsertOptions& reinsertion, const ScratchBvh& bvh) {
  std::visit(
      [&](const auto& chosen) {
        if (count.has_splits()) {
          build_over_references(ex, triangles.views(), count.triangles, count.places, chosen, bvh.arrays);
        } else {
          build_over_triangles(ex, triangles.views(), count.triangles, chosen, bvh.arrays);
        }
      },
      builder);
  if (reinsertion.passes > 0) reinsert_nodes(ex, node_capacity(count.places), bvh.arrays, reinsertion);
}

/// Builds the tree that the options choose.
template <class Executor>
void build_chosen(const Executor& ex, const TriangleViews& triangles, const PlaceCount& count,
                  const PackedBuildOptions& options, const ScratchBvh& bvh) {
  build_binary(ex, triangles, count, options.builder, options.reinsertion, bvh);
  if (!options.alternative) return;
  ScratchArena::Frame frame(ex.scratch);
  const ScratchBvh other(frame, count.places);
  build_binary(ex, triangles, count, *options.alternative, options.reinsertion, other);
  take_cheaper_tree(ex, node_capacity(count.places), bvh.arrays, other.arrays);
}

template <class Executor>
u64 build_binary_scratch_bytes(const Executor& ex, const PlaceCount& count, u64 view_count,
                               const AnyBuildOptions& builder, const ReinsertOptions& reinsertion) {
  const u64 building = std::visit(
      [&](const auto& chosen) {
        return count.has_splits()
                   ? build_over_references_scratch_bytes(ex, count.triangles, view_count, count.places, chosen)
                   : build_scratch_bytes(ex, count.triangles, view_count, chosen);
      },
      builder);
  return std::max(building, reinsertion.passes > 0 ? reinsert_scratch_bytes(ex, node_capacity(count.places)) : 0);
}

template <class Executor>
u64 scratch_bytes(const Executor& ex, const PlaceCount& count, const PackedBuildOptions& options, u64 view_count) {
  u64 building = build_binary_scratch_bytes(ex, count, view_count, options.builder, options.reinsertion);
  const u64 tree = ScratchBvh::bytes(count.places);
  if (options.alternative) {
    const u64 other = build_binary_scratch_bytes(ex, count, view_count, *options.alternative, options.reinsertion);
    building = std::max(building,
                        tree + std::max(other, take_cheaper_tree_scratch_bytes(ex, node_capacity(count.places))));
  }
  const u64 collapsing = collapse_scratch_bytes<CompressedBvh4Node>(ex, count.places);
  const u64 packing = triangle_table_scratch_bytes(view_count);
  return tree + std::max({building, collapsing, packing});
}

/// Returns the scratch of a build, and of the links between the places of its triangles.
u64 scratch_bytes(Context& context, const PlaceCount& count, const PackedBuildOptions& options, u64 view_count) {
  const u64 building =
      dispatch(context, [&](const auto& ex) { return scratch_bytes(ex, count, options, view_count); });
  const u64 linking = count.has_splits() ? link_repeats_scratch_bytes(context, count.triangles, count.places) : 0;
  return std::max(building, linking);
}

void check_room(const CompressedBvh4& tree, const PackedTriangles& packed, const PlaceCount& count) {
  if (tree.nodes.size() >= wide_node_capacity(count.places) && tree.primitive_ids.size() >= count.places &&
      packed.triangles.size() >= count.places && (!count.has_splits() || tree.repeats.size() >= count.places)) {
    return;
  }
  refuse("build", counted(count.places, "places") + " of triangles may need " +
                      counted(wide_node_capacity(count.places), "nodes") + ", but there is room for " +
                      counted(packed.triangles.size(), "places") + " and " + counted(tree.nodes.size(), "nodes"));
}

void make_room_for_masks(Context& context, PackedTriangles& packed, const TriangleViews& triangles) {
  const auto views = triangles.views();
  const bool has_masks =
      std::any_of(views.begin(), views.end(), [](const TriangleView& view) { return view.mask != ~u32{0}; });
  if (has_masks && packed.masks.empty()) packed.masks = Buffer<u32>(context, packed.triangles.size());
}

/// Packs the triangle of a place of the tree out of records.
struct PackRecord {
  TriangleRecords triangles;
  BufferSpan<const u32> primitive_ids;
  const WideBvhCounts* counts;
  PackedTriangle* packed;

  void operator()(u64 place) const {
    if (place >= counts->primitive_count) return;
    const u32 id = primitive_ids.data()[place];
    const Triangle t = triangles.triangle(id);
    packed[place] = {t.a, id, t.b, 0, t.c, id};
  }
};

}  // namespace

void make_packed(Context& context, u64 capacity, float splits, CompressedBvh4& tree, PackedTriangles& packed) {
  check_splits(splits);
  check_primitive_count(capacity);
  const PlaceCount count(capacity, splits);
  check_reference_count(count.places);
  tree.nodes = Buffer<CompressedBvh4Node>(context, wide_node_capacity(count.places));
  tree.parents = Buffer<u32>(context, tree.nodes.size());
  tree.primitive_ids = Buffer<u32>(context, count.places);
  tree.counts = Buffer<WideBvhCounts>(context, 1);
  tree.repeats = Buffer<RepeatedPlace>(context, count.has_splits() ? count.places : 0);
  tree.source_count = 0;
  tree.reference_count = 0;
  packed.triangles = Buffer<PackedTriangle>(context, count.places);
  packed.masks = Buffer<u32>();
}

void build_packed(Context& context, CompressedBvh4& tree, PackedTriangles& packed, const TriangleViews& triangles,
                  const PackedBuildOptions& options) {
  const PlaceCount count(triangles.primitive_count(), options.splits);
  check_room(tree, packed, count);
  validate_triangles(context, "build", triangles);
  make_room_for_masks(context, packed, triangles);
  const CollapseCosts costs{float(options.collapse.costs.traversal), float(options.collapse.costs.intersection),
                            options.collapse.max_leaf_size};
  ProfileScope scope(context.profile(), "build");
  context.reserve_scratch(scratch_bytes(context, count, options, triangles.views().size()));
  dispatch(context, [&](const auto& ex) {
    ScratchArena::Frame frame(ex.scratch);
    const ScratchBvh bvh(frame, count.places);
    build_chosen(ex, triangles, count, options, bvh);
    collapse_tree(ex, bvh.view, count.places, costs, arrays_of(tree));
    pack_triangles(ex, tree.primitive_ids.span().first(count.places), &tree.counts.data()->primitive_count,
                   triangles.views(), packed.triangles.data(),
                   packed.masks.empty() ? nullptr : packed.masks.data());
  });
  tree.source_count = count.triangles;
  tree.reference_count = count.has_splits() ? count.places : 0;
  link_repeats(context, tree);
  validate_tree_built(context, "build", tree, triangles, false);
}

void collapse_packed(Context& context, const Bvh& bvh, const TriangleViews& triangles, CompressedBvh4& tree,
                     PackedTriangles& packed) {
  tree = collapse<CompressedBvh4>(context, bvh);
  packed = copse::pack_triangles(context, tree.view(), triangles);
  packed.tree_ids = nullptr;  // compact_packed frees them
  validate_tree_built(context, "collapse", tree, triangles, true);
}

void collapse_packed(Context& host, const Bvh& bvh, const TriangleRecords& triangles, CompressedBvh4& tree,
                     PackedTriangles& packed) {
  validate_triangles(host, "collapse", triangles);
  tree = collapse<CompressedBvh4>(host, bvh);
  const u64 places = tree.primitive_ids.size();
  packed = {Buffer<PackedTriangle>(host, places), {}, nullptr};
  const CallOfOneThread call(host);
  cpu::for_each(host.cpu_executor(), "pack triangles", places,
                PackRecord{triangles, tree.primitive_ids.span(), tree.counts.data(), packed.triangles.data()});
}

void refit_packed(Context& context, CompressedBvh4& tree, PackedTriangles& packed,
                  const TriangleViews& triangles) {
  const u64 places = tree.place_count(), view_count = triangles.views().size();
  check_same_count("refit", "triangles", triangles.primitive_count(), "in the tree", tree.source_count);
  const bool has_ids = !tree.primitive_ids.empty();
  if (has_ids) {
    check_same_count("refit", "packed triangles", packed.triangles.size(), "primitive ids of the tree",
                     tree.primitive_ids.size());
  }
  validate_triangles(context, "refit", triangles);
  make_room_for_masks(context, packed, triangles);
  ProfileScope scope(context.profile(), "refit");
  dispatch(context, [&](const auto& ex) {
    const u64 capacity = tree.nodes.size();
    context.reserve_scratch(refit_wide_scratch_bytes<CompressedBvh4Node>(ex, capacity, view_count) +
                            (has_ids ? 0 : ScratchArena::bytes_for<u32>(places)));
    ScratchArena::Frame frame(ex.scratch);
    WideArrays<CompressedBvh4Node> arrays = arrays_of(tree);
    if (!has_ids) {
      arrays.primitive_ids = frame.allocate<u32>(places);
      copy_packed_ids(ex, packed.triangles.data(), &arrays.counts->primitive_count, places, arrays.primitive_ids);
    }
    refit_and_pack(ex, triangles.views(), capacity, arrays, packed.triangles.data(),
                   packed.masks.empty() ? nullptr : packed.masks.data());
  });
  validate_tree_built(context, "refit", tree, triangles, true);
}

void fit_packed_copy(Context& context, CompressedBvh4& tree, const PackedCopy& copy,
                     const TriangleViews& triangles) {
  check_same_count("refit", "triangles", triangles.primitive_count(), "in the tree", tree.source_count);
  validate_triangles(context, "refit", triangles);
  ProfileScope scope(context.profile(), "refit");
  dispatch(context, [&](const auto& ex) {
    context.reserve_scratch(
        refit_wide_scratch_bytes<CompressedBvh4Node>(ex, copy.nodes.size(), triangles.views().size()));
    const WideArrays<CompressedBvh4Node> arrays{copy.nodes.data(), tree.parents.data(), tree.primitive_ids.data(),
                                                tree.counts.data()};
    refit_and_pack(ex, triangles.views(), copy.nodes.size(), arrays, copy.packed, copy.masks);
  });
}

u64 fit_packed_copy_scratch_bytes(Context& context, u64 node_count, u64 view_count) {
  return dispatch(context, [&](const auto& ex) {
    return refit_wide_scratch_bytes<CompressedBvh4Node>(ex, node_count, view_count);
  });
}

void compact_packed(Context& context, CompressedBvh4& tree, PackedTriangles& packed) {
  if (tree.primitive_ids.empty()) return;  // it is compact already
  CompressedBvh4 small = compact_copy(context, tree);
  small.primitive_ids = {};  // packed triangles have them
  const u64 places = tree.place_count();
  if (packed.triangles.size() > places) {
    Buffer<PackedTriangle> triangles(context, places);
    Buffer<u32> masks(context, packed.masks.empty() ? 0 : places);
    dispatch(context, [&](const auto& ex) {
      copy_words(ex, reinterpret_cast<const u32*>(packed.triangles.data()), triangles.size_bytes() / sizeof(u32),
                 reinterpret_cast<u32*>(triangles.data()));
      copy_words(ex, packed.masks.data(), masks.size(), masks.data());
    });
    packed = {std::move(triangles), std::move(masks), nullptr};
  }
  tree = std::move(small);
}

BuildSizes packed_sizes(Context& context, u64 triangle_count, const PackedBuildOptions& options, u64 view_count) {
  check_splits(options.splits);
  check_primitive_count(triangle_count);
  const PlaceCount count(triangle_count, options.splits);
  check_reference_count(count.places);
  return {.result_bytes = wide_bvh_bytes<CompressedBvh4>(wide_node_capacity(count.places), count.places) +
                          count.places * sizeof(PackedTriangle) +
                          (count.has_splits() ? repeat_bytes(count.places) : 0),
          .scratch_bytes = scratch_bytes(context, count, options, view_count)};
}

}  // namespace copse::detail
