// Structures on several devices answer as one device does, byte for byte. On the CPU there are three, which share its
// cores; on CUDA all GPUs that answer.
//
//   devices_test cpu|cuda

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

enum { RAY_COUNT = 3000, POINT_COUNT = 1000, K = 3 };

static copse_ray rays[RAY_COUNT];
static float points[POINT_COUNT][3];

/// Compares all calls with those of an accel of the same triangles.
static void check_same(copse_context* context, const copse_accel* accel, const copse_replicated* replicated) {
  static copse_hit expected[RAY_COUNT], hits[RAY_COUNT];
  static uint8_t occluded[RAY_COUNT], inside[2][POINT_COUNT];
  static copse_nearest nearest[2][POINT_COUNT];
  static copse_neighbour neighbours[2][POINT_COUNT * K];
  const copse_rays records = copse_rays_of(rays, RAY_COUNT, COPSE_MEMORY_HOST);
  copse_rays apart = records;  // the same rays, which are no records since their limits stand elsewhere
  const float begin = 0, end = INFINITY;
  apart.t_min = &begin, apart.t_min_stride = 0, apart.t_max = &end, apart.t_max_stride = 0;
  copse_trace_options options = COPSE_TRACE_OPTIONS_INIT;
  options.cull = COPSE_CULL_BACK;
  const copse_memory host = COPSE_MEMORY_HOST;
  CHECK_OK(copse_closest_hits(context, accel, &records, expected, host, &options));
  for (int pass = 0; pass < 2; ++pass) {
    memset(hits, 7, sizeof(hits));
    CHECK_OK(copse_replicated_closest_hits(replicated, pass == 0 ? &records : &apart, hits, host, &options));
    CHECK(memcmp(hits, expected, sizeof(hits)) == 0);
    CHECK_OK(copse_replicated_any_hits(replicated, pass == 0 ? &records : &apart, occluded, host, &options));
    for (int i = 0; i < RAY_COUNT; ++i) CHECK(occluded[i] == (hits[i].primitive != COPSE_NO_ID));
  }
  CHECK_OK(copse_nearest_points(context, accel, points[0], POINT_COUNT, host, INFINITY, nearest[0], host));
  CHECK_OK(copse_replicated_nearest_points(replicated, points[0], POINT_COUNT, host, INFINITY, nearest[1], host));
  CHECK(memcmp(nearest[0], nearest[1], sizeof(nearest[0])) == 0);
  CHECK_OK(copse_k_nearest(context, accel, points[0], POINT_COUNT, host, K, INFINITY, neighbours[0], host));
  CHECK_OK(copse_replicated_k_nearest(replicated, points[0], POINT_COUNT, host, K, INFINITY, neighbours[1], host));
  CHECK(memcmp(neighbours[0], neighbours[1], sizeof(neighbours[0])) == 0);
  CHECK_OK(copse_points_inside(context, accel, points[0], POINT_COUNT, host, inside[0], host));
  CHECK_OK(copse_replicated_points_inside(replicated, points[0], POINT_COUNT, host, inside[1], host));
  CHECK(memcmp(inside[0], inside[1], sizeof(inside[0])) == 0);
}

