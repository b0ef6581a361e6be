// All calls of the C interface that answer something, compared with tests of every triangle.
//
//   answers_test cpu|cuda FOLDER        FOLDER: for a file

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

enum { RAY_COUNT = 1000, POINT_COUNT = 400, K = 5 };

static copse_ray rays[RAY_COUNT];
static copse_hit hits[RAY_COUNT];
static uint8_t occluded[RAY_COUNT];
static float points[POINT_COUNT][3];

static copse_accel* build_one(copse_context* context, const copse_geometry* geometry) {
  copse_accel* accel;
  CHECK_OK(copse_accel_build(context, geometry, 1, NULL, &accel));
  return accel;
}

static void test_rays(copse_context* context) {
  const copse_geometry geometry = soup();
  const copse_rays all = copse_rays_of(rays, RAY_COUNT, COPSE_MEMORY_HOST);
  for (copse_quality quality = COPSE_QUALITY_FAST; quality <= COPSE_QUALITY_BEST; ++quality) {
    copse_build_options options = COPSE_BUILD_OPTIONS_INIT;
    options.quality = quality;
    options.splits = 1 + quality;
    copse_accel* accel;
    CHECK_OK(copse_accel_build(context, &geometry, 1, &options, &accel));
    CHECK(copse_accel_triangle_count(accel) == SOUP_SIZE && copse_accel_size_bytes(accel) > 0);
    for (copse_cull cull = COPSE_CULL_NONE; cull <= COPSE_CULL_FRONT; ++cull) {
      copse_trace_options trace = COPSE_TRACE_OPTIONS_INIT;
      trace.cull = cull;
      CHECK_OK(copse_closest_hits(context, accel, &all, hits, COPSE_MEMORY_HOST, &trace));
      check_hits(rays, hits, RAY_COUNT, &geometry, cull);
      CHECK_OK(copse_any_hits(context, accel, &all, occluded, COPSE_MEMORY_HOST, &trace));
      for (int i = 0; i < RAY_COUNT; ++i) CHECK(occluded[i] == (hits[i].primitive != COPSE_NO_ID));
    }
    copse_accel_destroy(accel);
  }
}

/// Several hits per ray: their number is that of the triangles that the ray meets, and t does not fall.
static void test_several_hits(copse_context* context) {
  const copse_geometry geometry = soup();
  copse_accel* accel = build_one(context, &geometry);
  const copse_rays all = copse_rays_of(rays, RAY_COUNT, COPSE_MEMORY_HOST);
  static copse_hit first[RAY_COUNT][K];
  static uint32_t counts[RAY_COUNT];
  static uint64_t offsets[RAY_COUNT + 1];
  CHECK_OK(
      copse_first_hits(context, accel, &all, K, first[0], COPSE_MEMORY_HOST, counts, COPSE_MEMORY_HOST, NULL));
  CHECK_OK(copse_find_hits(context, accel, &all, offsets, COPSE_MEMORY_HOST, NULL, 0, COPSE_MEMORY_HOST, NULL));
  static copse_hit filled[RAY_COUNT][K];
  CHECK_OK(copse_first_hits(context, accel, &all, K, filled[0], COPSE_MEMORY_HOST, NULL, COPSE_MEMORY_HOST, NULL));
  const uint64_t total = offsets[RAY_COUNT];
  copse_hit* const lists = malloc((total + 1) * sizeof(copse_hit));
  lists[total].primitive = 12345;
  CHECK_OK(
      copse_find_hits(context, accel, &all, offsets, COPSE_MEMORY_HOST, lists, total, COPSE_MEMORY_HOST, NULL));
  CHECK(total > RAY_COUNT && lists[total].primitive == 12345);
  CHECK_OK(copse_closest_hits(context, accel, &all, hits, COPSE_MEMORY_HOST, NULL));
  for (int i = 0; i < RAY_COUNT; ++i) {
    uint64_t met = 0;
    double t;
    int is_front;
    for (uint64_t j = 0; j < SOUP_SIZE; ++j) met += (uint64_t)ray_meets(&rays[i], &geometry, j, &t, &is_front);
    const uint64_t count = offsets[i + 1] - offsets[i];
    CHECK(count == met && counts[i] == (met < K ? met : K));
    CHECK(memcmp(first[i], lists + offsets[i], counts[i] * sizeof(copse_hit)) == 0);
    CHECK(memcmp(&filled[i][0], &hits[i], sizeof(hits[i])) == 0);
    CHECK(memcmp(filled[i], first[i], counts[i] * sizeof(copse_hit)) == 0);
    for (uint64_t j = counts[i]; j < K; ++j) CHECK(filled[i][j].primitive == COPSE_NO_ID);
    for (uint64_t j = 1; j < count; ++j) CHECK(lists[offsets[i] + j - 1].t <= lists[offsets[i] + j].t);
  }
  free(lists);
  copse_accel_destroy(accel);
}

