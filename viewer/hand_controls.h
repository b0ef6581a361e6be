#pragma once

#include <span>

#include "viewer/model/scene/hand.h"
#include "viewer/model/session/session.h"
#include "viewer/window/pane.h"

namespace copse::viewer {

/// Begins to move, turn or scale the chosen instance by the mouse. Where that cannot be done, a message says why.
void begin_hand(Session& session, InstanceHand& hand, HandMotion motion, std::span<const Pane> panes);

/// Handles ImGui's input of this frame, while a motion is going on. The instance follows the mouse; x, y and z limit the
/// motion to an axis; a click or Enter keeps the place; a right click or Esc puts the instance back.
void follow_hand(Session& session, InstanceHand& hand, std::span<const Pane> panes);

}  // namespace copse::viewer
