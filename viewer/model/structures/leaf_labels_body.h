#pragma once

#include "viewer/model/structures/leaf_labels.h"

namespace copse::viewer {

/// For View of all trees; `labels` were filled with invalid_id.
template <class Executor, class View>
void label_leaves(const Executor& ex, const View& tree, LeafTint tint, BufferSpan<u32> labels);

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
void label_ids(const Executor& ex, BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> values);

}  // namespace copse::viewer
