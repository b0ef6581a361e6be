// Trees by builder and layout, their nodes, walks and visits, and meshes of bytes.
//
//   trees_test cpu|cuda

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

enum { RAY_COUNT = 400, GEOMETRY_COUNT = 2, TRIANGLE_COUNT = SOUP_SIZE + CUBE_SIZE };

static copse_ray rays[RAY_COUNT];
static copse_hit hits[RAY_COUNT], expected[RAY_COUNT];
static copse_visits visits[RAY_COUNT];
static copse_geometry geometries[GEOMETRY_COUNT];

static double area_of(const copse_tree_node* node) {
  double extent[3];
  for (int axis = 0; axis < 3; ++axis) extent[axis] = (double)node->upper[axis] - node->lower[axis];
  return extent[0] * extent[1] + extent[1] * extent[2] + extent[2] * extent[0];
}

/// The box of a leaf holds the corners of a triangle.
static void check_in_box(const copse_tree_node* leaf, const copse_tree_triangle* triangle) {
  const copse_geometry* const geometry = &geometries[triangle->geometry == geometries[1].id];
  CHECK(triangle->geometry == geometry->id && triangle->primitive < geometry->triangle_count);
  const uint32_t* const corners = (const uint32_t*)geometry->indices + 3 * triangle->primitive;
  for (int k = 0; k < 3; ++k) {
    const float* const corner = geometry->positions + 3 * corners[k];
    for (int axis = 0; axis < 3; ++axis)
      CHECK(corner[axis] >= leaf->lower[axis] && corner[axis] <= leaf->upper[axis]);
  }
}

/// Nodes stand level by level, each triangle is in one leaf, and the measures are those of the nodes.
static void check_nodes(copse_context* context, const copse_tree* tree, int has_leaf_nodes) {
  const copse_tree_node* nodes;
  const copse_tree_triangle* triangles;
  uint64_t node_count, triangle_count;
  copse_stats stats = COPSE_STATS_INIT;
  CHECK_OK(copse_tree_nodes(context, tree, &nodes, &node_count));
  CHECK_OK(copse_tree_triangles(context, tree, &triangles, &triangle_count));
  CHECK_OK(copse_tree_stats(context, tree, &stats));
  uint64_t next_child = 1, leaf_count = 0, in_leaves = 0;
  static uint32_t seen[GEOMETRY_COUNT][SOUP_SIZE];
  memset(seen, 0, sizeof(seen));
  double cost = 0;
  CHECK(node_count > 1 && nodes[0].parent == COPSE_NO_ID && nodes[0].depth == 0);
  for (uint64_t i = 0; i < node_count; ++i) {
    const copse_tree_node* const node = &nodes[i];
    const double share = area_of(node) / area_of(nodes);
    CHECK((node->child_count > 0) != (node->triangle_count > 0));
    if (node->child_count > 0) CHECK(node->first_child == next_child);
    for (uint32_t k = 0; k < node->child_count; ++k) {
      CHECK(nodes[next_child + k].parent == i && nodes[next_child + k].depth == node->depth + 1);
    }
    next_child += node->child_count;
    for (uint32_t k = 0; k < node->triangle_count; ++k) {
      const copse_tree_triangle* const triangle = &triangles[node->first_triangle + k];
      check_in_box(node, triangle);
      ++seen[triangle->geometry == geometries[1].id][triangle->primitive];
    }
    leaf_count += node->triangle_count > 0;
    in_leaves += node->triangle_count;
    cost += node->child_count > 0 ? 1.2 * share : share * node->triangle_count;
  }
  CHECK(next_child == node_count && in_leaves == TRIANGLE_COUNT && triangle_count == TRIANGLE_COUNT);
  for (int i = 0; i < SOUP_SIZE; ++i) CHECK(seen[0][i] == 1 && seen[1][i] == (i < CUBE_SIZE));
  CHECK(stats.source_count == TRIANGLE_COUNT && stats.left_out_count == 0 && stats.leaf_count == leaf_count);
  CHECK(stats.node_count == (has_leaf_nodes ? node_count : node_count - leaf_count));
  CHECK(stats.depth == nodes[node_count - 1].depth && fabs(stats.sah_cost - cost) < 1e-4 * cost);
  CHECK(memcmp(stats.lower, nodes[0].lower, sizeof(stats.lower)) == 0);
  CHECK(stats.used_bytes > 32 && stats.size_bytes > 48 * TRIANGLE_COUNT);
}

