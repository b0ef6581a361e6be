// Draws ImGui's triangles in software. As on a GPU, corners are rounded to 1/256 of a pixel, and a pixel belongs to
// a triangle if its middle does. A middle on an edge belongs to the triangle for which the edge is a left or a top
// one, so that two triangles with a common edge never draw a pixel twice or leave one out.

#include "viewer/window/draw_list_image.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace copse::viewer {

namespace {

constexpr i64 subpixels = 256;

struct Corner {
  i64 x = 0, y = 0;  // in 1/256 pixels
  float u = 0, v = 0;
  float colour[4] = {};  // red, green, blue, opacity: 0 to 255
};

/// Twice the area of the triangle a, b, (x, y); above 0 if they are clockwise on the screen.
i64 area(const Corner& a, const Corner& b, i64 x, i64 y) {
  return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

/// The minimum area at which a pixel on the edge from a to b is inside: 0 for a left or top edge, else 1.
i64 min_area(const Corner& a, const Corner& b) {
  const bool is_top = a.y == b.y && b.x > a.x, is_left = b.y < a.y;
  return is_top || is_left ? 0 : 1;
}

/// The texture of ImGui's fonts: the opacity of white texels.
class FontTexture {
 public:
  FontTexture() { ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&texels_, &width_, &height_); }

  /// Between the four nearest texels, 0 to 1.
  float opacity(float u, float v) const {
    const float x = u * float(width_) - 0.5f, y = v * float(height_) - 0.5f;
    const float left = std::floor(x), top = std::floor(y), across = x - left, down = y - top;
    const auto row = [&](int at_y) {
      return texel(int(left), at_y) * (1 - across) + texel(int(left) + 1, at_y) * across;
    };
    return (row(int(top)) * (1 - down) + row(int(top) + 1) * down) / 255;
  }

 private:
  float texel(int x, int y) const {
    x = std::clamp(x, 0, width_ - 1);
    y = std::clamp(y, 0, height_ - 1);
    return float(texels_[size_t(y) * size_t(width_) + size_t(x)]);
  }

  unsigned char* texels_ = nullptr;
  int width_ = 0, height_ = 0;
};

/// A rectangle of whole pixels; the high ends are outside.
struct Pixels {
  int x0, y0, x1, y1;
};

/// Draws the triangles of one context into an image.
class Painter {
 public:
  Painter(Image& image, const ImDrawData& data) : image_(image), data_(data) {}

  void draw(const ImDrawList& list) const {
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (command.UserCallback != nullptr) continue;
      const Pixels clip = clip_of(command.ClipRect);
      for (u32 i = 0; i + 2 < command.ElemCount; i += 3) {
        Corner corners[3];
        for (u32 k = 0; k < 3; ++k) {
          const ImDrawIdx index = list.IdxBuffer[int(command.IdxOffset + i + k)];
          corners[k] = corner_of(list.VtxBuffer[int(command.VtxOffset + index)]);
        }
        draw_triangle(corners, clip);
      }
    }
  }

 private:
  Pixels clip_of(const ImVec4& rectangle) const {
    const auto pixel = [](float x, float origin, float scale, u32 end) {
      return std::clamp(int((x - origin) * scale), 0, int(end));
    };
    const ImVec2 origin = data_.DisplayPos, scale = data_.FramebufferScale;
    return {
        pixel(rectangle.x, origin.x, scale.x, image_.width), pixel(rectangle.y, origin.y, scale.y, image_.height),
        pixel(rectangle.z, origin.x, scale.x, image_.width), pixel(rectangle.w, origin.y, scale.y, image_.height)};
  }

