#include "builders/grid/distance_field.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "builders/geometry/scene_bounds.h"
#include "builders/geometry/triangle_check.h"
#include "builders/grid/distance/field_build.h"
#include "builders/grid/grid.h"
#include "builders/grid/voxels/voxel_triangles.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: distance_field.inl, for either executor.
template <class Executor>
void search_field_bricks(const Executor& ex, std::span<const TriangleView> views, u64 n, const FieldShape& shape,
                         const FieldSearch& search);
template <class Executor>
void pair_field_bricks(const Executor& ex, std::span<const TriangleView> views, u64 n, const FieldShape& shape,
                       const FieldSearch& search, const FieldPairs& pairs, const FieldBricks& bricks);
template <class Executor>
void fill_field_bricks(const Executor& ex, std::span<const TriangleView> views, u64 n, const FieldShape& shape,
                       const BrickPlaces& places, const FieldPairs& pairs, const FieldBricks& bricks);
template <class Executor>
void keep_field_bricks(const Executor& ex, const FieldBricks& from, const KeptBricks& to);
template <class Executor>
u64 field_search_scratch_bytes(const Executor& ex, u64 n, u64 view_count, u64 word_count);
template <class Executor>
u64 field_fill_scratch_bytes(const Executor& ex, u64 n, u64 view_count, u64 pair_count, u64 brick_count);

}  // namespace detail

namespace {

using namespace detail;

/// Returns a number in few digits, also if it is very small or large.
std::string short_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

void check_options(const DistanceFieldOptions& options) {
  if (options.resolution < 1 || options.resolution > max_field_resolution) {
    refuse("distance field", "the resolution is " + std::to_string(options.resolution) + "; it can be 1 to " +
                                 std::to_string(max_field_resolution));
  }
  if (!(options.band >= 2 && options.band <= 16))
    refuse("distance field", "the band is " + short_text(options.band) + " voxels; it can be 2 to 16");
}

/// Edges of voxels for which the squares of all distances are normal floats.
constexpr double min_edge = 1e-15, max_edge = 1e15;

/// Returns the grid over a box and the band around it.
FieldShape shape_over(const Aabb& box, const DistanceFieldOptions& options) {
  FieldShape shape;
  shape.voxels = cubes_over(box, options.resolution);
  shape.edge = 1 / shape.voxels.cells_per_unit.x;
  const u32 margin = u32(std::ceil(options.band)) + 1;
  shape.voxels.lo -= dvec3(margin * shape.edge);
  shape.voxels.resolution += 2 * margin;
  shape.bricks = {shape.voxels.lo, shape.voxels.cells_per_unit / double(brick_edge),
                  (shape.voxels.resolution + brick_edge - 1u) / brick_edge};
  shape.band = float(options.band * shape.edge);
  if (is_empty(box)) return shape;
  if (!(shape.edge >= min_edge && shape.edge <= max_edge)) {
    refuse("distance field", "its voxels have an edge of " + short_text(shape.edge) + "; it can be " +
                                 short_text(min_edge) + " to " + short_text(max_edge));
  }

  double farthest = 0;
  for (int axis = 0; axis < 3; ++axis)
    farthest = std::max({farthest, std::abs(double(box.lo[axis])), std::abs(double(box.hi[axis]))});
  const double rounding = 0x1p-20 * farthest;  // 8 times the error of a coordinate
  if (rounding > shape.edge / 8) {
    refuse("distance field", "the mesh reaches " + short_text(farthest) +
                                 " from the origin, and its voxels have an edge of " + short_text(shape.edge) +
                                 "; floats need an edge of " + short_text(8 * rounding) + " or more");
  }
  shape.reach = float(shape.band + 2 * rounding + shape.edge / 64);
  return shape;
}

/// Makes a field over a shape, one step after the other.
class FieldBuilder {
 public:
  FieldBuilder(Context& context, const TriangleViews& triangles, const FieldShape& shape)
      : context_(context), triangles_(triangles), shape_(shape) {}

  DistanceField build() {
    search();
    if (brick_count_ > 0) fill();
    DistanceField field;
    field.band = shape_.band;
    field.bricks.shape = shape_.voxels;
    keep(field);
    const u64 count = field.bricks.keys.size();
    field.bricks.counts = Buffer<BrickCounts>(context_, std::vector<BrickCounts>{{count, count, 0}});
    make_brick_table(context_, field.bricks);
    return field;
  }

 private:
  u64 triangle_count() const { return triangles_.primitive_count(); }

  FieldBricks bricks() {
    return {keys_.data(),         words_.data(), values_.data(),     column_keys_.data(),
            column_order_.data(), kept_.data(),  kept_count_.data(), brick_count_};
  }

