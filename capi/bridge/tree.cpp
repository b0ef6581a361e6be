// Trees by a builder and in a layout of the caller's choice, and rays through them.

#include <utility>

#include "accel/accel_rays.h"
#include "builders/bvh/build.h"
#include "builders/bvh/checksum.h"
#include "builders/bvh/collapse.h"
#include "builders/bvh/reinsert.h"
#include "capi/bridge/layout_tree.h"
#include "capi/bridge/stats.h"
#include "capi/bridge/trace.h"
#include "capi/bridge/triangles.h"
#include "trace/count_visits.h"
#include "trace/trace_rays.h"

using namespace copse;
using namespace copse::capi;

namespace {

AnyBuildOptions builder_of(const copse_tree_options& options) {
  switch (options.builder) {
    case COPSE_BUILDER_LBVH: return LbvhOptions{};
    case COPSE_BUILDER_HPLOC: return HplocOptions{};
    case COPSE_BUILDER_SAH: return SahOptions{};
  }
  refuse("builder is " + std::to_string(options.builder) + "; it can be 0 to 2");
}

template <class Tree>
LayoutTree packed_tree(Context& context, Tree tree, const std::vector<TriangleView>& views) {
  PackedTriangles packed = pack_triangles(context, tree.view(), views);
  return {std::move(tree), std::move(packed)};
}

LayoutTree build_tree(Context& context, const std::vector<TriangleView>& views,
                      const copse_tree_options& options) {
  if (options.layout < COPSE_LAYOUT_BVH2 || options.layout > COPSE_LAYOUT_CBVH8) {
    refuse("layout is " + std::to_string(options.layout) + "; it can be 0 to 3");
  }
  Bvh bvh = build(context, views, builder_of(options));
  if (options.reinsertion > 0) reinsert(context, bvh, {.passes = options.reinsertion});
  switch (options.layout) {
    case COPSE_LAYOUT_BVH4: return packed_tree(context, collapse<Bvh4>(context, bvh), views);
    case COPSE_LAYOUT_CBVH4: return packed_tree(context, collapse<CompressedBvh4>(context, bvh), views);
    case COPSE_LAYOUT_CBVH8: return packed_tree(context, collapse<CompressedBvh8>(context, bvh), views);
    default: return packed_tree(context, std::move(bvh), views);
  }
}

/// The measures of a binary tree, as those of a wide one.
WideBvhStats measures_of(Context& context, const Bvh& tree) {
  const BvhStats measured = stats(context, tree);
  const BvhCounts& counts = measured.counts;
  WideBvhStats result;
  result.counts = {counts.node_count, counts.primitive_count, counts.invalid_count};
  result.leaf_count = counts.leaf_count;
  result.depth = measured.depth;
  result.sah_cost = measured.sah_cost;
  result.bounds = measured.bounds;
  result.used_bytes = u64{counts.node_count} * sizeof(BvhNode) + counts.node_count / 2 * sizeof(u32) +
                      counts.primitive_count * sizeof(u32);
  return result;
}
template <class Node>
WideBvhStats measures_of(Context& context, const WideBvh<Node>& tree) {
  return stats(context, tree);
}

/// Stores a result for each ray: calls trace(rays, results, options), with rays as records.
template <class Result, class Trace>
void trace_tree(Context& context, const copse_rays* given, void* results, copse_memory memory,
                const copse_trace_options* options, const char* what, const Trace& trace) {
  const Rays rays(context, given);
  const TraceChoices choices(context, read_trace_options(options), rays.size());
  const Output<Result> output(context, what, results, rays.size(), memory);
  Buffer<Ray> gathered;
  if (!rays.are_records()) gathered = ray_records(context, rays.span());
  trace(rays.are_records() ? rays.records() : std::as_const(gathered).span(), output.span(),
        choices.options<TraceOptions>());
  output.store(context);
}

}  // namespace

