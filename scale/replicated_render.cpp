#include "scale/replicated_render.h"

#include <algorithm>

#include "scale/shares/picture_bands.h"
#include "trace/render_check.h"

namespace copse {

using detail::PictureBands;
using detail::PictureExtremes;

Image render(Devices& devices, const ReplicatedAccel& accel, const Camera& camera, const RenderOptions& options) {
  detail::check_replicas("render", devices, accel);
  detail::check_render_options(options);
  std::vector<PictureBands> parts;
  for (u32 device = 0; device < devices.count(); ++device) {
    parts.emplace_back(device, devices.count(), options.height);
  }
  devices.run(
      [&](Context& context, u32 device) { parts[device].trace(context, accel.on(device), camera, options); });
  PictureExtremes whole;
  for (const PictureBands& part : parts) whole = merge(whole, part.extremes());
  Image image{options.width, options.height, std::vector<Rgba8>(u64(options.width) * options.height)};
  devices.run([&](Context&, u32 device) {
    PictureBands& part = parts[device];
    part.colour(whole);
    for (size_t band = 0; band < part.ranges().size(); ++band) {
      part.download(band, image.pixels.data() + u64(part.ranges()[band].first) * image.width);
    }
  });
  detail::finish_picture(image, options, whole);
  return image;
}

}  // namespace copse
