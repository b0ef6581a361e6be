// Trees over more triangles than a GPU has memory for.

#include "capi/slices.h"

#include "capi/bridge/triangles.h"
#include "scale/sliced_build.h"

using namespace copse;
using namespace copse::capi;

namespace {

SlicedBuildOptions sliced_options_of(const copse_sliced_build_options* given) {
  const copse_sliced_build_options defaults = COPSE_SLICED_BUILD_OPTIONS_INIT;
  const copse_sliced_build_options options = read_struct("copse_sliced_build_options", given, defaults);
  if (options.memory_bytes == 0) return {};
  return {.memory_bytes = options.memory_bytes};
}

}  // namespace

copse_status copse_accel_build_in_slices(copse_context* host, copse_context* device,
                                         const copse_geometry* geometries, uint64_t geometry_count,
                                         const copse_sliced_build_options* options, copse_accel** accel) {
  if (accel != nullptr) *accel = nullptr;
  const char* const function = "copse_accel_build_in_slices";
  if (host == nullptr || device == nullptr) {
    return fail(nullptr, COPSE_INVALID_ARGUMENT, function,
                host == nullptr ? "the context of the host is null" : "the context of the device is null");
  }
  // Two threads may give the same two contexts in another order, so both locks are taken at once.
  try {
    std::unique_lock first(*host->lock, std::defer_lock), second(*device->lock, std::defer_lock);
    if (host->lock == device->lock) {
      first.lock();
    } else {
      std::lock(first, second);
    }
    return run(function, host, [&](Context& c) {
      require(accel, "the handle of the accel");
      const Triangles triangles(c, geometries, geometry_count);
      device->context.device().make_current();
      const Bvh bvh = build_in_slices(c, device->context, triangles.views(), sliced_options_of(options));
      *accel = new copse_accel{host->own(accel_of(c, bvh, triangles.views()))};
    });
  } catch (...) {
    return fail_with_exception(host, function);
  }
}

copse_status copse_accel_sliced_sizes(copse_context* device, uint64_t triangle_count,
                                      const copse_sliced_build_options* options, copse_sliced_build_sizes* sizes) {
  return run("copse_accel_sliced_sizes", device, [&](Context& c) {
    const SlicedBuildSizes known = sliced_build_sizes(c, triangle_count, sliced_options_of(options));
    copse_sliced_build_sizes result = COPSE_SLICED_BUILD_SIZES_INIT;
    result.slice_triangles = known.slice_triangles;
    result.slice_count = known.slice_count;
    result.device_bytes = known.device_bytes;
    write_struct("copse_sliced_build_sizes", result, sizes);
  });
}
