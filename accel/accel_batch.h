#pragma once

#include <span>
#include <vector>

#include "accel/accel.h"
#include "builders/bvh/forest.h"

namespace copse {

namespace detail {

struct AccelBatchAccess;

}  // namespace detail

/// How the trees of a batch are built. Quality::best is not offered, since the SAH builder takes one mesh at a time: use
/// build() for each mesh.
enum class BatchBuilder : u32 {
  hploc,  // H-PLOC, as by Quality::fast
  lbvh,   // LBVH of as many bits of the Morton key as are fast: a faster build, and slower rays
  balanced,  // H-PLOC and 2 passes that reinsert large nodes, as by Quality::balanced: a slower build, and faster rays
};

/// Returns "hploc", "lbvh" or "balanced".
inline const char* name_of(BatchBuilder builder) {
  switch (builder) {
    case BatchBuilder::hploc: return "hploc";
    case BatchBuilder::lbvh: return "lbvh";
    case BatchBuilder::balanced: return "balanced";
  }
  return "unknown";
}

struct AccelBatchOptions {
  /// Default: hploc.
  BatchBuilder builder = BatchBuilder::hploc;
};

/// The acceleration structures of many meshes, built together: thousands of small ones take about a third longer than
/// one mesh of as many triangles. build_batch() makes them.
///
///   std::vector<copse::TriangleView> meshes = ...;         // or copse::mesh_views(all, triangle_begins)
///   copse::AccelBatch batch = copse::build_batch(context, meshes);
///   copse::Hit hit = copse::closest_hit(batch.view(7), ray);           // mesh 7 alone
///   copse::Scene scene = copse::build(context, batch, instances);      // instances of all meshes
///   copse::refit(context, batch);                                      // vertices that have moved
///   your_kernel<<<...>>>(batch.views(), ...);                          // an AccelView per mesh, on the device
///
/// The structure of each mesh equals, byte for byte, the one that the mesh gets when it is built alone: by build()
/// with Quality::fast or Quality::balanced, or by LbvhOptions{.morton_bits = 0} and a collapse. Meshes may have any
/// sizes, 0 and 1 triangle among them.
///
/// The batch reads the triangles at the addresses that the build was given: keep them there, and write new positions
/// to the same memory before refit() and rebuild().
class COPSE_API AccelBatch {
 public:
  /// An empty object. Only size_bytes() and the counts may be called; all other calls throw.
  AccelBatch() = default;

  const AccelBatchOptions& options() const { return options_; }

  u64 mesh_count() const { return meshes_.size(); }

  /// The triangles of all meshes, including those that were left out of the trees.
  u64 triangle_count() const { return triangle_count_; }

  /// Returns the view of one mesh, which rays and queries take. It stays valid through refits and rebuilds.
  /// Throws: Error invalid_argument if there is no such mesh.
  AccelView view(u64 mesh) const;

  /// The views of all meshes, in the memory of the context.
  BufferSpan<const AccelView> views() const { return views_.span(); }

  /// The backend that built it and has it in its memory. Calls with a context of another backend throw.
  Backend backend() const { return backend_; }

  u64 size_bytes() const;

 private:
  friend struct detail::AccelBatchAccess;

  AccelBatchOptions options_;
  std::vector<TriangleView> meshes_;
  u64 triangle_count_ = 0;
  std::vector<u32> tree_of_mesh_;       // of forest_
  Buffer<TriangleView> device_meshes_;  // [tree]
  Buffer<u32> mesh_of_tree_;            // empty if each is its own number
  detail::Forest forest_;               // meshes of more than detail::max_forest_tree triangles are empty in it
  std::vector<Accel> large_;            // one for each of those
  std::vector<u32> large_ids_;          // the meshes of large_, ascending
  Buffer<PackedTriangle> packed_;
  Buffer<u32> masks_;  // empty if all bits of all masks are set
  Buffer<AccelView> views_;
  Backend backend_ = Backend::automatic;
};

/// Returns the views of meshes that share one index buffer, for build_batch.
///   all:             the triangles of all meshes
///   triangle_begins: on the host; mesh i has the triangles triangle_begins[i] to triangle_begins[i + 1] - 1
///   vertex_begins:   on the host; the indices of mesh i count from position vertex_begins[i]; as many as
///                    triangle_begins. Without it, indices count from the first position of `all`
/// Throws: Error invalid_argument if begins descend or end past the triangles or positions, or if `vertex_begins`
/// has another size or is given without indices.
COPSE_API std::vector<TriangleView> mesh_views(const TriangleView& all, std::span<const u64> triangle_begins,
                                               std::span<const u64> vertex_begins = {});

/// Returns the acceleration structures of meshes, one per view, all built in one chain of launches. A mesh of more
/// than 2^18 triangles fills a GPU by itself, and is built after the others. The call waits only for the copies of
/// `meshes`.
///   meshes: on the host; the triangles in the memory of the context, any number of them
/// Triangle indices must be below the number of positions; see ContextOptions::validate.
/// Throws: Error invalid_argument for a mesh that `build` refuses, or if `options.builder` is none of the three; Error
/// capacity past 2^31 triangles, Error out_of_memory, Error cancelled.
/// Memory: see batch_sizes.
COPSE_API AccelBatch build_batch(Context& context, std::span<const TriangleView> meshes,
                                 const AccelBatchOptions& options = {});

/// Builds all structures anew, over the triangles that are now in the memory of the meshes. It does not wait and,
/// once warm, does not allocate, so it can be captured in a Graph. After an error, rebuild it before you use it.
/// Throws: Error invalid_argument if `batch` was never built, Error out_of_memory, Error cancelled.
COPSE_API void rebuild(Context& context, AccelBatch& batch);

/// Fits the trees to vertices that have moved, as refit does for one Accel. It does not wait and, once warm, does
/// not allocate, so it can be captured in a Graph.
///   moved: in the memory of the context, one word per mesh, which kernels may write: meshes with a 0 stay as they
///          are, and cost little. Meshes of more than 2^18 triangles are fitted in any case. Without it all meshes
///          are fitted
/// Throws: Error invalid_argument if `batch` was never built, or for another number of words; Error out_of_memory,
/// Error cancelled.
COPSE_API void refit(Context& context, AccelBatch& batch, BufferSpan<const u32> moved = {});

/// Returns the bytes that build_batch takes on this context for meshes of these numbers of triangles:
/// result_bytes, about 124 per triangle and 172 per mesh, 4 per triangle more if a mesh has a mask; and
/// scratch_bytes, about 165 per triangle.
/// Throws: as build_batch.
COPSE_API BuildSizes batch_sizes(Context& context, std::span<const u64> triangle_counts,
                                 const AccelBatchOptions& options = {});

}  // namespace copse
