#pragma once

#include <functional>

#include "viewer/options.h"

namespace copse::viewer {

/// Returns picture(0), or the difference if that is shown: whole, at rest, with its lines. Waits.
Image finished_picture(Session& session);

/// Saves the pictures of --record: as many as --frames says, or one. Each has this size. `next_frame` advances to
/// the next picture; recording ends when it returns false. Throws: Error bad_file.
void record_frames(const Options& options, Session& session, u32 width, u32 height,
                   const std::function<bool()>& next_frame);

}  // namespace copse::viewer
