#include <glm/geometric.hpp>

#include "builders/grid/hash_grid.h"
#include "builders/grid/hash_grid_stats.h"
#include "viewer/model/inspect/host_copies.h"
#include "viewer/model/structures/leaf_labels.h"
#include "viewer/model/structures/structure_kinds.h"

namespace copse::viewer {

namespace {

class PointsStructure : public Structure {
 public:
  PointsStructure(Context& context, const StructureOptions& options, const Aabb& bounds)
      : context_(context), options_{.points_per_cell = options.points_per_cell} {
    const float diagonal = is_valid(bounds) ? glm::length(bounds.hi - bounds.lo) : 0.0f;
    const float unit = diagonal > 0 && is_finite(diagonal) ? diagonal : 1.0f;
    options_.cell_size = options.point_cell_size * unit;
    radius_ = options.ball_radius * unit;
  }

  void build(const TriangleView& triangles) override {
    positions_ = triangles.positions;
    if (grid_.is_built() && grid_.point_capacity() >= positions_.size) {
      rebuild_hash_grid(context_, grid_, positions_, options_);
    } else {
      grid_ = build_hash_grid(context_, positions_, options_);
    }
  }

  /// The grid holds copies of the points, so they stay where they were.
  void leave(const TriangleView& triangles) override { positions_ = triangles.positions; }

  void see(const TriangleView&, BufferSpan<const Ray> rays, BufferSpan<SurfaceHit> surfaces) override {
    see_points(context_, view(), rays, surfaces);
  }

  void occlude(const TriangleView&, BufferSpan<const Ray> rays, BufferSpan<u8> occluded) override {
    meet_points(context_, view(), rays, occluded);
  }

  void count_visits(const TriangleView&, BufferSpan<const Ray> rays, BufferSpan<u32> visits) override {
    viewer::count_visits(context_, view(), rays, visits);
  }

  void label(BufferSpan<const Ray>, BufferSpan<const SurfaceHit> surfaces, LeafTint,
             BufferSpan<u32> labels) override {
    label_buckets(context_, grid_.view(), positions_, surfaces, labels);
  }

  Statistics measure(const TriangleView&) override {
    const HashGridStats measured = stats(context_, grid_);
    Statistics statistics;
    statistics.target = Target::point;
    statistics.primitive_count = measured.counts.point_count;
    statistics.invalid_count = measured.counts.invalid_count;
    statistics.size_bytes = measured.size_bytes;
    statistics.resolution = measured.resolution;
    statistics.cell_size = measured.cell_size;
    statistics.bucket_count = measured.bucket_count;
    statistics.occupied_count = measured.occupied_count;
    statistics.shared_count = measured.shared_count;
    statistics.largest_cell = measured.largest_bucket;
    return statistics;
  }

  std::unique_ptr<HostCopy> copy() const override { return copy_points(grid_, radius_); }

 private:
  PointsView view() const { return {grid_.view(), radius_}; }

  Context& context_;
  HashGridOptions options_;
  float radius_;
  HashGrid grid_;
  PositionSpan positions_;  // the current ones
};

}  // namespace

std::unique_ptr<Structure> make_points(Context& context, const StructureOptions& options, const Aabb& bounds) {
  return std::make_unique<PointsStructure>(context, options, bounds);
}

}  // namespace copse::viewer
