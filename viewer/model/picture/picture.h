#pragma once

#include <vector>

#include "builders/geometry/image.h"
#include "trace/camera.h"

namespace copse::viewer {

/// Where the pixels of a picture are in a CUDA device's memory, until the next one is coloured.
struct DevicePixels {
  const Rgba8* pixels = nullptr;  // in rows, as Image has them; null: they are not there any more, or never were
  const float* distances = nullptr;  // as Picture::distances
  void* stream = nullptr;            // the cudaStream_t; they can be read after its work
};

/// A finished picture, on the host or on the device.
struct Picture {
  Image image;  // may be smaller than was asked for, where it is a preview; 0 x 0: none yet. Without
                // pixels where they have stayed on the device
  std::vector<float> distances;  // [pixel] along the ray of length 1; infinity where it met nothing
  DevicePixels device;
  Camera camera{};          // of the picture
  u32 samples = 0;          // of ambient occlusion
  u32 heat_limit = 0;       // visits that are the hottest colour, for View::heat
  u32 own_heat_limit = 0;   // the same by this picture alone, without the scale of another one
  u32 max_visits = 0;       // of a ray of it, for View::heat
  u32 scale_rows = 0;       // rows at the lower edge that a colour scale covers
  bool is_preview = false;  // reduced in size; the full picture follows
  u64 revision = 0;         // changes with the pixels
};

}  // namespace copse::viewer
