// What the C interface refuses, and what it survives: null handles, wrong sizes, contexts that are gone, many threads.
//
//   errors_test cpu|cuda FOLDER

#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "checks.h"

static copse_context* context;
static copse_accel* accel;
static copse_ray ray = {{0.1f, 0.2f, 3}, 0, {0, 0, -1}, INFINITY};

/// Checks that a call failed with a status and a message that begins with the name of the function and has `words`.
static void check_refused(copse_status status, copse_status expected, const char* function, const char* words,
                          const char* file, int line) {
  const char* message = copse_last_error(NULL);
  const size_t length = strlen(function);
  const int is_named = strncmp(message, function, length) == 0 && strncmp(message + length, ": ", 2) == 0;
  check(status == expected && is_named && strstr(message, words) != NULL, file, line, words, message);
}

/// The same for COPSE_INVALID_ARGUMENT, which is what almost all wrong calls give.
#define REFUSED(function, arguments, words) \
  check_refused(function arguments, COPSE_INVALID_ARGUMENT, #function, words, __FILE__, __LINE__)

static void test_null_handles(void) {
  copse_rays rays = copse_rays_of(&ray, 1, COPSE_MEMORY_HOST);
  copse_geometry geometry = cube();
  copse_stats stats = COPSE_STATS_INIT;
  copse_build_sizes sizes = COPSE_BUILD_SIZES_INIT;
  copse_hit hit;
  copse_accel* none = (copse_accel*)&hit;
  copse_scene* no_scene = (copse_scene*)&hit;
  REFUSED(copse_context_create, (NULL, NULL), "the handle of the context is null");
  REFUSED(copse_context_wait, (NULL), "the context is null");
  REFUSED(copse_context_cancel, (NULL, 1), "the context is null");
  REFUSED(copse_buffer_create, (context, 16, NULL), "the handle of the buffer is null");
  REFUSED(copse_upload, (context, NULL, &hit, 4), "the destination is null");
  REFUSED(copse_download, (context, &hit, NULL, 4), "the source is null");
  REFUSED(copse_mesh_load, (NULL, NULL), "the handle of the mesh is null");
  REFUSED(copse_mesh_geometry, (NULL, 0, &geometry), "the mesh is null");
  REFUSED(copse_accel_build, (NULL, &geometry, 1, NULL, &none), "the context is null");
  CHECK(none == NULL);
  REFUSED(copse_accel_build, (context, &geometry, 1, NULL, NULL), "the handle of the accel is null");
  REFUSED(copse_accel_build, (context, NULL, 2, NULL, &none), "the address of 2 geometries is null");
  REFUSED(copse_accel_rebuild, (context, NULL, &geometry, 1), "the accel is null");
  REFUSED(copse_accel_refit, (context, NULL, &geometry, 1), "the accel is null");
  REFUSED(copse_accel_compact, (context, NULL), "the accel is null");
  REFUSED(copse_accel_stats, (context, NULL, &stats), "the accel is null");
  REFUSED(copse_accel_stats, (context, accel, NULL), "copse_stats is null");
  REFUSED(copse_accel_build_sizes, (NULL, 1, 1, NULL, &sizes), "the context is null");
  REFUSED(copse_accel_build_sizes, (context, 1, 1, NULL, NULL), "copse_build_sizes is null");
  REFUSED(copse_accel_save, (context, accel, NULL, &geometry, 1), "the path is null");
  REFUSED(copse_accel_load, (context, NULL, &none, NULL), "the path is null");
  REFUSED(copse_accel_map, (context, NULL, 0, &none, NULL), "the path is null");
  REFUSED(copse_accel_map, (context, "x", 0, NULL, NULL), "the handle of the accel is null");
  REFUSED(copse_accel_map, (context, "x", 3, &none, NULL), "the check is 3; it can be 0 to 2");
  REFUSED(copse_closest_hits, (context, NULL, &rays, &hit, 0, NULL), "the accel is null");
  REFUSED(copse_closest_hits, (context, accel, NULL, &hit, 0, NULL), "copse_rays is null");
  REFUSED(copse_closest_hits, (context, accel, &rays, NULL, 0, NULL), "the address of 1 hit is null");
  REFUSED(copse_any_hits, (context, accel, &rays, NULL, 0, NULL), "the address of 1 result is null");
  REFUSED(copse_nearest_points, (context, accel, NULL, 3, 0, 1, NULL, 0), "the address of 3 points is null");
  REFUSED(copse_scene_build, (context, NULL, 1, NULL, 0, 0, NULL, &no_scene), "the accels is null");
  CHECK(no_scene == NULL);
  REFUSED(copse_scene_refit, (context, NULL, NULL, 0, 0), "the scene is null");
  REFUSED(copse_scene_closest_hits, (context, NULL, &rays, NULL, 0, NULL), "the scene is null");
  copse_context_destroy(NULL);
  copse_buffer_destroy(NULL);
  copse_mesh_destroy(NULL);
  copse_accel_destroy(NULL);
  copse_scene_destroy(NULL);
  CHECK(copse_accel_triangle_count(NULL) == 0 && copse_scene_instance_count(NULL) == 0);
  CHECK(copse_buffer_data(NULL) == NULL && strcmp(copse_mesh_message(NULL), "") == 0);
  CHECK(copse_context_backend(NULL) == COPSE_BACKEND_AUTOMATIC);
}

static void test_arguments(void) {
  copse_accel* none;
  copse_geometry geometry = cube();
  uint32_t wild[CUBE_SIZE][3];
  memcpy(wild, cube_indices, sizeof(wild));
  wild[5][1] = 8;
  geometry.indices = wild;
  REFUSED(copse_accel_build, (context, &geometry, 1, NULL, &none),
          "geometry 0: triangle 5 has the vertex 8, but there are 8 positions");
  geometry = cube(), geometry.position_stride = 10;
  REFUSED(copse_accel_build, (context, &geometry, 1, NULL, &none), "position_stride is 10");
  geometry = cube(), geometry.index_bytes = 3;
  REFUSED(copse_accel_build, (context, &geometry, 1, NULL, &none), "index_bytes is 3; it can be 0, 2 or 4");
  geometry = cube(), geometry.memory = 2;
  REFUSED(copse_accel_build, (context, &geometry, 1, NULL, &none), "of geometry 0 is 2; it can be 0 or 1");
  geometry = cube(), geometry.positions = (const float*)((const char*)geometry.positions + 2);
  REFUSED(copse_accel_build, (context, &geometry, 1, NULL, &none), "ends in 2; a multiple of 4 is needed");
  geometry = cube(), geometry.position_count = UINT64_MAX / 4;
  REFUSED(copse_accel_build, (context, &geometry, 1, NULL, &none), "pass the address space");
  copse_build_options build = COPSE_BUILD_OPTIONS_INIT;
  build.quality = 3;
  geometry = cube();
  REFUSED(copse_accel_build, (context, &geometry, 1, &build, &none), "quality is 3; it can be 0 to 2");
  build.quality = COPSE_QUALITY_FAST, build.splits = 4.5;
  REFUSED(copse_accel_build, (context, &geometry, 1, &build, &none), "splits is 4.500000; it can be 1 to 4");
  copse_scene* unsplit;
  REFUSED(copse_scene_build, (context, NULL, 0, NULL, 0, COPSE_MEMORY_HOST, &build, &unsplit),
          "splits is 4.500000, but instances cannot be split; it must be 1");
  geometry.triangle_count = 5;
  REFUSED(copse_accel_refit, (context, accel, &geometry, 1), "5");

  copse_hit hit;
  copse_rays rays = copse_rays_of(&ray, 1, COPSE_MEMORY_HOST);
  rays.direction_stride = 6;
  REFUSED(copse_closest_hits, (context, accel, &rays, &hit, 0, NULL), "directions are 6 bytes apart");
  rays = copse_rays_of(&ray, 1, 7);
  REFUSED(copse_closest_hits, (context, accel, &rays, &hit, 0, NULL), "the memory of the origins is 7");
  rays = copse_rays_of(&ray, 1, COPSE_MEMORY_HOST);
  copse_trace_options trace = COPSE_TRACE_OPTIONS_INIT;
  trace.cull = -1;
  REFUSED(copse_closest_hits, (context, accel, &rays, &hit, 0, &trace), "cull is -1; it can be 0 to 2");
  REFUSED(copse_first_hits, (context, accel, &rays, 17, &hit, 0, NULL, 0, NULL), "k is 17; it can be 1 to 16");
  const float point[3] = {0, 0, 0};
  copse_neighbour neighbour;
  REFUSED(copse_k_nearest, (context, accel, point, 1, 0, 0, 1, &neighbour, 0), "k is 0");
  REFUSED(copse_k_nearest, (context, accel, point, UINT64_MAX / 64, 0, 70, 1, &neighbour, 0),
          "pass the address space");
  uint32_t count;
  REFUSED(copse_count_overlaps, (context, accel, 9, point, 1, 0, &count, 0), "shape is 9; it can be 0 to 2");

  const copse_accel* const accels[1] = {accel};
  copse_instance instance = COPSE_INSTANCE_INIT;
  instance.accel = 4;
  copse_scene* scene;
  REFUSED(copse_scene_build, (context, accels, 1, &instance, 1, 0, NULL, &scene),
          "instance 0 is of accel 4, but the scene has 1 accels");
  copse_context_options options = COPSE_CONTEXT_OPTIONS_INIT;
  copse_context* other;
  options.backend = 5;
  REFUSED(copse_context_create, (&options, &other), "backend is 5; it can be 0 to 2");
  options.backend = COPSE_BACKEND_CPU, options.workers = 5000;
  REFUSED(copse_context_create, (&options, &other), "workers is 5000");
  CHECK(other == NULL);
}

static void test_struct_sizes(void) {
  struct {
    copse_build_options options;
    uint64_t of_the_future;
  } newer = {COPSE_BUILD_OPTIONS_INIT, 0};
  const copse_geometry geometry = cube();
  copse_accel* built;
  newer.options.struct_size = sizeof(newer);
  CHECK_OK(copse_accel_build(context, &geometry, 1, &newer.options, &built));
  copse_accel_destroy(built);
  newer.of_the_future = 1;
  REFUSED(copse_accel_build, (context, &geometry, 1, &newer.options, &built), "it is older than the program");
  newer.options.struct_size = 0;
  REFUSED(copse_accel_build, (context, &geometry, 1, &newer.options, &built),
          "struct_size of copse_build_options is 0");
  copse_geometry two[2] = {cube(), cube()};
  two[1].struct_size = 5000;
  REFUSED(copse_accel_build, (context, two, 2, NULL, &built), "struct_size of geometry 1 is 5000");

  struct {
    copse_build_sizes sizes;
    uint64_t of_the_future;
  } results = {COPSE_BUILD_SIZES_INIT, 99};
  results.sizes.struct_size = sizeof(results);
  CHECK_OK(copse_accel_build_sizes(context, 10, 1, NULL, &results.sizes));
  CHECK(results.sizes.struct_size == sizeof(results) && results.sizes.result_bytes > 0 &&
        results.of_the_future == 0);
}

static void test_files(const char* folder) {
  copse_mesh* mesh;
  copse_accel* loaded;
  check_refused(copse_mesh_load("nowhere.ply", &mesh), COPSE_BAD_FILE, "copse_mesh_load", "nowhere.ply", __FILE__,
                __LINE__);
  check_refused(copse_accel_load(context, "nowhere.copse", &loaded, &mesh), COPSE_BAD_FILE, "copse_accel_load",
                "nowhere.copse", __FILE__, __LINE__);
  CHECK(mesh == NULL && loaded == NULL);
  char path[1024];
  snprintf(path, sizeof(path), "%s/errors_test.obj", folder);
  FILE* file = fopen(path, "w");
  CHECK(file != NULL);
  if (file == NULL) return;
  fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv nan 0 0\nf 1 2 3\nf 1 2 4\n", file);
  fclose(file);
  CHECK_OK(copse_mesh_load(path, &mesh));
  CHECK(strstr(copse_mesh_message(mesh), "line 4") != NULL && copse_mesh_geometry_count(mesh) == 1);
  copse_geometry geometry = COPSE_GEOMETRY_INIT;
  CHECK_OK(copse_mesh_geometry(mesh, 0, &geometry));
  CHECK(geometry.triangle_count == 1 && geometry.position_count == 3);
  REFUSED(copse_mesh_geometry, (mesh, 1, &geometry), "geometry 1 was asked for, but the mesh has 1");
  copse_mesh_destroy(mesh);
  remove(path);
}

static void test_messages(void) {
  CHECK(strcmp(copse_status_name(COPSE_OK), "ok") == 0 && strcmp(copse_status_name(99), "unknown") == 0);
  CHECK(strcmp(copse_status_name(COPSE_OUT_OF_MEMORY), "out_of_memory") == 0);
  CHECK(strcmp(copse_status_name(COPSE_CANCELLED), "cancelled") == 0);
  CHECK(strncmp(copse_version(), "0.", 2) == 0);
  copse_context_options options = COPSE_CONTEXT_OPTIONS_INIT;
  copse_context* other;
  options.backend = COPSE_BACKEND_CPU;
  CHECK_OK(copse_context_create(&options, &other));
  CHECK(strcmp(copse_last_error(other), "") == 0);
  CHECK(copse_accel_compact(context, NULL) == COPSE_INVALID_ARGUMENT);
  CHECK(strcmp(copse_last_error(context), "copse_accel_compact: the accel is null") == 0);
  CHECK(strcmp(copse_last_error(other), "") == 0);
  CHECK(copse_context_worker_count(other) > 0 && strlen(copse_context_device_name(other)) > 0);
  if (copse_context_backend(context) == COPSE_BACKEND_CUDA) {
    copse_hit hit;
    const copse_rays rays = copse_rays_of(&ray, 1, COPSE_MEMORY_HOST);
    REFUSED(copse_closest_hits, (other, accel, &rays, &hit, 0, NULL),
            "the accel is in the memory of CUDA device 0, but the context is of the CPU");
  }
  copse_context_destroy(other);
}

static void test_cancel(void) {
  const copse_geometry geometry = cube();
  copse_accel* built;
  CHECK_OK(copse_context_cancel(context, 1));
  check_refused(copse_accel_build(context, &geometry, 1, NULL, &built), COPSE_CANCELLED, "copse_accel_build",
                "cancelled", __FILE__, __LINE__);
  CHECK(built == NULL);
  CHECK_OK(copse_context_cancel(context, 0));
  CHECK_OK(copse_accel_build(context, &geometry, 1, NULL, &built));
  copse_accel_destroy(built);
}

/// An accel lives on after its context, and a scene after its accels.
static void test_lifetimes(int argc, char** argv) {
  copse_context* first = open_context(argc, argv);
  const copse_geometry geometry = cube();
  copse_accel* kept;
  CHECK_OK(copse_accel_build(first, &geometry, 1, NULL, &kept));
  CHECK_OK(copse_context_wait(first));
  copse_context_destroy(first);
  copse_hit hit;
  const copse_rays rays = copse_rays_of(&ray, 1, COPSE_MEMORY_HOST);
  CHECK_OK(copse_closest_hits(context, kept, &rays, &hit, COPSE_MEMORY_HOST, NULL));
  CHECK(hit.t == 2);
  copse_accel_destroy(kept);

  CHECK_OK(copse_accel_build(context, &geometry, 1, NULL, &kept));
  const copse_accel* const accels[2] = {kept, kept};
  const copse_instance instance = COPSE_INSTANCE_INIT;
  copse_scene* scene;
  CHECK_OK(copse_scene_build(context, accels, 2, &instance, 1, COPSE_MEMORY_HOST, NULL, &scene));
  REFUSED(copse_accel_compact, (context, kept), "a scene refers to the accel");
  copse_scene_destroy(scene);
  CHECK_OK(copse_accel_compact(context, kept));
  copse_accel_destroy(kept);
}

/// Builds, traces and destroys with the one context of all threads.
static void* use_context(void* ok) {
  for (int i = 0; i < 20; ++i) {
    const copse_geometry geometry = cube();
    const copse_rays rays = copse_rays_of(&ray, 1, COPSE_MEMORY_HOST);
    copse_accel* own;
    copse_hit hits[2];
    if (copse_accel_build(context, &geometry, 1, NULL, &own) != COPSE_OK) return NULL;
    if (copse_closest_hits(context, own, &rays, &hits[0], COPSE_MEMORY_HOST, NULL) != COPSE_OK) return NULL;
    if (copse_closest_hits(context, accel, &rays, &hits[1], COPSE_MEMORY_HOST, NULL) != COPSE_OK) return NULL;
    copse_accel_destroy(own);
    if (copse_accel_compact(context, NULL) != COPSE_INVALID_ARGUMENT) return NULL;
    if (strstr(copse_last_error(context), "the accel is null") == NULL) return NULL;
    if (hits[0].t != 2 || hits[1].t != 2) return NULL;
  }
  *(int*)ok = 1;
  return NULL;
}

static void test_threads(void) {
  enum { THREAD_COUNT = 6 };
  pthread_t threads[THREAD_COUNT];
  int ok[THREAD_COUNT] = {0};
  for (int i = 0; i < THREAD_COUNT; ++i) CHECK(pthread_create(&threads[i], NULL, use_context, &ok[i]) == 0);
  for (int i = 0; i < THREAD_COUNT; ++i) {
    CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(ok[i]);
  }
}

static void test_nothing(void) {
  copse_accel* empty;
  CHECK_OK(copse_accel_build(context, NULL, 0, NULL, &empty));
  const copse_rays rays = copse_rays_of(&ray, 1, COPSE_MEMORY_HOST), no_rays = COPSE_RAYS_INIT;
  copse_hit hit;
  CHECK_OK(copse_closest_hits(context, empty, &rays, &hit, COPSE_MEMORY_HOST, NULL));
  CHECK(hit.primitive == COPSE_NO_ID && isinf(hit.t));
  CHECK_OK(copse_closest_hits(context, accel, &no_rays, NULL, COPSE_MEMORY_HOST, NULL));
  CHECK_OK(copse_k_nearest(context, accel, NULL, 0, COPSE_MEMORY_HOST, 4, INFINITY, NULL, COPSE_MEMORY_HOST));
  uint64_t offsets[1] = {7};
  CHECK_OK(copse_find_overlaps(context, accel, COPSE_REGION_BOX, NULL, 0, COPSE_MEMORY_HOST, offsets,
                               COPSE_MEMORY_HOST, NULL, 0, COPSE_MEMORY_HOST));
  CHECK(offsets[0] == 0);
  copse_scene* scene;
  CHECK_OK(copse_scene_build(context, NULL, 0, NULL, 0, COPSE_MEMORY_HOST, NULL, &scene));
  copse_scene_hit scene_hit;
  CHECK_OK(copse_scene_closest_hits(context, scene, &rays, &scene_hit, COPSE_MEMORY_HOST, NULL));
  CHECK(scene_hit.instance == COPSE_NO_ID);
  copse_scene_destroy(scene);
  copse_accel_destroy(empty);
}

int main(int argc, char** argv) {
  context = open_context(argc, argv);
  const copse_geometry geometry = cube();
  CHECK_OK(copse_accel_build(context, &geometry, 1, NULL, &accel));
  test_null_handles();
  test_arguments();
  test_struct_sizes();
  test_files(argc > 2 ? argv[2] : ".");
  test_messages();
  test_cancel();
  test_lifetimes(argc, argv);
  test_threads();
  test_nothing();
  copse_context_destroy(context);
  copse_accel_destroy(accel);
  return exit_code();
}
