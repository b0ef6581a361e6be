#pragma once

// Accels, the scenes that they are made of, and what rays through them must find.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "accel/accel_rays.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/trace/oracle.h"

namespace copse::test {

inline constexpr Quality all_qualities[] = {Quality::fast, Quality::balanced, Quality::best};

/// Meshes on the host and in a context's memory, each a geometry of its own.
class SceneOfViews {
 public:
  SceneOfViews(Context& context, const std::vector<Mesh>& meshes, const std::vector<u32>& masks = {})
      : meshes_(meshes) {
    for (u32 i = 0; i < meshes_.size(); ++i) {
      device_meshes_.emplace_back(context, meshes_[i]);
      device_.push_back(device_meshes_.back().view(10 + i));
      host_.push_back(host_view(meshes_[i]));
      host_.back().geometry = 10 + i;
      if (!masks.empty()) device_.back().mask = host_.back().mask = masks[i];
    }
  }

  const std::vector<TriangleView>& device() const { return device_; }
  const std::vector<TriangleView>& host() const { return host_; }

  /// Brute force over the views that a ray with this mask sees.
  Hit hit(const Ray& ray, u32 mask = ~u32{0}) const {
    std::vector<TriangleView> seen;
    for (const TriangleView& view : host_) {
      if ((view.mask & mask) != 0) seen.push_back(view);
    }
    return brute_force_hit(seen, ray);
  }

 private:
  std::vector<Mesh> meshes_;
  std::vector<DeviceMesh> device_meshes_;
  std::vector<TriangleView> device_, host_;
};

/// All hits of all triangles, by (t, number through all views).
inline std::vector<Hit> slow_hits(const std::vector<TriangleView>& views, const Ray& ray, u32 mask = ~u32{0}) {
  std::vector<Hit> hits;
  if (!is_traceable(ray)) return hits;
  const RayShear shear = make_shear(ray);
  for (const TriangleView& view : views) {
    for (u32 i = 0; (view.mask & mask) != 0 && i < view.triangle_count(); ++i) {
      TriangleHit hit;
      if (!intersect_triangle(shear, load_triangle(view, i), ray.t_min, ray.t_max, hit)) continue;
      hits.push_back({hit.t, i, view.geometry, hit.u, hit.v});
    }
  }
  std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.t < b.t; });
  return hits;
}

/// Brute force over the triangles that the ray meets on the other side than `cull`.
inline Hit brute_force_culled_hit(const TriangleView& view, const Ray& ray, Cull cull) {
  std::vector<vec3> corners;
  std::vector<u32> ids;
  for (u32 i = 0; i < view.triangle_count(); ++i) {
    const Triangle t = load_triangle(view, i);
    const glm::dvec3 a(t.a), normal = glm::cross(glm::dvec3(t.b) - a, glm::dvec3(t.c) - a);
    const double along = glm::dot(normal, glm::dvec3(ray.direction));
    if (cull == Cull::back ? along > 0 : cull == Cull::front && along < 0) continue;
    corners.insert(corners.end(), {t.a, t.b, t.c});
    ids.push_back(i);
  }
  Hit hit = brute_force_hit({TriangleView{.positions = BufferSpan<const vec3>(corners.data(), corners.size()),
                                          .geometry = view.geometry}},
                            ray);
  if (is_hit(hit)) hit.primitive = ids[hit.primitive];
  return hit;
}

inline std::vector<Hit> trace(Context& context, const Accel& accel, const std::vector<Ray>& rays,
                              const TraceOptions& options = {}) {
  const Buffer<Ray> device_rays(context, rays);
  Buffer<Hit> hits(context, rays.size());
  closest_hits(context, accel, device_rays.span(), hits.span(), options);
  return hits.download();
}

inline std::vector<ShortHit> trace_short(Context& context, const Accel& accel, const std::vector<Ray>& rays,
                                         const TraceOptions& options = {}) {
  const Buffer<Ray> device_rays(context, rays);
  Buffer<ShortHit> hits(context, rays.size());
  closest_hits(context, accel, device_rays.span(), hits.span(), options);
  return hits.download();
}

inline std::vector<Hit> fill(Context& context, const Accel& accel, const std::vector<Ray>& rays,
                             const std::vector<ShortHit>& hits) {
  const Buffer<Ray> device_rays(context, rays);
  const Buffer<ShortHit> device_hits(context, hits);
  Buffer<Hit> full(context, rays.size());
  full_hits(context, accel, device_rays.span(), device_hits.span(), full.span());
  return full.download();
}

inline std::vector<u8> trace_any(Context& context, const Accel& accel, const std::vector<Ray>& rays,
                                 const TraceOptions& options = {}) {
  const Buffer<Ray> device_rays(context, rays);
  Buffer<u8> occluded(context, rays.size());
  any_hits(context, accel, device_rays.span(), occluded.span(), options);
  return occluded.download();
}

/// Hits, short hits and occlusion are the expected ones, bit for bit.
inline void expect_hits(Context& context, const Accel& accel, const std::vector<Ray>& rays,
                        const std::vector<Hit>& expected, const std::string& name,
                        const TraceOptions& options = {}) {
  const std::vector<Hit> hits = trace(context, accel, rays, options);
  const std::vector<ShortHit> short_hits = trace_short(context, accel, rays, options);
  const std::vector<Hit> filled = fill(context, accel, rays, short_hits);
  const std::vector<u8> occluded = trace_any(context, accel, rays, options);
  for (size_t i = 0; i < rays.size(); ++i) {
    ASSERT_TRUE(same_bits(hits[i], expected[i]))
        << name << ": " << text(rays[i]) << ": " << text(hits[i]) << ", expected " << text(expected[i]);
    ASSERT_EQ(short_hits[i].t, hits[i].t) << name << ": " << text(rays[i]);
    ASSERT_EQ(is_hit(short_hits[i]), is_hit(hits[i])) << name << ": " << text(rays[i]);
    ASSERT_TRUE(same_bits(filled[i], expected[i])) << name << ": " << text(rays[i]) << ": " << text(filled[i])
                                                   << " from a short hit, expected " << text(expected[i]);
    ASSERT_EQ(occluded[i], is_hit(expected[i]) ? 1 : 0) << name << ": " << text(rays[i]);
  }
}

}  // namespace copse::test
