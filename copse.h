#pragma once

// Copse: acceleration structures for ray tracing, on CUDA and on the CPU, equal bit for bit.
//
//   copse::Context context;                                   // the GPU if one answers, else all CPU threads
//   copse::Mesh mesh = copse::load_mesh("testball.ply");      // on the host
//   copse::Buffer<glm::vec3> positions(context, mesh.positions);
//   copse::Buffer<glm::uvec3> indices(context, mesh.triangles);
//   copse::TriangleView triangles{.positions = positions.span(), .triangles = indices.span()};
//
//   copse::Accel accel = copse::build(context, triangles);    // or {.quality = copse::Quality::fast}, or best
//   copse::closest_hits(context, accel, rays.span(), hits.span());
//
//   copse::refit(context, accel, moved_triangles);            // same tree, new boxes
//   copse::rebuild(context, accel, moved_triangles);          // same memory, new tree
//
// A Context is a device, a stream and its memory; a Buffer owns device memory, a BufferSpan views it. Calls
// put work on the stream and return; what waits says so. Errors are copse::Error with a code and a message
// that names the value and the limit. In your own kernels, include accel/accel_view.h and call closest_hit
// on accel.view().
//
// A mesh that stands in many places: make a Scene of instances of its Accel (scene/scene.h).
//
//   copse::Scene scene = copse::build(context, accel, instances);
//
// Instances may also place scenes, up to seven levels: build_nested (scene/nested_scene.h).
//
// Triangles that move while a picture is taken: a MotionAccel has them at several keys, and each ray has a time
// (motion/motion_accel.h). Instances that move: a MotionScene (motion/motion_scene.h).
//
// Thousands of small meshes, built together: build_batch (accel/accel_batch.h).
//
// Thousands of small scenes, rebuilt in every step: build_worlds (scene/scene_worlds.h).
//
// Results of 8 bytes in place of 20: give closest_hits a span of ShortHit (trace/short_hit.h). full_hit() makes a
// Hit of one when you need it.
//
// Below Accel stand the parts that it is made of, to choose by hand: builders of binary trees (Bvh), wide trees of
// several layouts (collapse), packed triangles, reinsertion; rays through each of them (trace/trace_rays.h).
//
// The other doors: copse/queries.h for nearest points, neighbours and overlaps, copse/grids.h for grids and
// voxels, copse/primitives.h for scans, sorts and tables.

#include "accel/accel.h"
#include "accel/accel_batch.h"
#include "accel/accel_file.h"
#include "accel/accel_hits.h"
#include "accel/accel_motion.h"
#include "accel/accel_rays.h"
#include "accel/accel_render.h"
#include "builders/bvh/build.h"
#include "builders/bvh/bvh.h"
#include "builders/bvh/collapse.h"
#include "builders/bvh/end_point_overlap.h"
#include "builders/bvh/hploc.h"
#include "builders/bvh/lbvh.h"
#include "builders/bvh/pack_triangles.h"
#include "builders/bvh/ray_trees.h"
#include "builders/bvh/rebuild_advisor.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/reinsert.h"
#include "builders/bvh/sah.h"
#include "builders/bvh/stats.h"
#include "builders/bvh/top.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/generate.h"
#include "builders/geometry/mesh.h"
#include "builders/geometry/primitive_set.h"
#include "builders/geometry/scene_bounds.h"
#include "builders/io/image_file.h"
#include "builders/io/mapped_mesh.h"
#include "builders/io/mesh_file.h"
#include "builders/io/structure_file.h"
#include "motion/motion_accel.h"
#include "motion/motion_rays.h"
#include "motion/motion_scene.h"
#include "motion/motion_scene_rays.h"
#include "primitives/core/buffer.h"
#include "primitives/core/context.h"
#include "primitives/core/error.h"
#include "primitives/core/graph.h"
#include "primitives/core/profile.h"
#include "primitives/core/stopwatch.h"
#include "scene/nested_rays.h"
#include "scene/nested_scene.h"
#include "scene/scene.h"
#include "scene/scene_hits.h"
#include "scene/scene_rays.h"
#include "scene/scene_worlds.h"
#include "trace/camera.h"
#include "trace/count_visits.h"
#include "trace/masked_triangles.h"
#include "trace/ray.h"
#include "trace/shade.h"
#include "trace/trace_rays.h"
#include "trace/trace_trees.h"
#include "trace/tree_copy.h"
