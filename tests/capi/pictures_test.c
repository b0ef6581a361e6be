// Cameras and pictures, compared with rays through their pixels.
//
//   pictures_test cpu|cuda FOLDER        FOLDER: for a file

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

enum { WIDTH = 60, HEIGHT = 40, PIXEL_COUNT = WIDTH * HEIGHT };

static copse_ray rays[PIXEL_COUNT];
static copse_hit hits[PIXEL_COUNT];
static uint8_t picture[PIXEL_COUNT][4], empty_picture[PIXEL_COUNT][4];

static copse_render_options small_picture(copse_shading shading) {
  copse_render_options options = COPSE_RENDER_OPTIONS_INIT;
  options.width = WIDTH, options.height = HEIGHT, options.shading = shading;
  return options;
}

/// Fills the rays through the pixels, as copse_camera describes them. The order of operations matters for the last bit.
static void aim(const copse_camera* camera) {
  for (int i = 0; i < PIXEL_COUNT; ++i) {
    const float s = (((float)(i % WIDTH) + 0.5f) * 2.0f) / (float)WIDTH - 1.0f;
    const float t = 1.0f - (((float)(i / WIDTH) + 0.5f) * 2.0f) / (float)HEIGHT;
    float direction[3];
    for (int axis = 0; axis < 3; ++axis) {
      direction[axis] = camera->forward[axis] + (s * camera->right[axis] + t * camera->up[axis]);
    }
    const float length =
        sqrtf(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
    memcpy(rays[i].origin, camera->eye, sizeof(rays[i].origin));
    for (int axis = 0; axis < 3; ++axis) rays[i].direction[axis] = direction[axis] / length;
    rays[i].t_min = 0, rays[i].t_max = INFINITY;
  }
}

static void test_cameras(void) {
  const float eye[3] = {1, 2, 7}, target[3] = {1, 2, 3}, up[3] = {0, 5, 0};
  copse_camera camera;
  CHECK_OK(copse_camera_look_at(eye, target, up, 90, 1.5f, &camera));
  const float expected[12] = {1, 2, 7, 0, 0, -1, 1.5f, 0, 0, 0, 1, 0};
  float numbers[12];
  memcpy(numbers, &camera, sizeof(numbers));
  for (int i = 0; i < 12; ++i) CHECK(fabs(numbers[i] - expected[i]) < 1e-6);

  // A camera that frames a box sees its corners, close to the edges on two sides.
  const float lower[3] = {-1, -2, 0.5f}, upper[3] = {3, 1, 4};
  CHECK_OK(copse_camera_frame(lower, upper, 40, 1.5f, &camera));
  double widest = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double forward = 0, right = 0, above = 0, right_square = 0, up_square = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double along = ((corner >> axis & 1) ? upper : lower)[axis] - camera.eye[axis];
      forward += along * camera.forward[axis];
      right += along * camera.right[axis], right_square += camera.right[axis] * camera.right[axis];
      above += along * camera.up[axis], up_square += camera.up[axis] * camera.up[axis];
    }
    const double s = right / right_square / forward, t = above / up_square / forward;
    CHECK(forward > 0 && fabs(s) < 1 && fabs(t) < 1);
    widest = fmax(widest, fmax(fabs(s), fabs(t)));
  }
  CHECK(widest > 0.85);
}

/// Where a ray hits something, and only there, a pixel differs from that of a picture of nothing.
static void test_outlines(copse_context* context, const copse_accel* accel, const copse_camera* camera) {
  copse_geometry nothing = COPSE_GEOMETRY_INIT;
  copse_accel* empty;
  CHECK_OK(copse_accel_build(context, &nothing, 1, NULL, &empty));
  int hit_count = 0;
  for (copse_shading shading = COPSE_SHADING_NORMAL; shading <= COPSE_SHADING_AMBIENT_OCCLUSION; ++shading) {
    const copse_render_options options = small_picture(shading);
    CHECK_OK(copse_accel_render(context, accel, camera, &options, picture[0]));
    CHECK_OK(copse_accel_render(context, empty, camera, &options, empty_picture[0]));
    for (int i = 0; i < PIXEL_COUNT; ++i) {
      const int is_hit = hits[i].primitive != COPSE_NO_ID;
      hit_count += is_hit;
      CHECK(picture[i][3] == 255 && (memcmp(picture[i], empty_picture[i], 4) != 0) == is_hit);
    }
  }
  CHECK(hit_count > PIXEL_COUNT / 2 && hit_count < 4 * PIXEL_COUNT);
  copse_accel_destroy(empty);
}

