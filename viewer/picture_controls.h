#pragma once

#include <span>

#include "viewer/model/session/session.h"
#include "viewer/window/pane.h"

namespace copse::viewer {

/// Mouse and motion keys over the pictures: orbit, look, pan, nearer, pick. One for a window; state is what is
/// being dragged.
class PictureControls {
 public:
  /// Does what ImGui's input of this frame asks for. Pane i shows side i.
  void apply(Session& session, std::span<const Pane> panes, double seconds);

 private:
  void begin_drag(std::span<const Pane> panes);
  void drag(Session& session);
  void end_drag(Session& session);
  void move(Session& session, double seconds) const;

  Rectangle place_;  // where the button went down
  u32 side_ = 0;
  int button_ = -1;      // that is held; -1: none
  float travelled_ = 0;  // points
};

}  // namespace copse::viewer
