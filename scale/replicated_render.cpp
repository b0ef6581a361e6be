#include "scale/replicated_render.h"

#include <algorithm>
#include <memory>

#include "trace/picture_rows.h"
#include "trace/render_check.h"

namespace copse {

namespace {

using detail::PictureExtremes;
using detail::PictureRows;
using detail::RowRange;

/// Each device has bands from all over the picture, because rows near each other cost alike.
constexpr u32 bands_per_device = 4;

/// Rays go in tiles of so many rows.
constexpr u32 tile_height = 8;

/// Returns the bands of a device, from the top of the picture on.
std::vector<RowRange> bands_of(u32 device, u32 device_count, u32 height) {
  const u32 count = device_count * bands_per_device;
  const u32 rows = (height + count * tile_height - 1) / (count * tile_height) * tile_height;
  std::vector<RowRange> bands;
  for (u32 first = device * rows; first < height; first += device_count * rows) {
    bands.push_back({first, std::min(rows, height - first)});
  }
  return bands;
}

/// The bands of a picture that one device makes.
struct DevicePart {
  std::vector<RowRange> ranges;
  std::vector<std::unique_ptr<PictureRows>> bands;
  PictureExtremes extremes;
};

void trace(DevicePart& part, Context& context, const Accel& accel, const Camera& camera,
           const RenderOptions& options) {
  const AccelView view = accel.view();
  for (const RowRange& range : part.ranges) {
    part.bands.push_back(
        std::make_unique<PictureRows>(context, view.tree, view.triangles, camera, options, range));
    part.bands.back()->trace();
  }
  for (const auto& band : part.bands) part.extremes = merge(part.extremes, band->extremes());
}

void colour(DevicePart& part, const PictureExtremes& whole, Image& image) {
  for (const auto& band : part.bands) band->colour(whole);
  for (size_t i = 0; i < part.bands.size(); ++i) {
    part.bands[i]->download(image.pixels.data() + u64(part.ranges[i].first) * image.width);
  }
}

}  // namespace

Image render(Devices& devices, const ReplicatedAccel& accel, const Camera& camera, const RenderOptions& options) {
  detail::check_replicas("render", devices, accel);
  detail::check_render_options(options);
  std::vector<DevicePart> parts(devices.count());
  devices.run([&](Context& context, u32 device) {
    parts[device].ranges = bands_of(device, devices.count(), options.height);
    trace(parts[device], context, accel.on(device), camera, options);
  });
  PictureExtremes whole;
  for (const DevicePart& part : parts) whole = merge(whole, part.extremes);
  Image image{options.width, options.height, std::vector<Rgba8>(u64(options.width) * options.height)};
  devices.run([&](Context&, u32 device) { colour(parts[device], whole, image); });
  detail::finish_picture(image, options, whole);
  return image;
}

}  // namespace copse
