#include <algorithm>
#include <tuple>

#include "viewer/model/inspect/cell_corners.h"
#include "viewer/model/inspect/host_copies.h"
#include "viewer/model/structures/point_march.h"

namespace copse::viewer {

namespace {

/// Records the cells of a traversal.
struct RecordedCells {
  std::vector<uvec3> cells;
  void operator()(const uvec3& cell) { cells.push_back(cell); }
};

class PointsCopy : public HostCopy {
 public:
  PointsCopy(const HashGrid& grid, float radius)
      : shape_(grid.shape.download()),
        bucket_begins_(grid.bucket_begins.download(grid.bucket_count() + 1)),
        counts_(grid.counts.download()),
        points_(grid.points.download(counts_[0].point_count)),
        radius_(shape_[0].resolution.x > 0 ? ball_radius(shape_[0], radius) : 0) {}

  Target target() const override { return Target::point; }

  std::vector<CellCorners> cells(u64 most, u64& count) const override {
    std::vector<uvec3> all;
    all.reserve(points_.size());
    for (const GridPoint& point : points_) all.push_back(shape_[0].cell_of(point.position));
    const auto key = [](const uvec3& cell) { return std::tuple(cell.z, cell.y, cell.x); };
    std::sort(all.begin(), all.end(), [&](const uvec3& a, const uvec3& b) { return key(a) < key(b); });
    all.erase(std::unique(all.begin(), all.end()), all.end());
    count = all.size();
    std::vector<CellCorners> corners;
    for (u64 i = 0; i < std::min(count, most); ++i) corners.push_back(viewer::corners_of(box_of(all[i])));
    return corners;
  }

  Pick walk(const HostTriangles&, const Ray& ray) const override {
    ClosestBall balls(ray, radius_);
    RecordedCells record;
    march_balls(view(), balls, record);
    const BallHit hit = balls.hit();
    Pick pick;
    pick.ray = ray;
    pick.hit = {hit.t, hit.id, is_hit(hit) ? 0 : invalid_id, 0, 0};
    pick.point = ray.origin + hit.t * ray.direction;
    pick.primitive_tests = balls.test_count;
    if (is_hit(hit)) pick.leaf = shape_[0].bucket_of(shape_[0].cell_of(balls.middle));
    for (const uvec3& cell : record.cells) add_visit(pick, cell);
    return pick;
  }

 private:
  static bool is_hit(const BallHit& hit) { return hit.id != invalid_id; }

  HashGridView view() const {
    return {{shape_.data(), 1},
            {bucket_begins_.data(), bucket_begins_.size()},
            {points_.data(), points_.size()},
            {counts_.data(), 1}};
  }

  Aabb box_of(const uvec3& cell) const {
    const GridShape shape{shape_[0].lo, dvec3(shape_[0].cells_per_unit), shape_[0].resolution};
    return cell_box(shape, cell);
  }

  /// Adds a cell of the traversal. Cells outside the grid are left out.
  void add_visit(Pick& pick, const uvec3& walked) const {
    const uvec3& resolution = shape_[0].resolution;
    const uvec3 cell = walked - 1u;  // below the grid it wraps around to a large number
    if (cell.x >= resolution.x || cell.y >= resolution.y || cell.z >= resolution.z) return;
    const u32 bucket = shape_[0].bucket_of(cell);
    u32 point_count = 0;
    for (u32 place = bucket_begins_[bucket]; place < bucket_begins_[bucket + 1]; ++place) {
      point_count += shape_[0].cell_of(points_[place].position) == cell;
    }
    const Aabb box = box_of(cell);
    float entered = enter_box(box, pick.ray);
    // The traversal visited a cell that the ray itself misses.
    if (!(entered < pick.ray.t_max)) entered = pick.visited.empty() ? pick.ray.t_min : pick.visited.back().entered;
    pick.visited.push_back({bucket, 0, box, entered, point_count > 0, point_count});
  }

  std::vector<HashGridShape> shape_;
  std::vector<u32> bucket_begins_;
  std::vector<HashGridCounts> counts_;
  std::vector<GridPoint> points_;
  float radius_;
};

}  // namespace

std::unique_ptr<HostCopy> copy_points(const HashGrid& grid, float radius) {
  return std::make_unique<PointsCopy>(grid, radius);
}

}  // namespace copse::viewer