static int nearer(const void* a, const void* b) {
  const float first = hits[*(const int*)a].t, second = hits[*(const int*)b].t;
  return (first > second) - (first < second);
}

/// The farther a pixel is, the darker.
static void test_distances(copse_context* context, const copse_accel* accel, const copse_camera* camera) {
  const copse_render_options options = small_picture(COPSE_SHADING_DISTANCE);
  CHECK_OK(copse_accel_render(context, accel, camera, &options, picture[0]));
  int order[PIXEL_COUNT], count = 0;
  for (int i = 0; i < PIXEL_COUNT; ++i) {
    if (hits[i].primitive != COPSE_NO_ID) order[count++] = i;
  }
  qsort(order, (size_t)count, sizeof(int), nearer);
  for (int i = 1; i < count; ++i) CHECK(picture[order[i]][0] <= picture[order[i - 1]][0]);
  CHECK(picture[order[0]][0] == 255 && picture[order[count - 1]][0] < 30);
}

/// More rays change the shade, and short ones leave all open that touch nothing.
static void test_ambient(copse_context* context, const copse_accel* accel, const copse_camera* camera) {
  copse_render_options options = small_picture(COPSE_SHADING_AMBIENT_OCCLUSION);
  options.ambient_rays = 4, options.ambient_distance = 1e-5f;
  CHECK_OK(copse_accel_render(context, accel, camera, &options, picture[0]));
  int open = 0, hit_count = 0;
  for (int i = 0; i < PIXEL_COUNT; ++i) {
    if (hits[i].primitive == COPSE_NO_ID) continue;
    ++hit_count;
    open += picture[i][0] == 230 || picture[i][0] == 229;
  }
  CHECK(open > 9 * hit_count / 10);
}

static void test_files(const char* folder) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/picture-of-the-c-interface.png", folder);
  CHECK_OK(copse_save_png(path, picture[0], WIDTH, HEIGHT));
  FILE* file = fopen(path, "rb");
  CHECK(file != NULL);
  if (file == NULL) return;
  uint8_t head[24];
  CHECK(fread(head, 1, sizeof(head), file) == sizeof(head));
  CHECK(memcmp(head, "\x89PNG\r\n\x1a\n", 8) == 0 && memcmp(head + 12, "IHDR", 4) == 0);
  CHECK(head[19] == WIDTH && head[23] == HEIGHT);
  fclose(file);
  remove(path);
}

/// Checks that a call was refused with these words.
static void check_refused(copse_status status, const char* words) {
  CHECK(status == COPSE_INVALID_ARGUMENT);
  check(strstr(copse_last_error(NULL), words) != NULL, __FILE__, __LINE__, words, copse_last_error(NULL));
}

/// A scene of one instance where its mesh stands has the picture of its accel.
static void test_scenes(copse_context* context, const copse_accel* accel, const copse_camera* camera) {
  const copse_geometry geometry = soup();
  const copse_instance here = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}, 0, 0xffffffffu, 7, 0};
  copse_scene_mesh mesh = {&geometry, 1, NULL};
  copse_scene* scene;
  CHECK_OK(copse_scene_build(context, &accel, 1, &here, 1, COPSE_MEMORY_HOST, NULL, &scene));
  const copse_shading shadings[3] = {COPSE_SHADING_NORMAL, COPSE_SHADING_DISTANCE,
                                     COPSE_SHADING_AMBIENT_OCCLUSION};
  for (int i = 0; i < 3; ++i) {
    copse_render_options options = small_picture(shadings[i]);
    options.ambient_distance = 0.5f;  // the box of a scene is a little larger
    CHECK_OK(copse_accel_render(context, accel, camera, &options, picture[0]));
    CHECK_OK(copse_scene_render(context, scene, &mesh, 1, &here, 1, COPSE_MEMORY_HOST, camera, &options,
                                empty_picture[0]));
    CHECK(memcmp(picture, empty_picture, sizeof(picture)) == 0);
  }
  // The same from memory of the context, in green: normals have no red and no blue then.
  const float green[4] = {0, 1, 0, 1};
  const copse_render_options options = small_picture(COPSE_SHADING_NORMAL);
  copse_buffer* memory;
  CHECK_OK(copse_buffer_create(context, sizeof(here), &memory));
  CHECK_OK(copse_upload(context, copse_buffer_data(memory), &here, sizeof(here)));
  mesh.colours = green;
  CHECK_OK(copse_scene_render(context, scene, &mesh, 1, copse_buffer_data(memory), 1, COPSE_MEMORY_CONTEXT, camera,
                              &options, picture[0]));
  for (int i = 0; i < PIXEL_COUNT; ++i) {
    if (hits[i].primitive != COPSE_NO_ID) CHECK(picture[i][0] == 0 && picture[i][1] > 0 && picture[i][2] == 0);
  }
  copse_buffer_destroy(memory);

  const copse_instance other = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}, 1, 0xffffffffu, 7, 0};
  copse_geometry named = geometry;
  named.id = 3;
  const copse_scene_mesh of_named = {&named, 1, NULL};
