#pragma once

#include "viewer/window/gl.h"
#include "viewer/window/interop.h"
#include "viewer/window/pane.h"

namespace copse::viewer::gl {

/// Draws a Pane. Uploads textures and lines only if their revisions have changed.
class PanePainter {
 public:
  /// The texels for a texture, rows from the top: on the host, on the device, or neither.
  struct Texels {
    static constexpr size_t bytes = 4;  // of each
    const void* host;
    const void* device;
    GLint internal_format;
    GLenum format, type;
  };

  PanePainter();

  /// Draws into the current framebuffer, which has `window_height` rows of pixels. If a picture on the device
  /// could not be shown, the last picture is shown, and it returns the reason; else an empty text.
  std::string paint(const Pane& pane, float pixels_per_point, int window_height);

 private:
  /// The source that a texture or buffer was last filled from.
  struct Source {
    const void* owner = nullptr;
    u64 revision = 0;
    bool is(const void* other_owner, u64 other_revision) const;
    /// Stores a new source. Returns true if it differs from the last one.
    bool becomes(const void* new_owner, u64 new_revision);
  };

  /// A texture, the buffer that fills it from the device, and its last source.
  struct Taken {
    Texture texture;
    SharedBuffer shared;
    Source source;
  };

  void take(const Picture& picture, const Texels& texels, Taken& taken);
  void paint_picture();
  void paint_lines(const Pane& pane);

  Program picture_program_;
  Program line_program_;
  VertexArray no_vertices_;
  VertexArray line_vertices_;
  Taken pixels_, distances_;
  Source lines_source_;
};

}  // namespace copse::viewer::gl
