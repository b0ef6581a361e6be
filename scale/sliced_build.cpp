#include "scale/sliced_build.h"

#include <string>

#include "builders/bvh/build.h"
#include "builders/bvh/hploc.h"
#include "builders/geometry/make_triangle_table.h"
#include "builders/geometry/scene_bounds.h"
#include "builders/geometry/triangle_check.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "primitives/cpu/float_mode.h"
#include "primitives/cpu/for_each.h"
#include "primitives/cpu/reduce.h"
#include "scale/slices/slice_builder.h"
// After the primitives of the CPU, which it uses:
#include "builders/geometry/primitive_bounds.h"

namespace copse {

namespace {

using detail::BvhArrays;
using detail::HostTriangleBoxes;
using detail::HostTriangleKeys;
using detail::MortonSlice;
using detail::SliceBuilder;
using detail::SlicePlan;

/// The minimum size of a slice, if there are at least as many triangles.
constexpr u64 min_slice = 64;

void check_sliced_build(u64 triangle_count, const SlicedBuildOptions& options) {
  detail::check_primitive_count(triangle_count);
  if (options.morton_bits != 0) detail::check_option("morton_bits", options.morton_bits, 30, 63);
  detail::check_option("hploc_radius", options.hploc_radius, 0, HplocOptions::max_radius);
}

/// The number of bits that a build in one piece would use for all triangles.
u32 key_bits_of(u64 triangle_count, u32 morton_bits) {
  return morton_bits == 0 ? detail::fast_key_bits(triangle_count) : morton_bits;
}

u64 power_of_two_from(u64 count) {
  u64 power = min_slice;
  while (power < count) power *= 2;
  return power;
}

/// The size is a power of two. So the bits of slots that tell equal keys apart are the same in a slice and in the
/// whole tree: the deltas of the slots s and s + 1 depend on the bits in which they differ, and all slots of a slice
/// share the bits above those.
SlicedBuildSizes size_slices(Context& device, u64 triangle_count, const SlicedBuildOptions& options) {
  const u32 bits = key_bits_of(triangle_count, options.morton_bits);
  u64 bytes = 0;
  for (u64 size = power_of_two_from(triangle_count); size >= min_slice; size /= 2) {
    const u64 slice = smaller(size, triangle_count);
    bytes = SliceBuilder::device_bytes(device, {slice, bits, options.hploc_radius});
    if (bytes <= options.memory_bytes) {
      return {slice, slice == 0 ? 0 : divide_rounding_up(triangle_count, slice), bytes};
    }
  }
  throw Error(ErrorCode::invalid_argument,
              "build_in_slices: the memory limit is " + detail::counted(options.memory_bytes, "bytes") +
                  ", but slices of " + detail::counted(smaller(min_slice, triangle_count), "triangles") +
                  ", the smallest, take " + detail::counted(bytes, "bytes"));
}

/// Builds the tree over the triangles with keys, which are already sorted into slices.
void build_tree_of_slices(const cpu::Executor& host, Context& device, const SlicePlan& plan, u64 valid_count,
                          const Aabb& bounds, const HostTriangleKeys& keys, const BvhArrays& tree) {
  SliceBuilder builder(host, device, plan, bounds, keys, tree);
  {
    const ProfileScope scope(host.profile, "slices: build");
    builder.build_all(valid_count);
  }
  const ProfileScope scope(host.profile, "slices: join");
  builder.join();
}

/// Builds the tree over n triangles.
///   prepare: prepare(ex, frame, bounds) sets the bounds of all triangles and returns their boxes
template <class Prepare>
Bvh build_slices(Context& host, Context& device, u64 n, const SlicedBuildOptions& options,
                 const SlicedBuildSizes& sizes, const Prepare& prepare) {
  Bvh bvh = make_bvh(host, n);
  bvh.source_count = n;
  bvh.max_leaf_size = 1;
  detail::BvhAccess::deltas(bvh).may_refit = options.hploc_radius == 0;
  if (n == 0) return bvh;

  const detail::CallOfOneThread call(host);
  const cpu::FloatMode mode;
  const cpu::Executor& ex = host.cpu_executor();
  const ProfileScope scope(host.profile(), "build in slices");
  ScratchArena::Frame frame(ex.scratch);
  MortonSlice curve{{}, key_bits_of(n, options.morton_bits)};
  const HostTriangleBoxes boxes = prepare(ex, frame, curve.bounds);
  const HostTriangleKeys keys(boxes, curve);
  const BvhArrays tree = detail::arrays_of(bvh);
  auto* const words = reinterpret_cast<u64*>(tree.nodes);  // unused until the nodes are built
  const u64 valid_count = detail::sort_into_slices(ex, keys, n, sizes.slice_triangles, words, tree.primitive_ids);
  detail::store_counts(tree, u32(valid_count), u32(valid_count), u32(n));
  const SlicePlan plan{sizes.slice_triangles, curve.morton_bits, options.hploc_radius};
  if (valid_count > 0) build_tree_of_slices(ex, device, plan, valid_count, curve.bounds, keys, tree);
  return bvh;
}

/// Throws: Error invalid_argument.
void check_host(const Context& host) {
  if (host.backend() == Backend::cpu) return;
  detail::refuse("build_in_slices", std::string("the context of the host is of the backend ") +
                                        name_of(host.backend()) + "; it must be of cpu");
}

}  // namespace

SlicedBuildSizes sliced_build_sizes(Context& device, u64 triangle_count, const SlicedBuildOptions& options) {
  check_sliced_build(triangle_count, options);
  return size_slices(device, triangle_count, options);
}

Bvh build_in_slices(Context& host, Context& device, const TriangleViews& triangles,
                    const SlicedBuildOptions& options) {
  check_host(host);
  const u64 n = triangles.primitive_count();
  const SlicedBuildSizes sizes = sliced_build_sizes(device, n, options);
  detail::validate_triangles(host, "build_in_slices", triangles);
  return build_slices(host, device, n, options, sizes,
                      [&](const cpu::Executor& ex, ScratchArena::Frame& frame, Aabb& bounds) {
                        scene_bounds(host, triangles, {&bounds, 1});
                        return HostTriangleBoxes{make_triangle_table(ex, frame, triangles.views())};
                      });
}

Bvh build_in_slices(Context& host, Context& device, const TriangleRecords& triangles,
                    const SlicedBuildOptions& options) {
  check_host(host);
  const u64 n = triangles.triangle_count;
  const SlicedBuildSizes sizes = sliced_build_sizes(device, n, options);
  detail::validate_triangles(host, "build_in_slices", triangles);
  return build_slices(host, device, n, options, sizes,
                      [&](const cpu::Executor& ex, ScratchArena::Frame&, Aabb& bounds) {
                        const HostTriangleBoxes boxes{{}, &triangles};
                        detail::bound_one_by_one(ex, boxes, n, &bounds);
                        return boxes;
                      });
}

}  // namespace copse
