// Voxels, bricks and distances.

#include "capi/voxels.h"

#include "builders/grid/distance_field.h"
#include "builders/grid/voxels.h"
#include "capi/bridge/triangles.h"

using namespace copse;
using namespace copse::capi;

struct copse_voxels {
  std::shared_ptr<Owned<Voxels>> owned;
};

/// Bricks without distances have no values, and a band of 0.
struct copse_bricks {
  std::shared_ptr<Owned<DistanceField>> owned;
};

namespace {

copse_grid_shape shape_of(const GridShape& grid) {
  copse_grid_shape shape = COPSE_GRID_SHAPE_INIT;
  for (int axis = 0; axis < 3; ++axis) {
    shape.lower[axis] = grid.lo[axis];
    shape.resolution[axis] = grid.resolution[axis];
  }
  shape.voxel_size = 1 / grid.cells_per_unit.x;
  return shape;
}

}  // namespace

copse_status copse_voxels_build(copse_context* context, const copse_geometry* geometries, uint64_t geometry_count,
                                uint32_t resolution, copse_voxel_rule rule, copse_voxels** voxels) {
  if (voxels != nullptr) *voxels = nullptr;
  return run("copse_voxels_build", context, [&](Context& c) {
    require(voxels, "the handle of the voxels");
    if (rule < COPSE_VOXELS_TOUCHED || rule > COPSE_VOXELS_INSIDE) {
      refuse("rule is " + std::to_string(rule) + "; it can be 0 to 2");
    }
    const Triangles triangles(c, geometries, geometry_count);
    *voxels = new copse_voxels{context->own(build_voxels(c, triangles.views(), resolution, VoxelRule(rule)))};
  });
}

void copse_voxels_destroy(copse_voxels* voxels) {
  delete voxels;
}

copse_status copse_voxels_shape(copse_context* context, const copse_voxels* voxels, copse_grid_shape* shape) {
  return run("copse_voxels_shape", context, [&](Context& c) {
    const Voxels& object = object_of(context, voxels, "grid of voxels");
    copse_grid_shape result = shape_of(object.shape);
    result.voxel_count = count_voxels(c, object);
    write_struct("copse_grid_shape", result, shape);
  });
}

const uint32_t* copse_voxels_words(const copse_voxels* voxels) {
  return voxels == nullptr ? nullptr : voxels->owned->object.words.data();
}

uint64_t copse_voxels_word_count(const copse_voxels* voxels) {
  return voxels == nullptr ? 0 : voxels->owned->object.word_count();
}

copse_status copse_bricks_build(copse_context* context, const copse_geometry* geometries, uint64_t geometry_count,
                                uint32_t resolution, copse_bricks** bricks) {
  if (bricks != nullptr) *bricks = nullptr;
  return run("copse_bricks_build", context, [&](Context& c) {
    require(bricks, "the handle of the bricks");
    const Triangles triangles(c, geometries, geometry_count);
    DistanceField made;
    made.bricks = build_bricks(c, triangles.views(), {.resolution = resolution});
    *bricks = new copse_bricks{context->own(std::move(made))};
  });
}

copse_status copse_distances_build(copse_context* context, const copse_geometry* geometries,
                                   uint64_t geometry_count, uint32_t resolution, float band,
                                   copse_bricks** bricks) {
  if (bricks != nullptr) *bricks = nullptr;
  return run("copse_distances_build", context, [&](Context& c) {
    require(bricks, "the handle of the bricks");
    const Triangles triangles(c, geometries, geometry_count);
    const DistanceFieldOptions options{.resolution = resolution, .band = band};
    *bricks = new copse_bricks{context->own(build_distance_field(c, triangles.views(), options))};
  });
}

void copse_bricks_destroy(copse_bricks* bricks) {
  delete bricks;
}

copse_status copse_bricks_shape(copse_context* context, const copse_bricks* bricks, copse_grid_shape* shape) {
  return run("copse_bricks_shape", context, [&](Context& c) {
    const DistanceField& object = object_of(context, bricks, "set of bricks");
    copse_grid_shape result = shape_of(object.bricks.shape);
    const GridShape places = object.bricks.brick_shape();
    for (int axis = 0; axis < 3; ++axis) result.bricks[axis] = places.resolution[axis];
    result.brick_count = object.brick_count();
    result.voxel_count = count_voxels(c, object.bricks);
    result.band = object.band;
    write_struct("copse_grid_shape", result, shape);
  });
}

const uint64_t* copse_bricks_keys(const copse_bricks* bricks) {
  return bricks == nullptr ? nullptr : bricks->owned->object.bricks.keys.data();
}

const uint32_t* copse_bricks_words(const copse_bricks* bricks) {
  return bricks == nullptr ? nullptr : bricks->owned->object.bricks.words.data();
}

const float* copse_bricks_values(const copse_bricks* bricks) {
  return bricks == nullptr || bricks->owned->object.values.empty() ? nullptr : bricks->owned->object.values.data();
}
