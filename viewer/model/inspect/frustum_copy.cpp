#include <cmath>

#include "trace/frustum_march.h"
#include "viewer/model/inspect/host_copies.h"

namespace copse::viewer {

namespace {

/// Counts the slabs that a traversal has reached.
struct SlabCounter {
  u32 slab_count = 0, test_count = 0;
  void count_node() { ++slab_count; }
  void count_primitive() { ++test_count; }
};

/// The test for the closest triangle. Records the slab of the hit.
struct RecordedTest {
  detail::ClosestTriangle<detail::IndexedTriangles> closest;
  const SlabCounter& counter;
  u32 hit_slab = invalid_id;

  bool operator()(u32 id, float& limit) {
    const float limit_before = limit;
    const u32 closest_before = closest.closest;
    const bool is_done = closest(id, limit);
    if (limit != limit_before || closest.closest != closest_before) hit_slab = counter.slab_count - 1;
    return is_done;
  }
};

class FrustumCopy : public HostCopy {
 public:
  explicit FrustumCopy(const FrustumGrid& grid)
      : frustum_(grid.frustum),
        resolution_(grid.resolution),
        frustum_shape_(grid.shape.download()),
        shape_(grid.cells.shape.download()),
        cell_begins_(grid.cells.cell_begins.download(u64{shape_[0].cell_count()} + 1)),
        counts_(grid.cells.counts.download()),
        primitive_ids_(grid.cells.primitive_ids.download(counts_[0].stored_count)) {}

  std::vector<CellCorners> cells(u64 most, u64& count) const override {
    std::vector<CellCorners> corners;
    count = 0;
    for (u32 cell = 0; cell < shape_[0].cell_count(); ++cell) {
      if (references_of(cell) > 0 && count++ < most) corners.push_back(corners_of(cell));
    }
    return corners;
  }

  CellCorners corners_of(const VisitedNode& visited) const override { return corners_of(visited.node); }

  /// A ray that does not start at the eye cannot traverse the cells. Its hit is found among all triangles.
  Pick walk(const HostTriangles& triangles, const Ray& ray) const override {
    const TriangleTable table = TriangleTable::of(triangles.view());
    SlabCounter counter;
    RecordedTest test{{detail::triangles_of(table), ray}, counter};
    Pick pick;
    pick.ray = ray;
    float limit = ray.t_max;
    if (is_traceable(ray) && is_from_eye(ray)) {
      const u32 tile = detail::tile_of_ray(frustum_shape_[0], shape_[0], ray);
      limit = march_tile(view(), tile, ray, test, counter);
      for (u32 slab = 0; slab < counter.slab_count; ++slab) add_visit(pick, tile * shape_[0].resolution.x + slab);
      if (test.hit_slab != invalid_id) pick.leaf = tile * shape_[0].resolution.x + test.hit_slab;
    } else if (is_traceable(ray)) {
      for (u32 id = 0; id < triangles.count(); ++id) test.closest(id, limit);
    }
    pick.hit = test.closest.hit(limit);
    pick.point = ray.origin + pick.hit.t * ray.direction;
    pick.primitive_tests = counter.test_count;
    return pick;
  }

 private:
  u32 references_of(u32 cell) const { return cell_begins_[cell + 1] - cell_begins_[cell]; }

  FrustumGridView view() const {
    return {frustum_,
            resolution_,
            {frustum_shape_.data(), 1},
            {{shape_.data(), 1},
             {cell_begins_.data(), cell_begins_.size()},
             {primitive_ids_.data(), primitive_ids_.size()},
             {counts_.data(), 1}}};
  }

  bool is_from_eye(const Ray& ray) const {
    const dvec3 d(ray.direction);
    const FrustumShape& shape = frustum_shape_[0];
    const double z = FrustumShape::dot(shape.z, d) * (1 + 1e-9);
    return ray.origin == frustum_.eye && z > 0 && std::abs(FrustumShape::dot(shape.x, d)) <= z &&
           std::abs(FrustumShape::dot(shape.y, d)) <= z;
  }

  /// The depth at which a slab begins. The first slab begins at the eye; it is drawn from a little farther, so
  /// that it has edges. The last slab has no end; it is drawn up to the farthest depth of the grid.
  double depth_of(u32 slab) const {
    constexpr double beside_eye = 1.0 / 64;
    if (slab == 0) return frustum_shape_[0].nearest * beside_eye;
    return -1.0 / (shape_[0].lo.x + slab / shape_[0].cells_per_unit.x);
  }

  CellCorners corners_of(u32 cell) const {
    const uvec3 place = shape_[0].cell_at(cell);  // slab, tile across, tile down
    CellCorners corners;
    for (u32 i = 0; i < 8; ++i) {
      const double z = depth_of(place.x + (i >> 2 & 1));
      const float x = float((place.y + (i & 1)) * 2.0 / shape_[0].resolution.y - 1);
      const float y = float((place.z + (i >> 1 & 1)) * 2.0 / shape_[0].resolution.z - 1);
      corners[i] = frustum_.eye + float(z) * (frustum_.forward + x * frustum_.right - y * frustum_.up);
    }
    return corners;
  }

  void add_visit(Pick& pick, u32 cell) const {
    const CellCorners corners = corners_of(cell);
    Aabb box = Aabb::empty();
    for (const vec3& corner : corners) box = merge(box, Aabb{corner, corner});
    const u32 slab = shape_[0].cell_at(cell).x;
    const double depth_per_t = FrustumShape::dot(frustum_shape_[0].z, dvec3(pick.ray.direction));
    const float entered = slab == 0 ? pick.ray.t_min : float(depth_of(slab) / depth_per_t);
    pick.visited.push_back({cell, 0, box, entered, references_of(cell) > 0, references_of(cell)});
  }

  ViewFrustum frustum_;
  uvec3 resolution_;
  std::vector<FrustumShape> frustum_shape_;
  std::vector<GridShape> shape_;
  std::vector<u32> cell_begins_;
  std::vector<GridCounts> counts_;
  std::vector<u32> primitive_ids_;
};

}  // namespace

std::unique_ptr<HostCopy> copy_frustum(const FrustumGrid& grid) {
  return std::make_unique<FrustumCopy>(grid);
}

}  // namespace copse::viewer
