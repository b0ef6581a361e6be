#pragma once

#include "primitives/core/span.h"
#include "primitives/core/types.h"

namespace copse {

/// How the rays of a batch are spread over a GPU's threads; on the CPU see TraceOptions. All give the same hits.
enum class TraceKernel : u32 {
  /// By a sample of the batch and by how many triangles there are for a ray; see TraceOptions.
  automatic,

  /// A thread walks for its ray alone; a warp is done when its longest walk is.
  thread_per_ray,

  /// Warps stay, and take new rays as soon as more than 12 of their lanes are done. For rays that go everywhere.
  persistent,

  /// A warp walks for 32 neighbouring rays at once and reads each node once for all. For rays from one point in
  /// tiles of pixels that mostly see the same triangles, over binary trees; on others it is persistent. By a
  /// seventh the fastest where many rays of a tile meet the same nodes, and half as fast as a thread per ray where
  /// triangles are smaller than pixels.
  packets,

  // Deprecated names, until 0.2.
  one_ray_a_thread [[deprecated("use thread_per_ray")]] = thread_per_ray,
};

/// "automatic", "thread per ray", "persistent" or "packets".
inline const char* name_of(TraceKernel kernel) {
  switch (kernel) {
    case TraceKernel::automatic: return "automatic";
    case TraceKernel::thread_per_ray: return "thread per ray";
    case TraceKernel::persistent: return "persistent";
    case TraceKernel::packets: return "packets";
  }
  return "unknown";
}

struct TraceOptions {
  /// On the CPU packets are 4, 8 or 16 rays, over trees of any layout; automatic takes them where rays stay
  /// together in a sample of 32 groups of 16 neighbours, and the other kernels are a ray after another. On CUDA
  /// automatic looks at 32 groups of 32 neighbouring rays, on the device and without waiting, at the price of two
  /// launches that do next to nothing. Rays that go apart are persistent. Those that stay together are a thread a
  /// ray, but over a binary tree packets where there are 16 rays to a triangle or more; over CompressedBvh4
  /// persistent where there is less than one, and where there are less than two and they come from outside the
  /// tree; over CompressedBvh8 always persistent. Nothing is looked at where that tells enough.
  TraceKernel kernel = TraceKernel::automatic;

  /// Where it is not empty, one word in the context's memory gets the kernel that traced: u32(TraceKernel). A
  /// batch of 0 rays leaves it as it was.
  BufferSpan<u32> chosen = {};

  /// A mask for each ray, or none, which are masks of ones. A triangle of a view whose mask (TriangleView::mask)
  /// shares no bit with that of the ray is passed over. On CUDA batches with masks, of rays or of views, go by
  /// packets or are persistent, which stands for a thread per ray too; on the CPU they go as all others. Must not
  /// overlap the results.
  BufferSpan<const u32> masks = {};
};

}  // namespace copse
