// Several GPUs, and structures that each of them has.

#include "capi/devices.h"

#include "capi/bridge/stats.h"
#include "capi/bridge/trace.h"
#include "capi/bridge/triangles.h"
#include "scale/replicated_queries.h"
#include "scale/replicated_rays.h"

using namespace copse;
using namespace copse::capi;

/// Structures keep their devices, so these are shared.
struct copse_devices {
  struct Group {
    std::recursive_mutex lock;  // of the call that uses them
    Devices devices;

    explicit Group(const DevicesOptions& options) : devices(options) {}
  };

  std::shared_ptr<Group> group;
};

struct copse_replicated {
  std::shared_ptr<copse_devices::Group> group;  // outlives the accel
  ReplicatedAccel accel;

  ~copse_replicated() {
    const std::lock_guard<std::recursive_mutex> guard(group->lock);
    accel = {};
  }
};

namespace {

/// Runs `work(devices)` while no other call uses them, on the first one.
template <class Work>
copse_status run_on_devices(const char* function, const std::shared_ptr<copse_devices::Group>& group,
                            const Work& work) {
  return run(function, [&] {
    const std::lock_guard<std::recursive_mutex> guard(group->lock);
    group->devices.first().device().make_current();
    work(group->devices);
  });
}

/// Runs `work(devices, accel)` in the same way.
template <class Handle, class Work>
copse_status run_on_replicas(const char* function, Handle* replicated, const Work& work) {
  if (replicated == nullptr) return fail(nullptr, COPSE_INVALID_ARGUMENT, function, "the structure is null");
  return run_on_devices(function, replicated->group, [&](Devices& devices) { work(devices, replicated->accel); });
}

/// Calls trace(devices, accel, rays, results, options), where `rays` are records if they can be.
template <class Result, class Trace>
copse_status trace_on_devices(const char* function, const copse_replicated* replicated, const copse_rays* rays,
                              void* results, copse_memory memory, const copse_trace_options* options,
                              const char* what, const Trace& trace) {
  return run_on_replicas(function, replicated, [&](Devices& devices, const ReplicatedAccel& accel) {
    trace_batch<Result, TraceOptions>(devices.first(), rays, results, memory, options, what,
                                      [&](const auto& all, auto found, const TraceOptions& of_batch) {
                                        trace(devices, accel, all, found, of_batch);
                                      });
  });
}

/// Calls ask(devices, accel, points, answers) with `each` answers per point.
template <class Answer, class Ask>
copse_status ask_on_devices(const char* function, const copse_replicated* replicated, const float* points,
                            u64 point_count, copse_memory points_memory, u64 each, void* answers,
                            copse_memory answers_memory, const Ask& ask) {
  return run_on_replicas(function, replicated, [&](Devices& devices, const ReplicatedAccel& accel) {
    if (each == 0) refuse("k is 0; it can be 1 to 2147483648");
    check_product("answers", point_count, each);
    Context& first = devices.first();
    const Input<vec3> from(first, "points", points, point_count, points_memory);
    const Output<Answer> found(first, "answers", answers, point_count * each, answers_memory);
    ask(devices, accel, from.span(), found.span());
    found.store(first);
  });
}

/// Calls change(context, accel, triangles) for the accel of the first device, and copies it to the others.
template <class Change>
copse_status change_on_devices(const char* function, copse_replicated* replicated,
                               const copse_geometry* geometries, u64 geometry_count, const Change& change) {
  return run_on_replicas(function, replicated, [&](Devices& devices, ReplicatedAccel& accel) {
    Context& first = devices.first();
    const Triangles triangles(first, geometries, geometry_count);
    change(first, accel.first(), triangles.views());
    update(devices, accel);
  });
}

}  // namespace

uint32_t copse_gpu_count() {
  return gpu_count();
}

copse_status copse_devices_create(const copse_devices_options* options, copse_devices** devices) {
  if (devices != nullptr) *devices = nullptr;
  return run("copse_devices_create", [&] {
    require(devices, "the handle of the devices");
    const copse_devices_options defaults = COPSE_DEVICES_OPTIONS_INIT;
    const copse_devices_options given = read_struct("copse_devices_options", options, defaults);
    if (given.backend < COPSE_BACKEND_AUTOMATIC || given.backend > COPSE_BACKEND_CUDA) {
      refuse("backend is " + std::to_string(given.backend) + "; it can be 0 to 2");
    }
    const DevicesOptions all{.backend = Backend(given.backend),
                             .count = given.count,
                             .workers = given.workers,
                             .peer_access = given.without_peer_access == 0};
    *devices = new copse_devices{std::make_shared<copse_devices::Group>(all)};
  });
}

void copse_devices_destroy(copse_devices* devices) {
  delete devices;
}

uint32_t copse_devices_count(const copse_devices* devices) {
  return devices == nullptr ? 0 : devices->group->devices.count();
}

copse_backend copse_devices_backend(const copse_devices* devices) {
  return devices == nullptr ? COPSE_BACKEND_AUTOMATIC : copse_backend(devices->group->devices.first().backend());
}

