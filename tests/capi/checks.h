#pragma once

// What the tests of the C interface share: checks, made-up triangles, and answers by testing every triangle.

#include <copse/c.h>

/// Counts a failure, and prints it, unless the condition holds.
#define CHECK(condition) check((condition) != 0, __FILE__, __LINE__, #condition, "")
/// The same for a call that must succeed. The message of the error is printed.
#define CHECK_OK(call) check((call) == COPSE_OK, __FILE__, __LINE__, #call, copse_last_error(NULL))
void check(int holds, const char* file, int line, const char* text, const char* message);

/// Returns the exit code: 1 if a check failed or if none was made.
int exit_code(void);

/// Returns a context of the backend that argv[1] names, "cpu" or "cuda". Ends the program with code 77, which means
/// skipped, if it is cuda and no GPU answers.
copse_context* open_context(int argc, char** argv);

/// Returns a random number from `low` to `high`. The numbers are the same in every run.
float number_between(float low, float high);

enum { SOUP_SIZE = 300, CUBE_SIZE = 12 };

/// Random triangles in the box from -1 to 1, and their indices.
extern float soup_positions[3 * SOUP_SIZE][3];
extern uint32_t soup_indices[SOUP_SIZE][3];
/// The closed cube from -1 to 1, whose triangles turn counterclockwise as seen from outside.
extern float cube_positions[8][3];
extern uint32_t cube_indices[CUBE_SIZE][3];

/// Fills the soup. Call it first.
void make_soup(void);
copse_geometry soup(void);
copse_geometry cube(void);

/// Fills rays that start inside and outside of the box from -2 to 2 and go through the box from -1 to 1.
void make_rays(copse_ray* rays, uint32_t count);

/// Where a ray meets the triangle of a geometry: 1 if it does, with t. In double precision.
///   is_front: is set to 1 if the ray sees the front
int ray_meets(const copse_ray* ray, const copse_geometry* geometry, uint64_t triangle, double* t, int* is_front);

/// Returns the distance from a point to a triangle of a geometry, in double precision.
double distance_to(const float* point, const copse_geometry* geometry, uint64_t triangle);

/// Checks closest hits against the triangles of one geometry, each of which is tested.
///   cull: the side that the rays pass over
void check_hits(const copse_ray* rays, const copse_hit* hits, uint32_t count, const copse_geometry* geometry,
                copse_cull cull);
