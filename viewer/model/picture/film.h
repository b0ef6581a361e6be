#pragma once

#include "primitives/core/buffer.h"
#include "viewer/model/picture/film_job.h"
#include "viewer/model/picture/picture.h"
#include "viewer/model/structures/structure.h"

namespace copse::viewer {

/// What a picture shows, and from where.
struct Shot {
  Camera camera{};
  ViewSettings view;
  Aabb box = Aabb::empty();  // of the scene at rest: what slices and ambient rays go by
};

/// The half of space that a slice of a scene leaves.
HalfSpace half_space(const SlicePlane& slice, const Aabb& box);

/// A picture in the making on a device, piece by piece: rays first, in as many calls as one likes, ambient samples
/// where the view asks for them, then colours. Nothing waits but the downloads.
class Film {
 public:
  explicit Film(Context& context) : context_(context), extremes_(context, 3) {}

  /// Begins a picture. Allocates where it needs more room than any before.
  ///   width, height: 1 to 16384
  /// Throws: Error out_of_memory.
  void begin(const Shot& shot, u32 width, u32 height);

  /// Rays of the picture, in the order of Tiles.
  u64 ray_count() const { return job_.tiles.ray_count(); }

  /// Traces rays `first` to `first + count - 1`.
  void trace(Structure& structure, const TriangleView& triangles, u64 first, u64 count);

  /// Takes ambient sample number `sample` of these rays, which were traced; sample 0 forgets those before.
  void add_ambient(Structure& structure, const TriangleView& triangles, u32 sample, u64 first, u64 count);

  /// Another scale of a heat map; the next shading uses it.
  void set_heat_scale(u32 limit, bool legend);

  /// Colours all pixels; `samples` were taken of each.
  void shade(u32 samples);

  /// The picture as it was shaded last, but for its revision. Waits.
  void download(Picture& picture) const;
  /// The same without its pixels, which stay on the device. Waits where the view is a heat map.
  void leave_on_device(Picture& picture) const;
  /// Where the pixels of this picture will be.
  const Rgba8* pixels() const { return pixels_.data(); }

  /// Visits or labels of the pixels, in rows. Waits.
  std::vector<u32> download_values() const;

 private:
  void describe(Picture& picture) const;
  bool has_values() const { return shot_.view.view == View::heat || shot_.view.view == View::leaves; }

  Context& context_;
  Shot shot_;
  FilmJob job_;
  Buffer<SurfaceHit> surfaces_;
  Buffer<u32> values_, open_counts_;
  Buffer<Rgba8> pixels_;
  Buffer<float> distances_;
  Buffer<u32> extremes_;
  Buffer<Ray> rays_;     // of one call
  Buffer<u8> occluded_;  // of one call
};

}  // namespace copse::viewer
