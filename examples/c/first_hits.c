/* The first hits from C: a mesh in, a tree over it, a grid of rays and one nearest point. Usage: first_hits MESH */

#include <copse/c.h>

#include <math.h>
#include <stdio.h>

enum { SIDE = 64 };

/* Says what went wrong. */
static int fail(const char* file) {
  fprintf(stderr, "first_hits: %s (%s)\n", copse_last_error(NULL), file);
  return 1;
}

/* Rays along z, in a grid over the box of the tree. */
static void aim(copse_ray* rays, const copse_stats* tree) {
  for (int i = 0; i < SIDE * SIDE; ++i) {
    const float x = ((float)(i % SIDE) + 0.5f) / SIDE, y = ((float)(i / SIDE) + 0.5f) / SIDE;
    rays[i].origin[0] = tree->lower[0] + x * (tree->upper[0] - tree->lower[0]);
    rays[i].origin[1] = tree->lower[1] + y * (tree->upper[1] - tree->lower[1]);
    rays[i].origin[2] = tree->upper[2] + 1;
    rays[i].direction[0] = rays[i].direction[1] = 0;
    rays[i].direction[2] = -1;
    rays[i].t_min = 0;
    rays[i].t_max = INFINITY;
  }
}

int main(int argument_count, char** arguments) {
  static copse_ray rays[SIDE * SIDE];
  static copse_hit hits[SIDE * SIDE];
  copse_context* context = NULL;
  copse_mesh* mesh = NULL;
  copse_accel* accel = NULL;
  copse_geometry geometry = COPSE_GEOMETRY_INIT;
  copse_stats tree = COPSE_STATS_INIT;
  if (argument_count != 2) {
    fprintf(stderr, "usage: first_hits MESH\n");
    return 2;
  }
  const char* file = arguments[1];

  // snippet begins
  if (copse_context_create(NULL, &context) != COPSE_OK) return fail(file);  // the GPU if one answers, else the CPU
  if (copse_mesh_load(file, &mesh) != COPSE_OK) return fail(file);
  if (copse_mesh_geometry(mesh, 0, &geometry) != COPSE_OK) return fail(file);  // or arrays of your own
  if (copse_accel_build(context, &geometry, 1, NULL, &accel) != COPSE_OK) return fail(file);
  if (copse_accel_stats(context, accel, &tree) != COPSE_OK) return fail(file);

  aim(rays, &tree);
  const copse_rays batch = copse_rays_of(rays, SIDE * SIDE, COPSE_MEMORY_HOST);
  if (copse_closest_hits(context, accel, &batch, hits, COPSE_MEMORY_HOST, NULL) != COPSE_OK) return fail(file);

  copse_nearest nearest;
  if (copse_nearest_points(context, accel, tree.upper, 1, COPSE_MEMORY_HOST, INFINITY, &nearest,
                           COPSE_MEMORY_HOST) != COPSE_OK) {
    return fail(file);
  }
  // snippet ends

  int hit_count = 0;
  for (int i = 0; i < SIDE * SIDE; ++i) hit_count += hits[i].primitive != COPSE_NO_ID;
  printf("%s: %llu triangles, %d of %d rays hit; the surface is %.3f from the corner of its box\n",
         copse_context_device_name(context), (unsigned long long)tree.source_count, hit_count, SIDE * SIDE,
         nearest.distance);
  copse_accel_destroy(accel);
  copse_mesh_destroy(mesh);
  copse_context_destroy(context);
  return 0;
}
