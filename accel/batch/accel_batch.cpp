// Build, rebuild and refit of AccelBatch.

#include "accel/accel_batch.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "accel/batch/batch_meshes.h"
#include "accel/build/accel_access.h"
#include "accel/build/accel_check.h"
#include "builders/bvh/collapse.h"
#include "builders/bvh/packed_tree.h"
#include "builders/geometry/triangle_check.h"
#include "primitives/core/counted.h"
#include "primitives/core/dispatch.h"
#include "primitives/core/validation.h"

namespace copse {

namespace detail {

// The body: batch_triangles.inl, for either executor.

/// Builds all trees of the forest, with the triangles in the order of their leaves.
template <class Executor>
void build_mesh_trees(const Executor& ex, const BatchMeshes& meshes, const ForestOptions& options,
                      u32 max_leaf_size, const BatchArrays& out);
template <class Executor>
u64 build_mesh_trees_scratch_bytes(const Executor& ex, const ForestShape& shape, const ForestOptions& options);
/// Stores the box of each triangle of the meshes whose word in `moved` is not 0, or of all if `moved` is null.
template <class Executor>
void store_mesh_boxes(const Executor& ex, const BatchMeshes& meshes, const u32* moved, Aabb* boxes);
/// Packs the triangles of these meshes in the order of the leaves of their trees.
template <class Executor>
void pack_mesh_triangles(const Executor& ex, const BatchMeshes& meshes, const u32* moved, const BatchArrays& out);
/// words_of_trees[tree] = words[mesh_of_tree[tree]]
template <class Executor>
void order_mesh_words(const Executor& ex, const u32* mesh_of_tree, u32 tree_count, const u32* words,
                      u32* words_of_trees);

/// Returns the options for a mesh that is too large for the forest.
inline PackedBuildOptions large_mesh_options(const AccelBatchOptions& options, u64 triangle_count) {
  if (options.builder == BatchBuilder::lbvh) return {.builder = LbvhOptions{.morton_bits = 0}};
  const bool reinserts = options.builder == BatchBuilder::balanced;
  const QualitySteps steps = steps_of(reinserts ? Quality::balanced : Quality::fast, triangle_count);
  return {.builder = steps.builder, .reinsertion = steps.reinsertion};
}

/// Which tree of the forest each mesh gets. Trees stand in the order of their classes (forest_view.h), and those of a class
/// in the order of the meshes. Meshes that are too large for the forest are empty in it.
struct MeshOrder {
  std::vector<u32> meshes;  // [tree]
  std::vector<u32> begins;  // [tree], and the end of the last one

  explicit MeshOrder(std::span<const u64> triangle_counts) {
    const auto in_forest = [&](u32 mesh) {
      return triangle_counts[mesh] <= max_forest_tree ? u32(triangle_counts[mesh]) : 0;
    };
    u64 all = 0;
    for (const u64 n : triangle_counts) check_primitive_count(all += n);
    meshes.resize(triangle_counts.size());
    std::iota(meshes.begin(), meshes.end(), 0u);
    std::ranges::stable_sort(meshes, {}, [&](u32 mesh) { return forest_class_of(in_forest(mesh)); });
    begins.push_back(0);
    for (const u32 mesh : meshes) begins.push_back(begins.back() + in_forest(mesh));
  }
  /// False if the trees stand in the order of the meshes.
  bool differs() const { return !std::ranges::is_sorted(meshes); }
};

/// The members of an AccelBatch, for the calls that make or change one.
struct AccelBatchAccess {
  static BatchMeshes meshes(const AccelBatch& batch) {
    return {batch.forest_.shape(), batch.device_meshes_.data()};
  }
  static Forest& forest(AccelBatch& batch) { return batch.forest_; }
  static BufferSpan<const u32> mesh_of_tree(const AccelBatch& batch) { return batch.mesh_of_tree_.span(); }
  static std::span<const TriangleView> views(const AccelBatch& batch) { return batch.meshes_; }