/// The same rays as arrays, in records that hold more, with one direction for all, and in the memory of the context.
static void test_layouts(copse_context* context) {
  const copse_geometry geometry = soup();
  copse_accel* accel = build_one(context, &geometry);
  static float origins_and_directions[RAY_COUNT][7];
  static copse_ray same[RAY_COUNT];
  static copse_hit expected[RAY_COUNT];
  memcpy(same, rays, sizeof(rays));
  for (int i = 0; i < RAY_COUNT; ++i) {
    same[i].t_min = 0, same[i].t_max = INFINITY;
    memcpy(origins_and_directions[i], rays[i].origin, 12);
    memcpy(origins_and_directions[i] + 3, rays[i].direction, 12);
  }
  copse_rays all = copse_rays_of(same, RAY_COUNT, COPSE_MEMORY_HOST);
  CHECK_OK(copse_closest_hits(context, accel, &all, expected, COPSE_MEMORY_HOST, NULL));
  copse_rays apart = COPSE_RAYS_INIT;
  apart.count = RAY_COUNT;
  apart.origins = origins_and_directions[0], apart.directions = origins_and_directions[0] + 3;
  apart.origin_stride = apart.direction_stride = sizeof(origins_and_directions[0]);
  CHECK_OK(copse_closest_hits(context, accel, &apart, hits, COPSE_MEMORY_HOST, NULL));
  CHECK(memcmp(hits, expected, sizeof(hits)) == 0);

  copse_buffer *ray_memory, *hit_memory;
  CHECK_OK(copse_buffer_create(context, sizeof(same), &ray_memory));
  CHECK_OK(copse_buffer_create(context, sizeof(hits), &hit_memory));
  CHECK(copse_buffer_size(hit_memory) == sizeof(hits));
  CHECK_OK(copse_upload(context, copse_buffer_data(ray_memory), same, sizeof(same)));
  all = copse_rays_of(copse_buffer_data(ray_memory), RAY_COUNT, COPSE_MEMORY_CONTEXT);
  CHECK_OK(copse_closest_hits(context, accel, &all, copse_buffer_data(hit_memory), COPSE_MEMORY_CONTEXT, NULL));
  CHECK_OK(copse_download(context, hits, copse_buffer_data(hit_memory), sizeof(hits)));
  CHECK(memcmp(hits, expected, sizeof(hits)) == 0);
  copse_buffer_destroy(ray_memory);
  copse_buffer_destroy(hit_memory);

  for (int i = 0; i < RAY_COUNT; ++i) memcpy(same[i].direction, same[0].direction, 12);
  all = copse_rays_of(same, RAY_COUNT, COPSE_MEMORY_HOST);
  CHECK_OK(copse_closest_hits(context, accel, &all, expected, COPSE_MEMORY_HOST, NULL));
  apart.direction_stride = 0;
  CHECK_OK(copse_closest_hits(context, accel, &apart, hits, COPSE_MEMORY_HOST, NULL));
  CHECK(memcmp(hits, expected, sizeof(hits)) == 0);
  copse_accel_destroy(accel);
}

/// Two geometries in one accel: ids, masks of geometries and of rays, indices of 16 bits, vertices without indices.
static void test_geometries(copse_context* context) {
  static uint16_t short_indices[CUBE_SIZE][3];
  static float corners[3 * SOUP_SIZE][4];
  for (int i = 0; i < CUBE_SIZE; ++i) {
    for (int k = 0; k < 3; ++k) short_indices[i][k] = (uint16_t)cube_indices[i][k];
  }
  for (int i = 0; i < SOUP_SIZE; ++i) {
    for (int k = 0; k < 3; ++k) memcpy(corners[3 * i + k], soup_positions[soup_indices[i][k]], 12);
  }
  copse_geometry both[2] = {soup(), cube()};
  copse_geometry expected[2] = {soup(), cube()};
  both[0].positions = corners[0], both[0].position_stride = 16, both[0].index_bytes = 0, both[0].indices = NULL;
  both[1].indices = short_indices, both[1].index_bytes = 2;
  for (int i = 0; i < 2; ++i) {
    both[i].id = expected[i].id = 7 + (uint32_t)i;
    both[i].mask = 1u << i;
  }
  copse_accel* accel;
  CHECK_OK(copse_accel_build(context, both, 2, NULL, &accel));
  const copse_rays all = copse_rays_of(rays, RAY_COUNT, COPSE_MEMORY_HOST);
  static uint32_t masks[RAY_COUNT];
  static copse_hit mixed[RAY_COUNT];
  for (int i = 0; i < RAY_COUNT; ++i) masks[i] = 1u << i % 2;
  copse_trace_options trace = COPSE_TRACE_OPTIONS_INIT;
  trace.masks = masks;
  CHECK_OK(copse_closest_hits(context, accel, &all, mixed, COPSE_MEMORY_HOST, &trace));
  trace.masks = NULL;
  for (uint32_t i = 0; i < 2; ++i) {
    trace.mask = 1u << i;
    CHECK_OK(copse_closest_hits(context, accel, &all, hits, COPSE_MEMORY_HOST, &trace));
    check_hits(rays, hits, RAY_COUNT, &expected[i], COPSE_CULL_NONE);
    for (uint32_t j = i; j < RAY_COUNT; j += 2) CHECK(memcmp(&hits[j], &mixed[j], sizeof(mixed[j])) == 0);
  }
  copse_accel_destroy(accel);
}

