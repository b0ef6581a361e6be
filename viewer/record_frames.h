#pragma once

#include <functional>

#include "viewer/options.h"

namespace copse::viewer {

/// Waits for picture(0), or the difference where it is shown, at rest and whole, with its lines.
Image finished_picture(Session& session);

/// Saves what --record asks for: as many pictures as --frames says, or one, each of this size and moved on by
/// `next_frame`; the last one stands where that returns false.
/// Throws: Error bad_file.
void record_frames(const Options& options, Session& session, u32 width, u32 height,
                   const std::function<bool()>& next_frame);

}  // namespace copse::viewer
