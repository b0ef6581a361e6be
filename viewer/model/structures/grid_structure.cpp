#include "builders/grid/grid_stats.h"
#include "builders/grid/uniform_grid.h"
#include "trace/grid_rays.h"
#include "viewer/model/inspect/host_copies.h"
#include "viewer/model/structures/grid_parts.h"
#include "viewer/model/structures/leaf_labels.h"
#include "viewer/model/structures/structure_kinds.h"

namespace copse::viewer {

namespace {

class GridStructure : public TriangleStructure {
 public:
  GridStructure(Context& context, const StructureOptions& options)
      : TriangleStructure(context), options_{.resolution = options.grid_resolution, .density = options.density} {}

  void build(const TriangleView& triangles) override {
    if (grid_.is_built()) {
      rebuild_grid(context_, grid_, triangles, options_);
      if (is_complete(grid_)) return;
    }
    GridOptions options = options_;
    options.reference_capacity = roomy_reference_capacity(count_references(context_, triangles, options_));
    grid_ = build_grid(context_, triangles, options);
  }

  void hit(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<Hit> hits) override {
    closest_hits(context_, grid_.view(), triangles, rays, hits);
  }

  void occlude(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<u8> occluded) override {
    any_hits(context_, grid_.view(), triangles, rays, occluded);
  }

  void count_visits(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<u32> visits) override {
    viewer::count_visits(context_, grid_.view(), triangles, rays, visits);
  }

  void label(BufferSpan<const Ray> rays, BufferSpan<const SurfaceHit> surfaces, LeafTint,
             BufferSpan<u32> labels) override {
    label_cells(context_, grid_.view(), rays, surfaces, labels);
  }

  Statistics measure(const TriangleView& triangles) override {
    const GridStats measured = stats(context_, grid_);
    Statistics statistics;
    statistics.primitive_count = triangles.triangle_count();
    const dvec3 size = measured.cell_size * dvec3(measured.resolution);
    statistics.bounds = {vec3(measured.lo), vec3(measured.lo + size)};
    take_cells(statistics, measured);
    return statistics;
  }

  std::unique_ptr<HostCopy> copy() const override { return copy_grid(grid_); }

 private:
  GridOptions options_;
  Grid grid_;
};

}  // namespace

std::unique_ptr<Structure> make_uniform_grid(Context& context, const StructureOptions& options) {
  return std::make_unique<GridStructure>(context, options);
}

}  // namespace copse::viewer