/// A walk goes from parents to children, tests the triangles of its leaves, and ends at the hit of the batch. On the CPU, the
/// visits of the batch are its steps.
static void check_walks(copse_context* context, const copse_tree* tree, int has_leaf_nodes) {
  const copse_rays all = copse_rays_of(rays, RAY_COUNT, COPSE_MEMORY_HOST);
  CHECK_OK(copse_tree_visits(context, tree, &all, visits, COPSE_MEMORY_HOST));
  const copse_tree_node* nodes;
  uint64_t node_count;
  CHECK_OK(copse_tree_nodes(context, tree, &nodes, &node_count));
  uint32_t* const path = malloc(node_count * sizeof(uint32_t));
  char* const is_seen = malloc(node_count);
  for (int i = 0; i < RAY_COUNT; ++i) {
    copse_walk walk = COPSE_WALK_INIT;
    CHECK_OK(copse_tree_walk(context, tree, &rays[i], &walk, path, node_count));
    CHECK(memcmp(&walk.hit, &expected[i], sizeof(walk.hit)) == 0 && walk.node_count <= node_count);
    memset(is_seen, 0, node_count);
    uint32_t tests = 0, visited = 0;
    for (uint64_t k = 0; k < walk.node_count; ++k) {
      const copse_tree_node* const node = &nodes[path[k]];
      CHECK(!is_seen[path[k]] && (path[k] == 0 || is_seen[node->parent]));
      is_seen[path[k]] = 1;
      tests += node->triangle_count;
      visited += has_leaf_nodes || node->child_count > 0;
    }
    CHECK(walk.triangle_tests == tests);
    CHECK((walk.leaf == COPSE_NO_ID) == (walk.hit.primitive == COPSE_NO_ID));
    CHECK(walk.leaf == COPSE_NO_ID || (is_seen[walk.leaf] && nodes[walk.leaf].triangle_count > 0));
    if (copse_context_backend(context) == COPSE_BACKEND_CPU) {
      CHECK(visits[i].nodes == visited && visits[i].triangles == tests);
    }
  }
  free(path);
  free(is_seen);
}

/// Rays through the tree hit what rays through an accel hit, as records and as parts with a common origin.
static void check_tree_hits(copse_context* context, const copse_tree* tree) {
  copse_rays all = copse_rays_of(rays, RAY_COUNT, COPSE_MEMORY_HOST);
  CHECK_OK(copse_tree_closest_hits(context, tree, &all, hits, COPSE_MEMORY_HOST, NULL));
  CHECK(memcmp(hits, expected, sizeof(hits)) == 0);
  static uint8_t occluded[RAY_COUNT];
  CHECK_OK(copse_tree_any_hits(context, tree, &all, occluded, COPSE_MEMORY_HOST, NULL));
  for (int i = 0; i < RAY_COUNT; ++i) CHECK(occluded[i] == (expected[i].primitive != COPSE_NO_ID));
  copse_trace_options options = COPSE_TRACE_OPTIONS_INIT;
  options.mask = 2;
  CHECK_OK(copse_tree_closest_hits(context, tree, &all, hits, COPSE_MEMORY_HOST, &options));
  int in_cube = 0;
  for (int i = 0; i < RAY_COUNT; ++i) {
    CHECK(hits[i].geometry == geometries[1].id || hits[i].geometry == COPSE_NO_ID);
    in_cube += hits[i].geometry == geometries[1].id;
  }
  CHECK(in_cube > 0);

  static copse_ray same[RAY_COUNT];
  memcpy(same, rays, sizeof(same));
  for (int i = 0; i < RAY_COUNT; ++i) memcpy(same[i].origin, rays[0].origin, sizeof(same[i].origin));
  const copse_rays records = copse_rays_of(same, RAY_COUNT, COPSE_MEMORY_HOST);
  static copse_hit of_records[RAY_COUNT];
  static copse_visits visits_of_records[RAY_COUNT];
  all.origin_stride = 0;
  CHECK_OK(copse_tree_closest_hits(context, tree, &records, of_records, COPSE_MEMORY_HOST, NULL));
  CHECK_OK(copse_tree_closest_hits(context, tree, &all, hits, COPSE_MEMORY_HOST, NULL));
  CHECK(memcmp(hits, of_records, sizeof(hits)) == 0);
  CHECK_OK(copse_tree_visits(context, tree, &records, visits_of_records, COPSE_MEMORY_HOST));
  CHECK_OK(copse_tree_visits(context, tree, &all, visits, COPSE_MEMORY_HOST));
  CHECK(memcmp(visits, visits_of_records, sizeof(visits)) == 0);
}

