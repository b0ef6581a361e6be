#pragma once

#include <string>

#include "viewer/model/inspect/host_copy.h"
#include "viewer/model/inspect/lines.h"

namespace copse::viewer {

struct OverlayLines {
  Lines lines;
  std::string note;  // says what was left out; empty if nothing was
};

/// Returns the lines that the settings select.
///   pick:   may be null
///   bounds: of the scene
OverlayLines make_overlay(const OverlaySettings& settings, const HostCopy& structure,
                          const HostTriangles& triangles, const Pick* pick, const Aabb& bounds);

/// Returns true if these lines need a copy of the structure on the host.
bool needs_copy(const OverlaySettings& settings, bool has_pick);

}  // namespace copse::viewer
