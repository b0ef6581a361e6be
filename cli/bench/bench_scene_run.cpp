#include "cli/bench/bench_scene_run.h"

#include "bench/support/scene_rays.h"

namespace copse::cli {

namespace {

/// One scene on the device, and its rays.
struct BenchInput {
  const BenchScene& scene;
  const Mesh& mesh;
  TriangleView triangles;
  std::vector<Ray> primary;
  std::optional<std::vector<Ray>> diffuse;  // from the hits of the first tree; all trees give the same hits
  std::vector<Ray> shadow;                  // from the same hits
};

void measure_scene_rays(Context& context, const Bvh& bvh, BenchInput& input, u32 repeats, BenchResult& result) {
  TracedRays primary = measure_rays(context, bvh.view(), input.triangles, input.primary, repeats);
  result.primary = primary.times;
  if (!input.diffuse) {
    const Aabb box = bounds(input.mesh);
    const bool interior = input.scene.interior;
    const vec3 light = copse::bench::shadow_light(box, copse::bench::default_eye(box, interior), interior);
    input.diffuse = copse::bench::make_diffuse_rays(input.mesh, box, input.primary, primary.hits);
    input.shadow = copse::bench::make_shadow_rays(input.mesh, box, input.primary, primary.hits, light);
  }
  result.diffuse = measure_rays(context, bvh.view(), input.triangles, *input.diffuse, repeats).times;
}

/// The key widths to measure a builder with: a narrow one and all bits; none if it has no keys.
std::vector<std::optional<u32>> key_widths(const BenchOptions& options, const std::string& builder) {
  if (!has_morton_bits(builder) && options.builders.size() > 1) return {std::nullopt};
  if (options.morton_bits || !has_morton_bits(builder)) return {options.morton_bits};
  return builder == "hploc" ? std::vector<std::optional<u32>>{0, 63} : std::vector<std::optional<u32>>{30, 63};
}

BenchResult measure(Session& session, Context& context, BenchInput& input, const BenchOptions& options,
                    const BuildSettings& settings) {
  BenchResult result;
  result.scene = input.scene.name;
  result.source = input.scene.source;
  result.triangle_count = input.mesh.triangles.size();
  result.vertex_count = input.mesh.positions.size();
  result.settings = settings;

  session.begin(fmt::format("{}: building", input.scene.name));
  Bvh bvh = build_tree(context, input.triangles, settings);
  result.sizes = tree_sizes(context, result.triangle_count, settings);
  result.times = measure_builds(context, bvh, input.triangles, settings, options.repeats);
  if (options.stages) result.stages = measure_stages(context, bvh, input.triangles, settings, options.repeats);
  result.statistics = stats(context, bvh);
  for (const Layout layout : options.layouts) {
    result.layouts.push_back(measure_layout(context, bvh, input.triangles, settings, layout, options.repeats));
  }

  session.begin(fmt::format("{}: tracing", input.scene.name));
  measure_scene_rays(context, bvh, input, options.repeats, result);
  if (options.kernels) {
    result.kernels = measure_kernels(context, bvh, input.triangles, options.layouts, input.primary, *input.diffuse,
                                     options.repeats);
  }
  return result;
}

/// Builds an Accel for the views, and times the rays of each.
ViewsResult measure_scene_views(Session& session, Context& context, const BenchInput& input,
                                const BenchOptions& options, u32 rays_size) {
  session.begin(fmt::format("{}: tracing views", input.scene.name));
  const Accel accel =
      build(context, input.triangles, AccelOptions{.quality = *options.views, .splits = options.splits});
  std::vector<BenchView> views = input.scene.views;
  if (views.empty()) {
    views = {{copse::bench::default_eye(bounds(input.mesh), input.scene.interior), input.scene.interior}};
  }
  ViewsResult result{input.scene.name, input.mesh.triangles.size(), *options.views, {}};
  result.views = measure_views(context, accel, input.mesh, views, rays_size, options.repeats, options.kernels);
  if (session.json()) return result;
  session.progress().hide();
  print_data(views_lines(result));
  return result;
}

/// Traces the rays of one tree on the ranks that did not measure builds, so that they have the same rays as the first.
void make_rays_of_others(Session& session, Context& context, BenchInput& input, const BuildSettings& settings) {
  session.together([&] {
    if (session.is_first_rank()) return;
    const Bvh bvh = build_tree(context, input.triangles, settings);
    BenchResult not_shown;
    measure_scene_rays(context, bvh, input, 1, not_shown);
  });
}

/// Measures rays that several devices or ranks share, and a tree whose parts they have.
void measure_shared(Session& session, const ContextOrDevices& contexts, BenchInput& input,
                    const BenchOptions& options, const BuildSettings& settings, BenchResult& result) {
  if (session.ranks() != nullptr) make_rays_of_others(session, contexts.context(), input, settings);
  const FrameRays rays{input.primary, *input.diffuse, input.shadow};
  if (session.ranks() != nullptr) {
    Communicator& comm = session.ranks()->comm;
    result.gpus = measure_replicas(comm, contexts.context(), input.triangles, rays, options.repeats);
    result.sharded = measure_shards(comm, contexts.context(), input.mesh, rays, options.repeats);
  } else {
    result.gpus = measure_gpus(*contexts.devices, input.triangles, rays, options.repeats);
    result.sharded = measure_shards(*contexts.devices, input.mesh, rays, options.repeats);
  }
}

/// Measures a builder, on the first rank alone.
BenchResult measure_builder(Session& session, Context& context, BenchInput& input, const BenchOptions& options,
                            const BuildSettings& settings, bool with_accels) {
  BenchResult result;
  session.together([&] {
    if (!session.is_first_rank()) return;
    result = measure(session, context, input, options, settings);
    if (!with_accels) return;
    result.accels = measure_accels(context, input.triangles, options.splits,
                                   {input.primary, *input.diffuse, input.shadow}, options.repeats);
  });
  return result;
}

/// A mesh on the host and in the memory of a context.
struct LoadedMesh {
  Mesh mesh;
  DeviceMesh on_device;