  static void make(Context& context, AccelBatch& batch, std::span<const TriangleView> meshes,
                   const MeshOrder& order, const AccelBatchOptions& options) {
    batch.options_ = options;
    batch.meshes_.assign(meshes.begin(), meshes.end());
    batch.backend_ = context.backend();
    batch.tree_of_mesh_.resize(meshes.size());
    std::vector<TriangleView> in_order;
    for (u32 tree = 0; tree < meshes.size(); ++tree) {
      batch.tree_of_mesh_[order.meshes[tree]] = tree;
      in_order.push_back(meshes[order.meshes[tree]]);
    }
    batch.device_meshes_ = Buffer<TriangleView>(context, in_order);
    if (order.differs()) batch.mesh_of_tree_ = Buffer<u32>(context, order.meshes);
    batch.forest_ = make_forest(context, order.begins);
    batch.packed_ = Buffer<PackedTriangle>(context, order.begins.back());
    const bool has_masks =
        std::any_of(meshes.begin(), meshes.end(), [](const auto& v) { return v.mask != ~u32{0}; });
    if (has_masks) batch.masks_ = Buffer<u32>(context, order.begins.back());
    for (u32 mesh = 0; mesh < meshes.size(); ++mesh) {
      const u64 n = meshes[mesh].triangle_count();
      batch.triangle_count_ += n;
      if (n <= max_forest_tree) continue;
      Accel& large = batch.large_.emplace_back();
      batch.large_ids_.push_back(mesh);
      AccelAccess::backend(large) = context.backend();
      AccelAccess::capacity(large) = n;
      make_packed(context, n, 1, AccelAccess::tree(large), AccelAccess::packed(large));
    }
  }
  static void build_large(Context& context, AccelBatch& batch) {
    change_large(batch, [&](Accel& accel, const TriangleView& mesh) {
      build_packed(context, AccelAccess::tree(accel), AccelAccess::packed(accel), mesh,
                   large_mesh_options(batch.options_, mesh.triangle_count()));
    });
  }
  static void store_views(Context& context, AccelBatch& batch) {
    std::vector<AccelView> views;
    for (u64 mesh = 0; mesh < batch.mesh_count(); ++mesh) views.push_back(batch.view(mesh));
    batch.views_ = Buffer<AccelView>(context, views);
  }

  static BatchArrays arrays(AccelBatch& batch) {
    return {batch.forest_.arrays(), batch.packed_.data(), batch.masks_.empty() ? nullptr : batch.masks_.data()};
  }
  template <class Change>
  static void change_large(AccelBatch& batch, const Change& change) {
    for (u64 k = 0; k < batch.large_.size(); ++k) change(batch.large_[k], batch.meshes_[batch.large_ids_[k]]);
  }
};

}  // namespace detail

namespace {

using detail::AccelBatchAccess;
using detail::ForestShape;

detail::ForestOptions forest_options(const char* function, const AccelBatchOptions& options) {
  switch (options.builder) {
    case BatchBuilder::hploc: return {detail::ForestBuilder::hploc};
    case BatchBuilder::lbvh: return {detail::ForestBuilder::lbvh};
    case BatchBuilder::balanced:
      return {detail::ForestBuilder::hploc, steps_of(Quality::balanced, detail::max_forest_tree).reinsertion};
  }
  detail::refuse(function, "options.builder is " + std::to_string(u32(options.builder)) +
                               "; it can be 0 to 2: hploc, lbvh or balanced");
}

/// Checks the indices again, since they may have changed.
void validate_again(const char* function, Context& context, const AccelBatch& batch) {
  if (context.validates()) detail::validate_triangles(context, function, AccelBatchAccess::views(batch));
}

void build_small(Context& context, AccelBatch& batch) {
  ProfileScope scope(context.profile(), "build batch");
  detail::Forest& forest = AccelBatchAccess::forest(batch);
  const detail::ForestOptions options = forest_options("rebuild", batch.options());
  dispatch(context, [&](const auto& ex) {
    context.reserve_scratch(detail::build_mesh_trees_scratch_bytes(ex, forest.shape(), options));
    constexpr u32 max_leaf_size = CollapseOptions{}.max_leaf_size;
    build_mesh_trees(ex, AccelBatchAccess::meshes(batch), options, max_leaf_size, AccelBatchAccess::arrays(batch));
  });
}

template <class Executor>
u64 refit_scratch_bytes(const Executor& ex, u64 mesh_count, u64 n) {
  return ScratchArena::bytes_for<Aabb>(n) + ScratchArena::bytes_for<u32>(mesh_count) +
         detail::refit_trees_scratch_bytes(ex, n);
}

/// Throws if begins descend or end past `size`.
void check_begins(const char* what, std::span<const u64> begins, u64 size, const char* of_what) {
  for (u64 i = 0; i + 1 < begins.size(); ++i) {
    if (begins[i] <= begins[i + 1]) continue;
    detail::refuse("mesh_views", std::string(what) + "[" + std::to_string(i + 1) + "] is " +
                                     std::to_string(begins[i + 1]) + ", below the " + std::to_string(begins[i]) +
                                     " before it");
  }
  if (begins.back() <= size) return;
  detail::refuse("mesh_views", std::string(what) + " end at " + std::to_string(begins.back()) +
                                   ", but there are " + std::to_string(size) + " " + of_what);
}

}  // namespace

std::vector<TriangleView> mesh_views(const TriangleView& all, std::span<const u64> triangle_begins,
                                     std::span<const u64> vertex_begins) {
  const bool has_indices = all.triangles.index_bytes != 0;
  if (triangle_begins.empty()) return {};
  check_begins("triangle_begins", triangle_begins, all.triangle_count(), "triangles");
  if (!vertex_begins.empty()) {
    if (!has_indices) detail::refuse("mesh_views", "vertex_begins need indices, but the triangles have none");
    if (vertex_begins.size() != triangle_begins.size()) {
      detail::refuse("mesh_views", std::to_string(vertex_begins.size()) + " vertex_begins, but " +
                                       std::to_string(triangle_begins.size()) + " triangle_begins");
    }
    check_begins("vertex_begins", vertex_begins, all.positions.size, "positions");
  }
  const auto positions_from = [&](u64 first, u64 count) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(all.positions.data);
    return PositionSpan(reinterpret_cast<const vec3*>(bytes + first * all.positions.stride_bytes), count,
                        all.positions.stride_bytes);
  };
  std::vector<TriangleView> views;
  for (u64 i = 0; i + 1 < triangle_begins.size(); ++i) {
    const u64 begin = triangle_begins[i], count = triangle_begins[i + 1] - begin;
    TriangleView view = all;
    if (has_indices) {
      view.triangles.data =
          static_cast<const unsigned char*>(all.triangles.data) + 3 * begin * all.triangles.index_bytes;
      view.triangles.size = count;
      if (!vertex_begins.empty())
        view.positions = positions_from(vertex_begins[i], vertex_begins[i + 1] - vertex_begins[i]);
    } else {
      view.positions = positions_from(3 * begin, 3 * count);
    }
    views.push_back(view);
  }
  return views;
}