static void test_motion(copse_context* context) {
  static float moved[3 * SOUP_SIZE][3];
  for (int i = 0; i < 3 * SOUP_SIZE; ++i) {
    for (int axis = 0; axis < 3; ++axis) moved[i][axis] = 0.8f * soup_positions[i][(axis + 1) % 3] + 0.1f;
  }
  copse_geometry before = soup(), after = soup();
  after.positions = moved[0];
  copse_build_options options = COPSE_BUILD_OPTIONS_INIT;
  options.capacity = 2 * SOUP_SIZE;
  copse_accel* accel;
  CHECK_OK(copse_accel_build(context, &before, 1, &options, &accel));
  CHECK(copse_accel_capacity(accel) == 2 * SOUP_SIZE);
  const copse_rays all = copse_rays_of(rays, RAY_COUNT, COPSE_MEMORY_HOST);
  CHECK_OK(copse_accel_refit(context, accel, &after, 1));
  CHECK_OK(copse_closest_hits(context, accel, &all, hits, COPSE_MEMORY_HOST, NULL));
  check_hits(rays, hits, RAY_COUNT, &after, COPSE_CULL_NONE);
  CHECK_OK(copse_accel_rebuild(context, accel, &before, 1));
  CHECK_OK(copse_accel_compact(context, accel));
  CHECK_OK(copse_closest_hits(context, accel, &all, hits, COPSE_MEMORY_HOST, NULL));
  check_hits(rays, hits, RAY_COUNT, &before, COPSE_CULL_NONE);
  CHECK(copse_accel_rebuild(context, accel, &before, 1) == COPSE_INVALID_ARGUMENT);
  copse_accel_destroy(accel);
}

static void test_measures(copse_context* context) {
  copse_geometry geometry = soup();
  copse_accel* accel = build_one(context, &geometry);
  copse_stats stats = COPSE_STATS_INIT;
  CHECK_OK(copse_accel_stats(context, accel, &stats));
  CHECK(stats.source_count == SOUP_SIZE && stats.left_out_count == 0 && stats.node_count > 0);
  CHECK(stats.leaf_count > stats.node_count && stats.depth > 1 && stats.sah_cost > 1);
  CHECK(stats.lower[0] < -0.9f && stats.upper[2] > 0.9f && stats.used_bytes <= stats.size_bytes);
  copse_build_sizes sizes = COPSE_BUILD_SIZES_INIT;
  CHECK_OK(copse_accel_build_sizes(context, SOUP_SIZE, 1, NULL, &sizes));
  CHECK(sizes.result_bytes == copse_accel_size_bytes(accel) && sizes.scratch_bytes > 0);
  copse_accel_destroy(accel);
}

static void test_points(copse_context* context) {
  const copse_geometry geometry = soup();
  copse_accel* accel = build_one(context, &geometry);
  static copse_nearest nearest[POINT_COUNT];
  static copse_neighbour neighbours[POINT_COUNT][K];
  CHECK_OK(copse_nearest_points(context, accel, points[0], POINT_COUNT, COPSE_MEMORY_HOST, 0.5f, nearest,
                                COPSE_MEMORY_HOST));
  CHECK_OK(copse_k_nearest(context, accel, points[0], POINT_COUNT, COPSE_MEMORY_HOST, K, INFINITY, neighbours[0],
                           COPSE_MEMORY_HOST));
  for (int i = 0; i < POINT_COUNT; ++i) {
    double closest = INFINITY;
    uint32_t nearer[K] = {0};
    for (uint32_t j = 0; j < SOUP_SIZE; ++j) {
      const double distance = distance_to(points[i], &geometry, j);
      closest = fmin(closest, distance);
      for (int k = 0; k < K; ++k) nearer[k] += distance < neighbours[i][k].distance - 1e-5;
    }
    if (closest < 0.499) {
      CHECK(fabs(nearest[i].distance - closest) < 1e-5);
      CHECK(fabs(distance_to(points[i], &geometry, nearest[i].primitive) - closest) < 1e-5);
    } else if (closest > 0.501) {
      CHECK(nearest[i].primitive == COPSE_NO_ID && isinf(nearest[i].distance));
    }
    for (uint32_t k = 0; k < K; ++k) {
      CHECK(nearer[k] <= k);
      CHECK(fabs(distance_to(points[i], &geometry, neighbours[i][k].primitive) - neighbours[i][k].distance) <
            1e-5);
    }
  }
  copse_accel_destroy(accel);
}

static void test_inside(copse_context* context) {
  const copse_geometry geometry = cube();
  copse_accel* accel = build_one(context, &geometry);
  static uint8_t inside[POINT_COUNT];
  CHECK_OK(
      copse_points_inside(context, accel, points[0], POINT_COUNT, COPSE_MEMORY_HOST, inside, COPSE_MEMORY_HOST));
  for (int i = 0; i < POINT_COUNT; ++i) {
    CHECK(inside[i] == (fabsf(points[i][0]) < 1 && fabsf(points[i][1]) < 1 && fabsf(points[i][2]) < 1));
  }
  copse_accel_destroy(accel);
}

/// Returns 1 if the triangle must touch the box, since it has a corner there; 0 if it cannot, since its box does not;
/// -1 if only an exact test can tell.
static int touches_box(const float* box, const float corners[3][3]) {
  int corner_inside = 0;
  for (int k = 0; k < 3; ++k) {
    corner_inside |= corners[k][0] > box[0] && corners[k][0] < box[3] && corners[k][1] > box[1] &&
                     corners[k][1] < box[4] && corners[k][2] > box[2] && corners[k][2] < box[5];
  }
  if (corner_inside) return 1;
  for (int axis = 0; axis < 3; ++axis) {
    const float low = fminf(corners[0][axis], fminf(corners[1][axis], corners[2][axis]));
    const float high = fmaxf(corners[0][axis], fmaxf(corners[1][axis], corners[2][axis]));
    if (low > box[3 + axis] || high < box[axis]) return 0;
  }
  return -1;
}

static int lists(const uint32_t* primitives, uint64_t first, uint64_t end, uint32_t wanted) {
  for (uint64_t i = first; i < end; ++i) {
    if (primitives[i] == wanted) return 1;
  }
  return 0;
}

