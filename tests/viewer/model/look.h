#pragma once

#include <vector>

#include "primitives/core/buffer.h"
#include "viewer/model/structures/live_structure.h"

namespace copse::test {

/// The results of a structure for some rays.
struct Seen {
  std::vector<viewer::SurfaceHit> surfaces;
  std::vector<u8> occluded;
  std::vector<u32> visits, labels, depths;  // labels by id, and by depth
};

inline Seen look(viewer::LiveStructure& live, const std::vector<Ray>& host_rays) {
  Context& context = live.context();
  const TriangleView triangles = live.scene().view();
  const u64 count = host_rays.size();
  Buffer<Ray> rays(context, host_rays);
  Buffer<viewer::SurfaceHit> surfaces(context, count);
  Buffer<u8> occluded(context, count);
  Buffer<u32> visits(context, count), labels(context, count), depths(context, count);
  viewer::Structure& structure = live.structure();
  structure.see(triangles, rays.span(), surfaces.span());
  structure.occlude(triangles, rays.span(), occluded.span());
  structure.count_visits(triangles, rays.span(), visits.span());
  structure.label(rays.span(), surfaces.span(), viewer::LeafTint::id, labels.span());
  structure.label(rays.span(), surfaces.span(), viewer::LeafTint::depth, depths.span());
  return {surfaces.download(), occluded.download(), visits.download(), labels.download(), depths.download()};
}

}  // namespace copse::test
