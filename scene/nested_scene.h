#pragma once

#include <span>
#include <vector>

#include "scene/nested/nested_parts.h"
#include "scene/scene.h"

namespace copse {

class NestedScene;

namespace detail {

struct NestedAccess;

}  // namespace detail

/// A part that an instance of a NestedScene may place: an accel, a scene, or a scene of scenes. It holds only a
/// pointer; use it in argument lists only.
class ScenePart {
 public:
  ScenePart(const Accel& accel) : accel_(&accel) {}
  ScenePart(const Scene& scene) : scene_(&scene) {}
  ScenePart(const NestedScene& nested) : nested_(&nested) {}

  /// Returns the part, or null if it is of another kind.
  const Accel* accel() const { return accel_; }
  const Scene* scene() const { return scene_; }
  const NestedScene* nested() const { return nested_; }

 private:
  const Accel* accel_ = nullptr;
  const Scene* scene_ = nullptr;
  const NestedScene* nested_ = nullptr;
};

/// A scene whose instances place accels, scenes, and scenes of scenes: for example a forest of trees, of branches, of
/// leaves. Each part is built once, and placed any number of times.
///
///   copse::Scene bush = copse::build(context, leaf, leaves);                        // 10,000 leaves
///   copse::NestedScene forest = copse::build_nested(context, {ground, bush}, instances);
///   copse::closest_hits(context, forest, rays.span(), hits.span());                 // scene/nested_rays.h
///   your_kernel<<<...>>>(forest.view(), ...);                                       // scene/nested_view.h
///
/// Instance::accel is the number of the part, in the order given. A ray goes down level by level, by the transform of
/// each instance on its path: transforms are not multiplied with each other. Masks are compared on each level, and
/// each instance may exchange the sides of triangles by its flags. If a scene places nothing but accels, its hits are
/// those of a Scene, bit for bit.
///
/// The scene refers to its parts, which must outlive it. They must exist before it, so no scene can contain itself.
/// Parts may be refitted and rebuilt in place; afterwards refit or rebuild the scenes that contain them, from the
/// innermost one outwards. If a part is assigned to, or if an Accel is compacted, build the scenes that contain it
/// anew. Trees and hits are equal on all backends bit for bit.
class NestedScene {
 public:
  /// An empty object. Only size_bytes() and the counts may be called; all other calls throw.
  NestedScene() = default;

  NestedSceneView view() const { return {top_.view(), parts_.data()}; }

  const SceneOptions& options() const { return top_.options(); }

  /// The backend that built it and has it in its memory. Calls with a context of another backend throw.
  Backend backend() const { return top_.backend(); }

  /// The number of levels of instances: one more than the maximum over its parts. 0 before it is built.
  u32 level_count() const { return level_count_; }

  /// The instances of the last build, including those left out of the tree, without the instances in its parts.
  u64 instance_count() const { return top_.instance_count(); }

  /// The maximum number of instances of a rebuild.
  u64 capacity() const { return top_.capacity(); }

  u64 part_count() const { return parts_.size(); }

  /// The bytes of this scene without its parts.
  u64 size_bytes() const { return top_.size_bytes() + parts_.size_bytes(); }

  /// The tree over the instances, as Scene::tree.
  const CompressedBvh4& tree() const { return top_.tree(); }

  /// The boxes of the instances in the scene. An instance that was left out has an empty box.
  BufferSpan<const Aabb> boxes() const { return top_.boxes(); }

 private:
  friend struct detail::NestedAccess;

  Scene top_;  // a part that is a scene is an accel here, with the scene's tree and no triangles
  Buffer<NestedSceneView> parts_;
  u32 level_count_ = 0;
};

/// Returns a scene of instances of parts, in the memory of the context. It waits only for the copy of a table of the
/// parts.
///   parts:     any number, in any mixture
///   instances: as for build of a Scene. Instances of a scene without triangles are left out
/// Throws: as build of a Scene; Error capacity if a part has 7 levels of instances.
/// Memory: see nested_sizes.
COPSE_API NestedScene build_nested(Context& context, const std::vector<ScenePart>& parts,
                                   const InstanceView& instances, const SceneOptions& options = {});

/// The same for instances on the host, which may change after the call.
/// Throws: also Error invalid_argument if an instance names a part that does not exist.
COPSE_API NestedScene build_nested(Context& context, const std::vector<ScenePart>& parts,
                                   std::span<const Instance> instances, const SceneOptions& options = {});

/// Builds a new tree over instances in the memory of `scene`, with its parts and options. All else is as for a Scene.
COPSE_API void rebuild(Context& context, NestedScene& scene, const InstanceView& instances);

/// Fits the tree to instances that have moved, and to parts that were refitted. All else is as for a Scene.
COPSE_API void refit(Context& context, NestedScene& scene, const InstanceView& instances);

/// Returns the bytes that build_nested takes on this context for these numbers of instances and parts. For a scene
/// with a capacity, give the capacity.
/// Throws: as build_nested.
COPSE_API BuildSizes nested_sizes(Context& context, u64 instance_count, u64 part_count,
                                  const SceneOptions& options);

}  // namespace copse