static void test_regions(copse_context* context) {
  const copse_geometry geometry = soup();
  copse_accel* accel = build_one(context, &geometry);
  enum { REGION_COUNT = 40 };
  static float boxes[REGION_COUNT][6], spheres[REGION_COUNT][4], frusta[REGION_COUNT][6][4];
  for (int i = 0; i < REGION_COUNT; ++i) {
    spheres[i][3] = number_between(0, 0.6f);
    for (int axis = 0; axis < 3; ++axis) {
      spheres[i][axis] = number_between(-1, 1);
      boxes[i][axis] = frusta[i][axis][3] = number_between(-1, 0.5f);
      boxes[i][3 + axis] = boxes[i][axis] + number_between(0, 0.7f);
      frusta[i][axis][axis] = 1, frusta[i][axis][3] = -boxes[i][axis];
      frusta[i][3 + axis][axis] = -1, frusta[i][3 + axis][3] = boxes[i][3 + axis];
    }
  }
  const float* const regions[3] = {boxes[0], spheres[0], frusta[0][0]};
  for (copse_region shape = COPSE_REGION_BOX; shape <= COPSE_REGION_FRUSTUM; ++shape) {
    uint32_t counts[REGION_COUNT];
    uint64_t offsets[REGION_COUNT + 1];
    CHECK_OK(copse_count_overlaps(context, accel, shape, regions[shape], REGION_COUNT, COPSE_MEMORY_HOST, counts,
                                  COPSE_MEMORY_HOST));
    CHECK_OK(copse_find_overlaps(context, accel, shape, regions[shape], REGION_COUNT, COPSE_MEMORY_HOST, offsets,
                                 COPSE_MEMORY_HOST, NULL, 0, COPSE_MEMORY_HOST));
    const uint64_t total = offsets[REGION_COUNT];
    uint32_t* const primitives = malloc((total + 1) * sizeof(uint32_t));
    primitives[total] = 12345;
    CHECK_OK(copse_find_overlaps(context, accel, shape, regions[shape], REGION_COUNT, COPSE_MEMORY_HOST, offsets,
                                 COPSE_MEMORY_HOST, primitives, total, COPSE_MEMORY_HOST));
    CHECK(total > REGION_COUNT && offsets[0] == 0 && primitives[total] == 12345);
    for (uint32_t i = 0; i < REGION_COUNT; ++i) {
      CHECK(offsets[i + 1] - offsets[i] == counts[i]);
      for (uint32_t j = 0; j < SOUP_SIZE; ++j) {
        const int found = lists(primitives, offsets[i], offsets[i + 1], j);
        if (shape == COPSE_REGION_SPHERE) {
          const double past = distance_to(spheres[i], &geometry, j) - spheres[i][3];
          if (fabs(past) > 1e-5) CHECK(found == (past < 0));
        } else {
          const int expected = touches_box(boxes[i], (const float(*)[3])soup_positions[3 * j]);
          if (expected >= 0) CHECK(found == expected);
        }
      }
    }
    free(primitives);
  }
  copse_accel_destroy(accel);
}

static void test_pairs(copse_context* context) {
  const float crossing[9][3] = {{-1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0.2f, -1}, {0, 0.2f, 1},
                                {0, 2, 0},  {9, 9, 9}, {8, 9, 9}, {9, 8, 9}};
  copse_geometry geometry = COPSE_GEOMETRY_INIT;
  geometry.positions = crossing[0], geometry.position_count = 9, geometry.index_bytes = 0;
  copse_accel* accel = build_one(context, &geometry);
  copse_pair pairs[3];
  uint64_t total = 0;
  CHECK_OK(copse_self_overlaps(context, accel, NULL, pairs, 3, COPSE_MEMORY_HOST, &total, COPSE_MEMORY_HOST));
  CHECK(total == 1 && pairs[0].first == 0 && pairs[0].second == 1);
  CHECK_OK(copse_self_overlaps(context, accel, NULL, NULL, 0, COPSE_MEMORY_HOST, &total, COPSE_MEMORY_HOST));
  CHECK(total == 1);
  copse_accel_destroy(accel);
}

