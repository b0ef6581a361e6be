// The acceleration structure of triangles.

#include "capi/accel.h"

#include <algorithm>

#include "accel/accel_file.h"
#include "builders/bvh/stats.h"
#include "capi/accel.h"
#include "capi/bridge/stats.h"
#include "capi/bridge/triangles.h"

using namespace copse;
using namespace copse::capi;

copse_status copse_accel_build(copse_context* context, const copse_geometry* geometries, uint64_t geometry_count,
                               const copse_build_options* options, copse_accel** accel) {
  if (accel != nullptr) *accel = nullptr;
  return run("copse_accel_build", context, [&](Context& c) {
    require(accel, "the handle of the accel");
    const AccelOptions all = accel_options_of(options);
    const Triangles triangles(c, geometries, geometry_count);
    *accel = new copse_accel{context->own(build(c, triangles.views(), all))};
  });
}

copse_status copse_accel_rebuild(copse_context* context, copse_accel* accel, const copse_geometry* geometries,
                                 uint64_t geometry_count) {
  return run("copse_accel_rebuild", context, [&](Context& c) {
    Accel& object = object_of(context, accel, "accel");
    const Triangles triangles(c, geometries, geometry_count);
    rebuild(c, object, triangles.views());
  });
}

copse_status copse_accel_refit(copse_context* context, copse_accel* accel, const copse_geometry* geometries,
                               uint64_t geometry_count) {
  return run("copse_accel_refit", context, [&](Context& c) {
    Accel& object = object_of(context, accel, "accel");
    const Triangles triangles(c, geometries, geometry_count);
    refit(c, object, triangles.views());
  });
}

copse_status copse_accel_compact(copse_context* context, copse_accel* accel) {
  return run("copse_accel_compact", context, [&](Context& c) {
    Accel& object = object_of(context, accel, "accel");
    if (accel->owned.use_count() > 1) refuse("a scene refers to the accel; compact it before you build the scene");
    compact(c, object);
  });
}

void copse_accel_destroy(copse_accel* accel) {
  delete accel;
}

uint64_t copse_accel_triangle_count(const copse_accel* accel) {
  return accel == nullptr ? 0 : accel->owned->object.triangle_count();
}

uint64_t copse_accel_capacity(const copse_accel* accel) {
  return accel == nullptr ? 0 : accel->owned->object.capacity();
}

uint64_t copse_accel_size_bytes(const copse_accel* accel) {
  return accel == nullptr ? 0 : accel->owned->object.size_bytes();
}

copse_status copse_accel_build_sizes(copse_context* context, uint64_t triangle_count, uint64_t geometry_count,
                                     const copse_build_options* options, copse_build_sizes* sizes) {
  return run("copse_accel_build_sizes", context, [&](Context& c) {
    const AccelOptions all = accel_options_of(options);
    const BuildSizes bytes = build_sizes(c, std::max(triangle_count, all.capacity), all, geometry_count);
    copse_build_sizes result = COPSE_BUILD_SIZES_INIT;
    result.result_bytes = bytes.result_bytes;
    result.scratch_bytes = bytes.scratch_bytes;
    write_struct("copse_build_sizes", result, sizes);
  });
}

copse_status copse_accel_stats(copse_context* context, const copse_accel* accel, copse_stats* result) {
  return run("copse_accel_stats", context, [&](Context& c) {
    const Accel& object = object_of(context, accel, "accel");
    require(result, "copse_stats");
    store_stats(stats(c, object.tree()), object.triangle_count(), object.size_bytes(), result);
  });
}

copse_status copse_accel_save(copse_context* context, const copse_accel* accel, const char* path,
                              const copse_geometry* geometries, uint64_t geometry_count) {
  return run("copse_accel_save", context, [&](Context& c) {
    const Accel& object = object_of(context, accel, "accel");
    require(path, "the path");
    const JoinedMesh joined = join(c, geometries, geometry_count);
    save_accel(path, c, joined.mesh, object, joined.parts, CancelFlag{context->is_cancelled});
  });
}

copse_status copse_accel_load(copse_context* context, const char* path, copse_accel** accel, copse_mesh** mesh) {
  if (accel != nullptr) *accel = nullptr;
  if (mesh != nullptr) *mesh = nullptr;
  return run("copse_accel_load", context, [&](Context& c) {
    require(accel, "the handle of the accel");
    require(path, "the path");
    AccelFile file = load_accel(path, c, CancelFlag{context->is_cancelled});
    auto loaded = std::make_unique<copse_accel>(copse_accel{context->own(std::move(file.accel))});
    if (mesh != nullptr) *mesh = new copse_mesh{std::move(file.mesh), std::move(file.parts), ""};
    *accel = loaded.release();
  });
}

copse_status copse_accel_map(copse_context* context, const char* path, copse_file_check check, copse_accel** accel,
                             copse_mesh** mesh) {
  if (accel != nullptr) *accel = nullptr;
  if (mesh != nullptr) *mesh = nullptr;
  return run("copse_accel_map", context, [&](Context& c) {
    require(accel, "the handle of the accel");
    require(path, "the path");
    if (check < COPSE_FILE_CHECK_EVERYTHING || check > COPSE_FILE_CHECK_SIZES) {
      refuse("the check is " + std::to_string(check) + "; it can be 0 to 2");
    }
    if (c.backend() != Backend::cpu) {
      refuse(std::string("a file can be mapped for the CPU, but the context is of the backend ") +
             name_of(c.backend()) + "; load it");
    }
    MappedAccel file = map_accel(path, FileCheck(check), CancelFlag{context->is_cancelled});
    auto mapped = std::make_unique<copse_accel>(copse_accel{context->own(std::move(file.accel))});
    if (mesh != nullptr)
      *mesh = new copse_mesh{{}, std::move(file.parts), "", mapped->owned, file.positions, file.triangles};
    *accel = mapped.release();
  });
}