static void test_trees(copse_context* context) {
  uint64_t checksums[12];
  int count = 0;
  for (copse_builder builder = COPSE_BUILDER_LBVH; builder <= COPSE_BUILDER_SAH; ++builder) {
    for (copse_layout layout = COPSE_LAYOUT_BVH2; layout <= COPSE_LAYOUT_CBVH8; ++layout) {
      copse_tree_options options = COPSE_TREE_OPTIONS_INIT;
      options.builder = builder, options.layout = layout,
      options.reinsertion = layout == COPSE_LAYOUT_BVH4 ? 2 : 0;
      copse_tree *tree, *again;
      uint64_t checksum;
      CHECK_OK(copse_tree_build(context, geometries, GEOMETRY_COUNT, &options, &tree));
      CHECK_OK(copse_tree_build(context, geometries, GEOMETRY_COUNT, &options, &again));
      CHECK_OK(copse_tree_checksum(context, tree, &checksums[count]));
      CHECK_OK(copse_tree_checksum(context, again, &checksum));
      CHECK(checksum == checksums[count]);
      for (int i = 0; i < count; ++i) CHECK(checksums[i] != checksum);
      ++count;
      copse_tree_destroy(again);
      check_nodes(context, tree, layout == COPSE_LAYOUT_BVH2);
      check_tree_hits(context, tree);
      check_walks(context, tree, layout == COPSE_LAYOUT_BVH2);
      copse_tree_destroy(tree);
    }
  }
}

/// Null options are those of the macro. Passes of reinsertion lower the cost.
static void test_options(copse_context* context) {
  copse_tree_options options = COPSE_TREE_OPTIONS_INIT;
  copse_tree *tree, *same, *better;
  uint64_t checksum, of_same;
  copse_stats stats = COPSE_STATS_INIT, of_better = COPSE_STATS_INIT;
  CHECK_OK(copse_tree_build(context, geometries, GEOMETRY_COUNT, NULL, &tree));
  CHECK_OK(copse_tree_build(context, geometries, GEOMETRY_COUNT, &options, &same));
  options.reinsertion = 4;
  CHECK_OK(copse_tree_build(context, geometries, GEOMETRY_COUNT, &options, &better));
  CHECK_OK(copse_tree_checksum(context, tree, &checksum));
  CHECK_OK(copse_tree_checksum(context, same, &of_same));
  CHECK_OK(copse_tree_stats(context, tree, &stats));
  CHECK_OK(copse_tree_stats(context, better, &of_better));
  CHECK(checksum == of_same && of_better.sah_cost < stats.sah_cost);
  copse_tree_destroy(tree);
  copse_tree_destroy(same);
  copse_tree_destroy(better);
}

