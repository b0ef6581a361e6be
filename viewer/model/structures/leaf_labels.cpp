#include "viewer/model/structures/leaf_labels.h"

#include "primitives/core/dispatch.h"
#include "viewer/model/picture/surface_body.h"
#include "viewer/model/structures/leaf_labels_body.h"

namespace copse::viewer {

void label_leaves(Context& context, const TreeView& tree, LeafTint tint, BufferSpan<u32> labels) {
  const auto label = [&](const auto& view) {
    dispatch(context, [&](const auto& ex) { label_leaves(ex, view, tint, labels); });
  };
  std::visit(label, tree);
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

void label_buckets(Context& context, const HashGridView& grid, const PositionSpan& positions,
                   BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> values) {
  dispatch(context, [&](const auto& ex) { label_buckets(ex, grid, positions, surfaces, values); });
}

void label_ids(Context& context, BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> values) {
  dispatch(context, [&](const auto& ex) { label_ids(ex, surfaces, values); });
}

}  // namespace copse::viewer
