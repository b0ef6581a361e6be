// copse render: ray casts a picture of a mesh, scene, structure or voxels.

#include <CLI/CLI.hpp>
#include <memory>

#include "accel/accel_file.h"
#include "accel/accel_render.h"
#include "builders/grid/frustum_grid.h"
#include "builders/grid/uniform_grid.h"
#include "builders/io/image_file.h"
#include "builders/io/structure_file.h"
#include "builders/io/voxel_file.h"
#include "cli/commands/command.h"
#include "cli/commands/scenes.h"
#include "cli/exit_code.h"
#include "cli/files.h"
#include "cli/options/camera_options.h"
#include "cli/options/scene.h"
#include "primitives/core/stopwatch.h"
#include "trace/frustum_rays.h"
#include "trace/shade.h"

namespace copse::cli {

namespace {

enum class Through { bvh, grid, frustum };

struct RenderCommand {
  std::string input;
  std::string output;
  Through through = Through::bvh;
  CameraOptions camera;
  RenderOptions render;
  u32 scene = default_scene;
};

/// A mesh, or the faces of voxels, and the structure if the file has one.
struct Subject {
  Mesh mesh;
  Accel accel;
  Bvh bvh;

  bool has_structure() const { return !accel.tree().nodes.empty() || !bvh.nodes.empty(); }
};

Subject load_subject(Session& session, Context& context, const RenderCommand& command) {
  session.begin("reading");
  const InputKind kind = check_input(command.input);
  if (kind == InputKind::mesh) return {session.read_mesh(command.input), {}, {}};
  if (kind == InputKind::voxels) return {surface_of(load_voxels(command.input, session.cancel_token())), {}, {}};
  if (holds_accel(command.input)) {
    AccelFile file = load_accel(command.input, context, session.cancel_token());
    return {std::move(file.mesh), std::move(file.accel), {}};
  }
  StructureFile file = load_structure(command.input, context, session.cancel_token());
  return {std::move(file.mesh), {}, std::move(file.bvh)};
}

/// A picture, and the time that its rays and shading took.
struct Rendered {
  Image image;
  double milliseconds;
};

template <class MakeImage>
Rendered timed(Context& context, const MakeImage& make_image) {
  Stopwatch stopwatch(context);
  Image image = make_image();
  return {std::move(image), stopwatch.milliseconds()};
}

Rendered render_through(Session& session, Context& context, const RenderCommand& command, Subject& scene,
                        const TriangleView& triangles) {
  const RenderOptions& options = command.render;
  const Camera camera =
      place_camera(command.camera, bounds(scene.mesh), float(options.width) / float(options.height));
  if (!scene.has_structure()) session.begin("building");
  if (command.through == Through::grid) {
    const Grid grid = build_grid(context, triangles);
    session.begin("rendering");
    return timed(context, [&] { return render(context, grid.view(), triangles, camera, options); });
  }
  if (command.through == Through::frustum) {
    const FrustumGrid grid = build_frustum_grid(context, triangles, view_frustum(camera));
    session.begin("rendering");
    return timed(context, [&] { return render(context, grid.view(), triangles, options); });
  }
  if (!scene.has_structure()) scene.accel = build(context, triangles);
  session.begin("rendering");
  return timed(context, [&] {
    return scene.bvh.nodes.empty() ? render(context, scene.accel, camera, options)
                                   : render(context, scene.bvh.view(), triangles, camera, options);
  });
}

const Choices<Through>& structures() {
  static const Choices<Through> choices{
      {"bvh", Through::bvh}, {"grid", Through::grid}, {"frustum", Through::frustum}};
  return choices;
}

const Choices<Shading>& shadings() {
  static const Choices<Shading> choices{{"normal", Shading::normal},
                                        {"primitive", Shading::primitive},
                                        {"distance", Shading::distance},
                                        {"ao", Shading::ambient_occlusion},
                                        {"heat", Shading::heat}};
  return choices;
}

template <class T>
std::string name_in(const Choices<T>& choices, T value) {
  for (const auto& [name, meaning] : choices) {
    if (meaning == value) return name;
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
              {"structure", name_in(structures(), command.through)},
              {"shading", name_in(shadings(), render.shading)},
              {"rays", ray_count}};
  if (ambient) report["ambient_rays_per_hit"] = render.ambient_rays;
  report["render_ms"] = milliseconds;

  Facts facts;
  facts.add("picture", "{}, {} x {}", one_line(command.output), render.width, render.height);
  facts.add("device", "{}", describe_in_words(context));
  facts.add("triangles", "{}", grouped(triangle_count));
  facts.add("rays", "{}{}", grouped(ray_count),
            ambient ? fmt::format(", and {} ambient rays for each hit", render.ambient_rays) : "");
  facts.add("render", "{:.3f} ms", milliseconds);
  session.print(report, facts.text());
}

void check_structure(const RenderCommand& command, InputKind kind) {
  const std::string option = "--structure " + name_in(structures(), command.through);
  if ((kind == InputKind::structure || kind == InputKind::scene) && command.through != Through::bvh) {
    throw Error(ErrorCode::invalid_argument,
                option + " needs a mesh, but the input is " +
                    (kind == InputKind::scene ? "a scene" : "a structure with a tree"));
  }
  if (command.through == Through::frustum && command.render.shading == Shading::ambient_occlusion) {
    throw Error(ErrorCode::invalid_argument,
                option + " traces rays from the eye alone, but --shading ao needs others");
  }
}

/// Refuses a picture that could not be written, before the rays are traced.
void check_size(const RenderOptions& render) {
  const u64 pixels = u64{render.width} * render.height, limit = max_png_pixels(render.height);
  if (pixels <= limit) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("the picture of {} x {} has {} pixels; a PNG of this height can have up to {}",
                          render.width, render.height, grouped(pixels), grouped(limit)));
}

int run_render(Session& session, const RenderCommand& command) {
  const InputKind kind = check_input(command.input);
  if (command.output.empty()) {
    throw Error(ErrorCode::invalid_argument, "-o is missing: name the picture to write, as in -o picture.png");
  }
  check_output(command.output, ".png", command.input);
  check_structure(command, kind);
  check_size(command.render);
  if (kind == InputKind::scene) {
    return render_scene(session, {command.input, command.output, command.scene, command.camera, command.render,
                                  name_in(shadings(), command.render.shading)});
  }
  refuse_scene_choice(command.scene);
  const auto context = session.make_context();
  session.progress().expect_stages(kind == InputKind::structure ? 3 : 4);
  Subject scene = load_subject(session, *context, command);
  const DeviceMesh device_mesh(*context, scene.mesh);
  const Rendered rendered = render_through(session, *context, command, scene, device_mesh.view());

  session.begin("writing");
  save_png(command.output, rendered.image);
  print_result(session, *context, command, scene.mesh.triangles.size(), rendered.milliseconds);
  return exit_ok;
}

void add_picture_options(CLI::App& app, RenderOptions& render) {
  constexpr u32 max_pixels = 16384;
  CLI::Option* width = add_count(app, "--width", render.width, 1, max_pixels, "Pixels, default 1024");
  CLI::Option* height = add_count(app, "--height", render.height, 1, max_pixels,
                                  "Pixels, default 1024; both up to 16384, and up to 134 million pixels in all");
  add_image_size(app, render.width, render.height, max_pixels)
      ->excludes(width)
      ->excludes(height)
      ->option_text("WxH");
  add_choice<Shading>(app, "--shading", render.shading, shadings(),
                      "What the colour of a pixel shows, default normal");
  add_count(app, "--ao-rays", render.ambient_rays, 1, 4096, "Ambient rays per pixel, default 32");
  add_count(app, "--heat-limit", render.heat_limit, 1, 0xffffffffu,
            "Visits that have the hottest colour; default: the maximum in the picture");
}

}  // namespace

