#pragma once

#include "viewer/model/scene/deform.h"

namespace copse::viewer {

struct DeformJob {
  Pose pose;
  vec3 centre;     // of the box at rest
  vec3 size;       // its edges
  float diagonal;  // above 0
  BufferSpan<const vec3> rest;
  BufferSpan<const uvec3> triangles;
  vec3* out;
};

template <class Executor>
void deform_vertices(const Executor& ex, const DeformJob& job);

}  // namespace copse::viewer