static void test_files(copse_context* context, const char* folder) {
  copse_geometry both[2] = {soup(), cube()};
  both[1].id = 9;
  copse_accel *saved, *loaded;
  copse_mesh* mesh;
  char path[1024];
  snprintf(path, sizeof(path), "%s/answers_test.copse", folder);
  CHECK_OK(copse_accel_build(context, both, 2, NULL, &saved));
  CHECK_OK(copse_accel_save(context, saved, path, both, 2));
  CHECK_OK(copse_accel_load(context, path, &loaded, &mesh));
  static copse_hit expected[RAY_COUNT];
  const copse_rays all = copse_rays_of(rays, RAY_COUNT, COPSE_MEMORY_HOST);
  CHECK_OK(copse_closest_hits(context, saved, &all, expected, COPSE_MEMORY_HOST, NULL));
  CHECK_OK(copse_closest_hits(context, loaded, &all, hits, COPSE_MEMORY_HOST, NULL));
  CHECK(memcmp(hits, expected, sizeof(hits)) == 0);
  CHECK(copse_mesh_geometry_count(mesh) == 2);
  copse_geometry second = COPSE_GEOMETRY_INIT;
  CHECK_OK(copse_mesh_geometry(mesh, 1, &second));
  CHECK(second.triangle_count == CUBE_SIZE && second.id == 9);
  copse_geometry parts[2] = {COPSE_GEOMETRY_INIT, second};
  CHECK_OK(copse_mesh_geometry(mesh, 0, &parts[0]));
  CHECK_OK(copse_accel_refit(context, loaded, parts, 2));
  CHECK_OK(copse_closest_hits(context, loaded, &all, hits, COPSE_MEMORY_HOST, NULL));
  CHECK(memcmp(hits, expected, sizeof(hits)) == 0);
  copse_mesh_destroy(mesh);
  copse_accel_destroy(loaded);
  if (copse_context_backend(context) == COPSE_BACKEND_CPU) {
    CHECK_OK(copse_accel_map(context, path, COPSE_FILE_CHECK_EVERYTHING, &loaded, &mesh));
    CHECK_OK(copse_closest_hits(context, loaded, &all, hits, COPSE_MEMORY_HOST, NULL));
    CHECK(memcmp(hits, expected, sizeof(hits)) == 0);
    copse_accel_destroy(loaded);  // the mesh keeps the file
    CHECK(copse_mesh_geometry_count(mesh) == 2);
    CHECK_OK(copse_mesh_geometry(mesh, 1, &second));
    CHECK(second.triangle_count == CUBE_SIZE && second.id == 9 && ((const uint32_t*)second.indices)[0] < 1000);
    copse_mesh_destroy(mesh);
  } else {
    CHECK(copse_accel_map(context, path, COPSE_FILE_CHECK_EVERYTHING, &loaded, &mesh) == COPSE_INVALID_ARGUMENT);
  }
  copse_accel_destroy(saved);
  remove(path);
}

/// Moves a ray into the space of an instance that is scaled by `scale` and moved by `offset`.
static copse_ray into_mesh(copse_ray ray, float scale, const float* offset) {
  for (int axis = 0; axis < 3; ++axis) {
    ray.origin[axis] = (ray.origin[axis] - offset[axis]) / scale;
    ray.direction[axis] /= scale;
  }
  return ray;
}

/// The distance from a point to the nearest triangle of the instances, which are scaled and moved. Counts the triangles
/// within `radius`.
static double nearest_of_instances(const float* point, const copse_geometry* geometries, const float* scales,
                                   float offsets[][3], uint32_t count, double radius, uint64_t* within) {
  double nearest = INFINITY;
  for (uint32_t j = 0; j < count; ++j) {
    float in_mesh[3];
    for (int axis = 0; axis < 3; ++axis) in_mesh[axis] = (point[axis] - offsets[j][axis]) / scales[j];
    for (uint64_t k = 0; k < geometries[j % 2].triangle_count; ++k) {
      const double distance = fabs(scales[j]) * distance_to(in_mesh, &geometries[j % 2], k);
      nearest = fmin(nearest, distance);
      *within += distance <= radius;
    }
  }
  return nearest;
}

/// Questions to a scene, beside tests of every triangle of every instance.
static void check_scene_queries(copse_context* context, const copse_scene* scene, const copse_geometry* geometries,
                                const float* scales, float offsets[][3], uint32_t count) {
  static copse_scene_nearest nearest[POINT_COUNT];
  static float spheres[POINT_COUNT][4];
  static uint32_t counts[POINT_COUNT];
  static uint64_t lists[POINT_COUNT + 1];
  static uint8_t inside[POINT_COUNT], inside_cubes[POINT_COUNT];
  const float radius = 0.4f;
  for (int i = 0; i < POINT_COUNT; ++i) memcpy(spheres[i], points[i], 12), spheres[i][3] = radius;
  CHECK_OK(copse_scene_nearest_points(context, scene, points[0], POINT_COUNT, COPSE_MEMORY_HOST, INFINITY, ~0u,
                                      nearest, COPSE_MEMORY_HOST));
  CHECK_OK(copse_scene_count_overlaps(context, scene, COPSE_REGION_SPHERE, spheres[0], POINT_COUNT,
                                      COPSE_MEMORY_HOST, ~0u, counts, COPSE_MEMORY_HOST));
  CHECK_OK(copse_scene_find_overlaps(context, scene, COPSE_REGION_SPHERE, spheres[0], POINT_COUNT,
                                     COPSE_MEMORY_HOST, ~0u, lists, COPSE_MEMORY_HOST, NULL, 0,
                                     COPSE_MEMORY_HOST));
  static copse_scene_neighbour neighbours[POINT_COUNT][K];
  CHECK_OK(copse_scene_k_nearest(context, scene, points[0], POINT_COUNT, COPSE_MEMORY_HOST, K, INFINITY, ~0u,
                                 neighbours[0], COPSE_MEMORY_HOST));
  const uint64_t total = lists[POINT_COUNT];
  copse_scene_overlap* const found = malloc((total + 1) * sizeof(copse_scene_overlap));
  found[total].primitive = 12345;
  CHECK_OK(copse_scene_find_overlaps(context, scene, COPSE_REGION_SPHERE, spheres[0], POINT_COUNT,
                                     COPSE_MEMORY_HOST, ~0u, lists, COPSE_MEMORY_HOST, found, total,
                                     COPSE_MEMORY_HOST));
  CHECK(total > 0 && found[total].primitive == 12345);
  for (uint64_t i = 0; i < total; ++i) {
    CHECK(found[i].instance < count && found[i].primitive < geometries[found[i].instance % 2].triangle_count);
  }
  for (int i = 0; i < POINT_COUNT; ++i) {
    uint64_t least = 0, most = 0;
    const double expected =
        nearest_of_instances(points[i], geometries, scales, offsets, count, radius - 1e-4, &least);
    nearest_of_instances(points[i], geometries, scales, offsets, count, radius + 1e-4, &most);
    CHECK(fabs(nearest[i].distance - expected) < 1e-4 && nearest[i].instance < count);
    CHECK(neighbours[i][0].distance == nearest[i].distance && neighbours[i][0].primitive == nearest[i].primitive);
    for (int j = 1; j < K; ++j) CHECK(neighbours[i][j - 1].distance <= neighbours[i][j].distance);
    CHECK(counts[i] >= least && counts[i] <= most && lists[i + 1] - lists[i] == counts[i]);
  }
  free(found);
  // The cubes are closed, and the mask chooses them. A point near the middle of one is inside.
  static float middles[POINT_COUNT][3];
  for (uint32_t j = 0; j < count; ++j) {
    for (int axis = 0; axis < 3; ++axis) middles[j][axis] = offsets[j][axis] + 0.45f * scales[j];
  }
  CHECK_OK(copse_scene_points_inside(context, scene, middles[0], POINT_COUNT, COPSE_MEMORY_HOST, 2, inside_cubes,
                                     COPSE_MEMORY_HOST));
  CHECK_OK(copse_scene_points_inside(context, scene, middles[0], POINT_COUNT, COPSE_MEMORY_HOST, 0, inside,
                                     COPSE_MEMORY_HOST));
  for (int i = 0; i < POINT_COUNT; ++i)
    CHECK(inside[i] == 0 && (i >= (int)count || i % 2 == 0 || inside_cubes[i]));
}

