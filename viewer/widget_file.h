#pragma once

#include <span>
#include <string>

#include "viewer/panels/widgets.h"

// For programs that drive the window: where its widgets and pictures stand.

namespace copse::viewer {

/// {"widgets": {NAME: [x, y, width, height]...}, "pictures": [[x, y, width, height]...]}, in points of the window.
std::string widget_map_json(const WidgetMap& widgets, std::span<const Pane> panes);

}  // namespace copse::viewer
