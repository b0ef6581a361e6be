#pragma once

#include "trace/camera.h"

namespace copse::viewer {

inline bool same_camera(const Camera& a, const Camera& b) {
  return a.eye == b.eye && a.forward == b.forward && a.right == b.right && a.up == b.up;
}

}  // namespace copse::viewer
