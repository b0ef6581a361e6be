#pragma once

#include <glm/mat4x4.hpp>
#include <glm/vec3.hpp>
#include <string>
#include <vector>

#include "trace/camera.h"
#include "viewer/model/settings/names.h"

namespace copse::viewer {

enum class CameraMode : u8 {
  orbit,         // around a target
  fly,           // anywhere, along the view
  first_person,  // on a plane, eyes level
};

template <>
struct Names<CameraMode> {
  static constexpr const char* list[] = {"orbit", "fly", "first-person"};
};

/// Where a camera stands and looks.
struct CameraPose {
  vec3 eye{0, 0, 3};
  vec3 target{0};
  vec3 up{0, 1, 0};
  float field_of_view = 40;  // vertical, degrees, 5 to 150

  bool operator==(const CameraPose&) const = default;
};

struct Bookmark {
  std::string name;
  CameraPose pose;
};

/// The camera that keys and mouse move. Motions are in fractions of the picture's height, times in seconds, so
/// that nothing depends on resolution or frame rate. No motion gives a pose that cannot be rendered: the eye keeps
/// off its target, the view off the poles.
class CameraRig {
 public:
  CameraMode mode = CameraMode::orbit;
  float move_speed = 0.5f;  // scene diagonals a second, for fly and first person

  const CameraPose& pose() const { return pose_; }
  /// Throws: Error invalid_argument for a pose that cannot be rendered: eye at target, not finite, field of view.
  void set_pose(const CameraPose& pose);

  /// The camera for a picture of this aspect, width over height.
  Camera camera(float aspect) const;

  /// Sees all of the box from the default direction, in pictures of this aspect and wider ones. An empty box is
  /// one around the origin.
  void frame(const Aabb& box, float aspect = 1);
  /// Looks along an axis, 0 to 2, from its positive or negative end; the target and distance stay. Nothing changes
  /// where the numbers cannot tell the eye from the target.
  void look_along(u32 axis, bool from_negative);

  /// Turns the eye around its target.
  void orbit(float right, float up);
  /// Turns the view about the eye.
  void look(float right, float up);
  /// Moves eye and target across the view.
  void pan(float right, float up);
  /// Moves the eye `steps` steps towards its target, by a tenth of its distance each; below 0 away.
  void dolly(float steps);
  /// Moves the eye to so many times its distance from the target.
  void scale_distance(double factor);
  /// Moves along the view's axes, each -1 to 1, for `seconds`; first person keeps its height but for `up`.
  void move(float right, float up, float forward, double seconds);
  /// What dragging does in this mode: orbits, or looks around.
  void drag(float right, float up);

  void set_field_of_view(float degrees);

  /// The box that speeds and least distances go by.
  void set_scene(const Aabb& box);

  std::vector<Bookmark> bookmarks;

 private:
  /// Moves there; false, and nothing moves, where the numbers give out.
  bool take(const glm::dvec3& eye, const glm::dvec3& target);

  CameraPose pose_;
  float diagonal_ = 1;
};

/// The matrix that takes points of the world to clip space of OpenGL, for lines over a picture by the same camera.
///   near, far: above 0, near < far, distances along the view
glm::mat4 view_projection(const Camera& camera, float near, float far);

/// True for cameras that send the same rays.
inline bool same_camera(const Camera& a, const Camera& b) {
  return a.eye == b.eye && a.forward == b.forward && a.right == b.right && a.up == b.up;
}

}  // namespace copse::viewer