Command add_render_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = app.add_subcommand("render", "Ray cast a picture of a mesh, scene, structure or voxels");
  const auto options = std::make_shared<RenderCommand>();
  add_input(*command, options->input, "IN",
            "A mesh (.obj, .ply, .stl, .off), scene (.glb, .gltf), structure (.copse) or voxels (.voxels, .nvdb); "
            "- for a mesh on standard input");
  add_output(*command, options->output, "The picture, a .png file (required)");
  add_choice<Through>(
      *command, "--structure", options->through, structures(),
      "The structure that rays traverse: a tree (default), a uniform grid, or a grid over the view of the "
      "camera");
  add_picture_options(*command, options->render);
  add_camera_options(*command, options->camera);
  add_scene_choice(*command, options->scene);
  add_common_options(*command, common);
  command->footer(
      "Examples:\n"
      "  copse render assets/testball.ply -o testball.png\n"
      "  copse render assets/testball.ply -o heat.png --shading heat --size 1920x1080\n"
      "  copse render assets/grove.glb -o grove.png --eye 9,6,16 --target 0,0.5,0\n"
      "  copse render assets/spot.obj -o spot.png --structure frustum\n"
      "  copse render assets/spot.obj -o face.png --eye 1,1,-3 --target 0,0,0 --fov 30 --shading ao");
  return {command, [options](Session& session) { return run_render(session, *options); }};
}

}  // namespace copse::cli
