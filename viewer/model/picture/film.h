#pragma once

#include "primitives/core/buffer.h"
#include "viewer/model/picture/film_job.h"
#include "viewer/model/picture/picture.h"
#include "viewer/model/structures/structure.h"

namespace copse {
class Devices;
}

namespace copse::viewer {

/// What a picture shows, and from which camera.
struct Shot {
  Camera camera{};
  ViewSettings view;
  Aabb box = Aabb::empty();  // of the scene at rest; slices and ambient rays scale with it
};

/// Returns the half-space that a slice of a scene keeps.
HalfSpace half_space(const SlicePlane& slice, const Aabb& box);

/// A picture that is made on a device, piece by piece: first its rays, in any number of calls, then ambient
/// samples if the view needs them, then colours. Only the downloads wait.
class Film {
 public:
  explicit Film(Context& context) : context_(context), extremes_(context, 3) {}

  /// Begins a picture. Allocates if it needs more memory than all before.
  ///   width, height: 1 to 16384
  /// Throws: Error out_of_memory.
  void begin(const Shot& shot, u32 width, u32 height);

  /// The number of rays of the picture, in the order of Tiles.
  u64 ray_count() const { return job_.tiles.ray_count(); }

  /// Traces rays `first` to `first + count - 1`.
  void trace(Structure& structure, const TriangleView& triangles, u64 first, u64 count);

  /// Takes ambient sample number `sample` of these rays, which must be traced. Sample 0 resets the earlier ones.
  void add_ambient(Structure& structure, const TriangleView& triangles, u32 sample, u64 first, u64 count);

  /// Takes the results of these rays, ambient samples too, from the film of another device, which has begun the same picture.
  ///   context: of that device
  void take(Devices& devices, Context& context, const Film& other, u64 first, u64 count);

  /// Begins another sample of a picture that shade() has coloured: rays through other places of each pixel, for
  /// smooth edges. trace() and shade_sample() follow. The first sample is the picture itself.
  void begin_sample(u32 sample);
  /// Colours the pixels of this sample and takes the mean of all samples. Distances stay those of the picture.
  void shade_sample();

  /// Takes another scale from these settings: limit, percentile, legend. The next shade() uses it.
  void set_scale(const ViewSettings& view);

  /// Colours all pixels. `samples`: how many ambient samples were taken.
  void shade(u32 samples);

  /// Downloads the picture that shade() made last, without its revision. Waits.
  void download(Picture& picture) const;
  /// Does the same without the pixels, which stay on the device. Waits if the view is a heat map.
  void leave_on_device(Picture& picture) const;
  /// The pixels of this picture on the device.
  const Rgba8* pixels() const { return pixels_.data(); }

  /// Downloads the visits or labels of the pixels, in rows. Waits.
  std::vector<u32> download_values() const;

 private:
  void choose_heat_scale();
  void describe(Picture& picture) const;
  u32 draw_scale(Picture& picture) const;
  bool shows_depths() const { return shot_.view.view == View::leaves && shot_.view.leaf_tint == LeafTint::depth; }
  bool has_values() const { return shot_.view.view == View::heat || shot_.view.view == View::leaves; }

  Context& context_;
  Shot shot_;
  FilmJob job_;
  const char* depth_unit_ = nullptr;  // of the structure
  u32 own_heat_limit_ = 0;            // by the percentile of the rays; 0: not known yet
  Buffer<SurfaceHit> surfaces_;
  Buffer<u32> values_, open_counts_;
  Buffer<Rgba8> pixels_;
  Buffer<float> distances_;
  Buffer<ColourSum> sums_;
  u32 sample_ = 0;  // that is being traced; 0: the picture itself
  Buffer<u32> extremes_;
  Buffer<Ray> rays_;     // of one call
  Buffer<u8> occluded_;  // of one call
};

}  // namespace copse::viewer
