#pragma once

#include "viewer/model/session/session.h"
#include "viewer/panels/ui.h"
#include "viewer/window/null_display.h"

namespace copse::viewer {

/// Makes the pictures that are saved: what the middle of the window shows, without a window. One picture, two side by
/// side or their difference, with lines, colour scales and the names of the structures. It has a context of ImGui of
/// its own, so it may be used between frames of a window.
class PictureExport {
 public:
  /// `ui_scale`: of the text; 1 on a common display.
  explicit PictureExport(float ui_scale);
  ~PictureExport();
  PictureExport(const PictureExport&) = delete;
  PictureExport& operator=(const PictureExport&) = delete;

  /// Sets the size of the session's pictures so that the whole is width x height pixels, finishes them and draws
  /// them. Waits for builds and for ambient occlusion.
  Image finished(Session& session, u32 width, u32 height);

  /// Draws the pictures as they are. They should have the size that finished() sets.
  Image draw(Session& session, u32 width, u32 height);

  float scale() const { return scale_; }

 private:
  float scale_;
  std::optional<Ui> ui_;
  std::optional<NullDisplay> display_;
};

/// Sets the size of the session's pictures so that all that are shown, and the gaps between them, have this size.
void set_shown_size(Session& session, u32 width, u32 height);

/// Returns what a window of this size shows, with its panels, once all builds and pictures are finished. Waits.
/// Changes the size of the session's pictures.
Image window_picture(Session& session, u32 width, u32 height, float ui_scale);

}  // namespace copse::viewer
