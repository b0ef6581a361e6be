#pragma once

// The C interface: a look into trees. The nodes of a tree, the path of a ray through them, and how much each ray of a batch
// visits; trees by a builder and in a layout of your choice.

#include "accel.h"
#include "rays.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a tree is built. docs/guide/choosing.md has the figures.
typedef int32_t copse_builder;
enum {
  COPSE_BUILDER_LBVH = 0,   // along the Morton curve: the fastest build
  COPSE_BUILDER_HPLOC = 1,  // merges neighbours along the curve
  COPSE_BUILDER_SAH = 2     // from the root down, by the surface area heuristic
};

/// How the nodes of a tree are stored.
typedef int32_t copse_layout;
enum {
  COPSE_LAYOUT_BVH2 = 0,   // two children per node
  COPSE_LAYOUT_BVH4 = 1,   // four
  COPSE_LAYOUT_CBVH4 = 2,  // four, with boxes of 6 bytes, rounded outwards; the layout of a copse_accel
  COPSE_LAYOUT_CBVH8 = 3   // eight, with such boxes
};

/// Options of copse_tree_build().
typedef struct copse_tree_options {
  size_t struct_size;

  /// Default: COPSE_BUILDER_HPLOC.
  copse_builder builder;

  /// Default: COPSE_LAYOUT_CBVH4.
  copse_layout layout;

  /// Passes that move large subtrees to better places, 0 to 16. Default: 0.
  uint32_t reinsertion;
} copse_tree_options;

#define COPSE_TREE_OPTIONS_INIT \
  { sizeof(copse_tree_options), COPSE_BUILDER_HPLOC, COPSE_LAYOUT_CBVH4, 0 }

/// A tree over triangles, to study it or to compare it with others. For rays alone a copse_accel is faster to build and has
/// more calls. The tree is equal on all backends bit for bit.
typedef struct copse_tree copse_tree;

/// Builds a tree over geometries. Only this call reads their arrays. It does not wait for the device.
///   geometries: `geometry_count` of them, as for copse_accel_build()
///   options:    may be NULL
///   tree:       is set to the new tree, or to NULL after an error
/// Errors: as copse_accel_build(); COPSE_INVALID_ARGUMENT also for a builder, a layout or a number of passes that is none.
COPSE_C_API copse_status copse_tree_build(copse_context* context, const copse_geometry* geometries,
                                          uint64_t geometry_count, const copse_tree_options* options,
                                          copse_tree** tree);

/// Makes the tree of an accel, which is not copied. After a refit, a rebuild or copse_accel_compact(), make another one: the
/// nodes and walks of this one stay as they were when they were first asked for. The memory of the accel is freed with the
/// last of its trees.
///   tree: is set to the new tree, or to NULL after an error
/// Errors: COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY.
COPSE_C_API copse_status copse_tree_of_accel(copse_context* context, const copse_accel* accel, copse_tree** tree);

/// Destroys a tree, and the arrays that copse_tree_nodes() and copse_tree_triangles() gave.
COPSE_C_API void copse_tree_destroy(copse_tree* tree);

/// Measures a tree. In node_count, the leaves of COPSE_LAYOUT_BVH2 are nodes, those of other layouts are not. Waits for the
/// device.
///   stats: its struct_size must be set, as COPSE_STATS_INIT does
/// Errors: COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY.
COPSE_C_API copse_status copse_tree_stats(copse_context* context, const copse_tree* tree, copse_stats* stats);

/// Stores a checksum of the nodes and of the order of triangles. The same triangles and options give the same checksum on
/// every backend and machine, and `copse build` prints it. An accel that was compacted has another one than before. Waits for
/// the device.
/// Errors: COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY.
COPSE_C_API copse_status copse_tree_checksum(copse_context* context, const copse_tree* tree, uint64_t* checksum);

// ---- Nodes ----------------------------------------------------------------------------------------------

