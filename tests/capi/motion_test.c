// Triangles and instances that move, compared with those that stand where the moving ones are at a time.
//
//   motion_test cpu|cuda

#include <math.h>
#include <string.h>

#include "checks.h"

enum { RAY_COUNT = 400, INSTANCE_COUNT = 5 };

static copse_ray rays[RAY_COUNT];
static float moved_positions[3 * SOUP_SIZE][3];

/// At a key, hits are those of an accel of this key; in between, those of triangles in between.
static void test_motion(copse_context* context) {
  copse_geometry keys[2] = {soup(), soup()};
  keys[1].positions = moved_positions[0];
  copse_motion* motion;
  CHECK_OK(copse_motion_build(context, keys, 2, 1, NULL, &motion));
  CHECK(copse_motion_key_count(motion) == 2 && copse_motion_triangle_count(motion) == SOUP_SIZE);
  const copse_rays all = copse_rays_of(rays, RAY_COUNT, COPSE_MEMORY_HOST);
  static copse_hit expected[2][RAY_COUNT], hits[RAY_COUNT];
  static float times[RAY_COUNT];
  static uint8_t occluded[RAY_COUNT];
  for (int key = 0; key < 2; ++key) {
    copse_accel* accel;
    CHECK_OK(copse_accel_build(context, &keys[key], 1, NULL, &accel));
    CHECK_OK(copse_closest_hits(context, accel, &all, expected[key], COPSE_MEMORY_HOST, NULL));
    CHECK_OK(copse_motion_closest_hits(context, motion, &all, NULL, COPSE_MEMORY_HOST, (float)key, hits,
                                       COPSE_MEMORY_HOST, NULL));
    CHECK(memcmp(hits, expected[key], sizeof(hits)) == 0);
    copse_accel_destroy(accel);
  }
  for (int i = 0; i < RAY_COUNT; ++i) times[i] = (float)(i % 2);
  CHECK_OK(copse_motion_closest_hits(context, motion, &all, times, COPSE_MEMORY_HOST, 0, hits, COPSE_MEMORY_HOST,
                                     NULL));
  CHECK_OK(copse_motion_any_hits(context, motion, &all, times, COPSE_MEMORY_HOST, 0, occluded, COPSE_MEMORY_HOST,
                                 NULL));
  for (int i = 0; i < RAY_COUNT; ++i) {
    CHECK(memcmp(&hits[i], &expected[i % 2][i], sizeof(hits[i])) == 0);
    CHECK(occluded[i] == (hits[i].primitive != COPSE_NO_ID));
  }
  const copse_geometry still[2] = {keys[1], keys[1]};
  CHECK_OK(copse_motion_refit(context, motion, still, 2, 1));
  CHECK_OK(copse_motion_closest_hits(context, motion, &all, NULL, COPSE_MEMORY_HOST, 0.5f, hits, COPSE_MEMORY_HOST,
                                     NULL));
  CHECK(memcmp(hits, expected[1], sizeof(hits)) == 0);
  CHECK_OK(copse_motion_rebuild(context, motion, keys, 2, 1));
  CHECK(copse_motion_rebuild(context, motion, keys, 1, 1) == COPSE_INVALID_ARGUMENT);
  CHECK(strstr(copse_last_error(NULL), "key_count is 1; it can be 2 to 65535") != NULL);
  copse_motion_destroy(motion);
}

/// A turn about y and a shift, in rows.
static void turn(float angle, float shift, float rows[3][4]) {
  const float all[3][4] = {
      {cosf(angle), 0, sinf(angle), shift}, {0, 0.5f, 0, 0.1f * shift}, {-sinf(angle), 0, cosf(angle), -shift}};
  memcpy(rows, all, sizeof(all));
}

static void check_same_scene_hits(const copse_scene_hit* hits, const copse_scene_hit* expected) {
  for (int i = 0; i < RAY_COUNT; ++i) {
    CHECK(hits[i].instance == expected[i].instance && hits[i].primitive == expected[i].primitive);
    CHECK(hits[i].instance == COPSE_NO_ID || fabsf(hits[i].t - expected[i].t) <= 1e-3f * fabsf(expected[i].t));
  }
}

