// Trees over more triangles than a GPU has memory for, and meshes that stay in their files.

#include "capi/slices.h"

#include "accel/accel_file.h"
#include "builders/io/mapped_mesh.h"
#include "capi/bridge/triangles.h"
#include "scale/sliced_build.h"

struct copse_mapped_mesh {
  copse::MappedMesh mesh;
};

using namespace copse;
using namespace copse::capi;

namespace {

SlicedBuildOptions sliced_options_of(const copse_sliced_build_options* given) {
  const copse_sliced_build_options defaults = COPSE_SLICED_BUILD_OPTIONS_INIT;
  const copse_sliced_build_options options = read_struct("copse_sliced_build_options", given, defaults);
  SlicedBuildOptions result{.hploc_radius = options.hploc_radius};
  if (options.memory_bytes > 0) result.memory_bytes = options.memory_bytes;
  return result;
}

/// Sets `*accel` to build(host, device), while no other call uses the two contexts.
template <class Build>
copse_status build_with_two(const char* function, copse_context* host, copse_context* device, copse_accel** accel,
                            const Build& build) {
  if (accel != nullptr) *accel = nullptr;
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
      *accel = new copse_accel{host->own(build(c, device->context))};
    });
  } catch (...) {
    return fail_with_exception(host, function);
  }
}

const TriangleRecords& records_of(const copse_mapped_mesh* mesh) {
  if (mesh == nullptr) refuse("the mesh is null");
  return mesh->mesh.records();
}

}  // namespace

copse_status copse_accel_build_in_slices(copse_context* host, copse_context* device,
                                         const copse_geometry* geometries, uint64_t geometry_count,
                                         const copse_sliced_build_options* options, copse_accel** accel) {
  return build_with_two("copse_accel_build_in_slices", host, device, accel, [&](Context& c, Context& builder) {
    const Triangles triangles(c, geometries, geometry_count);
    builder.device().make_current();
    const Bvh bvh = build_in_slices(c, builder, triangles.views(), sliced_options_of(options));
    return accel_of(c, bvh, triangles.views());
  });
}

copse_status copse_mapped_mesh_build_in_slices(copse_context* host, copse_context* device,
                                               const copse_mapped_mesh* mesh,
                                               const copse_sliced_build_options* options, copse_accel** accel) {
  return build_with_two("copse_mapped_mesh_build_in_slices", host, device, accel,
                        [&](Context& c, Context& builder) {
                          builder.device().make_current();
                          const TriangleRecords& records = records_of(mesh);
                          const Bvh bvh = build_in_slices(c, builder, records, sliced_options_of(options));
                          return accel_of(c, bvh, records);
                        });
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

copse_status copse_mapped_mesh_open(const char* path, copse_mapped_mesh** mesh) {
  return run("copse_mapped_mesh_open", [&] {
    require(mesh, "the handle of the mesh");
    *mesh = nullptr;
    require(path, "the path");
    *mesh = new copse_mapped_mesh{MappedMesh(path)};
  });
}

void copse_mapped_mesh_destroy(copse_mapped_mesh* mesh) {
  delete mesh;
}

copse_status copse_mapped_mesh_records(const copse_mapped_mesh* mesh, copse_triangle_records* records) {
  return run("copse_mapped_mesh_records", [&] {
    const TriangleRecords& of_mesh = records_of(mesh);
    copse_triangle_records result = COPSE_TRIANGLE_RECORDS_INIT;
    result.positions = of_mesh.positions;
    result.vertex_count = of_mesh.vertex_count;
    result.position_stride = of_mesh.position_stride;
    result.triangles = of_mesh.triangles;
    result.triangle_count = of_mesh.triangle_count;
    result.triangle_stride = of_mesh.triangle_stride;
    write_struct("copse_triangle_records", result, records);
  });
}

copse_status copse_mapped_mesh_save(copse_context* context, const copse_mapped_mesh* mesh,
                                    const copse_accel* accel, const char* path) {
  return run("copse_mapped_mesh_save", context, [&](Context& c) {
    const Accel& object = object_of(context, accel, "accel");
    require(path, "the path");
    save_accel(path, c, records_of(mesh), object, {}, CancelFlag{context->is_cancelled});
  });
}
