#pragma once

// The part of a picture that one of several devices or ranks makes.

#include <memory>
#include <span>
#include <vector>

#include "accel/accel.h"
#include "builders/geometry/image.h"
#include "trace/picture_rows.h"

namespace copse::detail {

/// Bands of rows from all over a picture, so that parts cost alike: neighbouring rows have similar costs. Call
/// trace(), then colour(), then download().
class PictureBands {
 public:
  ///   part, part_count: this part, and how many there are
  PictureBands(u32 part, u32 part_count, u32 height);

  /// From the top of the picture on.
  std::span<const RowRange> ranges() const { return ranges_; }
  u64 row_count() const;

  void trace(Context& context, const Accel& accel, const Camera& camera, const RenderOptions& options);
  const PictureExtremes& extremes() const { return extremes_; }

  /// `whole`: of all parts of the picture.
  void colour(const PictureExtremes& whole);

  /// Stores the pixels of a band on the host. Waits.
  void download(size_t band, Rgba8* to) const { bands_[band]->download(to); }

 private:
  std::vector<RowRange> ranges_;
  std::vector<std::unique_ptr<PictureRows>> bands_;
  PictureExtremes extremes_;
};

}  // namespace copse::detail
