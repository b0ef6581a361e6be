#pragma once

#include "viewer/model/settings/names.h"

namespace copse::viewer {

/// How the triangles of a scene move.
enum class Deformation : u8 {
  none,
  twist,    // about the vertical axis, more at the top
  explode,  // each triangle away from the middle, and back
  wave,     // up and down along x
};

template <>
struct Names<Deformation> {
  static constexpr const char* list[] = {"none", "twist", "explode", "wave"};
};

/// The motion of the scene in time. Panels may change any member; update() advances the phase.
struct Playback {
  Deformation deformation = Deformation::none;
  float strength = 1;  // 0 to 4: how far a deformation goes
  bool playing = false;
  bool loops = true;  // false: it stops at the end
  float speed = 1;    // a factor; below 0: backwards
  float period = 4;   // seconds from phase 0 to 1; of a sequence: frames / frames per second
  float phase = 0;    // from 0 up to 1: the place in the deformation's period or in the sequence

  /// Advances the phase by `seconds`.
  void advance(double seconds);
};

/// A deformation at one moment.
struct Pose {
  Deformation deformation = Deformation::none;
  float strength = 1;
  float phase = 0;

  bool operator==(const Pose&) const = default;
};

}  // namespace copse::viewer
