#pragma once

#include <span>

#include "viewer/model/session/session.h"
#include "viewer/window/pane.h"

namespace copse::viewer {

/// The mouse and the motion keys over the pictures: orbit, look, pan, move, pick. One per window. Its state is the
/// current drag.
class PictureControls {
 public:
  /// Handles ImGui's input of this frame. Pane i shows side i. Returns true if a click has picked a pixel.
  bool apply(Session& session, std::span<const Pane> panes, double seconds);

 private:
  void begin_drag(std::span<const Pane> panes);
  void drag(Session& session);
  bool end_drag(Session& session);
  void move(Session& session, double seconds) const;

  Rectangle place_;  // of the pane in which the button went down
  u32 side_ = 0;
  int button_ = -1;      // the button that is held; -1: none
  float travelled_ = 0;  // points
};

}  // namespace copse::viewer
