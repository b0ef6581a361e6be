// Draws lines in software. Each line is clipped at the eye and at the edges of the picture, then sampled once per
// pixel of its longer axis. 1 / w is linear on the screen, and so is everything divided by w. This gives the
// distance at each sample.

#include "viewer/window/overlay.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

namespace copse::viewer {

namespace {

/// A point in the frame of the camera: (s, t) * w as in camera_ray, and w, the depth in lengths of `forward`.
struct Seen {
  vec3 from_eye;
  float x, y, w;
};

struct Projection {
  explicit Projection(const Camera& camera)
      : eye(camera.eye),
        forward(camera.forward / glm::dot(camera.forward, camera.forward)),
        right(camera.right / glm::dot(camera.right, camera.right)),
        up(camera.up / glm::dot(camera.up, camera.up)) {}

  Seen see(const vec3& point) const {
    const vec3 v = point - eye;
    return {v, glm::dot(v, right), glm::dot(v, up), glm::dot(v, forward)};
  }

  vec3 eye, forward, right, up;
};

Seen mix(const Seen& a, const Seen& b, float f) {
  const auto at = [&](float p, float q) { return p + (q - p) * f; };
  return {glm::mix(a.from_eye, b.from_eye, f), at(a.x, b.x), at(a.y, b.y), at(a.w, b.w)};
}

/// Clips a line at a plane. `inside_a` and `inside_b` are the distances of its ends from the plane, below 0
/// outside. Returns false if nothing is left.
bool cut(Seen& a, Seen& b, float inside_a, float inside_b) {
  if (!(inside_a >= 0) && !(inside_b >= 0)) return false;
  if (inside_a < 0) a = mix(a, b, inside_a / (inside_a - inside_b));
  if (inside_b < 0) b = mix(b, a, inside_b / (inside_b - inside_a));
  return true;
}

bool cut_to_picture(Seen& a, Seen& b) {
  return cut(a, b, a.w - line_near, b.w - line_near) && cut(a, b, a.w - a.x, b.w - b.x) &&
         cut(a, b, a.w + a.x, b.w + b.x) && cut(a, b, a.w - a.y, b.w - b.y) && cut(a, b, a.w + a.y, b.w + b.y);
}

/// The quantities that are linear on the screen.
struct Sample {
  float x, y;       // pixels
  float over_w;     // 1 / w
  vec3 ray_over_w;  // from the eye to the point, over w
};

Sample place(const Seen& seen, u32 width, u32 height) {
  const float over_w = 1 / seen.w;
  return {(seen.x * over_w + 1) * 0.5f * float(width), (1 - seen.y * over_w) * 0.5f * float(height), over_w,
          seen.from_eye * over_w};
}

void blend(Rgba8& pixel, const Rgba8& colour, float opacity) {
  const auto mixed = [&](u8 under, u8 over) {
    return u8(std::lround(float(under) + (float(over) - float(under)) * opacity));
  };
  pixel = {mixed(pixel.r, colour.r), mixed(pixel.g, colour.g), mixed(pixel.b, colour.b), pixel.a};
}

/// Draws the lines of a pane into a copy of its picture.
class Pen {
 public:
  Pen(const Pane& pane, Image& image) : image_(image), projection_(pane.picture->camera) {
    const Picture& picture = *pane.picture;
    if (!pane.lines_on_top && picture.distances.size() == image.pixels.size()) {
      distances_ = picture.distances.data();
    }
  }

  void draw(const LineVertex& from, const LineVertex& to) {
    Seen a = projection_.see(from.position), b = projection_.see(to.position);
    if (!cut_to_picture(a, b)) return;
    const Sample first = place(a, image_.width, image_.height), last = place(b, image_.width, image_.height);
    if (std::isfinite(first.x + first.y + last.x + last.y)) draw_samples(first, last, from.colour);
  }

 private:
  void draw_samples(const Sample& a, const Sample& b, const Rgba8& colour) {
    const u32 steps = std::max(1u, u32(std::ceil(std::max(std::abs(b.x - a.x), std::abs(b.y - a.y)))));
    for (u32 i = 0; i < steps; ++i) {
      const float f = (float(i) + 0.5f) / float(steps);
      const u32 x = std::min(u32(std::max(a.x + (b.x - a.x) * f, 0.0f)), image_.width - 1);
      const u32 y = std::min(u32(std::max(a.y + (b.y - a.y) * f, 0.0f)), image_.height - 1);
      const size_t at = size_t(y) * image_.width + x;
      const float w = 1 / (a.over_w + (b.over_w - a.over_w) * f);
      const float distance = glm::length(glm::mix(a.ray_over_w, b.ray_over_w, f)) * w;
      const bool hidden = distances_ != nullptr && distance > distances_[at] * line_depth_slack;
      blend(image_.pixels[at], colour, float(colour.a) / 255 * (hidden ? hidden_line_alpha : 1));
    }
  }

  Image& image_;
  Projection projection_;
  const float* distances_ = nullptr;  // null: lines are on top
};

}  // namespace

Image picture_with_lines(const Pane& pane) {
  if (pane.picture == nullptr) return {};
  Image image = pane.picture->image;
  if (pane.lines == nullptr || image.pixels.empty()) return image;
  Pen pen(pane, image);
  for (size_t i = 0; i + 1 < pane.lines->size(); i += 2) pen.draw((*pane.lines)[i], (*pane.lines)[i + 1]);
  return image;
}

}  // namespace copse::viewer