/// Instances that stand still inside, at both keys and where they are half-way, and one of triangles that move.
static void test_motion_scene(copse_context* context) {
  const copse_geometry keys[2] = {soup(), soup()};
  const copse_geometry box = cube();
  copse_accel* accels[2];
  copse_motion* motion;
  CHECK_OK(copse_accel_build(context, &box, 1, NULL, &accels[0]));
  CHECK_OK(copse_accel_build(context, keys, 1, NULL, &accels[1]));
  CHECK_OK(copse_motion_build(context, keys, 2, 1, NULL, &motion));
  float rows[2 * INSTANCE_COUNT][3][4];
  copse_motion_transform transforms[2 * INSTANCE_COUNT];
  copse_instance still[3][INSTANCE_COUNT];  // at time 0, 1/2 and 1
  uint32_t numbers[INSTANCE_COUNT], masks[INSTANCE_COUNT];
  for (int i = 0; i < INSTANCE_COUNT; ++i) {
    for (int time = 0; time < 3; ++time) {
      const copse_instance none = COPSE_INSTANCE_INIT;
      still[time][i] = none;
      // Number 2 is the motion, whose triangles do not move, so that an accel of them can stand in its place.
      numbers[i] = (uint32_t)i % 3, still[time][i].accel = numbers[i] == 0 ? 0 : 1;
      masks[i] = still[time][i].mask = i == 4 ? 2 : 1;
      turn(0.4f * (float)(i * time) / 2, 0.3f * (float)i - 0.2f * (float)time, still[time][i].rows);
      if (time != 1) memcpy(rows[2 * i + time / 2], still[time][i].rows, sizeof(rows[0]));
    }
  }
  CHECK_OK(copse_motion_transforms_of(&rows[0][0][0], 2 * INSTANCE_COUNT, transforms));
  CHECK(transforms[0].rotation[3] == 1 && transforms[0].stretch_y == 0.5f);
  copse_motion_instances instances = COPSE_MOTION_INSTANCES_INIT;
  instances.transforms = transforms, instances.count = INSTANCE_COUNT;
  instances.accels = numbers, instances.masks = masks;
  copse_motion_scene_options options = COPSE_MOTION_SCENE_OPTIONS_INIT;
  options.tree_count = 3;
  copse_motion_scene* scene;
  CHECK_OK(copse_motion_scene_build(context, (const copse_accel* const*)accels, 2,
                                    (const copse_motion* const*)&motion, 1, &instances, &options, &scene));
  copse_motion_destroy(motion);  // the scene keeps its memory
  CHECK(copse_motion_scene_instance_count(scene) == INSTANCE_COUNT && copse_motion_scene_key_count(scene) == 2);
  CHECK(copse_motion_scene_size_bytes(scene) > 0);

  const copse_rays all = copse_rays_of(rays, RAY_COUNT, COPSE_MEMORY_HOST);
  static copse_scene_hit expected[3][RAY_COUNT], hits[RAY_COUNT];
  static float times[RAY_COUNT];
  static uint8_t occluded[RAY_COUNT];
  for (int time = 0; time < 3; ++time) {
    copse_scene* at_time;
    CHECK_OK(copse_scene_build(context, (const copse_accel* const*)accels, 2, still[time], INSTANCE_COUNT,
                               COPSE_MEMORY_HOST, NULL, &at_time));
    copse_trace_options without_last = COPSE_TRACE_OPTIONS_INIT;
    without_last.mask = 1;
    CHECK_OK(copse_scene_closest_hits(context, at_time, &all, expected[time], COPSE_MEMORY_HOST, &without_last));
    CHECK_OK(copse_motion_scene_closest_hits(context, scene, &all, NULL, COPSE_MEMORY_HOST, 0.5f * (float)time,
                                             hits, COPSE_MEMORY_HOST, &without_last));
    // Half-way a turn of a quaternion is the turn by half the angle.
    check_same_scene_hits(hits, expected[time]);
    copse_scene_destroy(at_time);
  }
  for (int i = 0; i < RAY_COUNT; ++i) times[i] = (float)(i % 2);
  copse_trace_options without_last = COPSE_TRACE_OPTIONS_INIT;
  without_last.mask = 1;
  CHECK_OK(copse_motion_scene_closest_hits(context, scene, &all, times, COPSE_MEMORY_HOST, 0, hits,
                                           COPSE_MEMORY_HOST, &without_last));
  CHECK_OK(copse_motion_scene_any_hits(context, scene, &all, times, COPSE_MEMORY_HOST, 0, occluded,
                                       COPSE_MEMORY_HOST, &without_last));
  uint32_t hit_count = 0;
  for (int i = 0; i < RAY_COUNT; ++i) {
    CHECK(hits[i].instance == expected[2 * (i % 2)][i].instance);
    CHECK(occluded[i] == (hits[i].instance != COPSE_NO_ID));
    hit_count += occluded[i];
  }
  CHECK(hit_count > RAY_COUNT / 4);

  // Refitted to stand still where they were at the first key, and rebuilt to move again.
  for (int i = 0; i < INSTANCE_COUNT; ++i) transforms[2 * i + 1] = transforms[2 * i];
  CHECK_OK(copse_motion_scene_refit(context, scene, &instances));
  CHECK_OK(copse_motion_scene_closest_hits(context, scene, &all, NULL, COPSE_MEMORY_HOST, 0.7f, hits,
                                           COPSE_MEMORY_HOST, &without_last));
  check_same_scene_hits(hits, expected[0]);
  CHECK_OK(copse_motion_transforms_of(&rows[0][0][0], 2 * INSTANCE_COUNT, transforms));
  CHECK_OK(copse_motion_scene_rebuild(context, scene, &instances));
  CHECK_OK(copse_motion_scene_closest_hits(context, scene, &all, NULL, COPSE_MEMORY_HOST, 1, hits,
                                           COPSE_MEMORY_HOST, &without_last));
  check_same_scene_hits(hits, expected[2]);

  numbers[3] = 3;
  CHECK(copse_motion_scene_refit(context, scene, &instances) == COPSE_INVALID_ARGUMENT);
  CHECK(strstr(copse_last_error(NULL), "instance 3 is of accel 3, but the scene has 3 accels and motions") !=
        NULL);
  numbers[3] = 0;
  instances.count = INSTANCE_COUNT - 1;
  CHECK(copse_motion_scene_refit(context, scene, &instances) == COPSE_INVALID_ARGUMENT);
  instances.key_count = 1;
  CHECK(copse_motion_scene_rebuild(context, scene, &instances) == COPSE_INVALID_ARGUMENT);
  CHECK(strstr(copse_last_error(NULL), "key_count is 1; it can be 2 to 65535") != NULL);
  CHECK(copse_motion_scene_rebuild(context, scene, NULL) == COPSE_INVALID_ARGUMENT);
  copse_motion_scene_destroy(scene);
  scene = (copse_motion_scene*)&options;
  options.tree_count = 257, instances.key_count = 2;
  CHECK(copse_motion_scene_build(context, (const copse_accel* const*)accels, 2, NULL, 0, &instances, &options,
                                 &scene) == COPSE_INVALID_ARGUMENT);
  CHECK(scene == NULL && copse_motion_transforms_of(NULL, 1, transforms) == COPSE_INVALID_ARGUMENT);
  copse_accel_destroy(accels[0]);
  copse_accel_destroy(accels[1]);
}

int main(int argc, char** argv) {
  copse_context* context = open_context(argc, argv);
  make_soup();
  make_rays(rays, RAY_COUNT);
  for (int i = 0; i < 3 * SOUP_SIZE; ++i) {
    for (int axis = 0; axis < 3; ++axis) moved_positions[i][axis] = 0.8f * soup_positions[i][(axis + 1) % 3];
  }
  test_motion(context);
  test_motion_scene(context);
  copse_context_destroy(context);
  return exit_code();
}
