#pragma once

#include <vector>

#include "viewer/model/session/session.h"
#include "viewer/window/pane.h"

namespace copse::viewer {

/// Returns the places of `count` pictures side by side, 1 or 2, with a gap between them. Widths are whole points.
std::vector<Rectangle> picture_places(const Rectangle& place, u32 count);

/// Returns the places of the pictures that the session shows: two side by side, or one.
std::vector<Rectangle> picture_places(const Rectangle& place, Session& session);

/// Returns the pictures that the session shows, with their lines, in these places. They stay the session's.
std::vector<Pane> panes_of(Session& session, const Rectangle& place);

}  // namespace copse::viewer
