#pragma once

#include "primitives/core/span.h"
#include "primitives/core/types.h"
#include "trace/ray.h"

namespace copse {

/// How a batch spreads its rays over the threads of a GPU. For the CPU see TraceOptions. All kernels give the same
/// hits.
enum class TraceKernel : u32 {
  /// Chosen by a sample of the batch and by the number of triangles per ray. See TraceOptions.
  automatic,

  /// Each thread traverses for its own ray. A warp ends with its longest traversal.
  thread_per_ray,

  /// Warps stay resident. They take new rays as soon as more than 12 of their lanes are done. For rays that go in
  /// all directions.
  persistent,

  /// A warp traverses for 32 neighbouring rays at once and reads each node once for all of them. For rays from one
  /// point, in tiles of pixels that mostly see the same triangles. Binary trees have it, and CompressedBvh4 for
  /// closest hits; elsewhere it stands for persistent. It is faster than thread_per_ray by up to a third through
  /// binary trees, and by 5 to 18 percent through CompressedBvh4, if many rays of a tile meet the same nodes. If
  /// triangles are smaller than pixels it takes up to twice the time.
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
  /// There is no sample where the tree and the numbers leave no choice. If a GPU holds a thread for every ray at
  /// once (135,168 on an H200), wide trees are traversed by thread_per_ray.
  ///
  /// Batches of more rays than the GPU has threads (270,336 on an H200) are remembered by their tree, the address
  /// of their rays, the type of their results and the power of two below their number. After 64 such batches
  /// each kernel is tried twice, and its time is taken without waiting. Then the fastest traces without a sample,
  /// and one batch in 2 ms is timed. After 512 batches there are trials again. If a time changes by a third, the
  /// sample decides again for 64 batches. While a graph is captured nothing is tried, and the sample decides.
  ///
  /// On the CPU it looks at 32 groups of 16 neighbouring rays. Rays that stay together go in packets of 4, 8 or
  /// 16, through trees of any layout. Others, and all other kernels, go one ray after another.
  TraceKernel kernel = TraceKernel::automatic;

  /// If it is not empty, this word in the context's memory gets the kernel that traced, as u32(TraceKernel). A
  /// batch of 0 rays leaves it as it was. Default: empty.
  BufferSpan<u32> chosen = {};

  /// A mask per ray. Empty, the default: all bits of every mask are set. A ray passes over the triangles of a view
  /// if its mask shares no bit with TriangleView::mask. Must not overlap the results. On CUDA, batches with masks,
  /// of rays or of views, use packets or persistent; thread_per_ray stands for persistent. On the CPU masks change
  /// nothing about the kernel.
  BufferSpan<const u32> masks = {};

  /// One mask for all rays of the batch; where `masks` is given too, a ray has the bits that both have. Default: all
  /// bits. What masks change about kernels, this changes too, unless it has all bits.
  u32 mask = ~u32{0};

  /// The side of triangles that all rays of the batch pass over. Default: none. What masks change about kernels, this
  /// changes too.
  Cull cull = Cull::none;
};

}  // namespace copse