/// The tree of an accel has its measures, and stays when the accel is destroyed. So does that of one that was compacted.
static void test_trees_of_accels(copse_context* context) {
  for (int is_compact = 0; is_compact < 2; ++is_compact) {
    copse_accel* accel;
    copse_tree* tree;
    copse_stats stats = COPSE_STATS_INIT, of_accel = COPSE_STATS_INIT;
    CHECK_OK(copse_accel_build(context, geometries, GEOMETRY_COUNT, NULL, &accel));
    if (is_compact) CHECK_OK(copse_accel_compact(context, accel));
    CHECK_OK(copse_accel_stats(context, accel, &of_accel));
    CHECK_OK(copse_tree_of_accel(context, accel, &tree));
    CHECK_OK(copse_tree_stats(context, tree, &stats));
    copse_accel_destroy(accel);
    CHECK(stats.sah_cost == of_accel.sah_cost && stats.node_count == of_accel.node_count);
    CHECK(stats.size_bytes >= of_accel.size_bytes - 4 * TRIANGLE_COUNT && stats.size_bytes <= of_accel.size_bytes);
    check_nodes(context, tree, 0);
    check_tree_hits(context, tree);
    check_walks(context, tree, 0);
    copse_tree_destroy(tree);
  }
}

/// A tree without triangles has no nodes. A walk that has no room tells how much it needs.
static void test_edges(copse_context* context) {
  const copse_geometry nothing = COPSE_GEOMETRY_INIT;
  copse_tree *empty, *tree;
  const copse_tree_node* nodes;
  const copse_tree_triangle* triangles;
  uint64_t count = 1;
  copse_walk walk = COPSE_WALK_INIT;
  CHECK_OK(copse_tree_build(context, &nothing, 1, NULL, &empty));
  CHECK_OK(copse_tree_nodes(context, empty, &nodes, &count));
  CHECK(nodes == NULL && count == 0);
  count = 1;
  CHECK_OK(copse_tree_triangles(context, empty, &triangles, &count));
  CHECK(triangles == NULL && count == 0);
  CHECK_OK(copse_tree_walk(context, empty, rays, &walk, NULL, 0));
  CHECK(walk.hit.primitive == COPSE_NO_ID && walk.leaf == COPSE_NO_ID && walk.node_count == 0);
  copse_tree_destroy(empty);

  CHECK_OK(copse_tree_build(context, geometries, GEOMETRY_COUNT, NULL, &tree));
  const copse_ray through = {{0.1f, 0.2f, 5}, 0, {0, 0, -1}, INFINITY};
  uint32_t path[3] = {77, 77, 77};
  CHECK_OK(copse_tree_walk(context, tree, &through, &walk, NULL, 0));
  CHECK(walk.node_count > 2 && walk.hit.primitive != COPSE_NO_ID);
  const uint64_t all = walk.node_count;
  CHECK_OK(copse_tree_walk(context, tree, &through, &walk, path, 2));
  CHECK(walk.node_count == all && path[0] == 0 && path[1] != 77 && path[2] == 77);
  copse_tree_destroy(tree);
  copse_tree_destroy(NULL);
}

static void refused(copse_status status, const char* words) {
  CHECK(status == COPSE_INVALID_ARGUMENT && strstr(copse_last_error(NULL), words) != NULL);
}