/// A node: an inner node, or a leaf. 48 bytes.
typedef struct copse_tree_node {
  float lower[3];           // the lower corner of its box, as stored in the tree
  float upper[3];           // the upper corner
  uint32_t parent;          // COPSE_NO_ID at the root
  uint32_t depth;           // 0 at the root
  uint32_t first_child;     // its children are the nodes from here on
  uint32_t child_count;     // 0 for a leaf
  uint32_t first_triangle;  // a leaf has the triangles from here on, in the order of copse_tree_triangles()
  uint32_t triangle_count;  // 0 for an inner node
} copse_tree_node;

/// A triangle in a leaf, named as hits name it. 8 bytes.
typedef struct copse_tree_triangle {
  uint32_t primitive;  // number of the triangle in its geometry
  uint32_t geometry;   // copse_geometry.id
} copse_tree_triangle;

/// Gives the nodes of a tree, on the host: the root first, then level by level from left to right. Waits for the device at the
/// first call for a tree.
///   nodes:      is set to an array that lives as long as the tree; to NULL if no triangle is in the tree
///   node_count: is set to their number
/// Errors: COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY.
COPSE_C_API copse_status copse_tree_nodes(copse_context* context, const copse_tree* tree,
                                          const copse_tree_node** nodes, uint64_t* node_count);

/// Gives the triangles of all leaves, on the host, those of a leaf together. With copse_build_options.splits a triangle may be
/// there several times. All else is as for copse_tree_nodes().
COPSE_C_API copse_status copse_tree_triangles(copse_context* context, const copse_tree* tree,
                                              const copse_tree_triangle** triangles, uint64_t* triangle_count);

// ---- Rays -----------------------------------------------------------------------------------------------

/// The path of a ray to its closest hit. The library fills it; set struct_size before.
typedef struct copse_walk {
  size_t struct_size;
  copse_hit hit;            // as copse_closest_hits() writes it
  uint32_t leaf;            // the node that has the triangle of the hit; COPSE_NO_ID on a miss
  uint32_t triangle_tests;  // how many triangles the ray was tested against
  uint64_t node_count;      // how many nodes it visited
} copse_walk;

#define COPSE_WALK_INIT \
  { sizeof(copse_walk), {0, 0, 0, 0, 0}, 0, 0, 0 }

/// Stores the path of a ray to its closest hit: which nodes it visits, in order, leaves too. Masks of geometries have no
/// effect. It runs on the host. Waits for the device at the first call for a tree.
///   ray:   on the host
///   walk:  its struct_size must be set, as COPSE_WALK_INIT does
///   nodes: room for `room` numbers of copse_tree_nodes(). If the ray visits more, the first of them are stored. May be NULL if
///          `room` is 0
/// Errors: COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY.
COPSE_C_API copse_status copse_tree_walk(copse_context* context, const copse_tree* tree, const copse_ray* ray,
                                         copse_walk* walk, uint32_t* nodes, uint64_t room);

/// Writes the closest hit of every ray. The arguments, the hits and the errors are those of copse_closest_hits(). Rays that
/// are no records are all gathered first.
COPSE_C_API copse_status copse_tree_closest_hits(copse_context* context, const copse_tree* tree,
                                                 const copse_rays* rays, copse_hit* hits, copse_memory hits_memory,
                                                 const copse_trace_options* options);

/// Sets occluded[i] to 1 if ray i hits anything, else to 0. The arguments and the errors are those of copse_any_hits().
COPSE_C_API copse_status copse_tree_any_hits(copse_context* context, const copse_tree* tree,
                                             const copse_rays* rays, uint8_t* occluded,
                                             copse_memory occluded_memory, const copse_trace_options* options);

/// What a ray visits on the way to its closest hit. 8 bytes.
typedef struct copse_visits {
  uint32_t nodes;      // the leaves of COPSE_LAYOUT_BVH2 are nodes, those of other layouts are not
  uint32_t triangles;  // that the ray is tested against
} copse_visits;

/// Writes how much every ray visits that is traced alone, which tells where a tree is expensive. Masks of geometries have no effect. Backends
/// differ by a few visits. It waits if the visits go to the host.
///   visits: one per ray; must not overlap the rays
/// Errors: as copse_closest_hits().
COPSE_C_API copse_status copse_tree_visits(copse_context* context, const copse_tree* tree, const copse_rays* rays,
                                           copse_visits* visits, copse_memory visits_memory);

#ifdef __cplusplus
}
#endif
