#include "scale/ranks_render.h"

#include <algorithm>
#include <optional>
#include <string>

#include "primitives/core/buffer.h"
#include "primitives/core/check.h"
#include "scale/shares/picture_bands.h"
#include "trace/render_check.h"

namespace copse {

namespace {

using detail::PictureBands;
using detail::PictureExtremes;
using detail::RowRange;

/// The pixels of a rank's bands, one band after the other. The root also has those of all ranks.
class PictureGather {
 public:
  PictureGather(Communicator& comm, Context& context, const RenderOptions& options, u32 root)
      : comm_(comm), context_(context), options_(options), root_(root) {}

  /// Takes the pixels of this rank.
  void take(const PictureBands& bands) {
    std::vector<Rgba8> pixels(pixel_count(bands));
    Rgba8* to = pixels.data();
    for (size_t band = 0; band < bands.ranges().size(); ++band) {
      bands.download(band, to);
      to += u64(bands.ranges()[band].count) * options_.width;
    }
    own_ = Buffer<Rgba8>(context_, pixels);
    if (comm_.rank() == root_) all_ = Buffer<Rgba8>(context_, u64(options_.width) * options_.height);
  }

  void exchange() {
    std::vector<Outgoing> send(comm_.size());
    std::vector<Incoming> receive(comm_.size());
    send[root_] = {own_.data(), own_.size() * sizeof(Rgba8)};
    Rgba8* to = all_.data();
    for (u32 rank = 0; comm_.rank() == root_ && rank < comm_.size(); ++rank) {
      const u64 count = pixel_count(PictureBands(rank, comm_.size(), options_.height));
      receive[rank] = {to, count * sizeof(Rgba8)};
      to += count;
    }
    comm_.exchange(context_, send, receive);
  }

  /// Returns the rows in their order.
  Image picture(const PictureExtremes& whole) const {
    Image image{options_.width, options_.height, std::vector<Rgba8>(all_.size())};
    const std::vector<Rgba8> pixels = all_.download();
    auto from = pixels.begin();
    for (u32 rank = 0; rank < comm_.size(); ++rank) {
      const PictureBands bands(rank, comm_.size(), options_.height);
      for (const RowRange& range : bands.ranges()) {
        const u64 first = u64(range.first) * options_.width, count = u64(range.count) * options_.width;
        std::copy_n(from, count, image.pixels.begin() + std::ptrdiff_t(first));
        from += std::ptrdiff_t(count);
      }
    }
    detail::finish_picture(image, options_, whole);
    return image;
  }

 private:
  u64 pixel_count(const PictureBands& bands) const { return bands.row_count() * options_.width; }

  Communicator& comm_;
  Context& context_;
  const RenderOptions& options_;
  u32 root_;
  Buffer<Rgba8> own_, all_;
};

void check(const Communicator& comm, const RenderOptions& options, u32 root) {
  detail::check_render_options(options);
  if (root < comm.size()) return;
  detail::refuse("render", "root is " + std::to_string(root) + ", but there are " +
                               detail::counted(comm.size(), "ranks") + ", counted from 0");
}

}  // namespace

Image render(Communicator& comm, Context& context, const Accel& accel, const Camera& camera,
             const RenderOptions& options, u32 root) {
  std::optional<PictureBands> bands;
  comm.agree([&] {
    check(comm, options, root);
    bands.emplace(comm.rank(), comm.size(), options.height);
    bands->trace(context, accel, camera, options);
  });
  PictureExtremes whole;
  for (const PictureExtremes& of_rank : comm.all_gather(bands->extremes())) whole = merge(whole, of_rank);
  PictureGather gather(comm, context, options, root);
  comm.agree([&] {
    bands->colour(whole);
    gather.take(*bands);
  });
  gather.exchange();
  Image image;
  comm.agree([&] {
    if (comm.rank() == root) image = gather.picture(whole);
  });
  return image;
}

}  // namespace copse
