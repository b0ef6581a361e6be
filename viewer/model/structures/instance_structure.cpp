#include "builders/bvh/stats.h"
#include "primitives/core/counted.h"
#include "scene/scene_rays.h"
#include "viewer/model/inspect/host_copies.h"
#include "viewer/model/inspect/instance_copy.h"
#include "viewer/model/picture/instance_hits.h"
#include "viewer/model/scene/placed_meshes.h"
#include "viewer/model/structures/structure_kinds.h"

namespace copse::viewer {

namespace {

/// Two levels: an Accel per mesh, and a Scene over the instances. Hits count through the triangles of all instances,
/// as the triangles of the scene do. Deformations of triangles do not move it: only instances move.
class InstanceStructure : public TriangleStructure {
 public:
  InstanceStructure(Context& context, const SceneGeometry& scene, const AccelOptions& options)
      : TriangleStructure(context), placed_(scene.placed), options_(options) {
    std::vector<u32> first;
    for (const ScenePart& part : scene.parts) first.push_back(part.first_triangle);
    first_triangles_ = Buffer<u32>(context, first);
  }

  void place(const SceneGeometry& scene) override { placed_ = scene.placed; }

  void build(const TriangleView&) override {
    if (accels_.empty()) build_meshes();
    upload();
    if (scene_.instance_count() > 0) {
      copse::rebuild(context_, scene_, InstanceView::of(instances_.span()));
    } else {
      scene_ = copse::build(context_, accels_, InstanceView::of(instances_.span()), {.quality = options_.quality});
    }
  }

  void refit(const TriangleView&) override {
    upload();
    copse::refit(context_, scene_, InstanceView::of(instances_.span()));
  }

  void hit(const TriangleView&, BufferSpan<const Ray> rays, BufferSpan<Hit> hits) override {
    if (scene_hits_.size() < rays.size()) scene_hits_ = Buffer<SceneHit>(context_, rays.size());
    const BufferSpan<SceneHit> found = scene_hits_.span().first(rays.size());
    closest_hits(context_, scene_, rays, found);
    flatten_hits(context_, first_triangles_.span(), found, hits);
  }

  void occlude(const TriangleView&, BufferSpan<const Ray> rays, BufferSpan<u8> occluded) override {
    any_hits(context_, scene_, rays, occluded);
  }

  void count_visits(const TriangleView&, BufferSpan<const Ray> rays, BufferSpan<u32> visits) override {
    count_scene_visits(context_, {scene_.tree().view(), ways_.span(), views_.span()}, rays, visits);
  }

  /// A leaf of the upper level is an instance, so each instance has a colour.
  void label(BufferSpan<const Ray>, BufferSpan<const SurfaceHit> surfaces, LeafTint,
             BufferSpan<u32> labels) override {
    label_instances(context_, first_triangles_.span(), surfaces, labels);
  }

  Statistics measure(const TriangleView& triangles) override {
    const WideBvhStats top = stats(context_, scene_.tree());
    Statistics statistics;
    statistics.primitive_count = triangles.triangle_count();
    statistics.bounds = top.bounds;
    statistics.node_count = top.counts.node_count;
    statistics.leaf_count = top.leaf_count;
    statistics.depth = top.depth;
    statistics.sah_cost = top.sah_cost;
    statistics.size_bytes = scene_.size_bytes();
    for (const Accel& accel : accels_) statistics.size_bytes += accel.size_bytes();
    statistics.origin = detail::counted(first_triangles_.size(), "instances") + " of " +
                        detail::counted(accels_.size(), "meshes") + ", " + name_of(options_.quality);
    if (top.counts.invalid_count > 0) {
      statistics.origin += ", " + std::to_string(top.counts.invalid_count) + " cannot be inverted";
    }
    return statistics;
  }

  double sah_cost() override { return stats(context_, scene_.tree()).sah_cost; }

  std::unique_ptr<HostCopy> copy() const override {
    std::vector<std::unique_ptr<HostCopy>> meshes;
    for (const Accel& accel : accels_) meshes.push_back(copy_tree(context_, accel.tree().view()));
    return copy_instances(*copy_tree(context_, scene_.tree().view())->tree(), meshes, placed_->instances,
                          first_triangles_.download());
  }

 private:
  void build_meshes() {
    for (const NamedMesh& source : *placed_->meshes) {
      const Buffer<vec3> positions(context_, source.mesh.positions);
      const Buffer<uvec3> triangles(context_, source.mesh.triangles);
      const TriangleView view{.positions = positions.span(), .triangles = triangles.span()};
      accels_.push_back(copse::build(context_, view, options_));
    }
    std::vector<AccelView> views;
    for (const Instance& instance : placed_->instances) views.push_back(accels_[instance.accel].view());
    views_ = Buffer<AccelView>(context_, views);
  }

  void upload() {
    instances_ = Buffer<Instance>(context_, placed_->instances);
    std::vector<InstanceWay> ways;
    for (const Instance& instance : placed_->instances) ways.push_back(way_into(instance));
    ways_ = Buffer<InstanceWay>(context_, ways);
  }

  std::shared_ptr<const PlacedMeshes> placed_;
  AccelOptions options_;  // of the meshes
  std::vector<Accel> accels_;
  Scene scene_;
  Buffer<u32> first_triangles_;  // per instance
  Buffer<AccelView> views_;      // per instance
  Buffer<Instance> instances_;
  Buffer<InstanceWay> ways_;
  Buffer<SceneHit> scene_hits_;
};

}  // namespace

std::unique_ptr<TriangleStructure> make_instances(Context& context, const SceneGeometry& scene,
                                                  const AccelOptions& options) {
  return std::make_unique<InstanceStructure>(context, scene, options);
}

}  // namespace copse::viewer
