#pragma once

#include "primitives/core/buffer.h"
#include "trace/shade.h"
#include "trace/shade/render_job.h"

namespace copse::detail {

/// Extremes over pixels. The colours of a picture of distances or visits depend on them.
struct PictureExtremes {
  u32 least = invalid_id;  // the bits of the nearest distance
  u32 most = 0;            // the bits of the farthest distance, or the most visits
};

/// Returns the extremes of two parts of a picture.
COPSE_API PictureExtremes merge(const PictureExtremes& a, const PictureExtremes& b);

/// Rows of a picture, for devices that share one. The whole picture equals that of render(), bit for bit.
///
///   rows.trace();                       // for each part
///   whole = merge(..., rows.extremes())
///   rows.colour(whole), rows.download(pixels)
class COPSE_API PictureRows {
 public:
  /// Throws: as render; Error out_of_memory.
  PictureRows(Context& context, const CompressedBvh4View& bvh, BufferSpan<const PackedTriangle> triangles,
              const Camera& camera, const RenderOptions& options, const RowRange& rows);

  /// Finds the hits of the pixels.
  void trace();
  /// Returns the extremes of these rows. A shading that needs none gets those of no pixels. Waits if it needs some.
  PictureExtremes extremes() const;
  /// Colours the pixels. `whole`: of all rows of the picture.
  void colour(const PictureExtremes& whole);
  /// Stores the pixels of these rows on the host. Waits.
  void download(Rgba8* to) const;

 private:
  void run(RenderSteps steps);

  Context& context_;
  CompressedBvh4View bvh_;
  RenderJob job_;
  Buffer<PixelHit> hits_;
  Buffer<Rgba8> pixels_;
  Buffer<u32> extremes_;
};

/// Draws the legend below the pixels of a whole picture, for heat maps.
COPSE_API void finish_picture(Image& image, const RenderOptions& options, const PictureExtremes& whole);

}  // namespace copse::detail
