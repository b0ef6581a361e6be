#pragma once

#include <optional>
#include <string>

#include "viewer/model/session/session.h"

namespace copse::viewer {

/// How smoothly a scene turns under the mouse.
struct OrbitRate {
  double seconds = 0;              // of the orbit
  u32 picture_count = 0;           // new pictures in that time
  u32 width = 0, height = 0;       // of the smallest of them
  std::optional<u32> build_count;  // that ended meanwhile, with Meanwhile::builds
  double longest_update_ms = 0;    // in which a window would not have responded
  double processor_seconds = 0;    // of all threads, for the orbit
  double processor_seconds_to_rest = 0;
  double seconds_to_rest = 0;             // from the last motion to the whole picture, with all its samples
  u32 whole_width = 0, whole_height = 0;  // of the whole picture

  double pictures_per_second() const { return seconds > 0 ? picture_count / seconds : 0; }
};

/// What the session does while the scene turns.
enum class Meanwhile : u8 { nothing, builds };

/// Orbits the camera for some seconds, a little at each update as a mouse would, then stops. Measures the session
/// alone, without the drawing of a window.
///   session: with a structure and a size, not deterministic
///   meanwhile: builds: the structure is built in the background all the time, as when its options change
OrbitRate measure_orbit(Session& session, double seconds, Meanwhile meanwhile = Meanwhile::nothing);

/// Returns the rate as a line of text.
std::string in_words(const OrbitRate& rate);

}  // namespace copse::viewer
