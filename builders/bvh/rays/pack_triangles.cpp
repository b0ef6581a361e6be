#include "builders/bvh/pack_triangles.h"

#include <algorithm>
#include <span>
#include <string>

#include "builders/geometry/triangle_check.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: pack_triangles.inl, for either executor.

/// Packs the triangles of a tree of any layout.
///   primitive_count: of the ids in use, on the device
///   masks:           null, or the memory for the masks of the triangles' views
template <class Executor>
void pack_triangles(const Executor& ex, BufferSpan<const u32> primitive_ids, const u32* primitive_count,
                    std::span<const TriangleView> views, PackedTriangle* packed, u32* masks);

}  // namespace detail

namespace {

bool has_masks(const TriangleViews& triangles) {
  const auto views = triangles.views();
  return std::any_of(views.begin(), views.end(), [](const TriangleView& view) { return view.mask != ~u32{0}; });
}

template <class View>
void repack(Context& context, PackedTriangles& packed, const View& bvh, const TriangleViews& triangles) {
  const u64 ids = bvh.primitive_ids.size();
  if (packed.triangles.size() != ids) {
    detail::refuse("repack_triangles", "room for " + detail::counted(packed.triangles.size(), "triangles") +
                                           ", but the tree has room for " + std::to_string(ids));
  }
  detail::validate_triangles(context, "pack_triangles", triangles);
  packed.tree_ids = bvh.primitive_ids.data();
  if (packed.masks.empty() && has_masks(triangles)) packed.masks = Buffer<u32>(context, ids);
  ProfileScope scope(context.profile(), "pack triangles");
  dispatch(context, [&](const auto& ex) {
    detail::pack_triangles(ex, bvh.primitive_ids, &bvh.counts.data()->primitive_count, triangles.views(),
                           packed.triangles.data(), packed.masks.empty() ? nullptr : packed.masks.data());
  });
}

template <class View>
PackedTriangles pack(Context& context, const View& bvh, const TriangleViews& triangles) {
  PackedTriangles packed{Buffer<PackedTriangle>(context, bvh.primitive_ids.size()), {}, nullptr};
  repack(context, packed, bvh, triangles);
  return packed;
}

}  // namespace

PackedTriangles pack_triangles(Context& context, const BvhView& bvh, const TriangleViews& triangles) {
  return pack(context, bvh, triangles);
}

void repack_triangles(Context& context, PackedTriangles& packed, const BvhView& bvh,
                      const TriangleViews& triangles) {
  repack(context, packed, bvh, triangles);
}

template <class Node>
PackedTriangles pack_triangles(Context& context, const WideBvhView<Node>& bvh, const TriangleViews& triangles) {
  return pack(context, bvh, triangles);
}

template <class Node>
void repack_triangles(Context& context, PackedTriangles& packed, const WideBvhView<Node>& bvh,
                      const TriangleViews& triangles) {
  repack(context, packed, bvh, triangles);
}

template COPSE_API PackedTriangles pack_triangles(Context&, const Bvh4View&, const TriangleViews&);
template COPSE_API PackedTriangles pack_triangles(Context&, const CompressedBvh4View&, const TriangleViews&);
template COPSE_API PackedTriangles pack_triangles(Context&, const CompressedBvh8View&, const TriangleViews&);
template COPSE_API void repack_triangles(Context&, PackedTriangles&, const Bvh4View&, const TriangleViews&);
template COPSE_API void repack_triangles(Context&, PackedTriangles&, const CompressedBvh4View&,
                                         const TriangleViews&);
template COPSE_API void repack_triangles(Context&, PackedTriangles&, const CompressedBvh8View&,
                                         const TriangleViews&);

}  // namespace copse
