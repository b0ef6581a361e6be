#include "viewer/record_frames.h"

#include "builders/io/image_file.h"
#include "viewer/model/picture/picture_sink.h"

namespace copse::viewer {

void record_frames(const Options& options, Session& session, PictureExport& pictures, u32 width, u32 height,
                   const std::function<bool()>& next_frame) {
  const std::unique_ptr<PictureSink> sink = make_sink(options.recording);
  for (u32 frame = 0; frame < options.frames.value_or(1); ++frame) {
    sink->add(pictures.finished(session, width, height));
    if (!next_frame()) break;
  }
  sink->finish();
}

void save_screenshot(const Options& options, Session& session, PictureExport& pictures, u32 width, u32 height) {
  save_png(options.screenshot, options.with_panels
                                   ? window_picture(session, width, height, export_scale_of(options))
                                   : pictures.finished(session, width, height));
}

}  // namespace copse::viewer