static void test_refusals(copse_context* context) {
  copse_tree_options options = COPSE_TREE_OPTIONS_INIT;
  copse_tree* tree = (copse_tree*)&options;
  options.builder = 3;
  refused(copse_tree_build(context, geometries, 1, &options, &tree), "builder is 3; it can be 0 to 2");
  CHECK(tree == NULL);
  options.builder = 0, options.layout = 4;
  refused(copse_tree_build(context, geometries, 1, &options, &tree), "layout is 4; it can be 0 to 3");
  options.layout = 0, options.reinsertion = 17;
  refused(copse_tree_build(context, geometries, 1, &options, &tree), "17");
  options.struct_size = 0;
  refused(copse_tree_build(context, geometries, 1, &options, &tree), "struct_size of copse_tree_options is 0");
  refused(copse_tree_build(context, geometries, 1, NULL, NULL), "the handle of the tree is null");
  refused(copse_tree_of_accel(context, NULL, &tree), "the accel is null");

  CHECK_OK(copse_tree_build(context, geometries, GEOMETRY_COUNT, NULL, &tree));
  const copse_rays all = copse_rays_of(rays, RAY_COUNT, COPSE_MEMORY_HOST);
  copse_walk walk = COPSE_WALK_INIT;
  uint64_t count;
  refused(copse_tree_stats(context, tree, NULL), "copse_stats is null");
  refused(copse_tree_checksum(context, tree, NULL), "the checksum is null");
  refused(copse_tree_checksum(context, NULL, &count), "the tree is null");
  refused(copse_tree_nodes(context, tree, NULL, &count), "the nodes is null");
  refused(copse_tree_walk(context, tree, NULL, &walk, NULL, 0), "the ray is null");
  refused(copse_tree_walk(context, tree, rays, NULL, NULL, 0), "copse_walk is null");
  refused(copse_tree_walk(context, tree, rays, &walk, NULL, 2), "the address of 2 nodes is null");
  refused(copse_tree_closest_hits(context, NULL, &all, hits, COPSE_MEMORY_HOST, NULL), "the tree is null");
  refused(copse_tree_any_hits(context, tree, &all, NULL, COPSE_MEMORY_HOST, NULL),
          "the address of 400 results is null");
  refused(copse_tree_visits(context, tree, &all, NULL, COPSE_MEMORY_HOST), "the address of 400 visits is null");
  copse_tree_destroy(tree);
}

/// Bytes of a mesh are read as a file is.
static void test_parsing(void) {
  static const char square[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", wrong[] = "v 0 0 zero\n";
  copse_mesh* mesh;
  copse_geometry geometry = COPSE_GEOMETRY_INIT;
  CHECK_OK(copse_mesh_parse(square, strlen(square), "square", &mesh));
  CHECK_OK(copse_mesh_geometry(mesh, 0, &geometry));
  CHECK(geometry.position_count == 4 && geometry.triangle_count == 2 && geometry.positions[3] == 1);
  CHECK(strcmp(copse_mesh_message(mesh), "") == 0);
  copse_mesh_destroy(mesh);
  CHECK(copse_mesh_parse(wrong, strlen(wrong), "wrong.obj", &mesh) == COPSE_BAD_FILE && mesh == NULL);
  CHECK(strstr(copse_last_error(NULL), "wrong.obj") != NULL && strstr(copse_last_error(NULL), "'zero'") != NULL);
  CHECK(copse_mesh_parse(wrong, strlen(wrong), NULL, &mesh) == COPSE_BAD_FILE);
  CHECK(strncmp(copse_last_error(NULL), "copse_mesh_parse: mesh", 22) == 0);
  CHECK(copse_mesh_parse(NULL, 0, NULL, &mesh) == COPSE_BAD_FILE);
  refused(copse_mesh_parse(NULL, 5, NULL, &mesh), "the address of 5 bytes is null");
  refused(copse_mesh_parse(square, strlen(square), NULL, NULL), "the handle of the mesh is null");
}

int main(int argc, char** argv) {
  copse_context* const context = open_context(argc, argv);
  make_soup();
  make_rays(rays, RAY_COUNT);
  geometries[0] = soup(), geometries[0].id = 7, geometries[0].mask = 1;
  geometries[1] = cube(), geometries[1].id = 9, geometries[1].mask = 2;
  copse_accel* accel;
  const copse_rays all = copse_rays_of(rays, RAY_COUNT, COPSE_MEMORY_HOST);
  CHECK_OK(copse_accel_build(context, geometries, GEOMETRY_COUNT, NULL, &accel));
  CHECK_OK(copse_closest_hits(context, accel, &all, expected, COPSE_MEMORY_HOST, NULL));
  copse_accel_destroy(accel);
  test_trees(context);
  test_options(context);
  test_trees_of_accels(context);
  test_edges(context);
  test_refusals(context);
  test_parsing();
  copse_context_destroy(context);
  return exit_code();
}
