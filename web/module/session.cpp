#include "web/module/session.h"

#include <algorithm>
#include <chrono>

namespace copse::web {

namespace {

/// Returns the place of a name in a list.
template <size_t count>
int32_t place_of(const char* what, const std::string& name, const char* const (&names)[count],
                 const char* in_words) {
  for (size_t i = 0; i < count; ++i) {
    if (name == names[i]) return int32_t(i);
  }
  throw std::runtime_error(std::string("the ") + what + " is " + name + "; it can be " + in_words);
}

copse_tree_options options_of(const Recipe& recipe) {
  // In the order of copse_builder and copse_layout.
  static constexpr const char* builders[] = {"lbvh", "hploc", "sah"};
  static constexpr const char* layouts[] = {"bvh2", "bvh4", "cbvh4", "cbvh8"};
  copse_tree_options options = COPSE_TREE_OPTIONS_INIT;
  options.builder = place_of("builder", recipe.builder, builders, "lbvh, hploc or sah");
  options.layout = place_of("layout", recipe.layout, layouts, "bvh2, bvh4, cbvh4 or cbvh8");
  options.reinsertion = recipe.reinsertion;
  return options;
}

class Stopwatch {
 public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// FNV-1a of 64 bits.
uint64_t checksum_of(const std::vector<copse_hit>& hits) {
  uint64_t sum = 0xcbf29ce484222325;
  const auto* bytes = reinterpret_cast<const unsigned char*>(hits.data());
  for (size_t i = 0; i < hits.size() * sizeof(copse_hit); ++i) sum = (sum ^ bytes[i]) * 0x100000001b3;
  return sum;
}

/// Stores the box around positions that follow each other.
void store_bounds(const copse_geometry& geometry, float (&bounds)[6]) {
  for (int axis = 0; axis < 3; ++axis) {
    bounds[axis] = bounds[axis + 3] = geometry.positions[axis];
    for (uint64_t i = 1; i < geometry.position_count; ++i) {
      bounds[axis] = std::min(bounds[axis], geometry.positions[3 * i + axis]);
      bounds[axis + 3] = std::max(bounds[axis + 3], geometry.positions[3 * i + axis]);
    }
  }
}

}  // namespace

Session::Session() {
  copse_context_options options = COPSE_CONTEXT_OPTIONS_INIT;
  options.backend = COPSE_BACKEND_CPU;
  copse_context* context = nullptr;
  check(copse_context_create(&options, &context));
  context_.reset(context);
}

void Session::need_tree(const char* what) const {
  if (!tree_) throw std::runtime_error(std::string(what) + " needs a tree; build one first");
}

std::string Session::load(std::string_view bytes, const std::string& name) {
  copse_mesh* mesh = nullptr;
  check(copse_mesh_parse(bytes.data(), bytes.size(), name.c_str(), &mesh));
  tree_.reset();
  mesh_.reset(mesh);
  check(copse_mesh_geometry(mesh, 0, &geometry_));
  return copse_mesh_message(mesh);
}

Facts Session::build(const Recipe& recipe) {
  if (!mesh_) throw std::runtime_error("a build needs a mesh; load one first");
  const copse_tree_options options = options_of(recipe);
  tree_.reset();
  const Stopwatch stopwatch;
  copse_tree* tree = nullptr;
  check(copse_tree_build(context_.get(), &geometry_, 1, &options, &tree));
  tree_.reset(tree);
  Facts facts;
  facts.build_ms = stopwatch.milliseconds();
  check(copse_tree_stats(context_.get(), tree, &facts.tree));
  check(copse_tree_checksum(context_.get(), tree, &facts.checksum));
  facts.triangle_count = geometry_.triangle_count;
  facts.vertex_count = geometry_.position_count;
  store_bounds(geometry_, facts.bounds);
  return facts;
}

std::span<const copse_tree_node> Session::nodes() {
  need_tree("a look at nodes");
  const copse_tree_node* nodes = nullptr;
  uint64_t count = 0;
  check(copse_tree_nodes(context_.get(), tree_.get(), &nodes, &count));
  return {nodes, size_t(count)};
}

std::vector<float> Session::boxes(uint32_t level, uint64_t most, uint64_t& count) {
  std::vector<float> corners;
  count = 0;
  for (const copse_tree_node& node : nodes()) {
    if (node.depth != level || (++count, corners.size() / 6 >= most)) continue;
    corners.insert(corners.end(), node.lower, node.lower + 3);
    corners.insert(corners.end(), node.upper, node.upper + 3);
  }
  return corners;
}

Pick Session::pick(const Camera& camera, uint32_t width, uint32_t height, uint32_t x, uint32_t y) {
  need_tree("a pick");
  const copse_ray ray = camera_ray(camera, x, y, width, height);
  Pick pick;
  do {
    pick.nodes.resize(std::max<size_t>(256, pick.walk.node_count));
    check(copse_tree_walk(context_.get(), tree_.get(), &ray, &pick.walk, pick.nodes.data(), pick.nodes.size()));
  } while (pick.walk.node_count > pick.nodes.size());
  pick.nodes.resize(pick.walk.node_count);
  const copse_hit& hit = pick.walk.hit;
  if (hit.primitive == COPSE_NO_ID) return pick;
  pick.point = vector_of(ray.origin) + vector_of(ray.direction) * hit.t;
  pick.corners = corners_of(geometry_, hit.primitive);
  return pick;
}

std::vector<copse_hit> Session::closest_hits(const std::vector<copse_ray>& rays) const {
  const copse_rays batch = copse_rays_of(rays.data(), rays.size(), COPSE_MEMORY_HOST);
  std::vector<copse_hit> hits(rays.size());
  check(copse_tree_closest_hits(context_.get(), tree_.get(), &batch, hits.data(), COPSE_MEMORY_HOST, nullptr));
  return hits;
}

Pixels Session::picture(const Camera& camera, uint32_t width, uint32_t height, bool heat, uint32_t& max_visits) {
  need_tree("a picture");
  max_visits = 0;
  const std::vector<copse_ray> rays = camera_rays(camera, width, height);
  if (!heat) return surface_picture(geometry_, rays, closest_hits(rays));
  const copse_rays batch = copse_rays_of(rays.data(), rays.size(), COPSE_MEMORY_HOST);
  std::vector<copse_visits> visits(rays.size());
  check(copse_tree_visits(context_.get(), tree_.get(), &batch, visits.data(), COPSE_MEMORY_HOST));
  return heat_picture(visits, max_visits);
}

RayTimes Session::time_rays(const Camera& camera, uint32_t width, uint32_t height) {
  need_tree("a batch of rays");
  const std::vector<copse_ray> rays = camera_rays(camera, width, height);
  const Stopwatch stopwatch;
  const std::vector<copse_hit> hits = closest_hits(rays);
  RayTimes times;
  times.milliseconds = stopwatch.milliseconds();
  times.ray_count = rays.size();
  times.hit_count = uint64_t(
      std::count_if(hits.begin(), hits.end(), [](const copse_hit& hit) { return hit.primitive != COPSE_NO_ID; }));
  times.checksum = checksum_of(hits);
  return times;
}

}  // namespace copse::web
