#include "builders/grid/frustum_check.h"
#include "builders/grid/frustum_grid.h"
#include "trace/frustum_rays.h"
#include "viewer/model/inspect/host_copies.h"
#include "viewer/model/picture/cameras.h"
#include "viewer/model/structures/grid_parts.h"
#include "viewer/model/structures/leaf_labels.h"
#include "viewer/model/structures/structure_kinds.h"

namespace copse::viewer {

namespace {

class FrustumStructure : public TriangleStructure {
 public:
  FrustumStructure(Context& context, const StructureOptions& options, const Aabb& bounds)
      : TriangleStructure(context),
        options_{.resolution = options.frustum_resolution},
        follows_(options.frustum_follows),
        tree_(make_tree(context, {})) {
    CameraRig rig;
    rig.frame(bounds);
    seen_from_ = made_for_ = rig.camera(1);
  }

  /// A grid that does not follow the camera keeps its first camera.
  bool aim(const Camera& camera) override {
    seen_from_ = camera;
    if (same_camera(camera, made_for_) || (!follows_ && was_seen_)) return false;
    made_for_ = camera;
    return true;
  }

  void build(const TriangleView& triangles) override {
    has_tree_ = false;
    const ViewFrustum frustum = view_frustum(made_for_);
    if (grid_.cells.is_built()) {
      rebuild_frustum_grid(context_, grid_, triangles, frustum);
      if (is_complete(grid_.cells)) return;
    }
    FrustumGridOptions options = options_;
    options.reference_capacity =
        roomy_reference_capacity(count_references(context_, triangles, frustum, options_));
    grid_ = build_frustum_grid(context_, triangles, frustum, options);
  }

  void leave(const TriangleView& triangles) override {
    if (has_tree_) tree_->leave(triangles);
  }

  void hit(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<Hit> hits) override {
    if (!is_seen_from_its_eye()) return tree(triangles).hit(triangles, rays, hits);
    was_seen_ = true;
    closest_hits(context_, grid_.view(), triangles, rays, hits);
  }

  void occlude(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<u8> occluded) override {
    tree(triangles).occlude(triangles, rays, occluded);
  }

  void count_visits(const TriangleView& triangles, BufferSpan<const Ray> rays, BufferSpan<u32> visits) override {
    if (!is_seen_from_its_eye()) return tree(triangles).count_visits(triangles, rays, visits);
    viewer::count_visits(context_, grid_.view(), triangles, rays, visits);
  }

  void label(BufferSpan<const Ray> rays, BufferSpan<const SurfaceHit> surfaces, LeafTint tint,
             BufferSpan<u32> labels) override {
    label_cells(context_, grid_.view(), rays, surfaces, tint, labels);
  }

  const char* depth_unit() const override { return "slabs"; }

  Statistics measure(const TriangleView& triangles) override {
    const FrustumGridStats measured = stats(context_, grid_);
    Statistics statistics;
    statistics.primitive_count = triangles.triangle_count();
    take_cells(statistics, measured);
    statistics.nearest = measured.nearest;
    statistics.farthest = measured.farthest;
    return statistics;
  }

  std::unique_ptr<HostCopy> copy() const override { return copy_frustum(grid_); }

 private:
  bool is_seen_from_its_eye() const { return same_camera(seen_from_, made_for_); }

  TriangleStructure& tree(const TriangleView& triangles) {
    if (!has_tree_) tree_->build(triangles);
    has_tree_ = true;
    return *tree_;
  }

  FrustumGridOptions options_;
  bool follows_;
  FrustumGrid grid_;
  Camera made_for_, seen_from_;
  bool was_seen_ = false;  // by the camera that it was made for
  std::unique_ptr<TriangleStructure> tree_;
  bool has_tree_ = false;  // over the current triangles
};

}  // namespace

std::unique_ptr<Structure> make_frustum(Context& context, const StructureOptions& options, const Aabb& bounds) {
  return std::make_unique<FrustumStructure>(context, options, bounds);
}

}  // namespace copse::viewer
