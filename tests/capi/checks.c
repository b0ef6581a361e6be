#include "checks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_count, failure_count;

void check(int holds, const char* file, int line, const char* text, const char* message) {
  ++check_count;
  if (holds) return;
  if (++failure_count <= 20) fprintf(stderr, "%s:%d: %s %s\n", file, line, text, message);
}

int exit_code(void) {
  printf("%d checks, %d failed\n", check_count, failure_count);
  return failure_count > 0 || check_count == 0;
}

copse_context* open_context(int argc, char** argv) {
  copse_context_options options = COPSE_CONTEXT_OPTIONS_INIT;
  const int is_cuda = argc > 1 && strcmp(argv[1], "cuda") == 0;
  options.backend = is_cuda ? COPSE_BACKEND_CUDA : COPSE_BACKEND_CPU;
  copse_context* context;
  const copse_status status = copse_context_create(&options, &context);
  if (is_cuda && status == COPSE_NO_DEVICE) {
    printf("skipped: %s\n", copse_last_error(NULL));
    exit(77);
  }
  CHECK_OK(status);
  if (context == NULL) exit(exit_code());
  return context;
}

float number_between(float low, float high) {
  static uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return low + (high - low) * ((float)(state >> 8) / 16777216.0f);
}

float soup_positions[3 * SOUP_SIZE][3];
uint32_t soup_indices[SOUP_SIZE][3];
float cube_positions[8][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                              {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
uint32_t cube_indices[CUBE_SIZE][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                       {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

void make_soup(void) {
  for (uint32_t i = 0; i < SOUP_SIZE; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      const float centre = number_between(-1, 1);
      for (uint32_t corner = 0; corner < 3; ++corner) {
        soup_positions[3 * i + corner][axis] = centre + number_between(-0.3f, 0.3f);
      }
    }
    // The corners are stored backwards, so that indices matter.
    for (uint32_t corner = 0; corner < 3; ++corner) soup_indices[i][corner] = 3 * i + 2 - corner;
  }
}

copse_geometry soup(void) {
  copse_geometry geometry = COPSE_GEOMETRY_INIT;
  geometry.positions = soup_positions[0];
  geometry.position_count = 3 * SOUP_SIZE;
  geometry.indices = soup_indices;
  geometry.triangle_count = SOUP_SIZE;
  return geometry;
}

copse_geometry cube(void) {
  copse_geometry geometry = COPSE_GEOMETRY_INIT;
  geometry.positions = cube_positions[0];
  geometry.position_count = 8;
  geometry.indices = cube_indices;
  geometry.triangle_count = CUBE_SIZE;
  return geometry;
}

void make_rays(copse_ray* rays, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      rays[i].origin[axis] = number_between(-2, 2);
      rays[i].direction[axis] = number_between(-1, 1) - rays[i].origin[axis];
    }
    rays[i].t_min = i % 4 == 0 ? 0.3f : 0;
    rays[i].t_max = i % 5 == 0 ? 1.5f : INFINITY;
  }
}

// ---- Every triangle ---------------------------------------------------------------------------------------

typedef struct vector {
  double x, y, z;
} vector;

static vector vector_of(const float* v) {
  const vector result = {v[0], v[1], v[2]};
  return result;
}
static vector minus(vector a, vector b) {
  const vector result = {a.x - b.x, a.y - b.y, a.z - b.z};
  return result;
}
static vector along(vector a, vector direction, double t) {
  const vector result = {a.x + t * direction.x, a.y + t * direction.y, a.z + t * direction.z};
  return result;
}
static double dot(vector a, vector b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static vector cross(vector a, vector b) {
  const vector result = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  return result;
}

static vector corner_of(const copse_geometry* geometry, uint64_t triangle, int corner) {
  const uint32_t* indices = geometry->indices;
  return vector_of(geometry->positions + 3 * indices[3 * triangle + (uint64_t)corner]);
}

int ray_meets(const copse_ray* ray, const copse_geometry* geometry, uint64_t triangle, double* t, int* is_front) {
  const vector a = corner_of(geometry, triangle, 0), direction = vector_of(ray->direction);
  const vector ab = minus(corner_of(geometry, triangle, 1), a), ac = minus(corner_of(geometry, triangle, 2), a);
  const vector p = cross(direction, ac);
  const double determinant = dot(ab, p);
  if (determinant == 0) return 0;
  const vector from = minus(vector_of(ray->origin), a);
  const double u = dot(from, p) / determinant;
  const vector q = cross(from, ab);
  const double v = dot(direction, q) / determinant;
  *t = dot(ac, q) / determinant;
  *is_front = determinant > 0;
  return u >= 0 && v >= 0 && u + v <= 1 && *t >= ray->t_min && *t <= ray->t_max;
}

static double distance_to_edge(vector point, vector a, vector b) {
  const vector edge = minus(b, a);
  double t = dot(minus(point, a), edge) / dot(edge, edge);
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  const vector off = minus(point, along(a, edge, t));
  return sqrt(dot(off, off));
}

double distance_to(const float* point, const copse_geometry* geometry, uint64_t triangle) {
  const vector p = vector_of(point), a = corner_of(geometry, triangle, 0);
  const vector b = corner_of(geometry, triangle, 1), c = corner_of(geometry, triangle, 2);
  const vector normal = cross(minus(b, a), minus(c, a));
  const double sides[3] = {dot(cross(minus(b, a), minus(p, a)), normal),
                           dot(cross(minus(c, b), minus(p, b)), normal),
                           dot(cross(minus(a, c), minus(p, c)), normal)};
  if (sides[0] >= 0 && sides[1] >= 0 && sides[2] >= 0) {
    return fabs(dot(minus(p, a), normal)) / sqrt(dot(normal, normal));
  }
  return fmin(distance_to_edge(p, a, b), fmin(distance_to_edge(p, b, c), distance_to_edge(p, c, a)));
}

void check_hits(const copse_ray* rays, const copse_hit* hits, uint32_t count, const copse_geometry* geometry,
                copse_cull cull) {
  for (uint32_t i = 0; i < count; ++i) {
    double closest = INFINITY, t;
    int is_front;
    uint64_t triangle = COPSE_NO_ID;
    for (uint64_t j = 0; j < geometry->triangle_count; ++j) {
      if (!ray_meets(&rays[i], geometry, j, &t, &is_front) || t >= closest) continue;
      if ((cull == COPSE_CULL_BACK && !is_front) || (cull == COPSE_CULL_FRONT && is_front)) continue;
      closest = t, triangle = j;
    }
    if (triangle == COPSE_NO_ID) {
      CHECK(hits[i].primitive == COPSE_NO_ID && hits[i].geometry == COPSE_NO_ID && hits[i].t == rays[i].t_max);
    } else {
      CHECK(fabs(hits[i].t - closest) < 1e-4);
      CHECK(hits[i].primitive == triangle ||
            (ray_meets(&rays[i], geometry, hits[i].primitive, &t, &is_front) && fabs(t - closest) < 1e-4));
      CHECK(hits[i].geometry == geometry->id);
    }
  }
}
