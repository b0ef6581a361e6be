// Sets of points.

#include "capi/points.h"

#include <algorithm>
#include <variant>

#include "builders/grid/hash_grid.h"
#include "builders/points/kd_tree.h"
#include "builders/points/point_bvh.h"
#include "capi/bridge/arrays.h"
#include "queries/point_neighbours.h"

using namespace copse;
using namespace copse::capi;

namespace {

using PointSet = std::variant<KdTree, PointBvh, HashGrid>;

}  // namespace

struct copse_points {
  float cell_size;
  std::shared_ptr<Owned<PointSet>> owned;
};

namespace {

static_assert(sizeof(copse_point_neighbour) == sizeof(PointNeighbour));

/// Positions of the caller in the memory of a context. The copy lives as long as this object.
class Positions {
 public:
  Positions(Context& context, const float* data, u64 count, u64 stride, copse_memory memory) {
    if (stride < sizeof(vec3) || stride % sizeof(float) != 0) {
      refuse("the stride is " + std::to_string(stride) + "; a multiple of 4 that is at least 12 is needed");
    }
    check_array("points", data, count, stride, memory, sizeof(float));
    span_ = {reinterpret_cast<const vec3*>(data), count, stride};
    if (count == 0 || memory == COPSE_MEMORY_CONTEXT || reads_host(context)) return;
    copy_.add(data, (count - 1) * stride + sizeof(vec3));
    copy_.upload(context);
    span_.data = static_cast<const vec3*>(copy_.address_of(data));
  }

  const PositionSpan& span() const { return span_; }

 private:
  HostRanges copy_;
  PositionSpan span_;
};

PointSet build_points(Context& context, const PositionSpan& positions, const copse_points_options& options) {
  switch (options.structure) {
    case COPSE_POINTS_KD_TREE: return build_kd_tree(context, positions);
    case COPSE_POINTS_BVH: return build_point_bvh(context, positions);
    case COPSE_POINTS_HASH_GRID: return build_hash_grid(context, positions, {.cell_size = options.cell_size});
  }
  refuse("structure is " + std::to_string(options.structure) + "; it can be 0 to 2");
}

void rebuild_points(Context& context, KdTree& tree, const PositionSpan& positions, float) {
  rebuild_kd_tree(context, tree, positions);
}
void rebuild_points(Context& context, PointBvh& bvh, const PositionSpan& positions, float) {
  rebuild_point_bvh(context, bvh, positions);
}
void rebuild_points(Context& context, HashGrid& grid, const PositionSpan& positions, float cell_size) {
  rebuild_hash_grid(context, grid, positions, {.cell_size = cell_size});
}

}  // namespace

copse_status copse_points_build(copse_context* context, const float* positions, uint64_t count, uint64_t stride,
                                copse_memory positions_memory, const copse_points_options* options,
                                copse_points** points) {
  if (points != nullptr) *points = nullptr;
  return run("copse_points_build", context, [&](Context& c) {
    require(points, "the handle of the points");
    const copse_points_options defaults = COPSE_POINTS_OPTIONS_INIT;
    const copse_points_options all = read_struct("copse_points_options", options, defaults);
    const Positions from(c, positions, count, stride, positions_memory);
    *points = new copse_points{all.cell_size, context->own(build_points(c, from.span(), all))};
  });
}

copse_status copse_points_rebuild(copse_context* context, copse_points* points, const float* positions,
                                  uint64_t count, uint64_t stride, copse_memory positions_memory) {
  return run("copse_points_rebuild", context, [&](Context& c) {
    PointSet& set = object_of(context, points, "set of points");
    const Positions from(c, positions, count, stride, positions_memory);
    std::visit([&](auto& of_kind) { rebuild_points(c, of_kind, from.span(), points->cell_size); }, set);
  });
}

void copse_points_destroy(copse_points* points) {
  delete points;
}

uint64_t copse_points_count(const copse_points* points) {
  if (points == nullptr) return 0;
  return std::visit([](const auto& of_kind) { return of_kind.source_count; }, points->owned->object);
}

uint64_t copse_points_size_bytes(const copse_points* points) {
  if (points == nullptr) return 0;
  return std::visit([](const auto& of_kind) { return of_kind.size_bytes(); }, points->owned->object);
}

copse_status copse_points_k_nearest(copse_context* context, const copse_points* points, const float* queries,
                                    uint64_t query_count, copse_memory queries_memory, uint32_t k,
                                    float max_distance, copse_point_neighbour* neighbours,
                                    copse_memory neighbours_memory) {
  return run("copse_points_k_nearest", context, [&](Context& c) {
    const PointSet& set = object_of(context, points, "set of points");
    if (k == 0) refuse("k is 0; it can be 1 to 2147483648");
    check_product("neighbours", query_count, k);
    const Input<vec3> from(c, "queries", queries, query_count, queries_memory);
    const Output<PointNeighbour> found(c, "neighbours", neighbours, query_count * k, neighbours_memory);
    std::visit(
        [&](const auto& all) { nearest_neighbours(c, all.view(), from.span(), found.span(), max_distance); }, set);
    found.store(c);
  });
}

copse_status copse_points_count_within(copse_context* context, const copse_points* points, const float* queries,
                                       uint64_t query_count, copse_memory queries_memory, float radius,
                                       uint32_t* counts, copse_memory counts_memory) {
  return run("copse_points_count_within", context, [&](Context& c) {
    const PointSet& set = object_of(context, points, "set of points");
    const Input<vec3> from(c, "queries", queries, query_count, queries_memory);
    const Output<u32> found(c, "counts", counts, query_count, counts_memory);
    std::visit([&](const auto& all) { count_neighbours(c, all.view(), from.span(), radius, found.span()); }, set);
    found.store(c);
  });
}

copse_status copse_points_find_within(copse_context* context, const copse_points* points, const float* queries,
                                      uint64_t query_count, copse_memory queries_memory, float radius,
                                      uint64_t* offsets, copse_memory offsets_memory, uint32_t* found,
                                      uint64_t room, copse_memory found_memory) {
  return run("copse_points_find_within", context, [&](Context& c) {
    const PointSet& set = object_of(context, points, "set of points");
    const Input<vec3> from(c, "queries", queries, query_count, queries_memory);
    const Output<u64> ends(c, "offsets", offsets, query_count + 1, offsets_memory);
    const Output<u32> lists(c, "points", found, room, found_memory);
    std::visit(
        [&](const auto& all) { find_neighbours(c, all.view(), from.span(), radius, ends.span(), lists.span()); },
        set);
    ends.store(c);
    if (found_memory == COPSE_MEMORY_HOST && room > 0) {
      lists.store(c, std::min(room, ends.on_host(c, query_count)));
    }
  });
}
