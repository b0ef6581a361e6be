#include "viewer/window/gl_pane.h"

#include <cmath>
#include <cstddef>
#include <glm/geometric.hpp>

#include "primitives/core/error.h"
#include "viewer/window/overlay.h"

namespace copse::viewer::gl {

namespace {

// One triangle that covers the viewport; the first row of the picture is its upper edge.
constexpr const char* picture_vertex = R"(#version 330 core
out vec2 place;
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 2.0 : 0.0, gl_VertexID == 2 ? 2.0 : 0.0);
  place = vec2(corner.x, 1.0 - corner.y);
  gl_Position = vec4(2.0 * corner - 1.0, 0.0, 1.0);
})";

constexpr const char* picture_fragment = R"(#version 330 core
in vec2 place;
out vec4 color;
uniform sampler2D pixels;
void main() { color = vec4(texture(pixels, place).rgb, 1.0); })";

// w is the depth in units of |forward|, so that s and t of camera_ray are x / w and y / w. z cuts what is nearer
// than `near` and nothing far away.
constexpr const char* line_vertex = R"(#version 330 core
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 color;
uniform vec3 eye;
uniform vec3 forward;  // each divided by its squared length
uniform vec3 right;
uniform vec3 up;
uniform float near;
out vec3 from_eye;
out vec4 line_color;
void main() {
  from_eye = position - eye;
  float w = dot(from_eye, forward);
  gl_Position = vec4(dot(from_eye, right), dot(from_eye, up), w - 2.0 * near, w);
  line_color = color;
})";

constexpr const char* line_fragment = R"(#version 330 core
in vec3 from_eye;
in vec4 line_color;
out vec4 color;
uniform sampler2D distances;
uniform bool has_distances;
uniform vec2 corner;  // of the viewport, lower left, and its size
uniform vec2 size;
uniform float hidden_alpha;
uniform float slack;
void main() {
  vec2 place = (gl_FragCoord.xy - corner) / size;
  ivec2 texels = textureSize(distances, 0);
  ivec2 texel = min(ivec2(vec2(place.x, 1.0 - place.y) * vec2(texels)), texels - 1);
  bool hidden = has_distances && length(from_eye) > texelFetch(distances, texel, 0).r * slack;
  color = hidden ? vec4(line_color.rgb, line_color.a * hidden_alpha) : line_color;
})";

void set(const Program& program, const char* name, const vec3& value) {
  glUniform3f(program.uniform(name), value.x, value.y, value.z);
}

PanePainter::Texels pixels_of(const Picture& picture) {
  const std::vector<Rgba8>& pixels = picture.image.pixels;
  return {pixels.empty() ? nullptr : pixels.data(), picture.device.pixels, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE};
}

PanePainter::Texels distances_of(const Picture& picture) {
  const std::vector<float>& distances = picture.distances;
  return {distances.empty() ? nullptr : distances.data(), picture.device.distances, GL_R32F, GL_RED, GL_FLOAT};
}

vec3 over_square(const vec3& v) {
  return v / glm::dot(v, v);
}

}  // namespace

PanePainter::PanePainter()
    : picture_program_(picture_vertex, picture_fragment), line_program_(line_vertex, line_fragment) {
  static_assert(sizeof(LineVertex) == 16);
  line_vertices_.bind();
  glEnableVertexAttribArray(0);
  glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(LineVertex), nullptr);
  glEnableVertexAttribArray(1);
  glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(LineVertex),
                        reinterpret_cast<const void*>(offsetof(LineVertex, colour)));
}

bool PanePainter::Source::is(const void* other_owner, u64 other_revision) const {
  return owner == other_owner && revision == other_revision;
}

bool PanePainter::Source::becomes(const void* new_owner, u64 new_revision) {
  if (is(new_owner, new_revision)) return false;
  owner = new_owner;
  revision = new_revision;
  return true;
}

std::string PanePainter::paint(const Pane& pane, float pixels_per_point, int window_height) {
  const auto pixel = [&](float points) { return int(std::lround(points * pixels_per_point)); };
  const int left = pixel(pane.place.x), top = pixel(pane.place.y);
  const int width = pixel(pane.place.x + pane.place.width) - left;
  const int height = pixel(pane.place.y + pane.place.height) - top;
  if (width <= 0 || height <= 0 || pane.picture == nullptr || pane.picture->image.width == 0) return {};
  std::string problem;
  try {
    take(*pane.picture, pixels_of(*pane.picture), pixels_);
    const bool has_lines = pane.lines != nullptr && !pane.lines->empty();
    if (has_lines && !pane.lines_on_top) take(*pane.picture, distances_of(*pane.picture), distances_);
  } catch (const Error& error) {
    problem = error.what();
  }

  const int bottom = window_height - top - height;
  glViewport(left, bottom, width, height);
  glScissor(left, bottom, width, height);
  glEnable(GL_SCISSOR_TEST);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_CULL_FACE);
  glDisable(GL_BLEND);
  paint_picture();
  if (pane.lines != nullptr && !pane.lines->empty()) {
    line_program_.use();
    glUniform2f(line_program_.uniform("corner"), float(left), float(bottom));
    glUniform2f(line_program_.uniform("size"), float(width), float(height));
    paint_lines(pane);
  }
  glDisable(GL_SCISSOR_TEST);
  return problem;
}

/// Fills the texture: from the device, through a buffer that CUDA and OpenGL share, or from the host. Texels that
/// are on neither any more were uploaded before.
void PanePainter::take(const Picture& picture, const Texels& texels, Taken& taken) {
  if (texels.host == nullptr && texels.device == nullptr) return;
  if (!taken.source.becomes(&picture, picture.revision)) return;
  const u32 width = picture.image.width, height = picture.image.height;
  if (texels.host == nullptr) {
    taken.shared.fill(texels.device, size_t{width} * height * Texels::bytes, picture.device.stream);
  }
  taken.texture.upload(texels.internal_format, texels.format, texels.type, int(width), int(height), texels.host);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

void PanePainter::paint_picture() {
  picture_program_.use();
  pixels_.texture.bind(0);
  glUniform1i(picture_program_.uniform("pixels"), 0);
  no_vertices_.bind();
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

void PanePainter::paint_lines(const Pane& pane) {
  const Picture& picture = *pane.picture;
  line_vertices_.bind();
  if (lines_source_.becomes(pane.lines, pane.lines_revision)) {
    glBufferData(GL_ARRAY_BUFFER, GLsizeiptr(pane.lines->size() * sizeof(LineVertex)), pane.lines->data(),
                 GL_DYNAMIC_DRAW);
  }
  const bool has_distances = !pane.lines_on_top && distances_.source.is(&picture, picture.revision);
  distances_.texture.bind(0);
  glUniform1i(line_program_.uniform("distances"), 0);
  glUniform1i(line_program_.uniform("has_distances"), has_distances);
  set(line_program_, "eye", picture.camera.eye);
  set(line_program_, "forward", over_square(picture.camera.forward));
  set(line_program_, "right", over_square(picture.camera.right));
  set(line_program_, "up", over_square(picture.camera.up));
  glUniform1f(line_program_.uniform("near"), line_near);
  glUniform1f(line_program_.uniform("slack"), line_depth_slack);
  glUniform1f(line_program_.uniform("hidden_alpha"), hidden_line_alpha);
  glEnable(GL_BLEND);
  glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
  glDrawArrays(GL_LINES, 0, GLsizei(pane.lines->size()));
  glDisable(GL_BLEND);
}

}  // namespace copse::viewer::gl