#define RENDER(meshes, count, instances, instance_count)                                                  \
  copse_scene_render(context, scene, meshes, count, instances, instance_count, COPSE_MEMORY_HOST, camera, \
                     &options, picture[0])
  check_refused(RENDER(&mesh, 1, &here, 0), "1 mesh and 0 instances, but the scene has 1 and 1");
  check_refused(RENDER(&mesh, 2, &here, 1), "2 meshes and 1 instance");
  check_refused(RENDER(NULL, 1, &here, 1), "the address of the meshes is null");
  check_refused(RENDER(&mesh, 1, NULL, 1), "the address of 1 instance is null");
  check_refused(RENDER(&mesh, 1, &other, 1), "instance 0 is of mesh 1, but there are 1");
  check_refused(RENDER(&of_named, 1, &here, 1), "geometry 0 of mesh 0 has the id 3");
#undef RENDER
  copse_scene_destroy(scene);
}

static void test_refusals(copse_context* context, const copse_accel* accel) {
  const float point[3] = {0, 0, 0}, other[3] = {0, 0, 1};
  copse_camera camera;
  check_refused(copse_camera_look_at(point, point, other, 40, 1, &camera), "eye and target are both");
  check_refused(copse_camera_look_at(point, other, other, 180, 1, &camera), "the field of view is 180");
  check_refused(copse_camera_look_at(NULL, other, other, 40, 1, &camera), "the address of the eye is null");
  check_refused(copse_camera_frame(point, other, 40, 0, &camera), "the aspect is 0");
  check_refused(copse_camera_frame(point, other, 40, 1, NULL), "the address of the camera is null");
  CHECK_OK(copse_camera_frame(point, other, 40, 1, &camera));
  copse_render_options options = small_picture(COPSE_SHADING_HEAT + 1);
  check_refused(copse_accel_render(context, accel, &camera, &options, picture[0]),
                "shading is 5; it can be 0 to 4");
  options = small_picture(COPSE_SHADING_NORMAL);
  options.width = 16385;
  check_refused(copse_accel_render(context, accel, &camera, &options, picture[0]), "width is 16385");
  check_refused(copse_accel_render(context, accel, NULL, NULL, picture[0]), "the address of the camera is null");
  check_refused(copse_accel_render(context, accel, &camera, NULL, NULL), "the address of the pixels is null");
  check_refused(copse_accel_render(context, NULL, &camera, NULL, picture[0]), "the accel is null");
  check_refused(copse_save_png("picture.png", picture[0], 0, 4), "no pixels");
  check_refused(copse_save_png("picture.png", picture[0], 40000, 40000), "40000 x 40000 pixels");
  check_refused(copse_save_png(NULL, picture[0], 4, 4), "the address of the path is null");
  CHECK(copse_save_png("/no/such/folder/picture.png", picture[0], 4, 4) == COPSE_BAD_FILE);
}

int main(int argc, char** argv) {
  copse_context* context = open_context(argc, argv);
  make_soup();
  const copse_geometry geometry = soup();
  copse_accel* accel;
  CHECK_OK(copse_accel_build(context, &geometry, 1, NULL, &accel));
  copse_stats stats = COPSE_STATS_INIT;
  CHECK_OK(copse_accel_stats(context, accel, &stats));
  copse_camera camera;
  CHECK_OK(copse_camera_frame(stats.lower, stats.upper, 40, (float)WIDTH / HEIGHT, &camera));
  aim(&camera);
  const copse_rays all = copse_rays_of(rays, PIXEL_COUNT, COPSE_MEMORY_HOST);
  CHECK_OK(copse_closest_hits(context, accel, &all, hits, COPSE_MEMORY_HOST, NULL));
  test_cameras();
  test_outlines(context, accel, &camera);
  test_distances(context, accel, &camera);
  test_ambient(context, accel, &camera);
  test_scenes(context, accel, &camera);
  test_files(argc > 2 ? argv[2] : ".");
  test_refusals(context, accel);
  copse_accel_destroy(accel);
  copse_context_destroy(context);
  return exit_code();
}
