#pragma once

#include <functional>

#include "viewer/options.h"
#include "viewer/picture_export.h"

namespace copse::viewer {

/// Saves the pictures of --record: as many as --frames says, or one. Each has this size. `next_frame` advances to
/// the next picture; recording ends when it returns false. Throws: Error bad_file.
void record_frames(const Options& options, Session& session, PictureExport& pictures, u32 width, u32 height,
                   const std::function<bool()>& next_frame);

/// Saves the picture of --screenshot, which has this size. Throws: Error bad_file.
void save_screenshot(const Options& options, Session& session, PictureExport& pictures, u32 width, u32 height);

}  // namespace copse::viewer
