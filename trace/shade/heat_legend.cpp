#include "trace/heat_colour.h"

#include <algorithm>
#include <string>

#include "trace/shade_colour.h"

namespace copse::detail {

namespace {

// Digits of 3 x 5 dots, a row an octal digit from the top: 7 is ###, 5 is #.#, 4 is #.., 1 is ..#
constexpr u32 digit_rows[10] = {075557, 026227, 071747, 071717, 055711, 074717, 074757, 071111, 075757, 075717};
constexpr u32 digit_width = 3, digit_height = 5, digit_step = digit_width + 1;

constexpr Rgba8 panel{18, 19, 26, 255}, ink{236, 236, 240, 255};

/// Sizes in dots. A dot is a square of pixels.
constexpr u32 margin = 4, bar_height = 5, tick_height = 2, quarter_count = 4;
constexpr u32 panel_height = margin + bar_height + tick_height + 1 + digit_height + margin;

class Pen {
 public:
  Pen(Image& image, u32 dot) : image_(image), dot_(dot) {}

  u32 width() const { return image_.width / dot_; }

  /// Fills dots. y counts from the panel's upper edge.
  void fill(u32 x, u32 y, u32 width, u32 height, Rgba8 colour) {
    const u32 top = image_.height - panel_height * dot_;
    for (u32 row = y * dot_; row < (y + height) * dot_; ++row) {
      for (u32 column = x * dot_; column < (x + width) * dot_; ++column) put(column, top + row, colour);
    }
  }

  void fill_panel() {
    for (u32 y = image_.height - panel_height * dot_; y < image_.height; ++y) {
      for (u32 x = 0; x < image_.width; ++x) put(x, y, panel);
    }
  }

  /// One column of pixels at a time, for a smooth scale.
  void fill_bar(u32 x, u32 y, u32 width) {
    const u32 top = image_.height - panel_height * dot_ + y * dot_;
    for (u32 column = 0; column < width * dot_; ++column) {
      const Rgba8 colour = to_rgba(heat_scale(float(column) / float(width * dot_ - 1)));
      for (u32 row = 0; row < bar_height * dot_; ++row) put(x * dot_ + column, top + row, colour);
    }
  }

  void write(u32 x, u32 y, const std::string& digits) {
    for (u32 i = 0; i < digits.size(); ++i) {
      const u32 rows = digit_rows[digits[i] - '0'];
      for (u32 bit = 0; bit < digit_width * digit_height; ++bit) {
        if (rows >> (digit_width * digit_height - 1 - bit) & 1) {
          fill(x + i * digit_step + bit % digit_width, y + bit / digit_width, 1, 1, ink);
        }
      }
    }
  }

 private:
  void put(u32 x, u32 y, Rgba8 colour) { image_.pixels[size_t(y) * image_.width + x] = colour; }

  Image& image_;
  u32 dot_;
};

}  // namespace

void draw_heat_legend(Image& image, u32 limit) {
  const u32 dot = std::max(1u, (std::min(image.width, image.height) + 120) / 300);
  const u32 text_width = u32(std::to_string(limit).size()) * digit_step - 1;
  const u32 min_width = quarter_count * (text_width + digit_step) + 2 * margin + text_width;
  if (image.width / dot < min_width || image.height < 3 * panel_height * dot) return;

  Pen pen(image, dot);
  pen.fill_panel();
  const u32 side = margin + text_width / 2;
  const u32 bar_width = pen.width() - 2 * side;
  pen.fill_bar(side, margin, bar_width);
  for (u32 quarter = 0; quarter <= quarter_count; ++quarter) {
    const u32 x = side + (bar_width - 1) * quarter / quarter_count;
    const std::string number = std::to_string(u64(limit) * quarter / quarter_count);
    const u32 number_width = u32(number.size()) * digit_step - 1;
    pen.fill(x, margin + bar_height, 1, tick_height, ink);
    pen.write(x - number_width / 2, margin + bar_height + tick_height + 1, number);
  }
}

}  // namespace copse::detail
