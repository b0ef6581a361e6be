// Advisors, which choose between refit and rebuild, builds in slices, and meshes that stay in their files.
//
//   frames_test cpu|cuda FOLDER

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "checks.h"

enum { RAY_COUNT = 500 };

static copse_ray rays[RAY_COUNT];
static copse_hit hits[RAY_COUNT], expected[RAY_COUNT];
static float moved[3 * SOUP_SIZE][3];

static copse_geometry moved_soup(void) {
  copse_geometry geometry = soup();
  geometry.positions = moved[0];
  return geometry;
}

/// Checks that the accel has the hits of a new one over the same triangles.
static void check_hits_of(copse_context* context, const copse_accel* accel, const copse_geometry* geometry) {
  const copse_rays all = copse_rays_of(rays, RAY_COUNT, COPSE_MEMORY_HOST);
  copse_accel* built;
  CHECK_OK(copse_accel_build(context, geometry, 1, NULL, &built));
  CHECK_OK(copse_closest_hits(context, built, &all, expected, COPSE_MEMORY_HOST, NULL));
  CHECK_OK(copse_closest_hits(context, accel, &all, hits, COPSE_MEMORY_HOST, NULL));
  CHECK(memcmp(hits, expected, sizeof(hits)) == 0);
  copse_accel_destroy(built);
}

static copse_tree_history history_of(copse_context* context, const copse_advisor* advisor) {
  copse_tree_history history = COPSE_TREE_HISTORY_INIT;
  CHECK_OK(copse_advisor_history(context, advisor, &history));
  return history;
}

/// Small motions are refitted; triangles that trade their places are rebuilt.
static void test_advisor(copse_context* context) {
  const copse_geometry rest = soup(), now = moved_soup();
  copse_accel* accel;
  copse_advisor* advisor;
  CHECK_OK(copse_accel_build(context, &rest, 1, NULL, &accel));
  CHECK_OK(copse_advisor_create(context, accel, NULL, &advisor));
  copse_tree_history history = history_of(context, advisor);
  CHECK(history.built_cost > 0 && history.cost == history.built_cost && history.refit_count == 0);

  for (int i = 0; i < 3 * SOUP_SIZE; ++i) {
    for (int axis = 0; axis < 3; ++axis) moved[i][axis] = soup_positions[i][axis] * (axis == 0 ? 1.01f : 1);
  }
  CHECK_OK(copse_accel_refit_or_rebuild(context, accel, &now, 1, advisor));
  history = history_of(context, advisor);
  CHECK(history.refit_count == 1 && history.rebuild_count == 0 && history.refits_since_build == 1);
  check_hits_of(context, accel, &now);

  for (int i = 0; i < 3 * SOUP_SIZE; ++i) {
    memcpy(moved[i], soup_positions[(i + (i / 3 % 7) * 3 * (SOUP_SIZE / 7)) % (3 * SOUP_SIZE)], sizeof(moved[i]));
  }
  CHECK_OK(copse_accel_refit_or_rebuild(context, accel, &now, 1, advisor));
  history = history_of(context, advisor);
  CHECK(history.refit_count == 2 && history.rebuild_count == 1 && history.refits_since_build == 0);
  CHECK(history.cost == history.built_cost);
  check_hits_of(context, accel, &now);

  CHECK_OK(copse_accel_rebuild(context, accel, &rest, 1));
  CHECK_OK(copse_advisor_note_build(context, advisor, accel));
  CHECK(history_of(context, advisor).rebuild_count == 2);

  // A rule of one refit in any case.
  copse_rebuild_rule rule = COPSE_REBUILD_RULE_INIT;
  rule.max_growth = 1000, rule.max_refits = 1;
  copse_advisor* strict;
  CHECK_OK(copse_advisor_create(context, accel, &rule, &strict));
  for (int i = 0; i < 2; ++i) CHECK_OK(copse_accel_refit_or_rebuild(context, accel, &rest, 1, strict));
  CHECK(history_of(context, strict).rebuild_count >= 1);
  copse_accel_destroy(accel);
  copse_advisor_destroy(strict);
  copse_advisor_destroy(advisor);
}

