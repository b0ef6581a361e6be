#pragma once

// Copse: acceleration structures for ray tracing, on CUDA and on the CPU, equal bit for bit.
//
//   copse::Context context;                                   // the GPU if one answers, else all CPU threads
//   copse::Mesh mesh = copse::load_mesh("testball.ply");      // on the host
//   copse::Buffer<glm::vec3> positions(context, mesh.positions);
//   copse::Buffer<glm::uvec3> indices(context, mesh.triangles);
//   copse::TriangleView triangles{.positions = positions.span(), .triangles = indices.span()};
//
//   copse::Bvh bvh = copse::build_lbvh(context, triangles, {.max_leaf_size = 4});
//   copse::closest_hits(context, bvh.view(), triangles, rays.span(), hits.span());
//
//   copse::refit(context, bvh, moved_triangles);              // same tree, new boxes
//   copse::rebuild_lbvh(context, bvh, moved_triangles);       // same memory, new tree
//
// A Context is a device, a stream and its memory; a Buffer owns device memory, a BufferSpan views it. Calls
// put work on the stream and return; what waits says so. Errors are copse::Error with a code and a message
// that names the value and the limit. In your own kernels, include trace/traverse.h and call closest_hit
// on bvh.view().

#include "builders/bvh/bvh.h"
#include "builders/bvh/expected_overlap.h"
#include "builders/bvh/hploc.h"
#include "builders/bvh/lbvh.h"
#include "builders/bvh/pack_triangles.h"
#include "builders/bvh/ray_trees.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/reinsert.h"
#include "builders/bvh/sah.h"
#include "builders/bvh/stats.h"
#include "builders/bvh/validate.h"
#include "builders/bvh/widen.h"
#include "builders/geometry/generate.h"
#include "builders/geometry/mesh.h"
#include "builders/geometry/primitive_set.h"
#include "builders/geometry/scene_bounds.h"
#include "builders/grid/bricks.h"
#include "builders/grid/frustum_check.h"
#include "builders/grid/frustum_grid.h"
#include "builders/grid/grid.h"
#include "builders/grid/grid_stats.h"
#include "builders/grid/grid_validate.h"
#include "builders/grid/hash_grid.h"
#include "builders/grid/hash_grid_stats.h"
#include "builders/grid/hash_grid_validate.h"
#include "builders/grid/uniform_grid.h"
#include "builders/grid/voxels.h"
#include "builders/io/image_file.h"
#include "builders/io/mesh_file.h"
#include "builders/io/structure_file.h"
#include "builders/io/voxel_file.h"
#include "primitives/allocate.h"
#include "primitives/bidirectional_table.h"
#include "primitives/compact.h"
#include "primitives/core/buffer.h"
#include "primitives/core/context.h"
#include "primitives/core/error.h"
#include "primitives/core/graph.h"
#include "primitives/core/stopwatch.h"
#include "primitives/count.h"
#include "primitives/double_queue.h"
#include "primitives/enqueue.h"
#include "primitives/free_list.h"
#include "primitives/gather.h"
#include "primitives/hash_bulk.h"
#include "primitives/hash_growing.h"
#include "primitives/hash_table.h"
#include "primitives/histogram.h"
#include "primitives/invert_index.h"
#include "primitives/lease_pool.h"
#include "primitives/list_rank.h"
#include "primitives/merge_sort.h"
#include "primitives/partition.h"
#include "primitives/radix_sort.h"
#include "primitives/reduce.h"
#include "primitives/run_length.h"
#include "primitives/sample_sort.h"
#include "primitives/scan.h"
#include "primitives/segmented_scan.h"
#include "primitives/sort_records.h"
#include "primitives/spin_lock.h"
#include "primitives/split.h"
#include "primitives/summed_area_table.h"
#include "primitives/task_queue.h"
#include "primitives/tree_walk.h"
#include "primitives/unique.h"
#include "trace/camera.h"
#include "trace/frustum_march.h"
#include "trace/frustum_rays.h"
#include "trace/grid_march.h"
#include "trace/grid_rays.h"
#include "trace/masked_triangles.h"
#include "trace/near_points.h"
#include "trace/overlap_queries.h"
#include "trace/point_neighbours.h"
#include "trace/point_queries.h"
#include "trace/ray.h"
#include "trace/self_overlaps.h"
#include "trace/shade.h"
#include "trace/trace_rays.h"
#include "trace/trace_trees.h"
#include "trace/voxel_march.h"