  LoadedMesh(Context& context, Mesh read) : mesh(std::move(read)), on_device(context, mesh) {}
};

}  // namespace

std::vector<BuildSettings> settings_to_measure(const BenchOptions& options) {
  std::vector<BuildSettings> all;
  for (const std::string& builder : options.builders) {
    for (const std::optional<u32>& bits : key_widths(options, builder)) {
      all.push_back({.builder = builder,
                     .morton_bits = bits,
                     .max_leaf_size = options.max_leaf_size,
                     .radius = builder == "hploc" || options.builders.size() == 1 ? options.radius : 0,
                     .reinsertion = options.reinsertion,
                     .top = builder == "sah" && options.builders.size() > 1 ? Top::as_built : options.top,
                     .splits = options.splits});
      all.back() = complete(all.back());
    }
  }
  return all;
}

SceneResults measure_scene(Session& session, const ContextOrDevices& contexts, const BenchScene& scene,
                           const BenchOptions& options, u32 rays_size) {
  Context& context = contexts.context();
  std::optional<LoadedMesh> loaded;
  session.together([&] {
    session.begin(fmt::format("{}: reading", scene.name));
    loaded.emplace(context, scene.load(session));
  });
  BenchInput input{.scene = scene,
                   .mesh = loaded->mesh,
                   .triangles = loaded->on_device.view(),
                   .primary = copse::bench::make_primary_rays(
                       copse::bench::default_eye(bounds(loaded->mesh), scene.interior), rays_size),
                   .diffuse = std::nullopt,
                   .shadow = {}};
  SceneResults results;
  for (const BuildSettings& settings : settings_to_measure(options)) {
    const bool is_first = results.builds.empty();
    results.builds.push_back(
        measure_builder(session, context, input, options, settings, options.accel && is_first));
    if (is_first && (contexts.devices || session.ranks() != nullptr)) {
      measure_shared(session, contexts, input, options, settings, results.builds[0]);
    }
    if (session.json() || !session.is_first_rank()) continue;
    session.progress().hide();
    print_data(table_line(results.builds.back()));
  }
  session.together([&] {
    if (options.views && session.is_first_rank()) {
      results.views = measure_scene_views(session, context, input, options, rays_size);
    }
  });
  return results;
}

}  // namespace copse::cli
