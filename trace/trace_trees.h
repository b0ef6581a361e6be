#pragma once

#include "builders/bvh/ray_trees_view.h"
#include "primitives/core/context.h"
#include "trace/ray.h"
#include "trace/trace_options.h"

namespace copse {

/// Which of two trees a batch of rays traverses. All give the same hits.
enum class TraceLayout : u32 {
  /// Chosen by a sample of the batch: the binary tree for rays that stay together, the wide one for others. Few
  /// triangles always take the binary tree, and on CUDA many take the wide one. See docs/benchmarks/README.md.
  automatic,
  binary,
  wide,
};

/// Returns "automatic", "binary" or "wide".
inline const char* name_of(TraceLayout layout) {
  switch (layout) {
    case TraceLayout::automatic: return "automatic";
    case TraceLayout::binary: return "binary";
    case TraceLayout::wide: return "wide";
  }
  return "unknown";
}

/// The layout and the kernel that traced a batch. Neither is automatic.
struct TraceChoice {
  TraceLayout layout;
  TraceKernel kernel;

  /// The choice as one word. of() reads it.
  COPSE_HD u32 word() const { return u32(kernel) | u32(layout) << 8; }
  static TraceChoice of(u32 word) { return {TraceLayout(word >> 8), TraceKernel(word & 255u)}; }
};

struct TraceTreesOptions {
  /// The tree that rays traverse. automatic also chooses the kernel:
  ///
  ///   On CUDA it looks at 32 groups of 32 neighbouring rays, on the device and without waiting. Persistent warps
  ///   traverse the wide tree for rays that go apart, and for those that TraceOptions::kernel makes persistent
  ///   over CompressedBvh4. For all others, thread_per_ray or packets traverse the binary tree.
  ///
  ///   On the CPU it looks at 32 groups of 16 rays. Rays go in packets through the binary tree, or one by one
  ///   through the wide tree.
  ///
  /// For a given layout, TraceKernel::automatic chooses the kernel.
  TraceLayout layout = TraceLayout::automatic;

  /// If it is not empty, this word in the context's memory receives the layout and the kernel of the batch: see
  /// TraceChoice::of. A batch of 0 rays does not change it.
  BufferSpan<u32> chosen = {};

  /// As TraceOptions::masks. With layout automatic, batches with masks, of rays or of views, traverse the wide
  /// tree if there are at least 64 triangles, else the binary tree.
  BufferSpan<const u32> masks = {};
};

/// Writes the closest hit of every ray, through the tree that suits the rays. The hits are those of closest_hits
/// through one tree (trace/trace_rays.h).
///   trees: RayTrees::view() (builders/bvh/ray_trees.h)
///   rays:  any number, may be empty
///   hits:  one per ray; must not overlap the rays
/// Throws: Error invalid_argument if the number of hits is not that of the rays, for trees that were never made,
/// if one tree has masks and the other has none, for more than one word in options.chosen. Error out_of_memory,
/// Error cancelled.
/// Memory: scratch of 256 bytes.
COPSE_API void closest_hits(Context& context, const RayTreesView& trees, BufferSpan<const Ray> rays,
                            BufferSpan<Hit> hits, const TraceTreesOptions& options = {});

/// Sets occluded[i] to 1 if ray i hits anything, else to 0. Everything else is as for closest_hits.
COPSE_API void any_hits(Context& context, const RayTreesView& trees, BufferSpan<const Ray> rays,
                        BufferSpan<u8> occluded, const TraceTreesOptions& options = {});

}  // namespace copse
