#pragma once

#include <string>

#include "viewer/model/session/session.h"

namespace copse::viewer {

/// How a scene feels that is turned by hand.
struct OrbitRate {
  double seconds = 0;            // of turning
  u32 picture_count = 0;         // new ones in that time
  u32 width = 0, height = 0;     // of the smallest of them
  u32 build_count = 0;           // that were done meanwhile
  double longest_update_ms = 0;  // that a window would not have answered for
  double processor_seconds = 0;  // of all threads, of turning
  double processor_seconds_to_rest = 0;
  double seconds_to_rest = 0;  // from the last turn to the whole picture, with all that its view asks for
  u32 whole_width = 0, whole_height = 0;  // of that one

  double pictures_per_second() const { return seconds > 0 ? picture_count / seconds : 0; }
};

/// What goes on while the scene is turned.
enum class Meanwhile : u8 { nothing, builds };

/// Orbits the camera for so many seconds, a bit for each update as a hand would, then lets go. Measures the
/// session alone: what a window draws comes on top.
///   session: with a structure and a size, not deterministic
///   meanwhile: builds: the structure is built beside it again and again, as when its options are changed
OrbitRate measure_orbit(Session& session, double seconds, Meanwhile meanwhile = Meanwhile::nothing);

/// The same in a line of text.
std::string in_words(const OrbitRate& rate);

}  // namespace copse::viewer
