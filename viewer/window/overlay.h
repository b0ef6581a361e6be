#pragma once

#include "viewer/window/pane.h"

namespace copse::viewer {

/// Lines are cut this near to the eye, in lengths of Camera::forward.
inline constexpr float line_near = 1e-6f;
/// A line counts as hidden where it is farther than what the pixel sees by more than this factor.
inline constexpr float line_depth_slack = 1.002f;
/// How much of a line's opacity is left where it is hidden.
inline constexpr float hidden_line_alpha = 0.12f;

/// The pane's picture with its lines drawn over it, as a window shows it, without a window. Lines are one pixel
/// wide; of ends that are no numbers nothing is drawn.
Image picture_with_lines(const Pane& pane);

}  // namespace copse::viewer
