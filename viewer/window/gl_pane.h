#pragma once

#include "viewer/window/gl.h"
#include "viewer/window/interop.h"
#include "viewer/window/pane.h"

namespace copse::viewer::gl {

/// Draws a Pane. Textures and lines are uploaded only where their revisions are others than last time.
class PanePainter {
 public:
  PanePainter();

  /// Draws into the current framebuffer, which has `window_height` rows of pixels. Returns why a picture on the
  /// device could not be shown, else an empty text; the last one is shown then.
  std::string paint(const Pane& pane, float pixels_per_point, int window_height);

 private:
  /// What a texture or a buffer was last filled from.
  struct Source {
    const void* owner = nullptr;
    u64 revision = 0;
    bool is(const void* other_owner, u64 other_revision) const;
    /// True where this is another one, which it then is.
    bool becomes(const void* new_owner, u64 new_revision);
  };

  void take_pixels(const Picture& picture);
  void take_distances(const Picture& picture);
  void paint_picture();
  void paint_lines(const Pane& pane);

  Program picture_program_;
  Program line_program_;
  VertexArray no_vertices_;
  VertexArray line_vertices_;
  Texture pixels_;
  Texture distances_;
  SharedBuffer shared_pixels_, shared_distances_;
  Source pixels_source_, distances_source_, lines_source_;
};

}  // namespace copse::viewer::gl
