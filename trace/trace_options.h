#pragma once

#include "primitives/core/span.h"
#include "primitives/core/types.h"
#include "trace/ray.h"

namespace copse {

/// How a batch spreads its rays over the threads of a GPU. All kernels give the same hits. For the CPU see
/// TraceOptions.
enum class TraceKernel : u32 {
  /// Chosen by a sample of the batch and by the number of rays per triangle. See TraceOptions.
  automatic,

  /// Each thread traverses for its own ray. A warp ends with its longest traversal.
  thread_per_ray,

  /// Warps stay resident. A warp takes new rays as soon as more than 12 of its lanes are done. For rays that go in
  /// all directions.
  persistent,

  /// A warp traverses for 32 neighbouring rays at once and reads each node once for all of them. For rays from one
  /// point, in tiles of pixels that mostly see the same triangles. It exists for binary trees, and for closest hits
  /// through CompressedBvh4; other batches use persistent in its place. It is faster than thread_per_ray by up to a
  /// third through binary trees, and by 5 to 18 percent through CompressedBvh4, if many rays of a tile meet the same
  /// nodes. If triangles are smaller than pixels it takes up to twice the time.
  packets,

  // Deprecated names, until 0.2.
  one_ray_a_thread [[deprecated("use thread_per_ray")]] = thread_per_ray,
};

/// Returns "automatic", "thread per ray", "persistent" or "packets".
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
  /// The kernel that traces. automatic samples the batch and chooses.
  ///
  /// On CUDA it looks at 32 groups of 32 neighbouring rays, on the device and without waiting. That costs two
  /// launches that do next to nothing. It chooses by the tree, by whether neighbours stay together, and by the
  /// number of rays per triangle:
  ///
  ///   tree             rays go apart   rays stay together
  ///   BVH2             persistent      packets from 16 rays per triangle on, else thread_per_ray
  ///   Bvh4             persistent      thread_per_ray
  ///   CompressedBvh4   persistent      persistent below 1 ray per triangle, and below 2 if most rays start
  ///                                    outside the tree; packets from 16 on; else thread_per_ray.
  ///                                    Any hits: thread_per_ray
  ///   CompressedBvh8   persistent      persistent
  ///
  /// No sample is taken where the table has one kernel only. If a GPU holds a thread for every ray at once (135,168
  /// on an H200), wide trees are traversed by thread_per_ray.
  ///
  /// Batches of more rays than the GPU has threads (270,336 on an H200) are remembered by their tree, the address of
  /// their rays, the type of their results and the power of two below their number. After 64 such batches each kernel
  /// is tried twice, and timed without waiting. Then the fastest kernel traces without a sample, and about one batch
  /// per 2 ms is timed. After 512 batches there are trials again. If a time changes by a third, the sample decides
  /// again for 64 batches. While a graph is captured nothing is tried, and the sample decides.
  ///
  /// On the CPU it looks at 32 groups of 16 neighbouring rays. Rays that stay together go in packets of 4, 8 or
  /// 16, through trees of any layout. Others, and all other kernels, go one ray after another.
  TraceKernel kernel = TraceKernel::automatic;

  /// If it is not empty, this word in the context's memory receives the kernel that traced, as u32(TraceKernel). A
  /// batch of 0 rays does not change it. Default: empty.
  BufferSpan<u32> chosen = {};

  /// A mask per ray. Empty, the default: all bits of every mask are set. A ray passes over the triangles of a view if
  /// its mask shares no bit with TriangleView::mask. Must not overlap the results. On CUDA, batches with masks, of
  /// rays or of views, use packets or persistent, and persistent in place of thread_per_ray. On the CPU masks do not
  /// change the kernel.
  BufferSpan<const u32> masks = {};

  /// One mask for all rays of the batch. Where `masks` is given too, a ray has the bits that both have. Default: all
  /// bits. A mask without some bits restricts the kernels as `masks` does.
  u32 mask = ~u32{0};

  /// The side of triangles that all rays of the batch pass over. Default: none. Culling restricts the kernels as
  /// `masks` does.
  Cull cull = Cull::none;
};

}  // namespace copse
