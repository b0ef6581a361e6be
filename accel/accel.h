#pragma once

#include <optional>

#include "accel/accel_view.h"
#include "builders/bvh/build.h"
#include "builders/bvh/pack_triangles.h"
#include "builders/bvh/reinsert.h"
#include "builders/bvh/wide_bvh.h"
#include "builders/geometry/primitive_set.h"
#include "builders/geometry/triangle_records.h"

namespace copse {

namespace detail {

struct AccelAccess;

}  // namespace detail

/// The quality of a tree: how long its build may take, and how fast rays become. docs/guide/choosing.md has the
/// figures.
enum class Quality : u32 {
  /// H-PLOC. From a million triangles on, it starts from pairs of triangles. For scenes that are built anew in every
  /// frame.
  fast,

  /// The same, and 2 passes that reinsert large nodes. A build takes as long as 2 to 3.5 fast builds. That pays after
  /// ten million rays in interiors, and after twenty million to some hundred million rays elsewhere.
  balanced,

  /// H-PLOC and the SAH builder, each with 8 passes of reinsertion; the cheaper tree is kept. For scenes that do
  /// not change.
  best,
};

/// Returns "fast", "balanced" or "best".
inline const char* name_of(Quality quality) {
  switch (quality) {
    case Quality::fast: return "fast";
    case Quality::balanced: return "balanced";
    case Quality::best: return "best";
  }
  return "unknown";
}

/// The steps of a quality: a builder with its options, and then reinsert().
struct QualitySteps {
  AnyBuildOptions builder;
  ReinsertOptions reinsertion = {.passes = 0};  // none if passes is 0

  /// A second builder. Its tree goes through the same reinsert(). It is taken if its inner nodes have at least 1 %
  /// less area.
  std::optional<AnyBuildOptions> alternative = {};
};

/// Returns the steps of a quality for this number of triangles. The build of an Accel takes them, collapses the tree
/// to CompressedBvh4 and packs the triangles.
/// Throws: Error invalid_argument if `quality` is none of the three.
COPSE_API QualitySteps steps_of(Quality quality, u64 triangle_count);

struct AccelOptions {
  /// Default: balanced.
  Quality quality = Quality::balanced;

  /// Room for this many triangles, so that a rebuild may have more of them than the first build. Default: 0. There is
  /// always room for the triangles of the first build.
  u64 capacity = 0;

  /// Room for references per triangle: 1 to max_splits (builders/bvh/splits.h). Above 1, a triangle that fills its
  /// box badly is in several leaves, each with a box around a part of it. Hits and answers stay the same, bit for
  /// bit. The one exception is the search in a frustum: it may also report triangles near the frustum, and reports
  /// fewer of them with splits. Rays may become faster or slower: in a model of long planks 1.25 brought 15 % for
  /// diffuse rays; rays that see a few large walls took twice the time (docs/how-it-works/splits.md). A build takes
  /// 1.2 to 4.5 times as long, and memory grows by the factor and 8 bytes per reference. A refit keeps the answers
  /// right, but gives each reference the box of the whole triangle, so that the gain is lost until the next rebuild.
  /// Default: 1, no splits. Measure before you use them.
  float splits = 1;
};

/// The acceleration structure of triangles. It owns all data that rays and queries need. build() makes it.
///
///   copse::Accel accel = copse::build(context, triangles);
///   copse::closest_hits(context, accel, rays.span(), hits.span());    // accel/accel_rays.h
///   copse::refit(context, accel, moved_triangles);                    // the same tree, new boxes
///   copse::rebuild(context, accel, moved_triangles);                  // a new tree in the same memory
///   your_kernel<<<...>>>(accel.view(), ...);                          // accel/accel_view.h
///
/// It consists of a wide tree in compressed nodes (CompressedBvh4), and of the triangles in the order of its leaves.
/// Only build, refit and rebuild read the triangles of the caller, which may change or be freed in between. The tree
/// is equal on all backends bit for bit, and so are the answers of all calls.
class Accel {
 public:
  /// An empty object. Only size_bytes() and the counts may be called; all other calls throw.
  Accel() = default;

  AccelView view() const {
    CompressedBvh4View tree = tree_.view();
    tree.primitive_ids = {tree.primitive_ids.data(), packed_.triangles.size()};  // null once compacted
    return {tree, packed_.triangles.span(), packed_.masks.empty() ? nullptr : packed_.masks.data()};
  }

  const AccelOptions& options() const { return options_; }

  /// The backend that built it and has it in its memory. Calls with a context of another backend throw.
  Backend backend() const { return backend_; }