/// Checks that a call was refused with these words.
static void check_refused(copse_status status, const char* words) {
  CHECK(status == COPSE_INVALID_ARGUMENT);
  check(strstr(copse_last_error(NULL), words) != NULL, __FILE__, __LINE__, words, copse_last_error(NULL));
}

static void test_refusals_of_advisors(copse_context* context) {
  const copse_geometry rest = soup(), other = cube();
  copse_accel* accel;
  copse_advisor* advisor = (copse_advisor*)&hits;
  CHECK_OK(copse_accel_build(context, &rest, 1, NULL, &accel));
  copse_rebuild_rule rule = COPSE_REBUILD_RULE_INIT;
  rule.max_growth = 0.5;
  check_refused(copse_advisor_create(context, accel, &rule, &advisor), "max_growth is 0.5");
  CHECK(advisor == NULL);
  check_refused(copse_advisor_create(context, NULL, NULL, &advisor), "the accel is null");
  check_refused(copse_advisor_create(context, accel, NULL, NULL), "the handle of the advisor is null");
  CHECK_OK(copse_advisor_create(context, accel, NULL, &advisor));
  check_refused(copse_accel_refit_or_rebuild(context, accel, &other, 1, advisor), "12 triangles");
  check_refused(copse_accel_refit_or_rebuild(context, accel, &rest, 1, NULL), "the advisor is null");
  check_refused(copse_advisor_note_build(context, NULL, accel), "the advisor is null");
  check_refused(copse_advisor_history(context, advisor, NULL), "copse_tree_history is null");
  copse_advisor_destroy(NULL);
  copse_advisor_destroy(advisor);
  copse_accel_destroy(accel);
}

static copse_context* new_host(void) {
  copse_context_options cpu = COPSE_CONTEXT_OPTIONS_INIT;
  cpu.backend = COPSE_BACKEND_CPU;
  copse_context* host;
  CHECK_OK(copse_context_create(&cpu, &host));
  return host;
}

