// copse render: a mesh or structure in, a ray-cast picture out.

#include <memory>

#include "builders/bvh/lbvh.h"
#include "builders/io/image_file.h"
#include "builders/io/mesh_file.h"
#include "builders/io/structure_file.h"
#include "cli/camera_options.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/files.h"
#include "cli/scene.h"
#include "primitives/core/stopwatch.h"
#include "trace/shade.h"

namespace copse::cli {

namespace {

struct RenderCommand {
  std::string input;
  std::string output;
  CameraOptions camera;
  RenderOptions render;
};

struct Scene {
  Mesh mesh;
  Bvh bvh;
};

Scene load_scene(Session& session, Context& context, const std::string& input) {
  session.begin("reading");
  if (check_input(input) == InputKind::structure) {
    StructureFile file = load_structure(input, context);
    return {std::move(file.mesh), std::move(file.bvh)};
  }
  Scene scene{load_mesh(input), {}};
  session.begin("building");
  const DeviceMesh device_mesh(context, scene.mesh);
  scene.bvh = build_lbvh(context, device_mesh.view());
  return scene;
}

const Choices<Shading>& shadings() {
  static const Choices<Shading> choices{{"normal", Shading::normal},
                                        {"primitive", Shading::primitive},
                                        {"distance", Shading::distance},
                                        {"ao", Shading::ambient_occlusion},
                                        {"heat", Shading::heat}};
  return choices;
}

std::string shading_name(Shading shading) {
  for (const auto& [name, meaning] : shadings()) {
    if (meaning == shading) return name;
  }
  return "unknown";
}

void print_result(Session& session, const Context& context, const RenderCommand& command, u64 triangle_count,
                  double milliseconds) {
  const RenderOptions& render = command.render;
  const u64 ray_count = u64{render.width} * render.height;
  const bool ambient = render.shading == Shading::ambient_occlusion;
  Json report{{"copse", describe(context)},
              {"input", command.input},
              {"output", command.output},
              {"triangles", triangle_count},
              {"width", render.width},
              {"height", render.height},
              {"shading", shading_name(render.shading)},
              {"rays", ray_count}};
  if (ambient) report["ambient_rays_per_hit"] = render.ambient_rays;
  report["render_ms"] = milliseconds;

  Facts facts;
  facts.add("picture", "{}, {} x {}", one_line(command.output), render.width, render.height);
  facts.add("device", "{}", describe_in_words(context));
  facts.add("triangles", "{}", grouped(triangle_count));
  facts.add("rays", "{}{}", grouped(ray_count),
            ambient ? fmt::format(", and {} ambient ones for each that hits", render.ambient_rays) : "");
  facts.add("render", "{:.3f} ms", milliseconds);
  session.print(report, facts.text());
}

int run_render(Session& session, const RenderCommand& command) {
  const InputKind kind = check_input(command.input);
  if (command.output.empty()) {
    throw Error(ErrorCode::invalid_argument, "-o is missing: name the picture to write, as in -o picture.png");
  }
  check_output(command.output, ".png", command.input);
  const auto context = session.make_context();
  session.progress().expect_stages(kind == InputKind::mesh ? 4 : 3);
  const Scene scene = load_scene(session, *context, command.input);

  session.begin("rendering");
  const RenderOptions& render_options = command.render;
  const Camera camera =
      place_camera(command.camera, bounds(scene.mesh), float(render_options.width) / float(render_options.height));
  const DeviceMesh device_mesh(*context, scene.mesh);
  Stopwatch stopwatch(*context);
  const Image image = render(*context, scene.bvh.view(), device_mesh.view(), camera, render_options);
  const double milliseconds = stopwatch.milliseconds();

  session.begin("writing");
  save_png(command.output, image);
  print_result(session, *context, command, scene.mesh.triangles.size(), milliseconds);
  return exit_ok;
}

void add_picture_options(CLI::App& app, RenderOptions& render) {
  constexpr u32 most_pixels = 16384;
  CLI::Option* width = add_count(app, "--width", render.width, 1, most_pixels, "Pixels, default 1024");
  CLI::Option* height = add_count(app, "--height", render.height, 1, most_pixels, "Pixels, default 1024");
  add_image_size(app, render.width, render.height, most_pixels)
      ->excludes(width)
      ->excludes(height)
      ->option_text("WxH");
  add_choice<Shading>(app, "--shading", render.shading, shadings(), "What colours a pixel, default normal");
  add_count(app, "--ao-rays", render.ambient_rays, 1, 4096, "Ambient rays a pixel, default 32");
  add_count(app, "--heat-limit", render.heat_limit, 1, 0xffffffffu,
            "Visits that count as hottest, default the most of the picture");
}

}  // namespace

Command add_render_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = app.add_subcommand("render", "Ray cast a picture of a mesh or structure");
  const auto options = std::make_shared<RenderCommand>();
  add_input(*command, options->input, "IN", "A mesh (.obj or .ply) or structure (.copse)");
  add_output(*command, options->output, "The picture, a .png file (required)");
  add_picture_options(*command, options->render);
  add_camera_options(*command, options->camera);
  add_common_options(*command, common);
  command->footer(
      "Examples:\n"
      "  copse render bunny.obj -o bunny.png\n"
      "  copse render bunny.copse -o heat.png --shading heat --size 1920x1080\n"
      "  copse render room.ply -o room.png --eye 1,2,-3 --target 0,1,0 --fov 60 --shading ao");
  return {command, [options](Session& session) { return run_render(session, *options); }};
}

}  // namespace copse::cli