  /// Marks the bricks near triangles, and counts them.
  void search() {
    const u64 n = triangle_count(), word_count = divide_rounding_up(u64{shape_.bricks.cell_count()}, 32);
    place_bits_ = Buffer<u32>(context_, word_count), place_ranks_ = Buffer<u32>(context_, word_count);
    place_total_ = Buffer<u32>(context_, 1);
    brick_counts_ = Buffer<u32>(context_, n), pairs_before_ = Buffer<u64>(context_, n);
    pair_total_ = Buffer<u64>(context_, 1);
    search_ = {{place_bits_.data(), place_ranks_.data(), word_count, place_total_.data()},
               brick_counts_.data(),
               pairs_before_.data(),
               pair_total_.data()};
    context_.reserve_scratch(dispatch(context_, [&](const auto& ex) {
      return field_search_scratch_bytes(ex, n, triangles_.views().size(), word_count);
    }));
    dispatch(context_, [&](const auto& ex) { search_field_bricks(ex, triangles_.views(), n, shape_, search_); });
    brick_count_ = place_total_.download()[0];
    pair_count_ = pair_total_.download()[0];
    constexpr u64 most = 0xffffffff;
    if (pair_count_ <= most) return;
    throw Error(ErrorCode::capacity, "distance field: " + std::to_string(pair_count_) +
                                         " pairs of a triangle and a brick near it; at most " +
                                         std::to_string(most) + " fit");
  }

  /// Pairs the bricks with their triangles, and stores values and voxels.
  void fill() {
    keys_ = Buffer<u64>(context_, brick_count_), words_ = Buffer<u32>(context_, brick_count_ * brick_words);
    values_ = Buffer<float>(context_, brick_count_ * brick_values);
    column_keys_ = Buffer<u32>(context_, brick_count_), column_order_ = Buffer<u32>(context_, brick_count_);
    kept_ = Buffer<u32>(context_, brick_count_), kept_count_ = Buffer<u32>(context_, 1);
    Buffer<u32> sorted_bricks(context_, pair_count_), sorted_triangles(context_, pair_count_);
    Buffer<u32> begins(context_, brick_count_ + 1);
    const u64 n = triangle_count(), view_count = triangles_.views().size();
    context_.reserve_scratch(dispatch(context_, [&](const auto& ex) {
      return field_fill_scratch_bytes(ex, n, view_count, pair_count_, brick_count_);
    }));
    FieldPairs pairs{nullptr, nullptr, sorted_bricks.data(), sorted_triangles.data(), begins.data(), pair_count_};
    {
      Buffer<u32> unsorted_bricks(context_, pair_count_), unsorted_triangles(context_, pair_count_);
      pairs.bricks = unsorted_bricks.data(), pairs.triangles = unsorted_triangles.data();
      dispatch(context_, [&](const auto& ex) {
        pair_field_bricks(ex, triangles_.views(), n, shape_, search_, pairs, bricks());
      });
    }
    dispatch(context_, [&](const auto& ex) {
      fill_field_bricks(ex, triangles_.views(), n, shape_, search_.places, pairs, bricks());
    });
  }

  /// Leaves out the bricks without a voxel within the band.
  void keep(DistanceField& field) {
    const u64 count = brick_count_ > 0 ? kept_count_.download()[0] : 0;
    if (count == brick_count_) {
      field.bricks.keys = std::move(keys_), field.bricks.words = std::move(words_);
      field.values = std::move(values_);
      return;
    }
    field.bricks.keys = Buffer<u64>(context_, count);
    field.bricks.words = Buffer<u32>(context_, count * brick_words);
    field.values = Buffer<float>(context_, count * brick_values);
    const KeptBricks kept{field.bricks.keys.data(), field.bricks.words.data(), field.values.data()};
    dispatch(context_, [&](const auto& ex) { keep_field_bricks(ex, bricks(), kept); });
  }

  Context& context_;
  const TriangleViews& triangles_;
  FieldShape shape_;
  FieldSearch search_{};
  u64 brick_count_ = 0, pair_count_ = 0;
  Buffer<u32> place_bits_, place_ranks_, place_total_, brick_counts_;
  Buffer<u64> pairs_before_, pair_total_, keys_;
  Buffer<u32> words_, column_keys_, column_order_, kept_, kept_count_;
  Buffer<float> values_;
};

}  // namespace

DistanceField build_distance_field(Context& context, const TriangleViews& triangles,
                                   const DistanceFieldOptions& options) {
  detail::validate_triangles(context, "build_distance_field", triangles);
  check_options(options);
  check_primitive_count(triangles.primitive_count());
  Buffer<Aabb> box(context, 1);
  scene_bounds(context, triangles, box.span());
  const FieldShape shape = shape_over(box.download()[0], options);
  ProfileScope scope(context.profile(), "distance field");
  return FieldBuilder(context, triangles, shape).build();
}

}  // namespace copse