/// On the CPU for both halves, and with the device of the test for the slices.
static void test_slices(copse_context* context) {
  copse_context* const host = new_host();
  const copse_geometry geometry = soup();
  copse_sliced_build_sizes least = COPSE_SLICED_BUILD_SIZES_INIT, sizes = COPSE_SLICED_BUILD_SIZES_INIT;
  CHECK_OK(copse_accel_sliced_sizes(context, 64, NULL, &least));
  CHECK(least.slice_count == 1 && least.slice_triangles == 64);
  copse_sliced_build_options options = COPSE_SLICED_BUILD_OPTIONS_INIT;
  options.memory_bytes = least.device_bytes;
  CHECK_OK(copse_accel_sliced_sizes(context, SOUP_SIZE, &options, &sizes));
  CHECK(sizes.slice_count == (SOUP_SIZE + 63) / 64 && sizes.device_bytes <= options.memory_bytes);
  copse_accel *of_slices, *whole;
  CHECK_OK(copse_accel_build_in_slices(host, context, &geometry, 1, &options, &of_slices));
  check_hits_of(host, of_slices, &geometry);
  CHECK_OK(copse_accel_build_in_slices(host, host, &geometry, 1, NULL, &whole));
  copse_stats one = COPSE_STATS_INIT, other = COPSE_STATS_INIT;
  CHECK_OK(copse_accel_stats(host, of_slices, &one));
  CHECK_OK(copse_accel_stats(host, whole, &other));
  CHECK(memcmp(&one, &other, sizeof(one)) == 0);
  CHECK_OK(copse_accel_rebuild(host, whole, &geometry, 1));
  check_hits_of(host, whole, &geometry);

  copse_sliced_build_sizes least_of_hploc = COPSE_SLICED_BUILD_SIZES_INIT;
  options.memory_bytes = 0;
  options.hploc_radius = 4;
  CHECK_OK(copse_accel_sliced_sizes(context, 64, &options, &least_of_hploc));
  CHECK(least_of_hploc.device_bytes > least.device_bytes);
  options.memory_bytes = least_of_hploc.device_bytes;
  copse_accel *of_hploc_slices, *hploc;
  CHECK_OK(copse_accel_build_in_slices(host, context, &geometry, 1, &options, &of_hploc_slices));
  check_hits_of(host, of_hploc_slices, &geometry);
  options.memory_bytes = 0;
  CHECK_OK(copse_accel_build_in_slices(host, host, &geometry, 1, &options, &hploc));
  CHECK_OK(copse_accel_stats(host, of_hploc_slices, &one));
  CHECK(memcmp(&one, &other, sizeof(one)) != 0);
  CHECK_OK(copse_accel_stats(host, hploc, &other));
  CHECK(memcmp(&one, &other, sizeof(one)) == 0);
  copse_accel_destroy(of_hploc_slices);
  copse_accel_destroy(hploc);
  options.hploc_radius = 9;
  copse_accel* none = of_slices;
  check_refused(copse_accel_build_in_slices(host, context, &geometry, 1, &options, &none),
                "hploc_radius is 9; it can be 0 to 8");

  options.hploc_radius = 0;
  options.memory_bytes = least.device_bytes - 1;
  none = of_slices;
  check_refused(copse_accel_build_in_slices(host, context, &geometry, 1, &options, &none),
                "slices of 64 triangles");
  CHECK(none == NULL);
  check_refused(copse_accel_build_in_slices(NULL, context, &geometry, 1, NULL, &none),
                "context of the host is null");
  check_refused(copse_accel_build_in_slices(host, NULL, &geometry, 1, NULL, &none),
                "context of the device is null");
  check_refused(copse_accel_build_in_slices(host, host, &geometry, 1, NULL, NULL), "handle of the accel is null");
  if (copse_context_backend(context) == COPSE_BACKEND_CUDA) {
    check_refused(copse_accel_build_in_slices(context, context, &geometry, 1, NULL, &none), "it must be of cpu");
  }
  copse_accel_destroy(of_slices);
  copse_accel_destroy(whole);
  copse_context_destroy(host);
}

