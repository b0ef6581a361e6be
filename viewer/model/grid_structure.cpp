#include "viewer/model/grid_structure.h"

#include "builders/grid/grid_stats.h"
#include "trace/grid_rays.h"
#include "viewer/model/leaf_labels.h"

namespace copse::viewer {

GridStructure::GridStructure(Context& context, const StructureOptions& options)
    : context_(context), options_{.resolution = options.grid_resolution, .density = options.density} {}

void GridStructure::build(const TriangleView& triangles) {
  if (!grid_.shape.empty() && rebuild_in_place(triangles)) return;
  GridOptions options = options_;
  // Half as much again, so that triangles that move find room.
  const u64 needed = count_references(context_, triangles, options_);
  options.reference_capacity = needed + needed / 2 + 1;
  if (options.reference_capacity > most_references) options.reference_capacity = needed;
  grid_ = build_grid(context_, triangles, options);
}

bool GridStructure::rebuild_in_place(const TriangleView& triangles) {
  rebuild_grid(context_, grid_, triangles, options_);
  try {
    check_complete(grid_);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::capacity) throw;
    return false;
  }
}

void GridStructure::see(const TriangleView& triangles, BufferSpan<const Ray> rays,
                        BufferSpan<SurfaceHit> surfaces) {
  if (hits_.size() < rays.size()) hits_ = Buffer<Hit>(context_, rays.size());
  const BufferSpan<Hit> hits = hits_.span().first(rays.size());
  closest_hits(context_, grid_.view(), triangles, rays, hits);
  resolve_hits(context_, triangles, rays, hits, surfaces);
}

void GridStructure::occlude(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<u8> occluded) {
  any_hits(context_, grid_.view(), triangles, rays, occluded);
}

void GridStructure::count_visits(const TriangleView& triangles, BufferSpan<const Ray> rays,
                                 BufferSpan<u32> visits) {
  viewer::count_visits(context_, grid_.view(), triangles, rays, visits);
}

void GridStructure::label(BufferSpan<const Ray> rays, BufferSpan<const SurfaceHit> surfaces, LeafTint,
                          BufferSpan<u32> labels) {
  label_cells(context_, grid_.view(), rays, surfaces, labels);
}

Statistics GridStructure::measure(const TriangleView& triangles) {
  const GridStats measured = stats(context_, grid_);
  Statistics statistics;
  statistics.primitive_count = triangles.triangle_count();
  const dvec3 size = measured.cell_size * dvec3(measured.resolution);
  statistics.bounds = {vec3(measured.lo), vec3(measured.lo + size)};
  statistics.size_bytes = measured.size_bytes;
  statistics.resolution = measured.resolution;
  statistics.cell_count = measured.cell_count;
  statistics.occupied_count = measured.occupied_count;
  statistics.reference_count = measured.counts.stored_count;
  statistics.largest_cell = measured.largest_cell;
  return statistics;
}

std::unique_ptr<HostCopy> GridStructure::copy() const {
  return copy_grid(grid_);
}

}  // namespace copse::viewer
