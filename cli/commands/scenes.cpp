#include "cli/commands/scenes.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "builders/bvh/stats.h"
#include "cli/exit_code.h"
#include "cli/options/layouts.h"
#include "cli/options/scene.h"
#include "primitives/core/stopwatch.h"
#include "scene/scene_render.h"

namespace copse::cli {

namespace {

u64 vertex_count(const SceneFile& file) {
  u64 count = 0;
  for (const SceneMesh& mesh : file.meshes) count += mesh.mesh.positions.size();
  return count;
}

/// The number of instances of each mesh.
std::vector<u64> instance_counts(const SceneFile& file) {
  std::vector<u64> counts(file.meshes.size());
  for (const Instance& instance : file.instances) ++counts[instance.accel];
  return counts;
}

void add_counts(Json& report, const SceneFile& file) {
  report["triangles"] = file.triangle_count();
  report["instanced_triangles"] = file.instanced_triangle_count();
  report["vertices"] = vertex_count(file);
  report["instances"] = file.instances.size();
}

void add_count_facts(Facts& facts, const SceneFile& file) {
  facts.add("meshes", "{}, of {} and {}", grouped(file.meshes.size()), counted(file.triangle_count(), "triangles"),
            counted(vertex_count(file), "vertices"));
  facts.add("instances", "{}, of {}", grouped(file.instances.size()),
            counted(file.instanced_triangle_count(), "triangles"));
}

/// The meshes and trees of a scene on a device.
struct BuiltScene {
  SceneMeshes meshes;
  std::vector<Accel> accels;
  Scene scene;

  BuiltScene(Session& session, Context& context, const SceneFile& file, const AccelOptions& options, float opening)
      : meshes(context, file) {
    session.begin("building the meshes");
    accels = build_accels(context, meshes, options);
    session.begin("building the scene");
    scene = build(context, accels, file.instances, {.quality = options.quality, .opening = opening});
  }

