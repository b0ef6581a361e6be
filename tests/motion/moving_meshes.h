#pragma once

// Meshes that move from key to key, and what rays through them must find.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "builders/geometry/generate.h"
#include "motion/motion_rays.h"
#include "tests/accel/accels.h"

namespace copse::test {

/// Positions of one mesh at several keys, on the host and in a context's memory.
class MovingMesh {
 public:
  MovingMesh(Context& context, std::vector<Mesh> keys, u32 geometry = 3) : keys_(std::move(keys)) {
    for (const Mesh& key : keys_) {
      device_.emplace_back(context, key);
      views_.push_back(device_.back().view(geometry));
      host_.push_back(host_view(key));
      host_.back().geometry = geometry;
    }
  }

  MotionTriangles triangles() const { return MotionTriangles(views_); }
  const std::vector<TriangleView>& views() const { return views_; }
  const std::vector<Mesh>& keys() const { return keys_; }

  /// The mesh at a time: an oracle of its own for the rule in motion/walk/moving_triangles.h.
  Mesh at(float time) const {
    const u32 last = u32(keys_.size()) - 1;
    const float clamped = time < 0 ? 0.0f : time > 1 ? 1.0f : time;
    for (u32 key = 0; key <= last; ++key) {
      if (float(key) / float(last) == clamped) return keys_[key];
    }
    const float scaled = clamped * float(last);
    const u32 before = u32(std::floor(scaled));
    const float part = scaled - float(before);
    if (part == 0) return keys_[before];
    Mesh mesh = keys_[before];
    for (size_t i = 0; i < mesh.positions.size(); ++i) {
      const vec3 p = clean_point(keys_[before].positions[i]), q = clean_point(keys_[before + 1].positions[i]);
      for (int axis = 0; axis < 3; ++axis) {
        const float difference = q[axis] - p[axis];
        mesh.positions[i][axis] = std::fma(part, difference, p[axis]);
      }
    }
    return mesh;
  }

  /// The closest hit by every triangle at the ray's time.
  Hit hit(const Ray& ray, float time, Cull cull = Cull::none) const {
    const Mesh mesh = at(time);
    TriangleView view = host_view(mesh);
    view.geometry = host_.front().geometry;
    return brute_force_culled_hit(view, ray, cull);
  }

 private:
  std::vector<Mesh> keys_;
  std::vector<DeviceMesh> device_;
  std::vector<TriangleView> views_, host_;
};

/// Each vertex goes its own way, of up to `reach`.
inline std::vector<Mesh> scattered_keys(const Mesh& mesh, u32 key_count, float reach, u32 seed) {
  RayMaker random(seed);
  std::vector<Mesh> keys(key_count, mesh);
  for (u32 key = 1; key < key_count; ++key) {
    for (size_t i = 0; i < mesh.positions.size(); ++i) {
      keys[key].positions[i] = keys[key - 1].positions[i] + random.point(-reach, reach);
    }
  }
  return keys;
}

/// Rays at all keys, each with a time: random ones, those of keys, and times outside of the keys.
struct TimedRays {
  std::vector<Ray> rays;
  std::vector<float> times;

  TimedRays(const std::vector<Mesh>& keys, u32 count, u32 seed) {
    RayMaker random(seed);
    std::vector<Aabb> boxes;
    for (const Mesh& key : keys) boxes.push_back(bounds(key));
    for (u32 i = 0; i < count; ++i) {
      const Aabb& box = boxes[random.below(u32(keys.size()))];
      rays.push_back(is_empty(box) ? Ray{{0, 0, 0}, 0, {0, 0, 1}, infinity} : random.into(box));
      const float of_key = float(random.below(u32(keys.size()))) / float(keys.size() - 1);
      times.push_back(i % 4 == 0 ? of_key : i % 31 == 1 ? random.uniform(-1, 2) : random.uniform(0, 1));
    }
  }
};

inline std::vector<Hit> trace(Context& context, const MotionAccel& accel, const std::vector<Ray>& rays,
                              const MotionTraceOptions& options) {
  const Buffer<Ray> device_rays(context, rays);
  Buffer<Hit> hits(context, rays.size());
  closest_hits(context, accel, device_rays.span(), hits.span(), options);
  return hits.download();
}

inline std::vector<u8> trace_any(Context& context, const MotionAccel& accel, const std::vector<Ray>& rays,
                                 const MotionTraceOptions& options) {
  const Buffer<Ray> device_rays(context, rays);
  Buffer<u8> occluded(context, rays.size());
  any_hits(context, accel, device_rays.span(), occluded.span(), options);
  return occluded.download();
}

/// Hits and occlusion at all times are those of brute force, bit for bit.
inline void expect_hits(Context& context, const MotionAccel& accel, const MovingMesh& mesh, const TimedRays& timed,
                        const std::string& name, MotionTraceOptions options = {}) {
  const Buffer<float> times(context, timed.times);
  options.times = times.span();
  const std::vector<Hit> hits = trace(context, accel, timed.rays, options);
  const std::vector<u8> occluded = trace_any(context, accel, timed.rays, options);
  for (size_t i = 0; i < timed.rays.size(); ++i) {
    const Hit expected = mesh.hit(timed.rays[i], timed.times[i], options.cull);
    ASSERT_TRUE(same_bits(hits[i], expected)) << name << ": " << text(timed.rays[i]) << " at " << timed.times[i]
                                              << ": " << text(hits[i]) << ", expected " << text(expected);
    ASSERT_EQ(occluded[i], is_hit(expected) ? 1 : 0) << name << ": " << text(timed.rays[i]);
    if (context.backend() != Backend::cpu) continue;
    ASSERT_TRUE(
        same_bits(closest_hit(accel.view(), timed.rays[i], timed.times[i], options.mask, options.cull), expected))
        << name << ": one ray: " << text(timed.rays[i]);
    ASSERT_EQ(any_hit(accel.view(), timed.rays[i], timed.times[i], options.mask, options.cull), is_hit(expected));
  }
}

}  // namespace copse::test
