#pragma once

#include "builders/bvh/bvh.h"
#include "builders/geometry/primitive_set.h"
#include "builders/geometry/triangle_records.h"

namespace copse {

struct SlicedBuildOptions {
  /// The maximum memory of `device` that the build may take, in bytes. Default: no limit, so one slice. A low limit
  /// costs little time: for 1000 M triangles, 60 slices took as long as 15. sliced_build_sizes() returns what a build
  /// takes.
  u64 memory_bytes = ~u64{0};

  /// Bits of a Morton key, as LbvhOptions::morton_bits. 0 is the default of HplocOptions.
  u32 morton_bits = 63;

  /// 0: the tree is an LBVH. 1 to 8: it is an H-PLOC tree, and this is HplocOptions::radius. Rays through it are
  /// faster. The build takes 8 bytes more per triangle of a slice on the CPU, and 100 KiB more. Default: 0.
  u32 hploc_radius = 0;
};

/// The memory of a device that a sliced build takes. A slice has a power of two of triangles, or all of them.
struct SlicedBuildSizes {
  u64 slice_triangles = 0;
  u64 slice_count = 0;
  u64 device_bytes = 0;
};

/// Returns the LBVH or the H-PLOC tree over triangles in host memory, for trees that do not fit in the memory of a
/// device. The device builds the tree in slices of the Morton curve, one after another, within options.memory_bytes. The
/// tree is in host memory. It has the bytes of build(host, triangles, LbvhOptions) or of build(host, triangles,
/// HplocOptions) with the same morton_bits and radius, for any number of slices and either backend of `device`.
///   host:      a context of the CPU, whose memory holds the triangles and receives the tree; its threads sort the
///              triangles into slices
///   device:    builds the slices: a context of a GPU or of the CPU; may be `host`
///   triangles: in host memory. Indices must be below the number of positions
/// Throws: Error invalid_argument if `host` is not of the CPU, for morton_bits or hploc_radius out of range, or if the
/// limit is below what slices of 64 triangles take; Error capacity past 2^31 triangles; Error out_of_memory, Error cancelled.
/// Waits: until the tree is complete.
/// Memory: of `host`, the tree, and at most 4 bytes more per triangle; of `device`, see sliced_build_sizes. On a GPU
/// also 96 MiB of page-locked memory of the host.
COPSE_API Bvh build_in_slices(Context& host, Context& device, const TriangleViews& triangles,
                              const SlicedBuildOptions& options = {});

/// The same over the records of a mesh that may be larger than the memory of the host, such as that of a MappedMesh.
/// The host reads all triangles twice from front to back, for their bounds and for their keys, and then each once
/// more in the order of the tree.
COPSE_API Bvh build_in_slices(Context& host, Context& device, const TriangleRecords& triangles,
                              const SlicedBuildOptions& options = {});

/// Returns the memory of `device` that a sliced build takes. It allocates nothing.
/// Throws: as build_in_slices, if options are out of range.
COPSE_API SlicedBuildSizes sliced_build_sizes(Context& device, u64 triangle_count,
                                              const SlicedBuildOptions& options = {});

}  // namespace copse