  u64 accel_bytes() const {
    u64 bytes = 0;
    for (const Accel& accel : accels) bytes += accel.size_bytes();
    return bytes;
  }
};

/// The instances that rays miss. In a scene that was opened the tree's own count has unused references too.
u64 left_out_count(Context& context, const Scene& scene) {
  const std::vector<Aabb> all = download(context, scene.boxes());
  return u64(std::count_if(all.begin(), all.end(), [](const Aabb& box) { return is_empty(box); }));
}

/// Times of builds in the same memory.
struct SceneTimes {
  double accels_ms, scene_ms, refit_ms;
};

SceneTimes time_again(Session& session, Context& context, BuiltScene& built) {
  session.begin("building again, for its time");
  SceneTimes times;
  const InstanceView instances = InstanceView::of(built.meshes.instances().span());
  Stopwatch stopwatch(context);
  for (u64 i = 0; i < built.accels.size(); ++i) rebuild(context, built.accels[i], built.meshes.triangles(i));
  times.accels_ms = stopwatch.milliseconds();
  stopwatch.start();
  rebuild(context, built.scene, instances);
  times.scene_ms = stopwatch.milliseconds();
  stopwatch.start();
  refit(context, built.scene, instances);
  times.refit_ms = stopwatch.milliseconds();
  return times;
}

}  // namespace

void add_scene_choice(CLI::App& command, u32& scene) {
  add_count(command, "--scene", scene, 0, 1'000'000,
            "Of a .glb or .gltf file with several scenes: the number of the one to read, counted from 0");
}

void add_opening(CLI::App& command, float& opening) {
  add_real(
      command, "--opening", opening, 1, 64,
      "Of a scene: the references per instance in the tree over the instances. Above 1, the largest instances "
      "are opened: rays become faster where many overlap, and slower where they stand apart; default 1, which "
      "opens nothing");
}

void refuse_scene_choice(const SceneChoice& choice) {
  const char* const option = choice.scene != default_scene ? "--scene"
                             : choice.opening != 1         ? "--opening"
                                                           : nullptr;
  if (option == nullptr) return;
  throw Error(ErrorCode::invalid_argument, std::string(option) + " needs a scene file (.glb or .gltf)");
}

FileReport describe_scene(Session& session, const std::string& input, u32 scene) {
  session.begin("reading");
  const SceneFile file = session.read_scene(input, scene);
  const u64 file_bytes = std::filesystem::file_size(input);
  const std::vector<u64> counts = instance_counts(file);
  Json report{{"input", input}, {"kind", "scene"}, {"file_bytes", file_bytes}};
  add_counts(report, file);
  report["materials"] = file.materials.size();
  report["left_out"] = {{"drawings", file.left_out.drawings}, {"animations", file.left_out.animations}};
  report["meshes"] = Json::array();
  Facts facts;
  facts.add("scene", "{}, {}", one_line(input), readable_bytes(file_bytes));
  add_count_facts(facts, file);
  facts.add("materials", "{}", file.materials.size());
  constexpr size_t max_lines = 16;
  for (size_t i = 0; i < file.meshes.size(); ++i) {
    const SceneMesh& mesh = file.meshes[i];
    report["meshes"].push_back({{"name", mesh.name},
                                {"triangles", mesh.mesh.triangles.size()},
                                {"vertices", mesh.mesh.positions.size()},
                                {"parts", mesh.parts.size()},
                                {"instances", counts[i]}});
    if (i >= max_lines) continue;
    facts.add(fmt::format("mesh {}", i), "{} in {}{}", counted(mesh.mesh.triangles.size(), "triangles"),
              counted(counts[i], "places"), mesh.name.empty() ? "" : ": " + one_line(mesh.name));
  }
  if (file.meshes.size() > max_lines)
    facts.add("", "and {} more", counted(file.meshes.size() - max_lines, "meshes"));
  return {report, facts.text()};
}

int build_scene(Session& session, const std::string& input, const SceneChoice& choice,
                const AccelOptions& accels) {
  const auto context = session.make_context();
  session.progress().expect_stages(5);
  session.begin("reading");
  const SceneFile file = session.read_scene(input, choice.scene);
  BuiltScene built(session, *context, file, accels, choice.opening);
  const SceneTimes times = time_again(session, *context, built);
  session.begin("measuring");
  const WideBvhStats top = stats(*context, built.scene.tree());
  const u64 left_out = left_out_count(*context, built.scene);
  const Aabb box = bounds(*context, built.scene);

  Json report{{"copse", describe(*context)}, {"input", input}, {"meshes", file.meshes.size()}};
  add_counts(report, file);
  report["quality"] = name_of(accels.quality);
  report["splits"] = accels.splits;
  report["accels"] = {{"bytes", built.accel_bytes()}, {"build_ms", times.accels_ms}};
  report["scene"] = {{"bytes", built.scene.size_bytes()}, {"build_ms", times.scene_ms},
                     {"refit_ms", times.refit_ms},        {"left_out", left_out},
                     {"opening", choice.opening},         {"references", top.counts.primitive_count},
                     {"statistics", to_json(top)}};
  report["bounds"] = to_json(box);

  Facts facts;
  facts.add("scene", "{}", one_line(input));
  facts.add("device", "{}", describe_in_words(*context));
  add_count_facts(facts, file);
  facts.add("quality", "{}", name_of(accels.quality));
  if (accels.splits != 1) facts.add("splits", "up to {} references per triangle", accels.splits);
  facts.add("bounds", "{}", to_words(box));
  facts.add("trees of meshes", "{}, built in {:.3f} ms, one after another", readable_bytes(built.accel_bytes()),
            times.accels_ms);
  facts.add("tree of instances", "{}, built in {:.3f} ms, refitted in {:.3f} ms",
            readable_bytes(built.scene.size_bytes()), times.scene_ms, times.refit_ms);
  if (choice.opening > 1) {
    facts.add("opened", "{} references, {:.2f} per instance", grouped(top.counts.primitive_count),
              double(top.counts.primitive_count) / double(std::max<size_t>(file.instances.size(), 1)));
  }
  facts.add("nodes", "{}, {:.2f} children per node", grouped(top.counts.node_count), top.mean_children);
  facts.add("depth", "{}", top.depth);
  facts.add("SAH cost", "{:.2f}", top.sah_cost);
  if (left_out > 0) facts.add("left out", "{} that cannot be inverted", counted(left_out, "instances"));
  session.print(report, facts.text());
  return exit_ok;
}

int render_scene(Session& session, const SceneToRender& wanted, PictureFiles& files) {
  const auto context = session.make_context();
  session.progress().expect_stages(5);
  session.begin("reading");
  const SceneFile file = session.read_scene(wanted.input, wanted.choice.scene);
  const BuiltScene built(session, *context, file, wanted.accels, wanted.choice.opening);
  session.begin("rendering");
  const RenderOptions& options = wanted.render;
  const float aspect = float(options.width) / float(options.height);
  double milliseconds = 0;
  for (const Camera& camera : place_cameras(wanted.camera, bounds(*context, built.scene), aspect, wanted.frames)) {
    Stopwatch stopwatch(*context);
    Image image = render(*context, built.scene, built.meshes, camera, options);
    milliseconds += stopwatch.milliseconds();
    files.add(std::move(image));
    session.throw_if_interrupted();
  }
  session.begin("writing");
  files.finish();

  const u64 ray_count = u64{options.width} * options.height * std::max(wanted.frames, 1u);
  Json report{{"copse", describe(*context)},
              {"input", wanted.input},
              {"output", wanted.output},
              {"meshes", file.meshes.size()}};
  add_counts(report, file);
  report["width"] = options.width;
  report["height"] = options.height;
  if (wanted.frames > 0) report["frames"] = wanted.frames;
  if (wanted.choice.opening > 1) report["references"] = stats(*context, built.scene.tree()).counts.primitive_count;
  report["shading"] = wanted.shading;
  report["rays"] = ray_count;
  if (options.shading == Shading::ambient_occlusion) report["ambient_rays_per_hit"] = options.ambient_rays;
  report["render_ms"] = milliseconds;
  Facts facts;
  facts.add("picture", "{}, {}{} x {}", one_line(wanted.output), frames_in_words(wanted.frames), options.width,
            options.height);
  facts.add("device", "{}", describe_in_words(*context));
  add_count_facts(facts, file);
  facts.add("rays", "{}", grouped(ray_count));
  facts.add("render", "{:.3f} ms", milliseconds);
  session.print(report, facts.text());
  return exit_ok;
}

}  // namespace copse::cli
