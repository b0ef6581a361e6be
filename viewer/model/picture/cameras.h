#pragma once

#include <glm/mat4x4.hpp>
#include <glm/vec3.hpp>
#include <optional>
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

/// The position and direction of a camera.
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
  std::string scene = "";  // the path of its first mesh; empty: it is shown with every scene
};

/// The camera that keys and mouse move. Motions are fractions of the picture's height, times are seconds, so that
/// resolution and frame rate do not matter. Every pose can be rendered: the eye stays away from its target, and
/// the view direction from the poles.
class CameraRig {
 public:
  CameraMode mode = CameraMode::orbit;
  float move_speed = 0.5f;  // scene diagonals per second, for fly and first person

  const CameraPose& pose() const { return pose_; }
  /// Moves to a pose, which then counts as chosen by the user: keep_framed() does not move it.
  /// Throws: Error invalid_argument for a pose that cannot be rendered: the eye is at the target, a number is not
  /// finite, or the field of view is out of range.
  void set_pose(const CameraPose& pose);

  /// Returns the camera for a picture of this aspect, which is width over height.
  Camera camera(float aspect) const;

  /// Moves to where the whole box is seen from the default direction, in pictures of this aspect and wider ones.
  /// An empty box counts as a box around the origin.
  void frame(const Aabb& box, float aspect = 1);
  /// True while the camera is where frame() put it.
  bool is_framed() const { return framed_ == pose_; }
  /// Frames the box anew for pictures of another aspect, if the camera is still where frame() put it.
  void keep_framed(const Aabb& box, float aspect);
  /// Moves back from the target until pictures of aspect `after` show what those of aspect `before` do: the width of
  /// the picture at the target, and the corners of the box that were seen. Does nothing if `after` is wider.
  void step_back(const Aabb& box, float before, float after);
  /// Looks in the direction of an axis, 0 to 2, or of its negative. Target and distance stay. Does nothing if eye
  /// and target would round to the same point.
  void look_along(u32 axis, bool negative);

  /// Turns the eye around its target.
  void orbit(float right, float up);
  /// Turns the view about the eye.
  void look(float right, float up);
  /// Moves eye and target parallel to the picture.
  void pan(float right, float up);
  /// Moves the eye `steps` steps towards its target, each by a tenth of the distance; below 0, away from it.
  void dolly(float steps);
  /// Multiplies the distance of the eye from the target.
  void scale_distance(double factor);
  /// Moves along the axes of the view, each -1 to 1, for `seconds`. In first person, only `up` changes the height.
  void move(float right, float up, float forward, double seconds);
  /// Does what a drag does in this mode: orbits, or looks around.
  void drag(float right, float up);

  void set_field_of_view(float degrees);

  /// Sets the box that scales speeds and minimum distances.
  void set_scene(const Aabb& box);

  std::vector<Bookmark> bookmarks;  // of the scene that is shown

 private:
  /// Moves to a pose. Returns false, and does not move, if its numbers cannot be represented.
  bool take(const glm::dvec3& eye, const glm::dvec3& target);

  CameraPose pose_;
  float diagonal_ = 1;
  std::optional<CameraPose> framed_;  // the pose that frame() chose last
  float framed_aspect_ = 1;
};

/// Returns the matrix from world space to the clip space of OpenGL, for lines over a picture of the same camera.
///   near, far: above 0, near < far, distances along the view
glm::mat4 view_projection(const Camera& camera, float near, float far);

/// Returns true for cameras that generate the same rays.
inline bool same_camera(const Camera& a, const Camera& b) {
  return a.eye == b.eye && a.forward == b.forward && a.right == b.right && a.up == b.up;
}

}  // namespace copse::viewer