copse_status copse_devices_wait(copse_devices* devices) {
  if (devices == nullptr) {
    return fail(nullptr, COPSE_INVALID_ARGUMENT, "copse_devices_wait", "the devices are null");
  }
  return run_on_devices("copse_devices_wait", devices->group, [](Devices& all) { all.wait(); });
}

copse_status copse_replicated_build(copse_devices* devices, const copse_geometry* geometries,
                                    uint64_t geometry_count, const copse_build_options* options,
                                    copse_replicated** replicated) {
  if (replicated != nullptr) *replicated = nullptr;
  if (devices == nullptr) {
    return fail(nullptr, COPSE_INVALID_ARGUMENT, "copse_replicated_build", "the devices are null");
  }
  return run_on_devices("copse_replicated_build", devices->group, [&](Devices& all) {
    require(replicated, "the handle of the structure");
    const AccelOptions of_build = accel_options_of(options);
    const Triangles triangles(all.first(), geometries, geometry_count);
    *replicated =
        new copse_replicated{devices->group, replicate(all, build(all.first(), triangles.views(), of_build))};
  });
}

copse_status copse_replicated_rebuild(copse_replicated* replicated, const copse_geometry* geometries,
                                      uint64_t geometry_count) {
  return change_on_devices("copse_replicated_rebuild", replicated, geometries, geometry_count,
                           [](Context& first, Accel& accel, const std::vector<TriangleView>& triangles) {
                             rebuild(first, accel, triangles);
                           });
}

copse_status copse_replicated_refit(copse_replicated* replicated, const copse_geometry* geometries,
                                    uint64_t geometry_count) {
  return change_on_devices("copse_replicated_refit", replicated, geometries, geometry_count,
                           [](Context& first, Accel& accel, const std::vector<TriangleView>& triangles) {
                             refit(first, accel, triangles);
                           });
}

void copse_replicated_destroy(copse_replicated* replicated) {
  delete replicated;
}

uint64_t copse_replicated_triangle_count(const copse_replicated* replicated) {
  return replicated == nullptr ? 0 : replicated->accel.on(0).triangle_count();
}

uint64_t copse_replicated_size_bytes(const copse_replicated* replicated) {
  return replicated == nullptr ? 0 : replicated->accel.size_bytes();
}

copse_status copse_replicated_closest_hits(const copse_replicated* replicated, const copse_rays* rays,
                                           copse_hit* hits, copse_memory hits_memory,
                                           const copse_trace_options* options) {
  return trace_on_devices<Hit>(
      "copse_replicated_closest_hits", replicated, rays, hits, hits_memory, options, "hits",
      [](Devices& devices, const ReplicatedAccel& accel, const auto& all, BufferSpan<Hit> found,
         const TraceOptions& of_batch) { closest_hits(devices, accel, all, found, of_batch); });
}

copse_status copse_replicated_any_hits(const copse_replicated* replicated, const copse_rays* rays,
                                       uint8_t* occluded, copse_memory occluded_memory,
                                       const copse_trace_options* options) {
  return trace_on_devices<u8>(
      "copse_replicated_any_hits", replicated, rays, occluded, occluded_memory, options, "results",
      [](Devices& devices, const ReplicatedAccel& accel, const auto& all, BufferSpan<u8> found,
         const TraceOptions& of_batch) { any_hits(devices, accel, all, found, of_batch); });
}

copse_status copse_replicated_nearest_points(const copse_replicated* replicated, const float* points,
                                             uint64_t point_count, copse_memory points_memory, float max_distance,
                                             copse_nearest* nearest, copse_memory nearest_memory) {
  return ask_on_devices<NearestPoint>(
      "copse_replicated_nearest_points", replicated, points, point_count, points_memory, 1, nearest,
      nearest_memory,
      [&](Devices& devices, const ReplicatedAccel& accel, BufferSpan<const vec3> from,
          BufferSpan<NearestPoint> found) { nearest_points(devices, accel, from, found, max_distance); });
}

copse_status copse_replicated_k_nearest(const copse_replicated* replicated, const float* points,
                                        uint64_t point_count, copse_memory points_memory, uint32_t k,
                                        float max_distance, copse_neighbour* neighbours,
                                        copse_memory neighbours_memory) {
  return ask_on_devices<Neighbour>(
      "copse_replicated_k_nearest", replicated, points, point_count, points_memory, k, neighbours,
      neighbours_memory,
      [&](Devices& devices, const ReplicatedAccel& accel, BufferSpan<const vec3> from,
          BufferSpan<Neighbour> found) { nearest_primitives(devices, accel, from, found, max_distance); });
}

copse_status copse_replicated_points_inside(const copse_replicated* replicated, const float* points,
                                            uint64_t point_count, copse_memory points_memory, uint8_t* inside,
                                            copse_memory inside_memory) {
  return ask_on_devices<u8>("copse_replicated_points_inside", replicated, points, point_count, points_memory, 1,
                            inside, inside_memory,
                            [](Devices& devices, const ReplicatedAccel& accel, BufferSpan<const vec3> from,
                               BufferSpan<u8> found) { points_inside(devices, accel, from, found); });
}