/// Writes the soup as a PLY file whose vertices have a colour, so that hardly any record is aligned.
static void write_soup(const char* path, uint32_t first_index) {
  FILE* file = fopen(path, "wb");
  CHECK(file != NULL);
  if (file == NULL) return;
  fprintf(file, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", 3 * SOUP_SIZE);
  fprintf(file, "property uchar red\nproperty float x\nproperty float y\nproperty float z\n");
  fprintf(file, "element face %d\nproperty list uchar uint vertex_indices\nend_header\n", SOUP_SIZE);
  for (int i = 0; i < 3 * SOUP_SIZE; ++i) {
    fputc(7, file);
    fwrite(soup_positions[i], 4, 3, file);
  }
  for (int i = 0; i < SOUP_SIZE; ++i) {
    uint32_t ids[3];
    memcpy(ids, soup_indices[i], sizeof(ids));
    if (i == 0) ids[0] += first_index;
    fputc(3, file);
    fwrite(ids, 4, 3, file);
  }
  CHECK(fclose(file) == 0);
}

static void check_records(const copse_mapped_mesh* mesh) {
  copse_triangle_records records = COPSE_TRIANGLE_RECORDS_INIT;
  CHECK_OK(copse_mapped_mesh_records(mesh, &records));
  CHECK(records.vertex_count == 3 * SOUP_SIZE && records.position_stride == 13);
  CHECK(records.triangle_count == SOUP_SIZE && records.triangle_stride == 13);
  for (int i = 0; i < 3 * SOUP_SIZE; ++i) {
    CHECK(memcmp((const char*)records.positions + 13 * i, soup_positions[i], 12) == 0);
  }
  for (int i = 0; i < SOUP_SIZE; ++i) {
    CHECK(memcmp((const char*)records.triangles + 13 * i, soup_indices[i], 12) == 0);
  }
}

/// The structure over a mesh in its file has the hits and the file of one over arrays.
static void test_mapped_meshes(copse_context* context, const char* folder) {
  char ply[1000], path[1000];
  snprintf(ply, sizeof(ply), "%s/soup-%d.ply", folder, copse_context_backend(context));
  snprintf(path, sizeof(path), "%s/soup-%d.copse", folder, copse_context_backend(context));
  write_soup(ply, 0);
  copse_context* const host = new_host();
  copse_mapped_mesh* mesh;
  CHECK_OK(copse_mapped_mesh_open(ply, &mesh));
  check_records(mesh);

  const copse_geometry geometry = soup();
  copse_sliced_build_sizes least = COPSE_SLICED_BUILD_SIZES_INIT;
  CHECK_OK(copse_accel_sliced_sizes(context, 64, NULL, &least));
  copse_sliced_build_options options = COPSE_SLICED_BUILD_OPTIONS_INIT;
  options.memory_bytes = least.device_bytes;
  copse_accel *mapped, *saved;
  CHECK_OK(copse_mapped_mesh_build_in_slices(host, context, mesh, &options, &mapped));
  CHECK_OK(copse_mapped_mesh_save(host, mesh, mapped, path));
  CHECK_OK(copse_accel_map(host, path, COPSE_FILE_CHECK_EVERYTHING, &saved, NULL));
  check_hits_of(host, saved, &geometry);
  copse_accel_destroy(saved);

  options.memory_bytes = 1;
  copse_accel* none = mapped;
  check_refused(copse_mapped_mesh_build_in_slices(host, context, mesh, &options, &none), "slices of 64 triangles");
  CHECK(none == NULL);
  check_refused(copse_mapped_mesh_build_in_slices(host, context, NULL, NULL, &none), "the mesh is null");
  check_refused(copse_mapped_mesh_build_in_slices(NULL, context, mesh, NULL, &none),
                "context of the host is null");
  check_refused(copse_mapped_mesh_save(host, NULL, mapped, path), "the mesh is null");
  check_refused(copse_mapped_mesh_save(host, mesh, NULL, path), "the accel is null");
  check_refused(copse_mapped_mesh_save(host, mesh, mapped, NULL), "the path is null");
  check_refused(copse_mapped_mesh_records(mesh, NULL), "copse_triangle_records is null");

  // The structure does not need the mesh any more.
  copse_mapped_mesh_destroy(mesh);
  check_hits_of(host, mapped, &geometry);
  copse_accel_destroy(mapped);
  copse_context_destroy(host);

  write_soup(ply, 3 * SOUP_SIZE);
  CHECK(copse_mapped_mesh_open(ply, &mesh) == COPSE_BAD_FILE && mesh == NULL);
  CHECK(strstr(copse_last_error(NULL), "cannot be mapped: face 0 has vertex 902 of 900") != NULL);
  CHECK(copse_mapped_mesh_open("/no/such.ply", &mesh) == COPSE_BAD_FILE && mesh == NULL);
  check_refused(copse_mapped_mesh_open(NULL, &mesh), "the path is null");
  check_refused(copse_mapped_mesh_open(ply, NULL), "the handle of the mesh is null");
  copse_mapped_mesh_destroy(NULL);
  remove(ply);
  remove(path);
}

int main(int argc, char** argv) {
  copse_context* context = open_context(argc, argv);
  make_soup();
  make_rays(rays, RAY_COUNT);
  test_advisor(context);
  test_refusals_of_advisors(context);
  test_slices(context);
  test_mapped_meshes(context, argc > 2 ? argv[2] : ".");
  copse_context_destroy(context);
  return exit_code();
}
