// Presplitting: before any builder runs, triangles that fill their boxes badly become references to parts of them.
// The builder then works over the boxes of the references (docs/how-it-works/splits.md).
//
// Source: Karras, Aila, "Fast Parallel Construction of High-Quality Bounding Volume Hierarchies", HPG 2013; Ernst,
// Greiner, "Early Split Clipping for Bounding Volume Hierarchies", RT 2007, for splits before a build.

#include <span>

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/splits/split_counts.h"
#include "builders/bvh/splits/split_references.h"
#include "builders/geometry/make_triangle_table.h"
#include "builders/geometry/primitive_bounds.h"
#include "primitives/core/atomic.h"
#include "primitives/histogram.h"
#include "primitives/inputs.h"
#include "primitives/loops/zeroed_words.h"
#include "primitives/reduce.h"
#include "primitives/scan.h"

namespace copse::detail {

namespace {

/// Writes the triangle of each of its references.
struct WriteReferenceIds {
  const u32* firsts;  // [triangle]: its first reference
  u32* ids;
  COPSE_HD void operator()(u64 i) const {
    const u32 end = firsts[i + 1];
    for (u32 reference = firsts[i]; reference < end; ++reference) ids[reference] = u32(i);
  }
};

/// Writes the box of each reference. References past the last one have empty boxes, and so have missing parts.
struct WriteReferenceBoxes {
  TriangleTable triangles;
  const Aabb* bounds_of_scene;
  const u32* firsts;
  u64 triangle_count;
  SplitReferences references;

  COPSE_HD void operator()(u64 i) const {
    if (i >= firsts[triangle_count]) {
      references.ids[i] = 0;
      references.boxes[i] = Aabb::empty();
      return;
    }
    const u32 id = references.ids[i], first = firsts[id];
    const Triangle triangle = triangles.triangle(id);
    references.boxes[i] =
        part_box(MortonGrid::of(*bounds_of_scene), triangle, u32(i) - first, firsts[id + 1] - first);
    if (u32(i) == first && is_empty(bounds(triangle))) fetch_add_relaxed(references.invalid_count, 1u);
  }
};

/// Replaces the references of a tree by their triangles.
struct NameTriangles {
  SplitReferences references;
  BvhArrays bvh;
  COPSE_HD void operator()(u64 place) const {
    bvh.primitive_ids[place] = references.ids[bvh.primitive_ids[place]];
    if (place > 0) return;
    bvh.counts->invalid_count = *references.invalid_count;
    *bvh.has_deltas = 0;  // the boxes of a refit are not those of the deltas
  }
};

}  // namespace

template <class Executor>
void split_triangles(const Executor& ex, std::span<const TriangleView> views, u64 n,
                     const SplitReferences& references) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable triangles = make_triangle_table(ex, frame, views);
  auto* const bounds = frame.allocate<Aabb>(1);
  u16* const classes = frame.allocate<u16>(n);
  u64* const counts = frame.allocate<u64>(SplitClasses::count);
  u64* const totals = frame.allocate<u64>(SplitClasses::factor_count);
  u32* const part_counts = frame.allocate<u32>(SplitClasses::count);
  u32* const firsts = frame.allocate<u32>(n + 1);

  bound_primitives(ex, TriangleBoxes{triangles}, n, bounds);
  for_each(ex, "splits: classes", n, ClassifyTriangle{triangles, bounds, classes});
  histogram(ex, "splits: count classes", n, Elements<u16>{classes}, ClassOf{}, SplitClasses::count, counts);
  for_each(ex, "splits: totals", SplitClasses::factor_count, SumSplits{counts, totals});
  for_each(ex, "splits: parts", SplitClasses::count, StorePartCount{totals, references.count - n, part_counts});
  exclusive_scan(ex, "splits: places", n, PartCountOf{classes, part_counts}, u32{0}, Plus{}, firsts, firsts + n);
  for_each(ex, "splits: ids", n, WriteReferenceIds{firsts, references.ids});
  fill_bytes(ex, "splits: clear", references.invalid_count, 1, 0);
  for_each(ex, "splits: boxes", references.count, WriteReferenceBoxes{triangles, bounds, firsts, n, references});
}

template <class Executor>
u64 split_scratch_bytes(const Executor& ex, u64 n, u64 view_count) {
  const u64 stages =
      larger(larger(u64(histogram_scratch_bytes(ex, n, SplitClasses::count)), u64(scan_scratch_bytes<u32>(ex, n))),
             bound_primitives_scratch_bytes(ex, n));
  return triangle_table_scratch_bytes(view_count) + ScratchArena::bytes_for<Aabb>(1) +
         ScratchArena::bytes_for<u16>(n) + ScratchArena::bytes_for<u64>(SplitClasses::count) +
         ScratchArena::bytes_for<u64>(SplitClasses::factor_count) +
         ScratchArena::bytes_for<u32>(SplitClasses::count) + ScratchArena::bytes_for<u32>(n + 1) + stages;
}

template <class Executor>
void name_triangles(const Executor& ex, const SplitReferences& references, const BvhArrays& bvh) {
  for_each(ex, "splits: triangles of leaves", references.count, NameTriangles{references, bvh});
}

template void split_triangles(const BodyExecutor&, std::span<const TriangleView>, u64, const SplitReferences&);
template u64 split_scratch_bytes(const BodyExecutor&, u64, u64);
template void name_triangles(const BodyExecutor&, const SplitReferences&, const BvhArrays&);

}  // namespace copse::detail
