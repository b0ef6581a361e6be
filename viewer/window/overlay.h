#pragma once

#include "viewer/window/pane.h"

namespace copse::viewer {

/// Lines are clipped this near to the eye, in lengths of Camera::forward.
inline constexpr float line_near = 1e-6f;
/// A line is hidden where it is farther than the surface of the pixel by more than this factor.
inline constexpr float line_depth_slack = 1.002f;
/// The opacity of a hidden line, relative to a visible one.
inline constexpr float hidden_line_alpha = 0.12f;

/// Returns the picture of a pane with its lines drawn over it, as a window shows it. Lines are one pixel wide.
/// Lines with an end that is not a finite number are left out.
Image picture_with_lines(const Pane& pane);

}  // namespace copse::viewer
