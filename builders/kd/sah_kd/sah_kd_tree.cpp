#include "builders/kd/sah_kd_tree.h"

#include <cmath>
#include <string>
#include <vector>

#include "builders/built_check.h"
#include "builders/geometry/triangle_check.h"
#include "builders/kd/sah_kd/kd_level.h"
#include "builders/kd/sah_kd_validate.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: sah_kd_tree.inl, for either executor.

/// Stores the valid triangles, how many they are, and their box.
template <class Executor>
void list_kd_triangles(const Executor& ex, std::span<const TriangleView> views, u32* ids, u64* count,
                       Aabb* bounds);

/// Stores the only node of the first level, and its references.
template <class Executor>
void start_kd_level(const Executor& ex, const KdLevel& level, const u32* ids, const Aabb* bounds);

template <class Executor>
void plan_kd_level(const Executor& ex, std::span<const TriangleView> views, const KdLevel& level,
                   const KdPlanRequest& request, const KdPlans& plans);

template <class Executor>
void divide_kd_level(const Executor& ex, const KdLevel& level, const KdPlans& plans, const KdOutput& out,
                     const KdLevel& next);

template <class Executor>
void copy_kd_level(const Executor& ex, BufferSpan<const SahKdNode> nodes, BufferSpan<const u32> listed,
                   SahKdNode* nodes_out, u32* listed_out);

}  // namespace detail

namespace {

constexpr u64 max_kd_triangles = u64{1} << 30;
constexpr u32 max_kd_depth = 60;

void check_options(const SahKdOptions& options) {
  constexpr float max_cost = 1 << 20, max_references = 64;
  if (!(options.traversal_cost > 0 && options.traversal_cost <= max_cost)) {
    detail::refuse("kd-tree of triangles", "traversal_cost is " + std::to_string(options.traversal_cost) +
                                               "; it can be above 0, up to 2^20");
  }
  if (options.max_depth > max_kd_depth) {
    detail::refuse("kd-tree of triangles", "max_depth is " + std::to_string(options.max_depth) +
                                               "; it can be 0 to " + std::to_string(max_kd_depth));
  }
  if (!(options.max_references >= 1 && options.max_references <= max_references)) {
    detail::refuse("kd-tree of triangles",
                   "max_references is " + std::to_string(options.max_references) + "; it can be 1 to 64");
  }
}

/// The memory of a level.
struct LevelBuffers {
  Buffer<detail::OpenKdNode> nodes;
  Buffer<u32> primitives, node_of;

  LevelBuffers(Context& context, u64 node_count, u64 reference_count)
      : nodes(context, node_count), primitives(context, reference_count), node_of(context, reference_count) {}

  detail::KdLevel level() {
    return {u32(nodes.size()), u32(primitives.size()), nodes.data(), primitives.data(), node_of.data()};
  }
};

/// The nodes and lists that a level leaves.
struct FinishedLevel {
  Buffer<SahKdNode> nodes;
  Buffer<u32> listed;
};

class SahKdBuild {
 public:
  SahKdBuild(Context& context, const TriangleViews& triangles, const SahKdOptions& options)
      : context_(context), triangles_(triangles), options_(options) {}

  SahKdTree run() {
    SahKdTree tree;
    const u64 n = triangles_.primitive_count();
    tree.source_count = n;
    tree.bounds = Buffer<Aabb>(context_, 1);
    Buffer<u32> ids(context_, n);
    Buffer<u64> count(context_, 1);
    dispatch(context_, [&](const auto& ex) {
      detail::list_kd_triangles(ex, triangles_.views(), ids.data(), count.data(), tree.bounds.data());
    });
    const u64 valid_count = count.download()[0];
    tree.invalid_count = n - valid_count;
    max_depth_ = options_.max_depth > 0 ? options_.max_depth
                                        : u32(8 + 1.3 * std::log2(double(larger(valid_count, u64{1}))));
    max_references_ = double(options_.max_references) * double(valid_count);

    LevelBuffers level(context_, 1, valid_count);
    const detail::KdLevel first = level.level();
    dispatch(context_, [&](const auto& ex) { detail::start_kd_level(ex, first, ids.data(), tree.bounds.data()); });
    for (; !level.nodes.empty(); ++tree.depth) level = divide(level, tree.depth);
    --tree.depth;
    join(tree);
    return tree;
  }

 private:
  /// Divides a level. Returns the next one, which may have no nodes.
  LevelBuffers divide(LevelBuffers& from, u32 depth) {
    const detail::KdLevel level = from.level();
    Buffer<detail::KdPlan> plans(context_, level.node_count);
    Buffer<detail::KdBefore> before(context_, u64{level.node_count} + 1);
    Buffer<u64> sides(context_, u64{level.reference_count} + 1);
    const detail::KdPlans planned{plans.data(), before.data(), sides.data()};
    const bool is_last =
        depth == max_depth_ || double(listed_count_) + double(level.reference_count) > max_references_;
    dispatch(context_, [&](const auto& ex) {
      detail::plan_kd_level(ex, triangles_.views(), level, {options_.traversal_cost, is_last}, planned);
    });

    // Only the device knows how large the next level is.
    const detail::KdBefore totals = download(context_, before.span().subspan(level.node_count, 1))[0];
    finished_.push_back({Buffer<SahKdNode>(context_, level.node_count), Buffer<u32>(context_, totals.listed)});
    LevelBuffers next(context_, 2 * u64{totals.splits}, totals.references);
    const detail::KdOutput out{finished_.back().nodes.data(), finished_.back().listed.data(), u32(listed_count_),
                               u32(node_count_ + level.node_count)};
    const detail::KdLevel next_level = next.level();
    dispatch(context_, [&](const auto& ex) { detail::divide_kd_level(ex, level, planned, out, next_level); });
    node_count_ += level.node_count;
    listed_count_ += totals.listed;
    return next;
  }

  /// Puts the nodes and the lists of all levels one after the other.
  void join(SahKdTree& tree) {
    tree.nodes = Buffer<SahKdNode>(context_, node_count_);
    tree.primitive_ids = Buffer<u32>(context_, listed_count_);
    u64 node = 0, listed = 0;
    for (const FinishedLevel& level : finished_) {
      dispatch(context_, [&](const auto& ex) {
        detail::copy_kd_level(ex, level.nodes.span(), level.listed.span(), tree.nodes.data() + node,
                              tree.primitive_ids.data() + listed);
      });
      node += level.nodes.size();
      listed += level.listed.size();
    }
  }

  Context& context_;
  const TriangleViews& triangles_;
  SahKdOptions options_;
  u32 max_depth_ = 0;
  double max_references_ = 0;
  std::vector<FinishedLevel> finished_;
  u64 node_count_ = 0, listed_count_ = 0;
};

}  // namespace

SahKdTree build_sah_kd_tree(Context& context, const TriangleViews& triangles, const SahKdOptions& options) {
  check_options(options);
  const u64 count = triangles.primitive_count();
  if (count > max_kd_triangles) {
    throw Error(ErrorCode::capacity, "kd-tree of triangles: " + std::to_string(count) + " triangles; at most " +
                                         std::to_string(max_kd_triangles) + " fit in one");
  }
  detail::validate_triangles(context, "build_sah_kd_tree", triangles);
  ProfileScope scope(context.profile(), "kd-tree of triangles");
  SahKdTree tree = SahKdBuild(context, triangles, options).run();
  detail::validate_built(context, "build_sah_kd_tree", tree, triangles);
  return tree;
}

}  // namespace copse
