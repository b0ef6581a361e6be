#pragma once

#include <embree3/rtcore.h>

#include "builders/geometry/mesh.h"

namespace copse::bench {

/// A mesh in Embree, which builds it at medium quality.
class EmbreeScene {
 public:
  explicit EmbreeScene(const Mesh& mesh);
  ~EmbreeScene();
  EmbreeScene(const EmbreeScene&) = delete;
  EmbreeScene& operator=(const EmbreeScene&) = delete;

  RTCScene get() const { return scene_; }

 private:
  RTCDevice device_;
  RTCScene scene_;
};

}  // namespace copse::bench