AccelBatch build_batch(Context& context, std::span<const TriangleView> meshes, const AccelBatchOptions& options) {
  forest_options("build_batch", options);  // checks them
  std::vector<u64> counts;
  for (const TriangleView& mesh : meshes) counts.push_back(mesh.triangle_count());
  const detail::MeshOrder order(counts);
  detail::validate_triangles(context, "build_batch", meshes);
  AccelBatch batch;
  AccelBatchAccess::make(context, batch, meshes, order, options);
  build_small(context, batch);
  AccelBatchAccess::build_large(context, batch);
  AccelBatchAccess::store_views(context, batch);
  return batch;
}

void rebuild(Context& context, AccelBatch& batch) {
  detail::check_batch("rebuild", context, batch);
  validate_again("rebuild", context, batch);
  build_small(context, batch);
  AccelBatchAccess::build_large(context, batch);
}

void refit(Context& context, AccelBatch& batch, BufferSpan<const u32> moved) {
  detail::check_batch("refit", context, batch);
  if (!moved.empty() && moved.size() != batch.mesh_count()) {
    detail::refuse("refit", detail::counted(moved.size(), "words") + " of moved meshes, but the batch has " +
                                detail::counted(batch.mesh_count(), "meshes"));
  }
  detail::validate_span(context, "refit", "words of moved meshes", moved);
  validate_again("refit", context, batch);
  ProfileScope scope(context.profile(), "refit batch");
  detail::Forest& forest = AccelBatchAccess::forest(batch);
  dispatch(context, [&](const auto& ex) {
    const u64 n = forest.primitive_count(), trees = forest.tree_count();
    context.reserve_scratch(refit_scratch_bytes(ex, trees, n));
    ScratchArena::Frame frame(ex.scratch);
    Aabb* const boxes = frame.allocate<Aabb>(n);
    const u32* words = moved.empty() ? nullptr : moved.data();
    const BufferSpan<const u32> mesh_of_tree = AccelBatchAccess::mesh_of_tree(batch);
    if (words != nullptr && !mesh_of_tree.empty()) {
      u32* const words_of_trees = frame.allocate<u32>(trees);
      detail::order_mesh_words(ex, mesh_of_tree.data(), u32(trees), words, words_of_trees);
      words = words_of_trees;
    }
    store_mesh_boxes(ex, AccelBatchAccess::meshes(batch), words, boxes);
    refit_trees(ex, forest.shape(), forest.arrays(), boxes, words);
    pack_mesh_triangles(ex, AccelBatchAccess::meshes(batch), words, AccelBatchAccess::arrays(batch));
  });
  AccelBatchAccess::change_large(batch,
                                 [&](Accel& accel, const TriangleView& mesh) { refit(context, accel, mesh); });
}

BuildSizes batch_sizes(Context& context, std::span<const u64> triangle_counts, const AccelBatchOptions& options) {
  const detail::ForestOptions steps = forest_options("batch_sizes", options);
  const detail::MeshOrder order(triangle_counts);
  const u64 n = order.begins.back(), meshes = triangle_counts.size();
  BuildSizes sizes{.result_bytes = detail::forest_bytes(meshes, n) + n * sizeof(PackedTriangle) +
                                   meshes * (sizeof(TriangleView) + sizeof(AccelView))};
  if (order.differs()) sizes.result_bytes += meshes * sizeof(u32);
  for (const u64 count : triangle_counts) {
    if (count <= detail::max_forest_tree) continue;
    const BuildSizes large = detail::packed_sizes(context, count, detail::large_mesh_options(options, count), 1);
    sizes.result_bytes += large.result_bytes;
    sizes.scratch_bytes = std::max(sizes.scratch_bytes, large.scratch_bytes);
  }
  const ForestShape shape = detail::forest_shape(order.begins);
  const u64 small = dispatch(context, [&](const auto& ex) {
    return std::max(detail::build_mesh_trees_scratch_bytes(ex, shape, steps), refit_scratch_bytes(ex, meshes, n));
  });
  sizes.scratch_bytes = std::max(sizes.scratch_bytes, small);
  return sizes;
}

}  // namespace copse