static void test_structures(copse_context* context, copse_devices* devices) {
  copse_geometry geometry = soup();
  copse_build_options options = COPSE_BUILD_OPTIONS_INIT;
  options.capacity = 2 * SOUP_SIZE;
  copse_accel* accel;
  copse_replicated* replicated;
  CHECK_OK(copse_accel_build(context, &geometry, 1, &options, &accel));
  CHECK_OK(copse_replicated_build(devices, &geometry, 1, &options, &replicated));
  CHECK(copse_replicated_triangle_count(replicated) == SOUP_SIZE);
  CHECK(copse_devices_count(devices) == 1 ||
        copse_replicated_size_bytes(replicated) > copse_accel_size_bytes(accel));
  check_same(context, accel, replicated);
  for (int i = 0; i < 3 * SOUP_SIZE; ++i) soup_positions[i][2] *= 0.5f;
  CHECK_OK(copse_accel_refit(context, accel, &geometry, 1));
  CHECK_OK(copse_replicated_refit(replicated, &geometry, 1));
  check_same(context, accel, replicated);
  geometry = cube();
  CHECK_OK(copse_accel_rebuild(context, accel, &geometry, 1));
  CHECK_OK(copse_replicated_rebuild(replicated, &geometry, 1));
  CHECK(copse_replicated_triangle_count(replicated) == CUBE_SIZE);
  check_same(context, accel, replicated);
  CHECK_OK(copse_devices_wait(devices));
  copse_devices_destroy(devices);  // the structure keeps them
  check_same(context, accel, replicated);
  CHECK(copse_replicated_refit(replicated, NULL, 1) == COPSE_INVALID_ARGUMENT);
  CHECK(strstr(copse_last_error(NULL), "copse_replicated_refit: the address of 1 geometry is null") != NULL);
  copse_neighbour none;
  CHECK(copse_replicated_k_nearest(replicated, points[0], 1, COPSE_MEMORY_HOST, 0, 1, &none, COPSE_MEMORY_HOST) ==
        COPSE_INVALID_ARGUMENT);
  copse_replicated_destroy(replicated);
  copse_accel_destroy(accel);
}

static void test_refusals(const copse_devices_options* good) {
  copse_devices* devices = (copse_devices*)&rays;
  copse_devices_options options = *good;
  options.count = 65;
  CHECK(copse_devices_create(&options, &devices) == COPSE_INVALID_ARGUMENT && devices == NULL);
  options.backend = 3;
  CHECK(copse_devices_create(&options, &devices) == COPSE_INVALID_ARGUMENT);
  CHECK(strstr(copse_last_error(NULL), "backend is 3; it can be 0 to 2") != NULL);
  CHECK(copse_devices_create(NULL, NULL) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_devices_wait(NULL) == COPSE_INVALID_ARGUMENT && copse_devices_count(NULL) == 0);
  const copse_geometry geometry = cube();
  copse_replicated* replicated = (copse_replicated*)&rays;
  CHECK(copse_replicated_build(NULL, &geometry, 1, NULL, &replicated) == COPSE_INVALID_ARGUMENT);
  CHECK(replicated == NULL && copse_replicated_triangle_count(NULL) == 0 &&
        copse_replicated_size_bytes(NULL) == 0);
  const copse_rays none = copse_rays_of(NULL, 0, COPSE_MEMORY_HOST);
  CHECK(copse_replicated_closest_hits(NULL, &none, NULL, COPSE_MEMORY_HOST, NULL) == COPSE_INVALID_ARGUMENT);
  copse_devices_destroy(NULL);
  copse_replicated_destroy(NULL);
}

int main(int argc, char** argv) {
  copse_context* context = open_context(argc, argv);
  make_soup();
  make_rays(rays, RAY_COUNT);
  for (int i = 0; i < RAY_COUNT; ++i) rays[i].t_min = 0, rays[i].t_max = INFINITY;
  for (int i = 0; i < POINT_COUNT; ++i) {
    for (int axis = 0; axis < 3; ++axis) points[i][axis] = number_between(-1.2f, 1.2f);
  }
  copse_devices_options options = COPSE_DEVICES_OPTIONS_INIT;
  options.backend = copse_context_backend(context);
  options.count = options.backend == COPSE_BACKEND_CPU ? 3 : 0;
  test_refusals(&options);
  for (int32_t without_peer_access = 0; without_peer_access < 2; ++without_peer_access) {
    copse_devices* devices;
    options.without_peer_access = without_peer_access;
    CHECK_OK(copse_devices_create(&options, &devices));
    const uint32_t expected = options.backend == COPSE_BACKEND_CPU ? 3 : copse_gpu_count();
    CHECK(copse_devices_count(devices) == expected && copse_devices_backend(devices) == options.backend);
    test_structures(context, devices);
    make_soup();
  }
  copse_context_destroy(context);
  return exit_code();
}
