#include "web/module/session.h"

#include <algorithm>
#include <span>

#include "builders/bvh/checksum.h"
#include "builders/bvh/collapse.h"
#include "builders/bvh/reinsert.h"
#include "builders/bvh/stats.h"
#include "builders/io/mesh_file.h"
#include "primitives/core/stopwatch.h"
#include "trace/trace_rays.h"
#include "viewer/model/inspect/host_copies.h"
#include "web/module/picture.h"

namespace copse::web {

namespace {

AnyBuildOptions options_of(const std::string& builder) {
  if (builder == "lbvh") return LbvhOptions{};
  if (builder == "hploc") return HplocOptions{};
  if (builder == "sah") return SahOptions{};
  throw Error(ErrorCode::invalid_argument, "the builder is " + builder + "; it can be lbvh, hploc or sah");
}

AnyWideBvh collapse_to(Context& context, const Bvh& bvh, const std::string& layout) {
  if (layout == "bvh2") return std::monostate{};
  if (layout == "bvh4") return collapse<Bvh4>(context, bvh);
  if (layout == "cbvh4") return collapse<CompressedBvh4>(context, bvh);
  if (layout == "cbvh8") return collapse<CompressedBvh8>(context, bvh);
  throw Error(ErrorCode::invalid_argument, "the layout is " + layout + "; it can be bvh2, bvh4, cbvh4 or cbvh8");
}

Facts facts_of(Context& context, const Bvh& tree) {
  const BvhStats measures = stats(context, tree);
  const BvhCounts& counts = measures.counts;
  return {.node_count = counts.node_count,
          .leaf_count = (counts.node_count + 1) / 2,
          .tree_bytes = measures.size_bytes,
          .depth = measures.depth,
          .sah_cost = measures.sah_cost,
          .checksum = checksum(context, tree)};
}

template <class Node>
Facts facts_of(Context& context, const WideBvh<Node>& tree) {
  const WideBvhStats measures = stats(context, tree);
  return {.node_count = measures.counts.node_count,
          .leaf_count = measures.leaf_count,
          .tree_bytes = measures.used_bytes,
          .depth = measures.depth,
          .sah_cost = measures.sah_cost,
          .checksum = checksum(context, tree)};
}

/// Calls f with the wide tree, or with the binary tree if there is none.
template <class F>
auto with_tree(const Bvh& bvh, const AnyWideBvh& wide, const F& f) {
  return std::visit(
      [&](const auto& tree) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(tree)>, std::monostate>) {
          return f(bvh);
        } else {
          return f(tree);
        }
      },
      wide);
}

}  // namespace

Session::Session() : context_({.backend = Backend::cpu}) {}
Session::~Session() = default;

TriangleView Session::triangles() const {
  return {.positions = BufferSpan<const vec3>(mesh_.positions.data(), mesh_.positions.size()),
          .triangles = BufferSpan<const uvec3>(mesh_.triangles.data(), mesh_.triangles.size())};
}

Triangle Session::triangle(u32 number) const {
  return load_triangle(triangles(), number);
}

TreeView Session::tree() const {
  return with_tree(bvh_, wide_, [](const auto& tree) { return TreeView(tree.view()); });
}

void Session::need_tree(const char* what) const {
  if (!is_built_) throw Error(ErrorCode::invalid_argument, std::string(what) + " needs a tree; build one first");
}

std::string Session::load(std::string_view bytes, const std::string& name) {
  MeshReport report;
  Mesh mesh = parse_mesh(bytes, {}, &report, name);
  mesh_ = std::move(mesh);
  is_built_ = false;
  copy_.reset();
  bvh_ = {};
  wide_ = {};
  return report.message();
}

Facts Session::build(const Recipe& recipe) {
  if (mesh_.triangles.empty()) throw Error(ErrorCode::invalid_argument, "a build needs a mesh; load one first");
  const AnyBuildOptions options = options_of(recipe.builder);
  is_built_ = false;
  copy_.reset();
  wide_ = {};
  Stopwatch stopwatch(context_);
  bvh_ = copse::build(context_, triangles(), options);
  if (recipe.reinsertion > 0) reinsert(context_, bvh_, {.passes = recipe.reinsertion});
  const double build_ms = stopwatch.milliseconds();
  stopwatch.start();
  wide_ = collapse_to(context_, bvh_, recipe.layout);
  const double collapse_ms = stopwatch.milliseconds();

  Facts facts = with_tree(bvh_, wide_, [&](const auto& tree) { return facts_of(context_, tree); });
  facts.triangle_count = mesh_.triangles.size();
  facts.vertex_count = mesh_.positions.size();
  for (const vec3& position : mesh_.positions) facts.bounds = merge(facts.bounds, Aabb{position, position});
  facts.build_ms = build_ms;
  facts.collapse_ms = recipe.layout == "bvh2" ? 0 : collapse_ms;
  is_built_ = true;
  return facts;
}

const viewer::HostCopy& Session::copy() {
  if (!copy_) copy_ = with_tree(bvh_, wide_, [](const auto& tree) { return viewer::copy_tree(tree); });
  depth_ = copy_->tree()->depth;
  return *copy_;
}

std::vector<float> Session::boxes(u32 level, u64 most, u64& count) {
  need_tree("a level of boxes");
  std::vector<float> corners;
  count = 0;
  for (const viewer::HostNode& node : copy().tree()->nodes) {
    if (node.depth != level || (++count, corners.size() / 6 >= most)) continue;
    corners.insert(corners.end(), {node.box.lo.x, node.box.lo.y, node.box.lo.z});
    corners.insert(corners.end(), {node.box.hi.x, node.box.hi.y, node.box.hi.z});
  }
  return corners;
}

viewer::Pick Session::pick(const Camera& camera, u32 width, u32 height, u32 x, u32 y) {
  need_tree("a pick");
  const viewer::HostTriangles host{mesh_.positions, mesh_.triangles};
  return copy().walk(host, camera_ray(camera, x, y, width, height));
}

Image Session::picture(const Camera& camera, u32 width, u32 height, bool heat, u32& max_visits) {
  need_tree("a picture");
  max_visits = 0;
  if (heat) {
    return std::visit(
        [&](const auto& view) { return heat_picture(view, triangles(), camera, width, height, max_visits); },
        tree());
  }
  const std::vector<Ray> rays = camera_rays(camera, width, height);
  std::vector<Hit> hits(rays.size());
  closest_hits(context_, tree(), triangles(), BufferSpan<const Ray>(rays.data(), rays.size()),
               BufferSpan<Hit>(hits.data(), hits.size()));
  return surface_picture(triangles(), rays, hits, width, height);
}

RayTimes Session::time_rays(const Camera& camera, u32 width, u32 height) {
  need_tree("a batch of rays");
  const std::vector<Ray> rays = camera_rays(camera, width, height);
  std::vector<Hit> hits(rays.size());
  Stopwatch stopwatch(context_);
  closest_hits(context_, tree(), triangles(), BufferSpan<const Ray>(rays.data(), rays.size()),
               BufferSpan<Hit>(hits.data(), hits.size()));
  return {.ray_count = rays.size(),
          .hit_count = u64(std::count_if(hits.begin(), hits.end(), is_hit)),
          .milliseconds = stopwatch.milliseconds(),
          .checksum = Fnv1a().add(std::span<const Hit>(hits)).value()};
}

}  // namespace copse::web
