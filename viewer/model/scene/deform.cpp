#include "viewer/model/scene/deform.h"

#include <string>

#include "builders/geometry/vector_rn.h"
#include "primitives/core/counted.h"
#include "primitives/core/dispatch.h"

namespace copse::viewer {

// The body: deform.inl, for either executor.

template <class Executor>
void deform_vertices(const Executor& ex, const DeformJob& job);

u64 deformed_vertex_count(Deformation deformation, u64 vertex_count, u64 triangle_count) {
  return deformation == Deformation::explode ? 3 * triangle_count : vertex_count;
}

void deform(Context& context, const Pose& pose, const Aabb& box, BufferSpan<const vec3> rest,
            BufferSpan<const uvec3> triangles, BufferSpan<vec3> out) {
  const u64 wanted = deformed_vertex_count(pose.deformation, rest.size(), triangles.size());
  if (out.size() != wanted) {
    throw Error(ErrorCode::invalid_argument, "deform: room for " + detail::counted(out.size(), "vertices") +
                                                 ", a " + name_of(pose.deformation) + " of this scene makes " +
                                                 std::to_string(wanted));
  }
  const vec3 size = is_valid(box) ? sub_rn(box.hi, box.lo) : vec3(0);
  const float diagonal = length_rn(size);
  const DeformJob job{pose,      is_valid(box) ? centroid(box) : vec3(0),
                      size,      diagonal > 0 && is_finite(diagonal) ? diagonal : 1.0f,
                      rest,      triangles,
                      out.data()};
  dispatch(context, [&](const auto& ex) { deform_vertices(ex, job); });
}

}  // namespace copse::viewer
