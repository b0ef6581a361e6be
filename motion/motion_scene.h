#pragma once

#include <span>
#include <vector>

#include "accel/accel.h"
#include "motion/motion_accel.h"
#include "motion/motion_instance.h"
#include "motion/motion_scene_view.h"
#include "scene/scene.h"

namespace copse {

namespace detail {

struct MotionSceneAccess;

}  // namespace detail

struct MotionSceneOptions {
  /// The quality of each tree over the instances, as SceneOptions::quality. Default: balanced.
  Quality quality = Quality::balanced;

  /// Room for this many instances, so that a rebuild may have more of them than the first build. Default: 0. There is
  /// always room for the instances of the first build.
  u64 capacity = 0;

  /// The number of trees over the instances, each for an equal part of the time. In a tree an instance has one box,
  /// around all its positions in that part. More trees make smaller boxes: rays become faster if instances move by
  /// more than their size. Each tree takes time to build, and 150 bytes per instance. Default: 0, which is one tree
  /// between any two keys. Range: 0 to 256.
  u32 tree_count = 0;
};

/// The accels of a scene of moving instances, numbered from 0: first each Accel in the order given, then each
/// MotionAccel. It holds only pointers; use it in argument lists only.
class MotionSceneAccels {
 public:
  MotionSceneAccels(const Accel& accel) : still_(accel) {}
  MotionSceneAccels(const std::vector<Accel>& accels) : still_(accels) {}
  MotionSceneAccels(const SceneAccels& accels) : still_(accels) {}
  MotionSceneAccels(const MotionAccel& accel) : still_(std::span<const Accel>()), moving_{&accel} {}
  MotionSceneAccels(const SceneAccels& accels, std::span<const MotionAccel> moving) : still_(accels) {
    for (const MotionAccel& accel : moving) moving_.push_back(&accel);
  }
  MotionSceneAccels(const SceneAccels& accels, std::span<const MotionAccel* const> moving)
      : still_(accels), moving_(moving.begin(), moving.end()) {}

  const SceneAccels& still() const { return still_; }
  std::span<const MotionAccel* const> moving() const { return moving_; }
  u64 size() const { return still_.size() + moving_.size(); }

 private:
  SceneAccels still_;
  std::vector<const MotionAccel*> moving_ = {};
};

/// Instances that move while a picture is taken. Each has transforms at two or more keys, and each ray has a time.
/// Their meshes are of type Accel, with fixed vertices, or MotionAccel, whose vertices move too.
///
///   copse::Buffer<copse::MotionTransform> transforms(context, keys);    // of each instance at each key
///   const copse::MotionInstanceView instances{.transforms = transforms.span(), .key_count = 2};
///   copse::MotionScene scene = copse::build(context, accel, instances);
///   copse::closest_hits(context, scene, rays.span(), hits.span(), {.times = times.span()});
///   copse::refit(context, scene, next_instances);
///   your_kernel<<<...>>>(scene.view(), ...);                            // motion/motion_scene_view.h
///
/// The hits of a ray are those in a Scene of the transforms at its time (transform_at), with the same bits of t, u
/// and v. They may differ only where rounding moves a hit out of the box of its instance, as in the space of a much
/// distorted mesh. At the times of keys they never differ. Trees and hits are equal on all backends, bit for bit.
///
/// The scene refers to its accels, which must outlive it. They may be refitted and rebuilt in place; afterwards refit
/// or rebuild the scene. If one is compacted or assigned to, build the scene anew.
class COPSE_API MotionScene {
 public:
  /// An empty object. Only size_bytes() and the counts may be called; all other calls throw.
  MotionScene() = default;

  MotionSceneView view() const {
    return {tree_views_.data(),
            u32(trees_.size()),
            {records_.data(), transforms_.data(), boxes_.data(), accels_.data(), moving_.data(), still_count_,
             key_count_, has_masks_}};
  }

  const MotionSceneOptions& options() const { return options_; }

