#include "trace/random.h"
#include "viewer/model/scene/deform.h"
#include "viewer/model/scene/turn.h"

namespace copse::viewer {

namespace {

struct KeepVertices {
  const vec3* rest;
  vec3* out;
  COPSE_HD void operator()(u64 i) const { out[i] = rest[i]; }
};

/// Turns vertices about the vertical axis, in proportion to their height: half a turn from bottom to top at
/// strength 1.
struct TwistVertices {
  const vec3* rest;
  vec3* out;
  vec3 centre;
  float turns_per_unit;
  COPSE_HD void operator()(u64 i) const {
    const vec3 arm = sub_rn(rest[i], centre);
    const float turns = mul_rn(arm.y, turns_per_unit);
    const float c = cosine_of_turns(turns), s = sine_of_turns(turns);
    out[i] = vec3(add_rn(centre.x, sub_rn(mul_rn(c, arm.x), mul_rn(s, arm.z))), rest[i].y,
                  add_rn(centre.z, add_rn(mul_rn(s, arm.x), mul_rn(c, arm.z))));
  }
};

/// A wave that runs along x.
struct WaveVertices {
  const vec3* rest;
  vec3* out;
  vec3 centre;
  float waves_per_unit, phase, height;
  COPSE_HD void operator()(u64 i) const {
    const float along = mul_rn(sub_rn(rest[i].x, centre.x), waves_per_unit);
    const float lift = sub_rn(sine_of_turns(sub_rn(along, phase)), sine_of_turns(along));
    out[i] = vec3(rest[i].x, add_rn(rest[i].y, mul_rn(height, lift)), rest[i].z);
  }
};

/// Moves each triangle away from the centre and a little to one side, some farther than others.
struct ExplodeTriangles {
  const vec3* rest;
  const uvec3* triangles;
  vec3* out;
  vec3 centre;
  float reach, scatter;
  COPSE_HD void operator()(u64 i) const {
    const uvec3 corners = triangles[i];
    const vec3 a = rest[corners.x], b = rest[corners.y], c = rest[corners.z];
    const vec3 middle = mul_rn(add_rn(a, add_rn(b, c)), 1.0f / 3.0f);
    detail::SpherePoints sphere(u32(i) + 1);
    const float share = add_rn(0.5f, mul_rn(float(detail::pcg_hash(u32(i)) >> 8), 1.0f / float(1u << 24)));
    const vec3 motion =
        add_rn(mul_rn(sub_rn(middle, centre), mul_rn(reach, share)), mul_rn(sphere.next(), scatter));
    out[3 * i] = add_rn(a, motion);
    out[3 * i + 1] = add_rn(b, motion);
    out[3 * i + 2] = add_rn(c, motion);
  }
};

/// 0 at phase 0 and 1, 1 in the middle.
float there_and_back(float phase) {
  return mul_rn(0.5f, sub_rn(1.0f, cosine_of_turns(phase)));
}

}  // namespace

template <class Executor>
void deform_vertices(const Executor& ex, const DeformJob& job) {
  const Pose& pose = job.pose;
  const u64 n = job.rest.size();
  switch (pose.deformation) {
    case Deformation::none: for_each(ex, "deform: none", n, KeepVertices{job.rest.data(), job.out}); break;
    case Deformation::twist: {
      const float turns = mul_rn(mul_rn(0.5f, pose.strength), sine_of_turns(pose.phase));
      const float turns_per_unit = job.size.y > 0 ? div_rn(turns, job.size.y) : 0.0f;
      for_each(ex, "deform: twist", n, TwistVertices{job.rest.data(), job.out, job.centre, turns_per_unit});
      break;
    }
    case Deformation::explode: {
      const float out = mul_rn(mul_rn(0.5f, pose.strength), there_and_back(pose.phase));
      for_each(ex, "deform: explode", job.triangles.size(),
               ExplodeTriangles{job.rest.data(), job.triangles.data(), job.out, job.centre, out,
                                mul_rn(mul_rn(0.05f, job.diagonal), out)});
      break;
    }
    case Deformation::wave: {
      const float waves_per_unit = job.size.x > 0 ? div_rn(2.0f, job.size.x) : 0.0f;
      for_each(ex, "deform: wave", n,
               WaveVertices{job.rest.data(), job.out, job.centre, waves_per_unit, pose.phase,
                            mul_rn(mul_rn(0.025f, job.diagonal), pose.strength)});
      break;
    }
  }
}

template void deform_vertices(const copse::detail::BodyExecutor&, const DeformJob&);

}  // namespace copse::viewer
