#pragma once

// Transforms of instances that a user changes by hand: as numbers in a panel, or with the mouse over the picture.

#include <optional>

#include "scene/instance.h"
#include "trace/camera.h"
#include "viewer/model/inspect/cell_corners.h"
#include "viewer/model/scene/placed_meshes.h"
#include "viewer/model/settings/names.h"

namespace copse::viewer {

/// A transform as numbers that a panel shows. A point of the mesh is sheared, scaled, turned about x, then about y, then
/// about z, and moved.
struct TransformNumbers {
  vec3 position{0};
  vec3 turn{0};   // degrees
  vec3 scale{1};  // a mirrored transform has a negative scale along z
  vec3 shear{0};  // of x by y, of x by z, of y by z

  bool operator==(const TransformNumbers&) const = default;
};

/// Returns the numbers of an instance's transform. Of a transform that cannot be inverted, with_numbers may make another
/// one of them.
TransformNumbers numbers_of(const Instance& instance);

/// Returns the instance with the transform that these numbers stand for.
Instance with_numbers(Instance instance, const TransformNumbers& numbers);

/// Returns the corners of the box of an instance's mesh, as they stand in the scene.
CellCorners corners_of(const PlacedMeshes& placed, u32 number);
/// Returns the middle of these corners.
vec3 middle_of(const PlacedMeshes& placed, u32 number);

enum class HandMotion : u8 { move, turn, scale };

template <>
struct Names<HandMotion> {
  static constexpr const char* list[] = {"move", "turn", "scale"};
};

/// Moves, turns or scales an instance as the mouse moves over a picture, from begin() to end(). Places in the picture are
/// fractions of its size: (0, 0) is its upper left corner, (1, 1) its lower right one.
///
/// A move keeps the middle of the instance under the mouse, at the same depth. A turn and a scale leave the middle where
/// it is: the instance turns about the view as the mouse goes around the middle, and grows as the mouse goes away from it.
class InstanceHand {
 public:
  struct Start {
    u32 number = 0;     // of the instance
    Instance instance;  // as it is now
    vec3 middle{0};     // see middle_of
    float x = 0, y = 0;
  };
  void begin(HandMotion motion, const Start& start) { motion_ = motion, start_ = start, axis_.reset(); }
  void end() { motion_.reset(); }

  /// The motion that is going on; none before begin() and after end().
  std::optional<HandMotion> motion() const { return motion_; }
  const Start& start() const { return start_; }

  /// Limits the motion to an axis of the scene, 0 to 2: a move along it, a turn about it, a scale along it. The same axis
  /// again frees the motion.
  void limit_to(u32 axis) { axis_ = axis_ == axis ? std::nullopt : std::optional(axis); }
  std::optional<u32> axis() const { return axis_; }

  /// Returns the instance for the mouse at a place of this camera's picture. There must be a motion.
  Instance at(const Camera& camera, float x, float y) const;

 private:
  std::optional<HandMotion> motion_;
  std::optional<u32> axis_;
  Start start_;
};

}  // namespace copse::viewer