copse_status copse_tree_build(copse_context* context, const copse_geometry* geometries, uint64_t geometry_count,
                              const copse_tree_options* options, copse_tree** tree) {
  if (tree != nullptr) *tree = nullptr;
  return run("copse_tree_build", context, [&](Context& c) {
    require(tree, "the handle of the tree");
    const copse_tree_options defaults = COPSE_TREE_OPTIONS_INIT;
    const copse_tree_options chosen = read_struct("copse_tree_options", options, defaults);
    const Triangles triangles(c, geometries, geometry_count);
    *tree = new copse_tree{context->own(build_tree(c, triangles.views(), chosen)), {}, {}};
  });
}

copse_status copse_tree_of_accel(copse_context* context, const copse_accel* accel, copse_tree** tree) {
  if (tree != nullptr) *tree = nullptr;
  return run("copse_tree_of_accel", context, [&](Context&) {
    require(tree, "the handle of the tree");
    object_of(context, accel, "accel");
    *tree = new copse_tree{context->own(LayoutTree{SharedAccel(accel->owned), {}}), {}, {}};
  });
}

void copse_tree_destroy(copse_tree* tree) {
  delete tree;
}

copse_status copse_tree_stats(copse_context* context, const copse_tree* tree, copse_stats* stats) {
  return run("copse_tree_stats", context, [&](Context& c) {
    const LayoutTree& object = object_of(context, tree, "tree");
    require(stats, "copse_stats");
    with_tree(object, [&](const auto& of_layout) {
      const u64 packed_bytes = traced(object).triangles.triangles.size_bytes();
      store_stats(measures_of(c, of_layout), of_layout.source_count, of_layout.size_bytes() + packed_bytes, stats);
    });
  });
}

copse_status copse_tree_checksum(copse_context* context, const copse_tree* tree, uint64_t* checksum) {
  return run("copse_tree_checksum", context, [&](Context& c) {
    const LayoutTree& object = object_of(context, tree, "tree");
    require(checksum, "the checksum");
    *checksum = with_tree(object, [&](const auto& of_layout) { return copse::checksum(c, of_layout); });
  });
}

copse_status copse_tree_closest_hits(copse_context* context, const copse_tree* tree, const copse_rays* rays,
                                     copse_hit* hits, copse_memory hits_memory,
                                     const copse_trace_options* options) {
  return run("copse_tree_closest_hits", context, [&](Context& c) {
    const Traced parts = traced(object_of(context, tree, "tree"));
    trace_tree<Hit>(c, rays, hits, hits_memory, options, "hits",
                    [&](BufferSpan<const Ray> some, auto results, const TraceOptions& of_batch) {
                      closest_hits(c, parts.tree, parts.triangles, some, results, of_batch);
                    });
  });
}

copse_status copse_tree_any_hits(copse_context* context, const copse_tree* tree, const copse_rays* rays,
                                 uint8_t* occluded, copse_memory occluded_memory,
                                 const copse_trace_options* options) {
  return run("copse_tree_any_hits", context, [&](Context& c) {
    const Traced parts = traced(object_of(context, tree, "tree"));
    trace_tree<u8>(c, rays, occluded, occluded_memory, options, "results",
                   [&](BufferSpan<const Ray> some, auto results, const TraceOptions& of_batch) {
                     any_hits(c, parts.tree, parts.triangles, some, results, of_batch);
                   });
  });
}

copse_status copse_tree_visits(copse_context* context, const copse_tree* tree, const copse_rays* rays,
                               copse_visits* visits, copse_memory visits_memory) {
  static_assert(sizeof(copse_visits) == sizeof(VisitCounter));
  return run("copse_tree_visits", context, [&](Context& c) {
    const Traced parts = traced(object_of(context, tree, "tree"));
    trace_tree<VisitCounter>(c, rays, visits, visits_memory, nullptr, "visits",
                             [&](BufferSpan<const Ray> some, auto results, const TraceOptions&) {
                               count_visits(c, parts.tree, parts.triangles, some, results);
                             });
  });
}
