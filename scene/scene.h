#pragma once

#include <vector>

#include "accel/accel.h"
#include "accel/accel_batch.h"
#include "scene/scene_view.h"

namespace copse {

namespace detail {

struct LoneInstance;
struct SceneAccess;

}  // namespace detail

struct SceneOptions {
  /// The quality of the tree over the instances. fast: LBVH, balanced: H-PLOC, best: H-PLOC and reinsertion. Default:
  /// balanced.
  Quality quality = Quality::balanced;

  /// Room for this many instances, so that a rebuild may have more of them than the first build. Default: 0. There is
  /// always room for the instances of the first build.
  u64 capacity = 0;

  /// References per instance in the tree over the instances. Above 1, the largest instances are opened: up to 256
  /// nodes of the mesh's tree take the place of the instance in this tree. Hits stay the same. Rays through instances
  /// that overlap become faster, rays through instances that are apart slower. Memory and build time grow with it.
  /// Instances of accels with splits are not opened. Default: 1, which opens nothing. Range: 1 to 64.
  float opening = 1;
};

/// The accels of a scene, numbered from 0 in the order given: an array of them, an array of their addresses, or the
/// meshes of a batch. It holds only pointers; use it in argument lists only.
class SceneAccels {
 public:
  SceneAccels(const Accel& accel) : accels_(&accel), size_(1) {}
  SceneAccels(std::span<const Accel> accels) : accels_(accels.data()), size_(accels.size()) {}
  SceneAccels(const std::vector<Accel>& accels) : accels_(accels.data()), size_(accels.size()) {}
  SceneAccels(std::span<const Accel* const> accels) : addresses_(accels.data()), size_(accels.size()) {}
  SceneAccels(const AccelBatch& batch) : batch_(&batch), size_(batch.mesh_count()) {}

  u64 size() const { return size_; }

  /// Returns an accel. Must not be called for the meshes of a batch.
  const Accel& operator[](u64 i) const { return addresses_ ? *addresses_[i] : accels_[i]; }

  /// Returns the batch, or null.
  const AccelBatch* batch() const { return batch_; }

 private:
  const Accel* accels_ = nullptr;
  const Accel* const* addresses_ = nullptr;
  const AccelBatch* batch_ = nullptr;
  u64 size_;
};

/// Instances of accels, and a tree over them. Each mesh is built once and placed any number of times.
///
///   copse::Accel tree = copse::build(context, triangles);
///   std::vector<copse::Instance> forest(100000);          // a transform, a mask and an id each
///   copse::Scene scene = copse::build(context, tree, forest);
///   copse::closest_hits(context, scene, rays.span(), hits.span());    // scene/scene_rays.h
///   copse::refit(context, scene, copse::InstanceView::of(moved.span()));  // instances that have moved
///   your_kernel<<<...>>>(scene.view(), ...);                          // scene/scene_view.h
///
/// The scene refers to its accels, which must outlive it. An Accel may be refitted and rebuilt in place; afterwards
/// refit or rebuild the scene, since its boxes depend on those of the accels. If an Accel is compacted or assigned
/// to, its memory changes: then build the scene anew. The tree is equal on all backends bit for bit, and so are the
/// hits.
class Scene {
 public:
  /// An empty object. Only size_bytes() and the counts may be called; all other calls throw.
  Scene() = default;

  SceneView view() const {
    return {tree_.view(), {records_.data(), accels_.data(), has_masks_, options_.opening > 1}};
  }

  const SceneOptions& options() const { return options_; }

  /// The backend that built it and has it in its memory. Calls with a context of another backend throw.
  Backend backend() const { return backend_; }

  /// The instances of the last build, including those left out of the tree.
  u64 instance_count() const { return instance_count_; }

  /// The maximum number of instances of a rebuild.
  u64 capacity() const { return boxes_.size(); }

  u64 accel_count() const { return accels_.size(); }
  u64 size_bytes() const {
    return accels_.size_bytes() + records_.size_bytes() + boxes_.size_bytes() + reference_boxes_.size_bytes() +
           binary_.size_bytes() + tree_.size_bytes();
  }

  /// The tree over the instances, for calls that take a tree, such as stats. Its primitive ids are the numbers of the
  /// instances; WideBvhCounts::invalid_count is the number of instances that were left out. In a scene with opened
  /// instances the ids are numbers of references, and unused references count as left out too.
  const CompressedBvh4& tree() const { return tree_; }

  /// The boxes of the instances in the scene. An instance that was left out has an empty box.
  BufferSpan<const Aabb> boxes() const { return boxes_.span(); }

 private:
  friend struct detail::SceneAccess;
  friend struct detail::LoneInstance;

  Buffer<AccelView> accels_;
  AccelView first_accel_;
  Buffer<detail::PlacedInstance> records_;  // of the instances, then of the references that were added
  Buffer<Aabb> boxes_;
  Buffer<Aabb> reference_boxes_;  // one per record; empty if nothing is opened
  u64 instance_count_ = 0;
  Bvh binary_;
  CompressedBvh4 tree_;
  SceneOptions options_;
  Backend backend_ = Backend::automatic;
  bool has_masks_ = false;  // of triangles
};

/// Returns a scene of instances in the memory of the context. It does not wait.
///
/// An instance is left out, and missed by all rays, if its transform cannot be inverted: its determinant is zero,
/// it has a NaN or an infinity, or its inverse or its box exceed the largest float. So is an instance of an accel
/// without triangles, or with a number that no accel has. All other transforms are valid: mirrored, sheared, of
/// any scale.
/// Throws: Error invalid_argument if an accel was never built or was built by another backend, if a stride is no
/// multiple of 4, or if an address is null. Error capacity past 2^31 instances, Error out_of_memory, Error
/// cancelled.
/// Memory: see build_sizes.
COPSE_API Scene build(Context& context, const SceneAccels& accels, const InstanceView& instances,
                      const SceneOptions& options = {});

/// The same for instances on the host, which may change after the call.
/// Throws: also Error invalid_argument if an instance names an accel that does not exist.
COPSE_API Scene build(Context& context, const SceneAccels& accels, std::span<const Instance> instances,
                      const SceneOptions& options = {});

/// Builds a new tree over instances in the memory of `scene`, with its accels and options. It does not wait and,
/// once warm, does not allocate, so it can be captured in a Graph. After an error, rebuild it before you use it.
///   instances: any number up to scene.capacity()
/// Throws: as build; Error invalid_argument if `scene` was never built or has too little room.
COPSE_API void rebuild(Context& context, Scene& scene, const InstanceView& instances);

/// Fits the tree to instances that have moved. It also takes over their masks, ids, flags and accels. The topology of
/// the tree stays, so rays become slower as the instances move apart. Instances that the build left out stay out. The
/// call does not wait and, once warm, does not allocate, so it can be captured in a Graph.
///
/// If instances were opened, their references stay as well. Then each instance must keep its accel, and the scene
/// must be rebuilt if one of its accels was rebuilt.
///   instances: as many as `scene` was built over, in the same order
/// Throws: as build; Error invalid_argument for another number of instances or if `scene` was never built.
COPSE_API void refit(Context& context, Scene& scene, const InstanceView& instances);

/// Returns the bytes that build takes on this context for these numbers of instances and accels. For a Scene with a
/// capacity, give the capacity.
/// Throws: as build.
COPSE_API BuildSizes build_sizes(Context& context, u64 instance_count, u64 accel_count,
                                 const SceneOptions& options);

}  // namespace copse
