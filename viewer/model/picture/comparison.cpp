#include "viewer/model/picture/comparison.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "primitives/core/counted.h"
#include "primitives/core/error.h"
#include "trace/colour_scale.h"
#include "trace/shade_colour.h"
#include "viewer/model/picture/percentile.h"

namespace copse::viewer {

namespace {

/// The colour for x from -1 (B visits more) to 1 (A visits more). Both ends are equally light, so that neither
/// looks like more.
vec3 difference_colour(float x) {
  const vec3 none(0.96f), more_a(0.70f, 0.09f, 0.17f), more_b(0.13f, 0.40f, 0.67f);
  return mix_rn(none, x > 0 ? more_a : more_b, std::sqrt(std::abs(x)));
}

}  // namespace

Image heat_difference(std::span<const u32> a, std::span<const u32> b, u32 width, u32 height, u32 limit) {
  const u64 pixel_count = u64{width} * height;
  if (a.size() != pixel_count || b.size() != pixel_count) {
    throw Error(ErrorCode::invalid_argument, "heat_difference: visits of " + std::to_string(a.size()) + " and " +
                                                 detail::counted(b.size(), "pixels") + ", the picture has " +
                                                 std::to_string(pixel_count));
  }
  i64 most = limit;
  for (u64 i = 0; limit == 0 && i < pixel_count; ++i) most = std::max(most, std::abs(i64{a[i]} - i64{b[i]}));

  Image image{width, height, std::vector<Rgba8>(pixel_count)};
  for (u64 i = 0; i < pixel_count; ++i) {
    const double share = double(i64{a[i]} - i64{b[i]}) / double(std::max<i64>(most, 1));
    image.pixels[i] = detail::to_rgba(difference_colour(float(std::clamp(share, -1.0, 1.0))));
  }
  return image;
}

u32 difference_limit(std::span<const u32> a, std::span<const u32> b, double percent) {
  if (a.size() != b.size()) {
    throw Error(ErrorCode::invalid_argument, "difference_limit: visits of " + detail::counted(a.size(), "pixels") +
                                                 " and of " + std::to_string(b.size()));
  }
  std::vector<u32> differences(a.size());
  for (size_t i = 0; i < a.size(); ++i) differences[i] = std::max(a[i], b[i]) - std::min(a[i], b[i]);
  return std::max(percentile(differences, percent), 1u);
}

u32 draw_difference_scale(Image& image, u32 limit) {
  const std::string whole = std::to_string(limit), half = std::to_string(limit / 2);
  const auto colour = [](float along) { return difference_colour(2 * along - 1); };
  return detail::draw_scale(image,
                            {colour, {"B+" + whole, "B+" + half, "0", "A+" + half, "A+" + whole}, "visits"});
}

}  // namespace copse::viewer
