#pragma once

// Batches of rays through any structure that closest_hits and any_hits take, and what they must find.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "primitives/core/buffer.h"
#include "tests/trace/oracle.h"
#include "trace/grid_rays.h"
#include "trace/trace_rays.h"

namespace copse::test {

template <class Structure>
std::vector<Hit> trace(Context& context, const Structure& structure, const TriangleViews& triangles,
                       const std::vector<Ray>& rays) {
  Buffer<Ray> device_rays(context, rays);
  Buffer<Hit> hits(context, rays.size());
  closest_hits(context, structure, triangles, device_rays.span(), hits.span());
  return hits.download();
}

template <class Structure>
std::vector<u8> trace_any(Context& context, const Structure& structure, const TriangleViews& triangles,
                          const std::vector<Ray>& rays) {
  Buffer<Ray> device_rays(context, rays);
  Buffer<u8> occluded(context, rays.size());
  any_hits(context, structure, triangles, device_rays.span(), occluded.span());
  return occluded.download();
}

/// Hits and occlusion of a batch are the expected ones. `name` says which batch it is.
template <class Structure>
void expect_hits(Context& context, const Structure& structure, const TriangleViews& device,
                 const std::vector<Ray>& rays, const std::vector<Hit>& expected, const std::string& name = "") {
  const std::vector<Hit> hits = trace(context, structure, device, rays);
  const std::vector<u8> occluded = trace_any(context, structure, device, rays);
  ASSERT_EQ(hits.size(), rays.size());
  for (size_t i = 0; i < rays.size(); ++i) {
    ASSERT_TRUE(same_bits(hits[i], expected[i]))
        << name << ": " << text(rays[i]) << ": " << text(hits[i]) << ", expected " << text(expected[i]);
    ASSERT_EQ(occluded[i], is_hit(expected[i]) ? 1 : 0) << name << ": " << text(rays[i]);
  }
}

/// Hits and occlusion of a batch are those of brute force over the host's views.
template <class Structure>
void expect_brute_force(Context& context, const Structure& structure, const TriangleViews& device,
                        const std::vector<TriangleView>& host, const std::vector<Ray>& rays,
                        const std::string& name = "") {
  expect_hits(context, structure, device, rays, brute_force_hits(host, rays), name);
}

}  // namespace copse::test
