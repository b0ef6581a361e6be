#pragma once

#include <string>

#include "viewer/model/inspect/host_copy.h"
#include "viewer/model/inspect/lines.h"

namespace copse::viewer {

struct OverlayLines {
  Lines lines;
  std::string note;  // what was left out, empty for nothing
};

/// What the settings ask for.
///   pick:   null: none
///   bounds: of the scene
OverlayLines make_overlay(const OverlaySettings& settings, const HostCopy& structure,
                          const HostTriangles& triangles, const Pick* pick, const Aabb& bounds);

/// True where a structure on the host is needed for them.
bool needs_copy(const OverlaySettings& settings, bool has_pick);

}  // namespace copse::viewer
