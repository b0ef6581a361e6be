/* The first hit from C: two triangles, a tree over them, and one ray. docs/guide/ten-minutes.md builds it. */

// snippet begins
#include <copse/c.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  const float corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  const uint32_t faces[2][3] = {{0, 1, 2}, {0, 2, 3}};
  const copse_ray ray = {{0.25f, 0.5f, 2}, 0, {0, 0, -1}, INFINITY};
  const copse_rays rays = copse_rays_of(&ray, 1, COPSE_MEMORY_HOST);
  copse_hit hit;

  copse_context* context = NULL;
  copse_accel* accel = NULL;
  copse_geometry geometry = COPSE_GEOMETRY_INIT;
  geometry.positions = corners[0], geometry.position_count = 4;
  geometry.indices = faces, geometry.triangle_count = 2;
  if (copse_context_create(NULL, &context) != COPSE_OK ||
      copse_accel_build(context, &geometry, 1, NULL, &accel) != COPSE_OK ||
      copse_closest_hits(context, accel, &rays, &hit, COPSE_MEMORY_HOST, NULL) != COPSE_OK) {
    fprintf(stderr, "%s\n", copse_last_error(NULL));
    return 1;
  }
  printf("triangle %u at t = %g\n", hit.primitive, hit.t);
  copse_accel_destroy(accel);
  copse_context_destroy(context);
  return 0;
}
// snippet ends