/// A scene of scenes that places a scene once, where it is, answers as the scene does.
///   hits: of the scene
static void check_nested(copse_context* context, copse_scene* scene, const copse_rays* all,
                         const copse_scene_hit* hits) {
  const copse_instance here = COPSE_INSTANCE_INIT;
  copse_instance two[2] = {here, here};
  two[1].accel = 1, two[1].mask = 0;  // no ray sees it
  copse_nested *low, *nested;
  const copse_part of_scene[1] = {{NULL, scene, NULL}};
  CHECK_OK(copse_nested_build(context, of_scene, 1, two, 1, COPSE_MEMORY_HOST, NULL, &low));
  const copse_part both[2] = {{NULL, NULL, low}, {NULL, scene, NULL}};
  CHECK_OK(copse_nested_build(context, both, 2, two, 2, COPSE_MEMORY_HOST, NULL, &nested));
  copse_nested_destroy(low);  // the other one keeps its memory
  CHECK(copse_nested_level_count(nested) == 3 && copse_nested_instance_count(nested) == 2);
  CHECK(copse_nested_size_bytes(nested) > 0);
  static copse_nested_hit found[RAY_COUNT], several[RAY_COUNT][K];
  static uint8_t occluded[RAY_COUNT];
  static uint64_t offsets[RAY_COUNT + 1];
  CHECK_OK(copse_nested_refit(context, nested, two, 2, COPSE_MEMORY_HOST));
  CHECK_OK(copse_nested_closest_hits(context, nested, all, found, COPSE_MEMORY_HOST, NULL));
  CHECK_OK(copse_nested_rebuild(context, nested, two, 2, COPSE_MEMORY_HOST));
  CHECK_OK(copse_nested_any_hits(context, nested, all, occluded, COPSE_MEMORY_HOST, NULL));
  CHECK_OK(copse_nested_first_hits(context, nested, all, K, several[0], COPSE_MEMORY_HOST, NULL, COPSE_MEMORY_HOST,
                                   NULL));
  CHECK_OK(
      copse_nested_find_hits(context, nested, all, offsets, COPSE_MEMORY_HOST, NULL, 0, COPSE_MEMORY_HOST, NULL));
  for (int i = 0; i < RAY_COUNT; ++i) {
    const int is_hit = hits[i].instance != COPSE_NO_ID;
    CHECK(memcmp(&found[i], &hits[i], 5 * sizeof(float)) == 0 && occluded[i] == is_hit);
    CHECK(found[i].path[0] == (is_hit ? 0 : COPSE_NO_ID) && found[i].path[1] == found[i].path[0]);
    CHECK(found[i].path[2] == hits[i].instance && found[i].path[3] == COPSE_NO_ID);
    CHECK(memcmp(&several[i][0], &found[i], sizeof(found[i])) == 0);
    CHECK((offsets[i + 1] > offsets[i]) == is_hit);
  }
  static copse_nested_nearest nearest[POINT_COUNT];
  static copse_scene_nearest of_scene_nearest[POINT_COUNT];
  static copse_nested_neighbour neighbours[POINT_COUNT][K];
  static uint8_t inside[POINT_COUNT], inside_scene[POINT_COUNT];
  static uint32_t counts[POINT_COUNT], counts_of_scene[POINT_COUNT];
  static uint64_t ends[POINT_COUNT + 1];
  static float spheres[POINT_COUNT][4];
  for (int i = 0; i < POINT_COUNT; ++i) {
    memcpy(spheres[i], points[i], sizeof(points[i]));
    spheres[i][3] = 0.3f;
  }
  CHECK_OK(copse_nested_nearest_points(context, nested, points[0], POINT_COUNT, COPSE_MEMORY_HOST, INFINITY, ~0u,
                                       nearest, COPSE_MEMORY_HOST));
  CHECK_OK(copse_scene_nearest_points(context, scene, points[0], POINT_COUNT, COPSE_MEMORY_HOST, INFINITY, ~0u,
                                      of_scene_nearest, COPSE_MEMORY_HOST));
  CHECK_OK(copse_nested_k_nearest(context, nested, points[0], POINT_COUNT, COPSE_MEMORY_HOST, K, INFINITY, ~0u,
                                  neighbours[0], COPSE_MEMORY_HOST));
  CHECK_OK(copse_nested_points_inside(context, nested, points[0], POINT_COUNT, COPSE_MEMORY_HOST, ~0u, inside,
                                      COPSE_MEMORY_HOST));
  CHECK_OK(copse_scene_points_inside(context, scene, points[0], POINT_COUNT, COPSE_MEMORY_HOST, ~0u, inside_scene,
                                     COPSE_MEMORY_HOST));
  CHECK_OK(copse_nested_count_overlaps(context, nested, COPSE_REGION_SPHERE, spheres[0], POINT_COUNT,
                                       COPSE_MEMORY_HOST, 1, counts, COPSE_MEMORY_HOST));
  CHECK_OK(copse_scene_count_overlaps(context, scene, COPSE_REGION_SPHERE, spheres[0], POINT_COUNT,
                                      COPSE_MEMORY_HOST, 1, counts_of_scene, COPSE_MEMORY_HOST));
  CHECK_OK(copse_nested_find_overlaps(context, nested, COPSE_REGION_SPHERE, spheres[0], POINT_COUNT,
                                      COPSE_MEMORY_HOST, 1, ends, COPSE_MEMORY_HOST, NULL, 0, COPSE_MEMORY_HOST));
  copse_nested_overlap* const overlaps = malloc((ends[POINT_COUNT] + 1) * sizeof(copse_nested_overlap));
  CHECK_OK(copse_nested_find_overlaps(context, nested, COPSE_REGION_SPHERE, spheres[0], POINT_COUNT,
                                      COPSE_MEMORY_HOST, 1, ends, COPSE_MEMORY_HOST, overlaps, ends[POINT_COUNT],
                                      COPSE_MEMORY_HOST));
  CHECK(ends[POINT_COUNT] > POINT_COUNT && overlaps[0].path[0] == 0 && overlaps[0].path[3] == COPSE_NO_ID);
  for (int i = 0; i < POINT_COUNT; ++i) {
    CHECK(memcmp(&nearest[i], &of_scene_nearest[i], 8 * sizeof(float)) == 0);
    CHECK(nearest[i].path[2] == of_scene_nearest[i].instance && nearest[i].path[3] == COPSE_NO_ID);
    CHECK(neighbours[i][0].distance == nearest[i].distance);
    CHECK(inside[i] == inside_scene[i] && counts[i] == counts_of_scene[i] && counts[i] == ends[i + 1] - ends[i]);
  }
  free(overlaps);
  const copse_part none[1] = {{NULL, NULL, NULL}};
  copse_nested* refused;
  CHECK(copse_nested_build(context, none, 1, two, 1, COPSE_MEMORY_HOST, NULL, &refused) == COPSE_INVALID_ARGUMENT);
  CHECK(strstr(copse_last_error(context), "copse_nested_build: part 0 has 0 members that are set") != NULL);
  CHECK(copse_nested_refit(context, nested, two, 1, COPSE_MEMORY_HOST) == COPSE_INVALID_ARGUMENT);
  copse_build_options split = COPSE_BUILD_OPTIONS_INIT;
  split.splits = 2;
  CHECK(copse_nested_build(context, of_scene, 1, two, 1, COPSE_MEMORY_HOST, &split, &refused) ==
        COPSE_INVALID_ARGUMENT);
  copse_nested_destroy(nested);
}

