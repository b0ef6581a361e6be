#include "viewer/model/structures/leaf_labels.h"

#include "primitives/core/dispatch.h"

namespace copse::viewer {

// The bodies: leaf_labels.inl, and point_rays.inl for buckets, for either executor.

/// For View of all trees.
template <class Executor, class View>
void label_leaves(const Executor& ex, const View& tree, LeafTint tint, bool by_place, BufferSpan<u32> labels);

template <class Executor>
void look_up_labels(const Executor& ex, BufferSpan<const SurfaceHit> surfaces, BufferSpan<const u32> labels,
                    BufferSpan<u32> values);
template <class Executor>
void label_cells(const Executor& ex, const GridView& grid, BufferSpan<const Ray> rays,
                 BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> values);
template <class Executor>
void label_frustum_cells(const Executor& ex, const FrustumGridView& grid, BufferSpan<const Ray> rays,
                         BufferSpan<const SurfaceHit> surfaces, LeafTint tint, BufferSpan<u32> values);
template <class Executor>
void label_kd_cells(const Executor& ex, const SahKdView& tree, BufferSpan<const Ray> rays,
                    BufferSpan<const SurfaceHit> surfaces, LeafTint tint, BufferSpan<u32> values);
template <class Executor>
void label_ids(const Executor& ex, BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> values);
template <class Executor>
void label_buckets(const Executor& ex, const HashGridView& grid, const PositionSpan& positions,
                   BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> labels);

static void label_leaves(Context& context, const TreeView& tree, LeafTint tint, bool by_place,
                         BufferSpan<u32> labels) {
  const auto label = [&](const auto& view) {
    dispatch(context, [&](const auto& ex) { label_leaves(ex, view, tint, by_place, labels); });
  };
  std::visit(label, tree);
}

void label_leaves(Context& context, const TreeView& tree, LeafTint tint, BufferSpan<u32> labels) {
  label_leaves(context, tree, tint, false, labels);
}

void label_leaves_of_places(Context& context, const TreeView& tree, LeafTint tint, BufferSpan<u32> labels) {
  label_leaves(context, tree, tint, true, labels);
}

void look_up_labels(Context& context, BufferSpan<const SurfaceHit> surfaces, BufferSpan<const u32> labels,
                    BufferSpan<u32> values) {
  dispatch(context, [&](const auto& ex) { look_up_labels(ex, surfaces, labels, values); });
}

void label_cells(Context& context, const GridView& grid, BufferSpan<const Ray> rays,
                 BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> values) {
  dispatch(context, [&](const auto& ex) { label_cells(ex, grid, rays, surfaces, values); });
}

void label_cells(Context& context, const FrustumGridView& grid, BufferSpan<const Ray> rays,
                 BufferSpan<const SurfaceHit> surfaces, LeafTint tint, BufferSpan<u32> values) {
  dispatch(context, [&](const auto& ex) { label_frustum_cells(ex, grid, rays, surfaces, tint, values); });
}

void label_cells(Context& context, const SahKdView& tree, BufferSpan<const Ray> rays,
                 BufferSpan<const SurfaceHit> surfaces, LeafTint tint, BufferSpan<u32> values) {
  dispatch(context, [&](const auto& ex) { label_kd_cells(ex, tree, rays, surfaces, tint, values); });
}

void label_buckets(Context& context, const HashGridView& grid, const PositionSpan& positions,
                   BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> values) {
  dispatch(context, [&](const auto& ex) { label_buckets(ex, grid, positions, surfaces, values); });
}

void label_ids(Context& context, BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> values) {
  dispatch(context, [&](const auto& ex) { label_ids(ex, surfaces, values); });
}

}  // namespace copse::viewer
