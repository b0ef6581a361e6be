#include "scale/shares/picture_bands.h"

#include <algorithm>

namespace copse::detail {

namespace {

constexpr u32 bands_per_part = 4;

/// The height of the tiles of rays.
constexpr u32 tile_height = 8;

}  // namespace

PictureBands::PictureBands(u32 part, u32 part_count, u32 height) {
  const u32 count = part_count * bands_per_part;
  const u32 rows = (height + count * tile_height - 1) / (count * tile_height) * tile_height;
  for (u32 first = part * rows; first < height; first += part_count * rows) {
    ranges_.push_back({first, std::min(rows, height - first)});
  }
}

u64 PictureBands::row_count() const {
  u64 count = 0;
  for (const RowRange& range : ranges_) count += range.count;
  return count;
}

void PictureBands::trace(Context& context, const Accel& accel, const Camera& camera,
                         const RenderOptions& options) {
  const AccelView view = accel.view();
  for (const RowRange& range : ranges_) {
    bands_.push_back(std::make_unique<PictureRows>(context, view.tree, view.triangles, camera, options, range));
    bands_.back()->trace();
  }
  for (const auto& band : bands_) extremes_ = merge(extremes_, band->extremes());
}

void PictureBands::colour(const PictureExtremes& whole) {
  for (const auto& band : bands_) band->colour(whole);
}

}  // namespace copse::detail
