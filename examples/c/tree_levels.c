/* A look into a tree from C: the boxes of each level, the cost, and the walk of one ray. Usage: tree_levels MESH */

#include <copse/c.h>

#include <math.h>
#include <stdio.h>

/* Says what went wrong. */
static int fail(const char* file) {
  fprintf(stderr, "tree_levels: %s (%s)\n", copse_last_error(NULL), file);
  return 1;
}

/* A ray along z through the middle of the tree. */
static copse_ray middle_ray(const copse_stats* of_tree) {
  copse_ray ray = {{0, 0, of_tree->upper[2] + 1}, 0, {0, 0, -1}, INFINITY};
  for (int axis = 0; axis < 2; ++axis) ray.origin[axis] = 0.5f * (of_tree->lower[axis] + of_tree->upper[axis]);
  return ray;
}

int main(int argument_count, char** arguments) {
  copse_context* context = NULL;
  copse_mesh* mesh = NULL;
  copse_accel* accel = NULL;
  copse_tree* tree = NULL;
  copse_geometry geometry = COPSE_GEOMETRY_INIT;
  if (argument_count != 2) {
    fprintf(stderr, "usage: tree_levels MESH\n");
    return 2;
  }
  const char* const file = arguments[1];
  if (copse_context_create(NULL, &context) != COPSE_OK) return fail(file);
  if (copse_mesh_load(file, &mesh) != COPSE_OK) return fail(file);
  if (copse_mesh_geometry(mesh, 0, &geometry) != COPSE_OK) return fail(file);
  if (copse_accel_build(context, &geometry, 1, NULL, &accel) != COPSE_OK) return fail(file);

  // snippet begins
  const copse_tree_node* nodes;
  uint64_t count;
  if (copse_tree_of_accel(context, accel, &tree) != COPSE_OK) return fail(file);
  if (copse_tree_nodes(context, tree, &nodes, &count) != COPSE_OK) return fail(file);
  for (uint64_t i = 0, first = 0; i < count; ++i) {
    const int is_last = i + 1 == count || nodes[i + 1].depth > nodes[i].depth;
    if (is_last) printf("level %u: %u boxes\n", nodes[i].depth, (unsigned)(i + 1 - first));
    if (is_last) first = i + 1;
  }
  // snippet ends

  copse_stats of_tree = COPSE_STATS_INIT;
  copse_walk walk = COPSE_WALK_INIT;
  uint64_t checksum;
  if (copse_tree_stats(context, tree, &of_tree) != COPSE_OK) return fail(file);
  if (copse_tree_checksum(context, tree, &checksum) != COPSE_OK) return fail(file);
  const copse_ray ray = middle_ray(&of_tree);
  if (copse_tree_walk(context, tree, &ray, &walk, NULL, 0) != COPSE_OK) return fail(file);
  printf("SAH cost %.2f, checksum %#018llx\n", of_tree.sah_cost, (unsigned long long)checksum);
  printf("the ray visits %u of %u nodes, tests %u triangles and %s\n", (unsigned)walk.node_count, (unsigned)count,
         walk.triangle_tests, walk.hit.primitive == COPSE_NO_ID ? "misses" : "hits");

  copse_tree_destroy(tree);
  copse_accel_destroy(accel);
  copse_mesh_destroy(mesh);
  copse_context_destroy(context);
  return 0;
}
