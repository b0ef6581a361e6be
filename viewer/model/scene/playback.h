#pragma once

#include "viewer/model/settings/names.h"

namespace copse::viewer {

/// How the triangles of a scene move.
enum class Deformation : u8 {
  none,
  twist,    // about the vertical axis, the more the higher
  explode,  // each triangle away from the middle on its own, and back
  wave,     // up and down along x
};

template <>
struct Names<Deformation> {
  static constexpr const char* list[] = {"none", "twist", "explode", "wave"};
};

/// Time as the scene sees it. Panels change any member; update() moves the phase on.
struct Playback {
  Deformation deformation = Deformation::none;
  float strength = 1;  // 0 to 4: how far a deformation goes
  bool playing = false;
  bool loops = true;  // else it stops at the end
  float speed = 1;    // times as fast; below 0 backwards
  float period = 4;   // seconds from phase 0 to 1; of a sequence: frames over frames a second
  float phase = 0;    // 0 up to 1: where in the deformation's period, or in the sequence

  /// The phase after `seconds`.
  void advance(double seconds);
};

/// A deformation at a moment, of a scene at rest.
struct Pose {
  Deformation deformation = Deformation::none;
  float strength = 1;
  float phase = 0;

  bool operator==(const Pose&) const = default;
};

}  // namespace copse::viewer