  /// The backend that built it and has it in its memory. Calls with a context of another backend throw.
  Backend backend() const { return backend_; }

  /// The number of keys, at least 2 once it is built.
  u32 key_count() const { return key_count_; }

  /// The instances of the last build, including those left out of the trees.
  u64 instance_count() const { return instance_count_; }

  /// The maximum number of instances of a rebuild.
  u64 capacity() const { return records_.size(); }

  /// The number of accels with fixed vertices, and of those of type MotionAccel.
  u64 accel_count() const { return accel_count_; }

  /// The trees over the instances, each for an equal part of the time. Their primitive ids are numbers of instances;
  /// WideBvhCounts::invalid_count is the number of instances that do not exist in this part.
  const std::vector<CompressedBvh4>& trees() const { return trees_; }

  u64 size_bytes() const;

 private:
  friend struct detail::MotionSceneAccess;

  Buffer<AccelView> accels_;
  Buffer<MotionView> moving_;
  Buffer<detail::MovingInstance> records_;
  Buffer<MotionTransform> transforms_;  // [instance][key]
  Buffer<detail::MovingBox> boxes_;     // [instance][key]
  Buffer<Aabb> swept_;                  // [tree][instance]
  Bvh binary_;                          // used for one tree after the other
  std::vector<CompressedBvh4> trees_;
  Buffer<CompressedBvh4View> tree_views_;
  MotionSceneOptions options_;
  u64 instance_count_ = 0, accel_count_ = 0;
  u32 key_count_ = 0, still_count_ = 0;
  Backend backend_ = Backend::automatic;
  bool has_masks_ = false;  // of triangles
};

/// Returns a scene of instances that move, in the memory of the context. It does not wait.
///
/// An instance is missed at times when its transform cannot be inverted, for example if its size along an axis is
/// zero. If it has a NaN, an infinity or a rotation of length zero at a key, it is missed there and up to the
/// neighbouring keys. An instance of an accel without triangles, or with a number that no accel has, is always
/// missed. All other transforms are valid: mirrored, sheared, of any scale.
/// Throws: Error invalid_argument if an accel was never built or was built by another backend, unless there are 2 to
/// max_motion_keys keys and as many transforms as a multiple of them, if a stride is no multiple of 4, if an address is
/// null, or if options are out of range. Error capacity past 2^31 instances or 2^31 transforms, Error out_of_memory,
/// Error cancelled.
/// Memory: see motion_scene_sizes.
COPSE_API MotionScene build(Context& context, const MotionSceneAccels& accels, const MotionInstanceView& instances,
                            const MotionSceneOptions& options = {});

/// Builds new trees over instances in the memory of `scene`, with its accels and options. It does not wait and, once
/// warm, does not allocate, so it can be captured in a Graph. After an error, rebuild it before you use it.
///   instances: any number up to scene.capacity(), with as many keys
/// Throws: as build; Error invalid_argument if `scene` was never built, for another number of keys, or if there is too
/// little room.
COPSE_API void rebuild(Context& context, MotionScene& scene, const MotionInstanceView& instances);

/// Fits the trees to instances that move in another way. It also takes over their masks, ids, flags and accels. The
/// topology of the trees stays. Instances that the build left out of a tree stay out. The call does not wait and,
/// once warm, does not allocate, so it can be captured in a Graph.
///   instances: as many as `scene` was built over, in the same order, with as many keys
/// Throws: as build; Error invalid_argument for other numbers or if `scene` was never built.
COPSE_API void refit(Context& context, MotionScene& scene, const MotionInstanceView& instances);

/// Returns the bytes that build takes on this context. For a MotionScene with a capacity, give the capacity.
///   accel_count, moving_count: of accels with fixed vertices, and of those of type MotionAccel
/// Throws: as build.
COPSE_API BuildSizes motion_scene_sizes(Context& context, u64 instance_count, u32 key_count, u64 accel_count,
                                        u64 moving_count, const MotionSceneOptions& options);

}  // namespace copse