  Corner corner_of(const ImDrawVert& vertex) const {
    Corner corner;
    corner.x = std::llround((vertex.pos.x - data_.DisplayPos.x) * data_.FramebufferScale.x * float(subpixels));
    corner.y = std::llround((vertex.pos.y - data_.DisplayPos.y) * data_.FramebufferScale.y * float(subpixels));
    corner.u = vertex.uv.x;
    corner.v = vertex.uv.y;
    constexpr int shifts[] = {IM_COL32_R_SHIFT, IM_COL32_G_SHIFT, IM_COL32_B_SHIFT, IM_COL32_A_SHIFT};
    for (int i = 0; i < 4; ++i) corner.colour[i] = float(vertex.col >> shifts[i] & 255);
    return corner;
  }

  void draw_triangle(Corner (&corners)[3], const Pixels& clip) const {
    auto& [a, b, c] = corners;
    i64 whole = area(a, b, c.x, c.y);
    if (whole == 0) return;
    if (whole < 0) {
      std::swap(b, c);
      whole = -whole;
    }
    const auto [low_x, high_x] = std::minmax({a.x, b.x, c.x});
    const auto [low_y, high_y] = std::minmax({a.y, b.y, c.y});
    const Pixels box{std::max(clip.x0, int(low_x / subpixels)), std::max(clip.y0, int(low_y / subpixels)),
                     std::min(clip.x1, int(high_x / subpixels) + 1),
                     std::min(clip.y1, int(high_y / subpixels) + 1)};
    const i64 min_areas[3] = {min_area(b, c), min_area(c, a), min_area(a, b)};
    for (int y = box.y0; y < box.y1; ++y) {
      for (int x = box.x0; x < box.x1; ++x) {
        const i64 middle_x = x * subpixels + subpixels / 2, middle_y = y * subpixels + subpixels / 2;
        const i64 areas[3] = {area(b, c, middle_x, middle_y), area(c, a, middle_x, middle_y),
                              area(a, b, middle_x, middle_y)};
        if (areas[0] < min_areas[0] || areas[1] < min_areas[1] || areas[2] < min_areas[2]) continue;
        blend(x, y, corners, float(double(areas[0]) / double(whole)), float(double(areas[1]) / double(whole)));
      }
    }
  }

  /// Blends the colour at the point that has these shares of the first two corners.
  void blend(int x, int y, const Corner (&corners)[3], float share_a, float share_b) const {
    const float share_c = 1 - share_a - share_b;
    const auto mean = [&](float of_a, float of_b, float of_c) {
      return of_a * share_a + of_b * share_b + of_c * share_c;
    };
    const auto& [a, b, c] = corners;
    float colour[4];
    for (int i = 0; i < 4; ++i) colour[i] = mean(a.colour[i], b.colour[i], c.colour[i]);
    const float opacity = colour[3] / 255 * fonts_.opacity(mean(a.u, b.u, c.u), mean(a.v, b.v, c.v));
    Rgba8& pixel = image_.pixels[size_t(y) * image_.width + size_t(x)];
    const auto over = [&](u8 below, float above) {
      return u8(std::clamp(std::lround(float(below) + (above - float(below)) * opacity), 0l, 255l));
    };
    pixel = {over(pixel.r, colour[0]), over(pixel.g, colour[1]), over(pixel.b, colour[2]), pixel.a};
  }

  Image& image_;
  const ImDrawData& data_;
  FontTexture fonts_;
};

}  // namespace

void draw_over(Image& image, const ImDrawData& data) {
  const Painter painter(image, data);
  for (int i = 0; i < data.CmdListsCount; ++i) painter.draw(*data.CmdLists[i]);
}

void paste(Image& image, const Image& pasted, u32 x, u32 y) {
  if (pasted.pixels.empty() || x >= image.width) return;
  const u32 width = std::min(pasted.width, image.width - x);
  for (u32 row = 0; row < pasted.height && y + row < image.height; ++row) {
    const auto from = pasted.pixels.begin() + std::ptrdiff_t(row) * pasted.width;
    std::copy(from, from + width, image.pixels.begin() + std::ptrdiff_t(y + row) * image.width + x);
  }
}

}  // namespace copse::viewer
