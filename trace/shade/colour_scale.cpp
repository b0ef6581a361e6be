// Draws the scale below a picture: a bar of colours, ticks, and characters of 3 x 5 dots.

#include "trace/colour_scale.h"

#include <algorithm>
#include <cctype>

#include "trace/heat_colour.h"
#include "trace/shade_colour.h"

namespace copse::detail {

namespace {

// Characters of 3 x 5 dots, a row an octal digit from the top: 7 is ###, 5 is #.#, 4 is #.., 1 is ..#
constexpr u32 digit_rows[10] = {075557, 026227, 071747, 071717, 055711, 074717, 074757, 071111, 075757, 075717};
constexpr u32 letter_rows[26] = {025755, 065656, 034443, 065556, 074647, 074644, 034553, 055755, 072227,
                                 011152, 055655, 044447, 057755, 065555, 025552, 065644, 025573, 065655,
                                 034216, 072222, 055557, 055552, 055775, 055255, 055222, 071247};
constexpr u32 char_width = 3, char_height = 5, char_step = char_width + 1;

constexpr Rgba8 panel{18, 19, 26, 255}, ink{236, 236, 240, 255};

/// Sizes in dots. A dot is a square of pixels.
constexpr u32 margin = 4, bar_height = 5, tick_height = 2, quarter_count = 4;
constexpr u32 panel_height = margin + bar_height + tick_height + 1 + char_height + margin;

u32 rows_of(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (std::isdigit(byte) != 0) return digit_rows[c - '0'];
  if (std::isalpha(byte) != 0) return letter_rows[std::toupper(byte) - 'A'];
  switch (c) {
    case '+': return 002720;
    case '-': return 000700;
    case '>': return 042124;
    case '%': return 051245;
    case '.': return 000002;
    default: return 0;
  }
}

u32 width_of(const std::string& text) {
  return text.empty() ? 0 : u32(text.size()) * char_step - 1;
}

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
  void fill_bar(u32 x, u32 y, u32 width, vec3 (*colour_at)(float)) {
    const u32 top = image_.height - panel_height * dot_ + y * dot_;
    for (u32 column = 0; column < width * dot_; ++column) {
      const Rgba8 colour = to_rgba(colour_at(float(column) / float(width * dot_ - 1)));
      for (u32 row = 0; row < bar_height * dot_; ++row) put(x * dot_ + column, top + row, colour);
    }
  }

  void write(u32 x, u32 y, const std::string& text) {
    for (u32 i = 0; i < text.size(); ++i) {
      const u32 rows = rows_of(text[i]);
      for (u32 bit = 0; bit < char_width * char_height; ++bit) {
        if (rows >> (char_width * char_height - 1 - bit) & 1) {
          fill(x + i * char_step + bit % char_width, y + bit / char_width, 1, 1, ink);
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

std::array<std::string, 5> quarters_to(u32 limit, bool is_cut) {
  std::array<std::string, 5> labels;
  for (u32 quarter = 0; quarter <= quarter_count; ++quarter) {
    labels[quarter] = std::to_string(u64(limit) * quarter / quarter_count);
  }
  if (is_cut) labels.back() += "+";
  return labels;
}

u32 draw_scale(Image& image, const ColourScale& scale) {
  const u32 dot = std::max(1u, (std::min(image.width, image.height) + 120) / 300);
  u32 text_width = 0;
  for (const std::string& label : scale.labels) text_width = std::max(text_width, width_of(label));
  const u32 min_width = quarter_count * (text_width + char_step) + 2 * margin + text_width;
  if (image.width / dot < min_width || image.height < 3 * panel_height * dot) return 0;

  Pen pen(image, dot);
  pen.fill_panel();
  const u32 left = margin + text_width / 2;
  // Without room for the unit, the numbers stand alone.
  const u32 unit_width = scale.unit.empty() ? 0 : width_of(scale.unit) + 2 * char_step;
  const bool has_unit = unit_width > 0 && pen.width() >= min_width + unit_width;
  const u32 bar_width = pen.width() - 2 * left - (has_unit ? unit_width : 0);
  pen.fill_bar(left, margin, bar_width, scale.colour);
  constexpr u32 text_top = margin + bar_height + tick_height + 1;
  for (u32 quarter = 0; quarter <= quarter_count; ++quarter) {
    const u32 x = left + (bar_width - 1) * quarter / quarter_count;
    pen.fill(x, margin + bar_height, 1, tick_height, ink);
    pen.write(x - width_of(scale.labels[quarter]) / 2, text_top, scale.labels[quarter]);
  }
  if (has_unit) pen.write(left + bar_width + left + char_step, text_top, scale.unit);
  return panel_height * dot;
}

u32 draw_heat_legend(Image& image, u32 limit, bool is_cut) {
  return draw_scale(image, {heat_scale, quarters_to(limit, is_cut), "visits"});
}

}  // namespace copse::detail