static void test_scenes(copse_context* context) {
  const copse_geometry geometries[2] = {soup(), cube()};
  copse_accel* accels[2] = {build_one(context, &geometries[0]), build_one(context, &geometries[1])};
  enum { INSTANCE_COUNT = 6 };
  copse_instance instances[INSTANCE_COUNT];
  float offsets[INSTANCE_COUNT][3], scales[INSTANCE_COUNT];
  for (uint32_t i = 0; i < INSTANCE_COUNT; ++i) {
    const copse_instance identity = COPSE_INSTANCE_INIT;
    instances[i] = identity;
    instances[i].accel = i % 2, instances[i].id = 100 + i, instances[i].mask = 1u << i % 2;
    scales[i] = i % 3 == 2 ? -0.5f : 0.5f;  // some are mirrored
    for (int axis = 0; axis < 3; ++axis) {
      offsets[i][axis] = number_between(-1.5f, 1.5f);
      instances[i].rows[axis][axis] = scales[i], instances[i].rows[axis][3] = offsets[i][axis];
    }
  }
  copse_scene* scene;
  CHECK_OK(copse_scene_build(context, (const copse_accel* const*)accels, 2, instances, INSTANCE_COUNT,
                             COPSE_MEMORY_HOST, NULL, &scene));
  copse_instance moved[INSTANCE_COUNT];
  memcpy(moved, instances, sizeof(moved));
  for (int i = 0; i < INSTANCE_COUNT; ++i) moved[i].rows[i % 3][3] += 0.7f;
  copse_scene* scene_of_moved;
  CHECK_OK(copse_scene_build(context, (const copse_accel* const*)accels, 2, moved, INSTANCE_COUNT,
                             COPSE_MEMORY_HOST, NULL, &scene_of_moved));
  // A scene keeps the memory of its accels.
  for (int i = 0; i < 2; ++i) copse_accel_destroy(accels[i]);
  CHECK(copse_scene_instance_count(scene) == INSTANCE_COUNT && copse_scene_size_bytes(scene) > 0);
  static copse_scene_hit found[RAY_COUNT], again[RAY_COUNT];
  const copse_rays all = copse_rays_of(rays, RAY_COUNT, COPSE_MEMORY_HOST);
  CHECK_OK(copse_scene_closest_hits(context, scene, &all, found, COPSE_MEMORY_HOST, NULL));
  CHECK_OK(copse_scene_any_hits(context, scene, &all, occluded, COPSE_MEMORY_HOST, NULL));
  for (int i = 0; i < RAY_COUNT; ++i) {
    double closest = INFINITY, t;
    int is_front;
    for (uint32_t j = 0; j < INSTANCE_COUNT; ++j) {
      const copse_geometry* geometry = &geometries[instances[j].accel];
      const copse_ray ray = into_mesh(rays[i], scales[j], offsets[j]);
      for (uint64_t k = 0; k < geometry->triangle_count; ++k) {
        if (ray_meets(&ray, geometry, k, &t, &is_front)) closest = fmin(closest, t);
      }
    }
    CHECK(occluded[i] == !isinf(closest));
    if (isinf(closest)) CHECK(found[i].instance == COPSE_NO_ID && found[i].t == rays[i].t_max);
    if (!isinf(closest)) CHECK(fabs(found[i].t - closest) < 1e-4 && found[i].instance < INSTANCE_COUNT);
  }

  // A refit gives the hits of a build, and a rebuild goes back. Rays that are no records give the same hits.
  static copse_scene_hit of_moved[RAY_COUNT];
  CHECK_OK(copse_scene_closest_hits(context, scene_of_moved, &all, of_moved, COPSE_MEMORY_HOST, NULL));
  CHECK(memcmp(found, of_moved, sizeof(found)) != 0);
  CHECK_OK(copse_scene_refit(context, scene, moved, INSTANCE_COUNT, COPSE_MEMORY_HOST));
  CHECK_OK(copse_scene_closest_hits(context, scene, &all, again, COPSE_MEMORY_HOST, NULL));
  CHECK(memcmp(again, of_moved, sizeof(again)) == 0);
  CHECK_OK(copse_scene_rebuild(context, scene, instances, INSTANCE_COUNT, COPSE_MEMORY_HOST));
  copse_rays apart = all;
  static float far_ends[RAY_COUNT];
  for (int i = 0; i < RAY_COUNT; ++i) far_ends[i] = rays[i].t_max;
  apart.t_max = far_ends, apart.t_max_stride = 4;
  CHECK_OK(copse_scene_closest_hits(context, scene, &apart, again, COPSE_MEMORY_HOST, NULL));
  CHECK(memcmp(found, again, sizeof(found)) == 0);
  // The first of several hits is the closest one, and their lists are those of the same instances.
  static copse_scene_hit several[RAY_COUNT][K];
  static uint64_t offsets_of_lists[RAY_COUNT + 1];
  CHECK_OK(copse_scene_first_hits(context, scene, &all, K, several[0], COPSE_MEMORY_HOST, NULL, COPSE_MEMORY_HOST,
                                  NULL));
  CHECK_OK(copse_scene_find_hits(context, scene, &apart, offsets_of_lists, COPSE_MEMORY_HOST, NULL, 0,
                                 COPSE_MEMORY_HOST, NULL));
  const uint64_t total = offsets_of_lists[RAY_COUNT];
  copse_scene_hit* const lists = malloc((total + 1) * sizeof(copse_scene_hit));
  CHECK_OK(copse_scene_find_hits(context, scene, &apart, offsets_of_lists, COPSE_MEMORY_HOST, lists, total,
                                 COPSE_MEMORY_HOST, NULL));
  CHECK(total > RAY_COUNT);
  for (int i = 0; i < RAY_COUNT; ++i) {
    const uint64_t count = offsets_of_lists[i + 1] - offsets_of_lists[i];
    CHECK(memcmp(&several[i][0], &found[i], sizeof(found[i])) == 0);
    CHECK(memcmp(several[i], lists + offsets_of_lists[i], (count < K ? count : K) * sizeof(copse_scene_hit)) == 0);
    CHECK(count >= K || several[i][count].instance == COPSE_NO_ID);
  }
  free(lists);
  check_scene_queries(context, scene, geometries, scales, offsets, INSTANCE_COUNT);
  CHECK_OK(copse_scene_closest_hits(context, scene, &all, found, COPSE_MEMORY_HOST, NULL));
  check_nested(context, scene, &all, found);
  copse_stats stats = COPSE_STATS_INIT;
  CHECK_OK(copse_scene_stats(context, scene, &stats));
  CHECK(stats.source_count == INSTANCE_COUNT && stats.left_out_count == 0);
  copse_scene_destroy(scene);
  copse_scene_destroy(scene_of_moved);
}

int main(int argc, char** argv) {
  copse_context* context = open_context(argc, argv);
  make_soup();
  make_rays(rays, RAY_COUNT);
  for (int i = 0; i < POINT_COUNT; ++i) {
    for (int axis = 0; axis < 3; ++axis) points[i][axis] = number_between(-1.4f, 1.4f);
  }
  test_rays(context);
  test_several_hits(context);
  test_layouts(context);
  test_geometries(context);
  test_motion(context);
  test_measures(context);
  test_points(context);
  test_inside(context);
  test_regions(context);
  test_pairs(context);
  test_files(context, argc > 2 ? argv[2] : ".");
  test_scenes(context);
  CHECK_OK(copse_context_wait(context));
  copse_context_destroy(context);
  return exit_code();
}
