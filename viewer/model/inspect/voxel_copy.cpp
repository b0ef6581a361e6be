#include "trace/voxel_march.h"
#include "viewer/model/inspect/cell_corners.h"
#include "viewer/model/inspect/host_copies.h"

namespace copse::viewer {

namespace {

/// The visitor of a traversal. Records the places that it reaches: voxels of a dense grid, places of bricks.
template <class Visit, class Id>
struct Recorded {
  Visit visit;
  std::vector<Id> ids;
  bool operator()(Id id, float leave) {
    ids.push_back(id);
    return visit(id, leave);
  }
};

class VoxelCopy : public HostCopy {
 public:
  VoxelCopy(HostVoxels voxels, const GridShape& places)
      : voxels_(std::move(voxels)), places_(places), context_({.backend = Backend::cpu, .workers = 1}) {
    if (!voxels_.is_sparse) return;
    table_ = BrickTable(context_, places_, voxels_.keys.size());
    for (u32 brick = 0; brick < voxels_.keys.size(); ++brick) table_.view().insert(voxels_.keys[brick], brick);
  }

  Target target() const override { return Target::voxel; }

  std::vector<CellCorners> cells(u64 most, u64& count) const override {
    std::vector<CellCorners> boxes;
    count = 0;
    for (u64 word = 0; word < voxels_.words.size(); ++word) {
      for (u32 bits = voxels_.words[word]; bits != 0; bits &= bits - 1) {
        if (count++ >= most) continue;
        const uvec3 voxel = voxel_of(word, 31 - leading_zeros(bits & (0u - bits)));
        boxes.push_back(viewer::corners_of(cell_box(voxels_.shape, voxel)));
      }
    }
    return boxes;
  }

  Pick walk(const HostTriangles&, const Ray& ray) const override {
    Pick pick;
    pick.ray = ray;
    const VoxelHit hit = voxels_.is_sparse ? walk_bricks(ray, pick) : walk_voxels(ray, pick);
    pick.hit = {hit.t, invalid_id, invalid_id, 0, 0};
    if (is_hit(hit)) {
      pick.hit.primitive = voxels_.shape.cell_id(hit.voxel);
      pick.hit.geometry = 0;
      pick.leaf = pick.hit.primitive;
    }
    pick.point = ray.origin + pick.hit.t * ray.direction;
    return pick;
  }

 private:
  /// The voxel of a bit, in the layout of Voxels and Bricks.
  uvec3 voxel_of(u64 word, u32 bit) const {
    if (!voxels_.is_sparse) {
      const u64 row_words = divide_rounding_up(u64{voxels_.shape.resolution.x}, 32), row = word / row_words;
      return uvec3(u32(word % row_words) * 32 + bit, u32(row % voxels_.shape.resolution.y),
                   u32(row / voxels_.shape.resolution.y));
    }
    const u32 within = u32(word % brick_words) * 32 + bit;
    return places_.cell_of(voxels_.keys[word / brick_words]) * brick_edge +
           uvec3(within % brick_edge, within / brick_edge % brick_edge, within / (brick_edge * brick_edge));
  }

  VoxelHit walk_voxels(const Ray& ray, Pick& pick) const {
    const VoxelView view{voxels_.shape, {voxels_.words.data(), voxels_.words.size()}};
    const detail::MarchedRay marched = detail::enter_grid(view.shape, ray);
    const u64 row = view.row_bits(), layer = row * view.shape.resolution.y;
    Recorded<detail::FindSetBit, u64> record{{view}, {}};
    if (is_traceable(ray) && marched.length >= 0) {
      detail::march_narrow(view.shape.resolution, row, layer, marched, record);
    }
    for (const u64 bit : record.ids) {
      const uvec3 voxel(u32(bit % row), u32(bit / row % view.shape.resolution.y), u32(bit / layer));
      add(pick, view.shape, voxel, view.is_set(bit));
    }
    return first_voxel(view, ray);
  }

  VoxelHit walk_bricks(const Ray& ray, Pick& pick) const {
    const BrickView view{voxels_.shape, places_, table_.view(), {voxels_.words.data(), voxels_.words.size()}};
    const detail::MarchedRay marched = detail::enter_grid(places_, ray, detail::march_slack / brick_edge);
    Recorded<detail::FindInBricks, u64> record{{view, marched}, {}};
    if (is_traceable(ray) && marched.length >= 0) detail::march_bricks(view, marched, record);
    for (const u64 place : record.ids) add(pick, places_, places_.cell_of(place), view.brick_at(place) != nullptr);
    return first_voxel(view, ray);
  }

  void add(Pick& pick, const GridShape& shape, const uvec3& cell, bool is_set) const {
    const Aabb box = cell_box(shape, cell);
    pick.visited.push_back({shape.cell_id(cell), 0, box, enter_box(box, pick.ray), is_set, is_set ? 1u : 0u});
  }

  HostVoxels voxels_;
  GridShape places_;
  Context context_;
  BrickTable table_;
};

}  // namespace

std::unique_ptr<HostCopy> copy_voxels(HostVoxels voxels, const GridShape& places) {
  return std::make_unique<VoxelCopy>(std::move(voxels), places);
}

}  // namespace copse::viewer
