#pragma once

// Instances that move, and the still scenes that they are at a time.

#include "motion/motion_scene_rays.h"
#include "tests/motion/moving_meshes.h"
#include "tests/scene/scenes.h"

namespace copse::test {

/// Transforms of instances at keys, on the host and in a context's memory.
class MovingInstances {
 public:
  MovingInstances(Context& context, std::vector<MotionTransform> keys, u32 key_count, u32 accel_count)
      : keys_(std::move(keys)), key_count_(key_count), device_(context, keys_) {
    for (u32 i = 0; i < size(); ++i) {
      Instance instance;
      instance.accel = i % accel_count;
      instance.mask = i % 5 == 4 ? ~u32{0} : u32{1} << i % 3;
      instance.id = 1000 + i;
      instance.flags = InstanceFlags(i % 7 == 0 ? 1 : 0);
      words_.push_back(instance);
    }
    device_words_ = Buffer<Instance>(context, words_);
  }

  u32 size() const { return u32(keys_.size()) / key_count_; }
  u32 key_count() const { return key_count_; }
  const MotionTransform* keys_of(u32 i) const { return keys_.data() + u64{i} * key_count_; }

  MotionInstanceView view() const {
    const InstanceView words = InstanceView::of(device_words_.span());
    return {device_.span(), key_count_, words.accels, words.masks, words.ids, words.flags};
  }

  /// The instances of a scene that stands still as this one does at a time.
  std::vector<Instance> at(float time) const {
    std::vector<Instance> instances = words_;
    for (u32 i = 0; i < size(); ++i) {
      const TransformRows place = transform_at(keys_of(i), key_count_, time);
      std::copy_n(&place.rows[0][0], 12, &instances[i].rows[0][0]);
    }
    return instances;
  }

 private:
  std::vector<MotionTransform> keys_;
  u32 key_count_;
  Buffer<MotionTransform> device_;
  std::vector<Instance> words_;
  Buffer<Instance> device_words_;
};

/// Instances that turn by any angle, are stretched otherwise at each key, mirrored now and then, and walk by `reach`.
inline std::vector<MotionTransform> random_motion(u32 count, u32 key_count, u32 seed, float reach = 2) {
  RayMaker random(seed);
  std::vector<MotionTransform> keys;
  for (u32 i = 0; i < count; ++i) {
    const vec3 start = random.point(-5, 5);
    const float mirror = i % 4 == 3 ? -1.0f : 1.0f;
    for (u32 key = 0; key < key_count; ++key) {
      MotionTransform t;
      t.stretch_x = random.uniform(0.2f, 2), t.stretch_y = random.uniform(0.2f, 2);
      t.stretch_z = mirror * random.uniform(0.2f, 2);
      t.stretch_xy = random.uniform(-1, 1), t.stretch_xz = random.uniform(-1, 1);
      t.stretch_yz = random.uniform(-1, 1);
      t.pivot_x = random.uniform(-1, 1), t.pivot_y = random.uniform(-1, 1), t.pivot_z = random.uniform(-1, 1);
      for (float& q : t.rotation) q = random.uniform(-1, 1);
      const vec3 place = start + random.point(-reach, reach);
      for (int axis = 0; axis < 3; ++axis) t.translation[axis] = place[axis];
      keys.push_back(t);
    }
  }
  return keys;
}

/// Turned about an axis through the mesh's origin.
inline MotionTransform turned(const vec3& axis, float angle) {
  MotionTransform t;
  const vec3 unit = glm::normalize(axis) * std::sin(angle / 2);
  t.rotation[0] = unit.x, t.rotation[1] = unit.y, t.rotation[2] = unit.z, t.rotation[3] = std::cos(angle / 2);
  return t;
}

inline std::vector<SceneHit> trace(Context& context, const MotionScene& scene, const std::vector<Ray>& rays,
                                   const MotionTraceOptions& options) {
  const Buffer<Ray> device_rays(context, rays);
  Buffer<SceneHit> hits(context, rays.size());
  closest_hits(context, scene, device_rays.span(), hits.span(), options);
  return hits.download();
}

inline std::vector<u8> trace_any(Context& context, const MotionScene& scene, const std::vector<Ray>& rays,
                                 const MotionTraceOptions& options) {
  const Buffer<Ray> device_rays(context, rays);
  Buffer<u8> occluded(context, rays.size());
  any_hits(context, scene, device_rays.span(), occluded.span(), options);
  return occluded.download();
}

/// Hits and occlusion at a time are those of a still scene, bit for bit.
inline void expect_still_hits(Context& context, const MotionScene& scene, const SceneAccels& accels,
                              const MovingInstances& instances, float time, const std::vector<Ray>& rays,
                              const std::string& name, u32 mask = ~u32{0}, Cull cull = Cull::none) {
  const Scene still = build(context, accels, instances.at(time), {.quality = Quality::fast});
  const std::vector<SceneHit> expected = trace(context, still, rays, {.mask = mask, .cull = cull});
  const MotionTraceOptions options{.time = time, .mask = mask, .cull = cull};
  const std::vector<SceneHit> hits = trace(context, scene, rays, options);
  const std::vector<u8> occluded = trace_any(context, scene, rays, options);
  for (size_t i = 0; i < rays.size(); ++i) {
    ASSERT_TRUE(same_bits(hits[i], expected[i])) << name << " at " << time << ": " << text(rays[i]) << ": "
                                                 << text(hits[i]) << ", expected " << text(expected[i]);
    ASSERT_EQ(occluded[i], is_hit(expected[i]) ? 1 : 0) << name << " at " << time << ": " << text(rays[i]);
  }
}

}  // namespace copse::test