  /// The triangles of the last build, including those that were left out of the tree.
  u64 triangle_count() const { return tree_.source_count; }

  /// The maximum number of triangles of a rebuild.
  u64 capacity() const { return capacity_; }

  u64 size_bytes() const { return tree_.size_bytes() + packed_.size_bytes(); }

  /// The parts, for calls that take a tree, such as stats and validate. Once compacted, the tree has no primitive
  /// ids; the packed triangles have them. With splits, a triangle is packed once for each of its places.
  const CompressedBvh4& tree() const { return tree_; }
  const PackedTriangles& packed_triangles() const { return packed_; }

 private:
  friend struct detail::AccelAccess;

  CompressedBvh4 tree_;
  PackedTriangles packed_;
  AccelOptions options_;
  u64 capacity_ = 0;
  Backend backend_ = Backend::automatic;
};

/// Returns the acceleration structure of triangles, of one view or several. Any input builds a valid tree:
/// triangles with a coordinate that is infinite or NaN are left out. Without triangles all rays miss. It does not
/// wait.
///
/// Triangle indices must be below the number of positions; see ContextOptions::validate.
/// Throws: Error invalid_argument if options are out of range, Error capacity past 2^31 triangles or references,
/// Error out_of_memory, Error cancelled.
/// Memory: see build_sizes.
COPSE_API Accel build(Context& context, const TriangleViews& triangles, const AccelOptions& options = {});

/// Returns the acceleration structure over a binary tree that you built, by any builder with any options or by
/// build_in_slices. Hits and answers are those of build(), bit for bit. A rebuild makes the tree of
/// Quality::balanced. The call does not wait.
///   bvh:       not needed afterwards
///   triangles: those that `bvh` was built over or refitted to, in the same order
/// Throws: Error invalid_argument if `bvh` was never made, or was built over another number of primitives; Error
/// out_of_memory, Error cancelled.
/// Memory: as build, with scratch of 50 bytes per triangle, and 20 more on the CPU.
COPSE_API Accel accel_of(Context& context, const Bvh& bvh, const TriangleViews& triangles);

/// The same over the records of a mesh in host memory, such as that of a MappedMesh, as geometry 0.
///   host: a context of the CPU, whose memory has `bvh`
/// Throws: as above; Error invalid_argument also if `host` is not of the CPU.
COPSE_API Accel accel_of(Context& host, const Bvh& bvh, const TriangleRecords& triangles);

/// Builds a new tree in the memory of `accel`, with its options. It does not wait and, once warm, does not
/// allocate, so it can be captured in a Graph. After an error, rebuild it before you use it.
///   triangles: any number up to accel.capacity(). If a view has a mask for the first time, 4 bytes per triangle
///              are allocated, or per reference
/// Throws: as build; Error invalid_argument if `accel` was never built, was compacted, or has too little room.
COPSE_API void rebuild(Context& context, Accel& accel, const TriangleViews& triangles);

/// Fits the tree to triangles that have moved, and takes over their positions, geometry ids and masks. The topology
/// of the tree stays, so rays become slower as the triangles move apart. The gain of splits is lost. A triangle that
/// has become NaN or infinite is missed until it is finite again. Triangles that the build left out stay out. The
/// call does not wait and, once warm, does not allocate, so it can be captured in a Graph.
///   triangles: as many as `accel` was built over, in the same order
/// Throws: Error invalid_argument for another number of triangles or if `accel` was never built, Error
/// out_of_memory, Error cancelled.
/// Memory: scratch of at most 34 bytes per triangle or reference, 4 more once compacted.
COPSE_API void refit(Context& context, Accel& accel, const TriangleViews& triangles);

/// Frees the memory that the tree does not use, about 56 of 120 bytes per triangle. `accel` can be traced and
/// refitted as before, but not rebuilt. Graphs that were captured before this call must not be launched any more.
/// Throws: Error invalid_argument if `accel` was never built, Error out_of_memory.
/// Waits: to read the size of the tree.
COPSE_API void compact(Context& context, Accel& accel);

/// Returns the bytes that build takes on this context for `triangle_count` triangles of `view_count` views:
/// result_bytes and scratch_bytes. The result takes 120 bytes per triangle and 4 more if a view has a mask; with splits,
/// these and 8 more per reference. For an Accel with a capacity, give the capacity.
/// Throws: as build.
COPSE_API BuildSizes build_sizes(Context& context, u64 triangle_count, const AccelOptions& options,
                                 u64 view_count = 1);

}  // namespace copse
