// Points, voxels, batches, worlds and scene files of the C interface, compared with slow and obvious answers.
//
//   structures_test cpu|cuda FOLDER SCENE        SCENE: a .glb file

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

enum { RAY_COUNT = 400, POINT_COUNT = 500, QUERY_COUNT = 100, K = 4 };

static copse_ray rays[RAY_COUNT];
static float points[POINT_COUNT][4];  // 16 bytes apart
static float queries[QUERY_COUNT][3];

static float distance_of(const float* a, const float* b) {
  return sqrtf((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static void check_neighbours(copse_context* context, const copse_points* set, uint32_t count) {
  static copse_point_neighbour nearest[QUERY_COUNT][K];
  static uint32_t counts[QUERY_COUNT];
  static uint64_t offsets[QUERY_COUNT + 1];
  const float radius = 0.5f;
  CHECK_OK(copse_points_k_nearest(context, set, queries[0], QUERY_COUNT, COPSE_MEMORY_HOST, K, INFINITY,
                                  nearest[0], COPSE_MEMORY_HOST));
  CHECK_OK(copse_points_count_within(context, set, queries[0], QUERY_COUNT, COPSE_MEMORY_HOST, radius, counts,
                                     COPSE_MEMORY_HOST));
  CHECK_OK(copse_points_find_within(context, set, queries[0], QUERY_COUNT, COPSE_MEMORY_HOST, radius, offsets,
                                    COPSE_MEMORY_HOST, NULL, 0, COPSE_MEMORY_HOST));
  uint32_t* const found = malloc((offsets[QUERY_COUNT] + 1) * sizeof(uint32_t));
  found[offsets[QUERY_COUNT]] = 12345;
  CHECK_OK(copse_points_find_within(context, set, queries[0], QUERY_COUNT, COPSE_MEMORY_HOST, radius, offsets,
                                    COPSE_MEMORY_HOST, found, offsets[QUERY_COUNT], COPSE_MEMORY_HOST));
  CHECK(found[offsets[QUERY_COUNT]] == 12345 && offsets[QUERY_COUNT] > 0);
  for (int i = 0; i < QUERY_COUNT; ++i) {
    uint32_t within = 0, nearer = 0;
    const float farthest = nearest[i][K - 1].distance;
    for (uint32_t j = 0; j < count; ++j) {
      const float distance = distance_of(queries[i], points[j]);
      within += distance <= radius - 1e-5f;
      nearer += distance < farthest - 1e-5f;
    }
    CHECK(nearer < K &&
          fabsf(distance_of(queries[i], points[nearest[i][0].point]) - nearest[i][0].distance) < 1e-5f);
    CHECK(counts[i] >= within && offsets[i + 1] - offsets[i] == counts[i]);
    for (uint64_t j = offsets[i]; j < offsets[i + 1]; ++j) {
      CHECK(found[j] < count && distance_of(queries[i], points[found[j]]) <= radius + 1e-5f);
    }
  }
  free(found);
}

static void test_points(copse_context* context) {
  for (copse_point_structure kind = COPSE_POINTS_KD_TREE; kind <= COPSE_POINTS_HASH_GRID; ++kind) {
    copse_points_options options = COPSE_POINTS_OPTIONS_INIT;
    options.structure = kind;
    options.cell_size = kind == COPSE_POINTS_HASH_GRID ? 0.3f : 0;
    copse_points* set;
    CHECK_OK(copse_points_build(context, points[0], POINT_COUNT, 16, COPSE_MEMORY_HOST, &options, &set));
    CHECK(copse_points_count(set) == POINT_COUNT && copse_points_size_bytes(set) >= 12 * POINT_COUNT);
    check_neighbours(context, set, POINT_COUNT);
    CHECK_OK(copse_points_rebuild(context, set, points[0], 50, 16, COPSE_MEMORY_HOST));
    check_neighbours(context, set, 50);
    CHECK(copse_points_rebuild(context, set, points[0], POINT_COUNT + 1, 16, COPSE_MEMORY_HOST) ==
          COPSE_INVALID_ARGUMENT);
    copse_points_destroy(set);
  }
  copse_points_options options = COPSE_POINTS_OPTIONS_INIT;
  copse_points* set = (copse_points*)&options;
  CHECK(copse_points_build(context, points[0], POINT_COUNT, 10, COPSE_MEMORY_HOST, NULL, &set) ==
        COPSE_INVALID_ARGUMENT);
  CHECK(set == NULL && strstr(copse_last_error(NULL), "the stride is 10") != NULL);
  options.structure = 3;
  CHECK(copse_points_build(context, NULL, 0, 12, COPSE_MEMORY_HOST, &options, &set) == COPSE_INVALID_ARGUMENT);
  CHECK(strstr(copse_last_error(NULL), "structure is 3; it can be 0 to 2") != NULL);
}

/// Copies an array of a context to the host, as a program with memory of its own does.
static void* on_host(copse_context* context, const void* data, uint64_t bytes) {
  void* const copy = malloc(bytes + 1);
  CHECK_OK(copse_download(context, copy, data, bytes));
  return copy;
}

/// The cube from -1 to 1 at 16 voxels: all are inside, those at its faces are touched.
static void test_voxels(copse_context* context) {
  const copse_geometry geometry = cube();
  for (copse_voxel_rule rule = COPSE_VOXELS_TOUCHED; rule <= COPSE_VOXELS_INSIDE; rule += 2) {
    copse_voxels* voxels;
    copse_grid_shape shape = COPSE_GRID_SHAPE_INIT;
    CHECK_OK(copse_voxels_build(context, &geometry, 1, 16, rule, &voxels));
    CHECK_OK(copse_voxels_shape(context, voxels, &shape));
    CHECK(shape.resolution[0] == 16 && shape.resolution[2] == 16 && copse_voxels_word_count(voxels) == 256);
    CHECK(shape.lower[0] == -1 && shape.voxel_size == 0.125 && shape.brick_count == 0);
    CHECK(shape.voxel_count == (rule == COPSE_VOXELS_INSIDE ? 4096 : 4096 - 14 * 14 * 14));
    uint32_t* const words = on_host(context, copse_voxels_words(voxels), 1024);
    CHECK(words[0] == 0xffff && words[8 * 16 + 8] == (rule == COPSE_VOXELS_INSIDE ? 0xffff : 0x8001));
    free(words);
    copse_voxels_destroy(voxels);
  }
  copse_voxels* none;
  CHECK(copse_voxels_build(context, &geometry, 1, 16, 3, &none) == COPSE_INVALID_ARGUMENT && none == NULL);
  CHECK(copse_voxels_build(context, &geometry, 1, 4096, 0, &none) == COPSE_INVALID_ARGUMENT && none == NULL);
}

/// Every distance is that of the nearest triangle, and negative inside of the cube.
static void test_distances(copse_context* context) {
  const copse_geometry geometry = cube();
  copse_bricks *field, *bricks;
  copse_grid_shape shape = COPSE_GRID_SHAPE_INIT, of_bricks = COPSE_GRID_SHAPE_INIT;
  CHECK_OK(copse_distances_build(context, &geometry, 1, 24, 3, &field));
  CHECK_OK(copse_bricks_build(context, &geometry, 1, 24, &bricks));
  CHECK_OK(copse_bricks_shape(context, field, &shape));
  CHECK_OK(copse_bricks_shape(context, bricks, &of_bricks));
  CHECK(copse_bricks_values(bricks) == NULL && of_bricks.voxel_count == 24 * 24 * 24 - 22 * 22 * 22);
  CHECK(of_bricks.brick_count == 26 && of_bricks.band == 0 && shape.brick_count > 26 && shape.band > 0);
  uint64_t* const keys = on_host(context, copse_bricks_keys(field), 8 * shape.brick_count);
  float* const values = on_host(context, copse_bricks_values(field), 2048 * shape.brick_count);
  uint64_t near_count = 0;
  for (uint64_t i = 0; i < 512 * shape.brick_count; ++i) {
    const uint64_t key = keys[i / 512];
    const uint64_t voxel[3] = {key % shape.bricks[0] * 8 + i % 8,
                               key / shape.bricks[0] % shape.bricks[1] * 8 + i / 8 % 8,
                               key / shape.bricks[0] / shape.bricks[1] * 8 + i / 64 % 8};
    float centre[3];
    int is_inside = 1;
    for (int axis = 0; axis < 3; ++axis) {
      centre[axis] = (float)(shape.lower[axis] + (0.5 + (double)voxel[axis]) * shape.voxel_size);
      is_inside = is_inside && fabsf(centre[axis]) < 1;
    }
    double distance = shape.band;
    for (uint64_t j = 0; j < CUBE_SIZE; ++j) distance = fmin(distance, distance_to(centre, &geometry, j));
    CHECK(fabs(values[i] - (is_inside ? -distance : distance)) < 1e-6);
    near_count += fabsf(values[i]) < shape.band;
  }
  CHECK(near_count == shape.voxel_count && near_count > 1000);
  free(keys);
  free(values);
  copse_bricks_destroy(field);
  copse_bricks_destroy(bricks);
}

/// Two worlds, each with one of two meshes and a shared floor. Each ray sees its own world alone.
static void test_worlds(copse_context* context) {
  const copse_geometry meshes[2] = {soup(), cube()};
  copse_batch* batch;
  copse_worlds* worlds;
  copse_scene *alone[3], *shared;
  CHECK_OK(copse_batch_build(context, meshes, 2, &batch));
  CHECK(copse_batch_mesh_count(batch) == 2 && copse_batch_triangle_count(batch) == SOUP_SIZE + CUBE_SIZE);
  copse_instance instances[3] = {COPSE_INSTANCE_INIT, COPSE_INSTANCE_INIT, COPSE_INSTANCE_INIT};
  instances[1].accel = 1, instances[1].rows[0][0] = 0.5f;
  instances[2].rows[0][3] = 1;
  const uint32_t begins[3] = {0, 1, 3}, seen_in_alone[3] = {0, 1, 1};
  CHECK_OK(copse_worlds_build(context, NULL, 0, batch, instances, 3, COPSE_MEMORY_HOST, begins, 2, NULL, &worlds));
  CHECK(copse_worlds_count(worlds) == 2 && copse_worlds_instance_count(worlds) == 3);
  CHECK_OK(copse_scene_build_of_batch(context, batch, instances, 1, COPSE_MEMORY_HOST, NULL, &alone[0]));
  CHECK_OK(copse_scene_build_of_batch(context, batch, instances + 1, 2, COPSE_MEMORY_HOST, NULL, &alone[1]));
  static copse_scene_hit hits[RAY_COUNT], expected[2][RAY_COUNT];
  static uint32_t world_of_ray[RAY_COUNT];
  static uint8_t occluded[RAY_COUNT];
  const copse_rays all = copse_rays_of(rays, RAY_COUNT, COPSE_MEMORY_HOST);
  for (uint32_t i = 0; i < RAY_COUNT; ++i) world_of_ray[i] = seen_in_alone[i % 3];
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < 2; ++i) {
      CHECK_OK(copse_scene_closest_hits(context, alone[i], &all, expected[i], COPSE_MEMORY_HOST, NULL));
    }
    CHECK_OK(copse_worlds_closest_hits(context, worlds, &all, world_of_ray, COPSE_MEMORY_HOST, hits,
                                       COPSE_MEMORY_HOST, NULL));
    CHECK_OK(copse_worlds_any_hits(context, worlds, &all, world_of_ray, COPSE_MEMORY_HOST, occluded,
                                   COPSE_MEMORY_HOST, NULL));
    for (int i = 0; i < RAY_COUNT; ++i) {
      CHECK(memcmp(&hits[i], &expected[world_of_ray[i]][i], sizeof(hits[i])) == 0);
      CHECK(occluded[i] == (hits[i].primitive != COPSE_NO_ID));
    }
    // A single ray is a record too.
    const copse_rays last = copse_rays_of(rays + RAY_COUNT - 1, 1, COPSE_MEMORY_HOST);
    const copse_scene_hit of_all = hits[RAY_COUNT - 1];
    CHECK_OK(copse_worlds_closest_hits(context, worlds, &last, world_of_ray + RAY_COUNT - 1, COPSE_MEMORY_HOST,
                                       hits, COPSE_MEMORY_HOST, NULL));
    CHECK(memcmp(hits, &of_all, sizeof(of_all)) == 0);
    // The second pass: the soup has moved, where the batch has read it.
    for (int i = 0; i < 3 * SOUP_SIZE; ++i) soup_positions[i][1] += pass == 0 ? 0.25f : -0.25f;
    CHECK_OK(copse_batch_refit(context, batch, NULL, COPSE_MEMORY_HOST));
    CHECK_OK(copse_worlds_refit(context, worlds, instances, 3, COPSE_MEMORY_HOST, NULL, COPSE_MEMORY_HOST));
    CHECK_OK(copse_scene_refit(context, alone[0], instances, 1, COPSE_MEMORY_HOST));
    CHECK_OK(copse_scene_rebuild(context, alone[1], instances + 1, 2, COPSE_MEMORY_HOST));
  }
  CHECK_OK(copse_batch_rebuild(context, batch));
  CHECK_OK(copse_worlds_rebuild(context, worlds, instances, 3, COPSE_MEMORY_HOST));
  copse_worlds_destroy(worlds);
  // A scene that all worlds share lives as long as they, and its instances come after their own.
  CHECK_OK(copse_scene_build_of_batch(context, batch, instances, 1, COPSE_MEMORY_HOST, NULL, &shared));
  CHECK(copse_worlds_build(context, NULL, 0, batch, instances + 1, 2, COPSE_MEMORY_HOST, begins, 1, shared,
                           &worlds) == COPSE_INVALID_ARGUMENT);
  const uint32_t one_world[2] = {0, 1};
  CHECK_OK(copse_worlds_build(context, NULL, 0, batch, instances + 1, 1, COPSE_MEMORY_HOST, one_world, 1, shared,
                              &worlds));
  copse_scene_destroy(shared);
  copse_scene_destroy(alone[1]);
  copse_batch_destroy(batch);
  for (uint32_t i = 0; i < RAY_COUNT; ++i) world_of_ray[i] = 7;
  CHECK_OK(copse_worlds_closest_hits(context, worlds, &all, world_of_ray, COPSE_MEMORY_HOST, hits,
                                     COPSE_MEMORY_HOST, NULL));
  CHECK_OK(copse_scene_closest_hits(context, alone[0], &all, expected[0], COPSE_MEMORY_HOST, NULL));
  for (int i = 0; i < RAY_COUNT; ++i) CHECK(hits[i].t == expected[0][i].t);
  const float limit = 1;
  copse_rays apart = all;
  apart.t_max = &limit, apart.t_max_stride = 0;
  CHECK(copse_worlds_closest_hits(context, worlds, &apart, world_of_ray, COPSE_MEMORY_HOST, hits,
                                  COPSE_MEMORY_HOST, NULL) == COPSE_INVALID_ARGUMENT);
  copse_scene_destroy(alone[0]);
  copse_worlds_destroy(worlds);
}

static void test_scene_file(copse_context* context, const char* path) {
  copse_scene_file* file;
  CHECK_OK(copse_scene_file_load(path, &file));
  const uint64_t mesh_count = copse_scene_file_mesh_count(file);
  CHECK(mesh_count > 0 && copse_scene_file_instance_count(file) > mesh_count);
  copse_accel* accels[16];
  CHECK(mesh_count <= 16);
  for (uint64_t i = 0; i < mesh_count && i < 16; ++i) {
    copse_geometry parts[8];
    const uint64_t part_count = copse_scene_file_geometry_count(file, i);
    CHECK(part_count > 0 && part_count <= 8 && copse_scene_file_mesh_name(file, i) != NULL);
    for (uint64_t j = 0; j < part_count; ++j) {
      float colour[4] = {-1, -1, -1, -1};
      parts[j].struct_size = sizeof(copse_geometry);
      CHECK_OK(copse_scene_file_geometry(file, i, j, &parts[j], colour));
      CHECK(parts[j].id == j && colour[0] >= 0 && colour[3] <= 1);
    }
    CHECK_OK(copse_accel_build(context, parts, part_count, NULL, &accels[i]));
  }
  copse_scene* scene;
  copse_stats stats = COPSE_STATS_INIT;
  CHECK_OK(copse_scene_build(context, (const copse_accel* const*)accels, mesh_count,
                             copse_scene_file_instances(file), copse_scene_file_instance_count(file),
                             COPSE_MEMORY_HOST, NULL, &scene));
  CHECK_OK(copse_scene_stats(context, scene, &stats));
  CHECK(stats.source_count == copse_scene_file_instance_count(file) && stats.left_out_count == 0);
  for (uint64_t i = 0; i < mesh_count; ++i) copse_accel_destroy(accels[i]);
  copse_scene_destroy(scene);
  copse_geometry geometry = COPSE_GEOMETRY_INIT;
  CHECK(copse_scene_file_geometry(file, mesh_count, 0, &geometry, NULL) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_scene_file_geometry(file, 0, 99, &geometry, NULL) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_scene_file_instance_name(file, 0) != NULL && copse_scene_file_message(file)[0] == '\0');
  copse_scene_file_destroy(file);
  CHECK(copse_scene_file_load("nowhere.glb", &file) == COPSE_BAD_FILE && file == NULL);
}

int main(int argc, char** argv) {
  copse_context* context = open_context(argc, argv);
  make_soup();
  make_rays(rays, RAY_COUNT);
  for (int i = 0; i < POINT_COUNT; ++i) {
    for (int axis = 0; axis < 3; ++axis) points[i][axis] = number_between(-1, 1);
  }
  for (int i = 0; i < QUERY_COUNT; ++i) {
    for (int axis = 0; axis < 3; ++axis) queries[i][axis] = number_between(-1.2f, 1.2f);
  }
  test_points(context);
  test_voxels(context);
  test_distances(context);
  test_worlds(context);
  if (argc > 3) test_scene_file(context, argv[3]);
  copse_context_destroy(context);
  return exit_code();
}
