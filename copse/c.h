#pragma once

// The C interface of Copse, in C99: trees for ray tracing on CUDA and on the CPU, equal bit for bit. It is the whole
// header of the shared library libcopse_c, for C and for languages that call C. docs/guide/c-api.md has a complete
// program.
//
//   copse_context* context;
//   copse_context_create(NULL, &context);                          // the GPU if one answers, else all CPU threads
//   copse_geometry geometry = COPSE_GEOMETRY_INIT;
//   geometry.positions = positions, geometry.position_count = 4;   // in host memory, or in that of the context
//   geometry.indices = indices, geometry.triangle_count = 2;
//   copse_accel* accel;
//   copse_accel_build(context, &geometry, 1, NULL, &accel);
//   copse_rays rays = copse_rays_of(records, ray_count, COPSE_MEMORY_HOST);
//   copse_closest_hits(context, accel, &rays, hits, COPSE_MEMORY_HOST, NULL);
//
// Rules for all functions:
//
// - Every function that can fail returns a copse_status. COPSE_OK is 0. copse_last_error() has the message, which
//   names the function, the value and the limit. After an error, results have no meaning, and handles that the call
//   would have made are NULL.
// - Handles are opaque. Each has a function that destroys it and takes NULL too. They may be destroyed in any order.
// - A null handle, or a null array that has elements, is refused. The functions that return no status give 0, or an
//   empty text, for a null handle.
// - Every array says where it lives. COPSE_MEMORY_HOST: memory that the host reads. It may be changed or freed after
//   the call; if results go there, the call waits for them. COPSE_MEMORY_CONTEXT: memory that the device of the
//   context reads. It is used as it is, and the call does not wait. On the CPU the two are the same.
// - Numbers are 32-bit floats and little-endian unsigned integers. An array starts at a multiple of 4 bytes, and
//   one of 64-bit numbers at a multiple of 8.
// - Every struct of options begins with struct_size. Its ..._INIT macro sets this size and the defaults. A pointer
//   to options may be NULL, for the defaults. A library that is newer than the program gives the members that the
//   program does not know their defaults. A library that is older refuses a member that it does not know, unless it
//   is 0, which is the default of every member that will be added.
// - Any thread may call. Calls with the same context run one after another.
// - Work that was put on the stream and failed is reported by a later call, or by copse_context_wait().

#include "capi/accel.h"
#include "capi/advisor.h"
#include "capi/base.h"
#include "capi/devices.h"
#include "capi/geometry.h"
#include "capi/motion.h"
#include "capi/motion_scene.h"
#include "capi/nested.h"
#include "capi/picture.h"
#include "capi/points.h"
#include "capi/queries.h"
#include "capi/rays.h"
#include "capi/scene.h"
#include "capi/scene_file.h"
#include "capi/scene_picture.h"
#include "capi/scene_queries.h"
#include "capi/slices.h"
#include "capi/tree.h"
#include "capi/voxels.h"
#include "capi/worlds.h"
