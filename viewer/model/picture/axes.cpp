#include "viewer/model/picture/axes.h"

#include <algorithm>
#include <glm/geometric.hpp>

namespace copse::viewer {

std::array<AxisEnd, 6> axis_ends(const Camera& camera) {
  const vec3 right = glm::normalize(camera.right), up = glm::normalize(camera.up);
  const vec3 forward = glm::normalize(camera.forward);
  std::array<AxisEnd, 6> ends;
  for (u32 i = 0; i < 6; ++i) {
    const int axis = int(i / 2);
    const float sign = i % 2 == 0 ? 1.0f : -1.0f;
    ends[i] = {u32(axis), i % 2 == 1, sign * right[axis], sign * up[axis], -sign * forward[axis]};
  }
  std::stable_sort(ends.begin(), ends.end(),
                   [](const AxisEnd& a, const AxisEnd& b) { return a.towards < b.towards; });
  return ends;
}

}  // namespace copse::viewer
