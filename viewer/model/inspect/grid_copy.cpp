#include "trace/grid_march.h"
#include "viewer/model/inspect/cell_corners.h"
#include "viewer/model/inspect/host_copies.h"

namespace copse::viewer {

namespace {

/// The leaf test of a grid, with a count of the tests.
struct CountedTest {
  detail::ClosestTriangle<detail::IndexedTriangles> closest;
  u32 test_count = 0;

  bool operator()(u32 id, float& limit) {
    ++test_count;
    return closest(id, limit);
  }
};

/// The visitor of cells for march(). Records each cell, and the one that holds the hit.
struct RecordedCells {
  detail::TestCell<CountedTest, NoCounter> test;
  std::vector<u32>& cells;
  u32 hit_cell = invalid_id;

  bool operator()(u32 cell, float leave) {
    cells.push_back(cell);
    const float before = test.limit;
    const u32 closest_before = test.leaf_test.closest.closest;
    const bool is_done = test(cell, leave);
    if (test.limit != before || test.leaf_test.closest.closest != closest_before) hit_cell = cell;
    return is_done;
  }
};

class GridCopy : public HostCopy {
 public:
  explicit GridCopy(const Grid& grid)
      : shape_(grid.shape.download()),
        cell_begins_(grid.cell_begins.download(u64{shape_[0].cell_count()} + 1)),
        counts_(grid.counts.download()),
        primitive_ids_(grid.primitive_ids.download(counts_[0].stored_count)) {}

  std::vector<CellCorners> cells(u64 most, u64& count) const override {
    std::vector<CellCorners> boxes;
    count = 0;
    for (u32 cell = 0; cell < shape_[0].cell_count(); ++cell) {
      if (references_of(cell) == 0) continue;
      if (count++ < most) boxes.push_back(viewer::corners_of(cell_box(shape_[0], shape_[0].cell_at(cell))));
    }
    return boxes;
  }

  Pick walk(const HostTriangles& triangles, const Ray& ray) const override {
    const TriangleTable table = TriangleTable::of(triangles.view());
    const GridView grid{{shape_.data(), 1},
                        {cell_begins_.data(), cell_begins_.size()},
                        {primitive_ids_.data(), primitive_ids_.size()},
                        {counts_.data(), 1}};
    CountedTest test{{detail::triangles_of(table), ray}};
    Pick pick;
    pick.ray = ray;
    float limit = ray.t_max;
    std::vector<u32> cells;
    if (is_traceable(ray)) {
      const detail::MarchedRay marched = detail::enter_grid(shape_[0], ray);
      NoCounter counter;
      RecordedCells record{{grid, marched, test, counter, ray.t_max, infinity}, cells};
      if (marched.length >= 0) march(marched, record);
      limit = record.test.limit;
      pick.leaf = record.hit_cell;
    }
    pick.hit = test.closest.hit(limit);
    pick.point = ray.origin + pick.hit.t * ray.direction;
    pick.primitive_tests = test.test_count;
    for (const u32 cell : cells) {
      const Aabb box = cell_box(shape_[0], shape_[0].cell_at(cell));
      pick.visited.push_back({cell, 0, box, enter_box(box, ray), references_of(cell) > 0, references_of(cell)});
    }
    return pick;
  }

 private:
  u32 references_of(u32 cell) const { return cell_begins_[cell + 1] - cell_begins_[cell]; }

  void march(const detail::MarchedRay& marched, RecordedCells& record) const {
    if (marched.error <= detail::narrow_error) {
      detail::march_narrow(shape_[0], marched, record);
    } else {
      detail::march_wide(shape_[0], marched, record);
    }
  }

  std::vector<GridShape> shape_;
  std::vector<u32> cell_begins_;
  std::vector<GridCounts> counts_;
  std::vector<u32> primitive_ids_;
};

}  // namespace

std::unique_ptr<HostCopy> copy_grid(const Grid& grid) {
  return std::make_unique<GridCopy>(grid);
}

}  // namespace copse::viewer
