#pragma once

// The C interface: several GPUs of one machine, which share rays and questions.

#include "accel.h"
#include "queries.h"
#include "rays.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Returns how many GPUs answer; 0 also in a library without the CUDA backend.
COPSE_C_API uint32_t copse_gpu_count(void);

/// Options of copse_devices_create().
typedef struct copse_devices_options {
  size_t struct_size;

  /// automatic, the default: GPUs if one answers, else the CPU. cuda: COPSE_NO_DEVICE if none answers.
  copse_backend backend;

  /// The number of devices. 0, the default: all GPUs; on the CPU one. On the CPU, 1 to 64 share its cores. They do not
  /// make it faster: they show on any machine what a program does on several devices.
  uint32_t count;

  /// The number of CPU threads of each device, as copse_context_options.workers.
  uint32_t workers;

  /// Not 0: what another device needs is copied, even where it could read the memory of the first one. Answers are the
  /// same. Default: 0.
  int32_t without_peer_access;
} copse_devices_options;

#define COPSE_DEVICES_OPTIONS_INIT \
  { sizeof(copse_devices_options), COPSE_BACKEND_AUTOMATIC, 0, 0, 0 }

/// Several devices, each with a context and a thread of its own. COPSE_MEMORY_CONTEXT is the memory of the first one.
/// Their work is in order among itself. Wait for other streams before a call uses what they write.
typedef struct copse_devices copse_devices;

/// Makes devices.
///   options: may be NULL
///   devices: is set to the new devices, or to NULL after an error
/// Errors: COPSE_NO_DEVICE, COPSE_OUT_OF_MEMORY; COPSE_INVALID_ARGUMENT for more devices than there are. Their message
/// is copse_last_error(NULL), here and for all functions below.
COPSE_C_API copse_status copse_devices_create(const copse_devices_options* options, copse_devices** devices);

/// Destroys devices. Structures on them keep them until they are destroyed too.
COPSE_C_API void copse_devices_destroy(copse_devices* devices);

/// Returns how many devices there are.
COPSE_C_API uint32_t copse_devices_count(const copse_devices* devices);

/// Returns the backend in use, which is never COPSE_BACKEND_AUTOMATIC, unless `devices` is NULL.
COPSE_C_API copse_backend copse_devices_backend(const copse_devices* devices);

/// Waits for all work of all devices.
/// Errors: COPSE_DEVICE_FAILURE for an error of such work.
COPSE_C_API copse_status copse_devices_wait(copse_devices* devices);

/// The same acceleration structure on each of several devices. Answers equal those of one device, bit for bit.
typedef struct copse_replicated copse_replicated;

/// Builds an acceleration structure on the first device, as copse_accel_build(), and copies it to the others.
///   geometries: on the host, or in the memory of the first device
///   options:    may be NULL
///   replicated: is set to the new structure, or to NULL after an error
COPSE_C_API copse_status copse_replicated_build(copse_devices* devices, const copse_geometry* geometries,
                                                uint64_t geometry_count, const copse_build_options* options,
                                                copse_replicated** replicated);

/// Builds a new tree in the same memory, as copse_accel_rebuild(), and copies it to the others.
COPSE_C_API copse_status copse_replicated_rebuild(copse_replicated* replicated, const copse_geometry* geometries,
                                                  uint64_t geometry_count);

/// Fits the tree to triangles that have moved, as copse_accel_refit(), on all devices.
COPSE_C_API copse_status copse_replicated_refit(copse_replicated* replicated, const copse_geometry* geometries,
                                                uint64_t geometry_count);

COPSE_C_API void copse_replicated_destroy(copse_replicated* replicated);

/// Returns the number of triangles of the last build.
COPSE_C_API uint64_t copse_replicated_triangle_count(const copse_replicated* replicated);

/// Returns the bytes of memory on all devices together.
COPSE_C_API uint64_t copse_replicated_size_bytes(const copse_replicated* replicated);

/// Writes the closest hit of every ray, as copse_closest_hits(). The devices share the rays: at least 524,288 for each
/// GPU. Rays that are no records of copse_ray are gathered on the first device.
COPSE_C_API copse_status copse_replicated_closest_hits(const copse_replicated* replicated, const copse_rays* rays,
                                                       copse_hit* hits, copse_memory hits_memory,
                                                       const copse_trace_options* options);

/// Sets occluded[i] to 1 if ray i hits anything, else to 0, as copse_any_hits().
COPSE_C_API copse_status copse_replicated_any_hits(const copse_replicated* replicated, const copse_rays* rays,
                                                   uint8_t* occluded, copse_memory occluded_memory,
                                                   const copse_trace_options* options);

/// Stores the nearest point of each point, as copse_nearest_points(). The devices share the points: at least 32,768 for
/// each GPU.
COPSE_C_API copse_status copse_replicated_nearest_points(const copse_replicated* replicated, const float* points,
                                                         uint64_t point_count, copse_memory points_memory,
                                                         float max_distance, copse_nearest* nearest,
                                                         copse_memory nearest_memory);

/// Stores the k triangles nearest to each point, as copse_k_nearest().
COPSE_C_API copse_status copse_replicated_k_nearest(const copse_replicated* replicated, const float* points,
                                                    uint64_t point_count, copse_memory points_memory, uint32_t k,
                                                    float max_distance, copse_neighbour* neighbours,
                                                    copse_memory neighbours_memory);

/// Stores in inside[i] 1 if point i is inside the closed mesh, else 0, as copse_points_inside().
COPSE_C_API copse_status copse_replicated_points_inside(const copse_replicated* replicated, const float* points,
                                                        uint64_t point_count, copse_memory points_memory,
                                                        uint8_t* inside, copse_memory inside_memory);

#ifdef __cplusplus
}
#endif
