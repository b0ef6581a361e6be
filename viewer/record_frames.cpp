#include "viewer/record_frames.h"

#include "viewer/model/picture/picture_series.h"
#include "viewer/window/overlay.h"

namespace copse::viewer {

Image finished_picture(Session& session) {
  session.finish();
  const Picture& picture =
      session.comparison() == Comparison::difference ? session.difference() : session.picture(0);
  return picture_with_lines(
      {.place = {}, .picture = &picture, .lines = &session.lines(0), .lines_on_top = session.overlay().on_top});
}

void record_frames(const Options& options, Session& session, u32 width, u32 height,
                   const std::function<bool()>& next_frame) {
  PictureSeries series(options.recording);
  for (u32 frame = 0; frame < options.frames.value_or(1); ++frame) {
    session.set_picture_size(width, height);  // a window would set its own size
    series.add(finished_picture(session));
    if (!next_frame()) return;
  }
}

}  // namespace copse::viewer
