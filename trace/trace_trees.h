#pragma once

#include "builders/bvh/ray_trees_view.h"
#include "primitives/core/context.h"
#include "trace/ray.h"
#include "trace/trace_options.h"

namespace copse {

/// Which of two trees a batch of rays walks through. All give the same hits.
enum class TraceLayout : u32 {
  /// The binary tree for rays that stay together, the wide one for others, by a sample of the batch; the binary
  /// one for few triangles, and on CUDA the wide one for many. See docs/benchmarks/README.md.
  automatic,
  binary,
  wide,
};

/// "automatic", "binary" or "wide".
inline const char* name_of(TraceLayout layout) {
  switch (layout) {
    case TraceLayout::automatic: return "automatic";
    case TraceLayout::binary: return "binary";
    case TraceLayout::wide: return "wide";
  }
  return "unknown";
}

/// What traced a batch: never automatic.
struct TraceChoice {
  TraceLayout layout;
  TraceKernel kernel;

  /// As one word.
  COPSE_HD u32 word() const { return u32(kernel) | u32(layout) << 8; }
  static TraceChoice of(u32 word) { return {TraceLayout(word >> 8), TraceKernel(word & 255u)}; }
};

struct TraceTreesOptions {
  /// On CUDA automatic looks at 32 groups of 32 neighbouring rays, on the device and without waiting, and the
  /// kernel follows the layout: persistent warps through the wide tree, for rays that go apart and for those that
  /// would be persistent over CompressedBvh4 by TraceOptions::kernel; a thread per ray or packets through the binary
  /// tree for others. On the CPU it looks at 32 groups of 16, and rays go in packets through the binary tree and
  /// one by one through the wide one. Where the layout is given, TraceKernel::automatic chooses.
  TraceLayout layout = TraceLayout::automatic;

  /// Where it is not empty, one word in the context's memory gets what traced: TraceChoice::of. A batch of 0
  /// rays leaves it as it was.
  BufferSpan<u32> chosen = {};

  /// As TraceOptions::masks. Where the layout is not given, batches with masks, of rays or of views, walk through
  /// the wide tree from 64 triangles on, and through the binary one of fewer.
  BufferSpan<const u32> masks = {};
};

/// The closest hit of every ray, as closest_hits through one tree says (trace/trace_rays.h), through the tree that
/// suits the rays.
///   trees: RayTrees::view() (builders/bvh/ray_trees.h)
///   rays:  any number, may be empty
///   hits:  as many; must not overlap the rays
/// Throws: Error invalid_argument where there are not as many hits as rays, for trees that were not made or of
/// which one has masks and the other has none, for more than one word in options.chosen; Error out_of_memory,
/// Error cancelled. Memory: scratch of 256 bytes.
void closest_hits(Context& context, const RayTreesView& trees, BufferSpan<const Ray> rays, BufferSpan<Hit> hits,
                  const TraceTreesOptions& options = {});

/// occluded[i] is 1 where ray i hits anything, else 0. Everything else as closest_hits.
void any_hits(Context& context, const RayTreesView& trees, BufferSpan<const Ray> rays, BufferSpan<u8> occluded,
              const TraceTreesOptions& options = {});

}  // namespace copse
