// copse render: ray casts a picture of a mesh, scene, structure or voxels.

#include <CLI/CLI.hpp>
#include <memory>

#include "accel/accel_file.h"
#include "accel/accel_render.h"
#include "builders/grid/frustum_grid.h"
#include "builders/grid/uniform_grid.h"
#include "builders/io/structure_file.h"
#include "builders/io/voxel_file.h"
#include "cli/commands/command.h"
#include "cli/commands/scenes.h"
#include "cli/commands/turntable.h"
#include "cli/exit_code.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/options/builders.h"
#include "cli/options/camera_options.h"
#include "cli/options/scene.h"
#include "primitives/core/stopwatch.h"
#include "scale/replicated_render.h"
#include "trace/frustum_rays.h"
#include "trace/shade.h"

namespace copse::cli {

namespace {

enum class Through { bvh, grid, frustum };

struct RenderCommand {
  std::vector<std::string> inputs;  // meshes, or one file of another kind
  std::string output;
  Through through = Through::bvh;
  CameraOptions camera;
  RenderOptions render;
  SceneChoice scene;
  AccelOptions accel;
  u32 frames = 0;  // of a turn; 0: a single picture
  u32 gpus = 0;    // 0: a context alone
};

/// Meshes, or the faces of voxels, and the structure if the file has one.
struct Subject {
  InputMeshes meshes;
  Accel accel;
  Bvh bvh;

  bool has_structure() const { return !accel.tree().nodes.empty() || !bvh.nodes.empty(); }
};

Subject load_subject(Session& session, Context& context, const RenderCommand& command) {
  session.begin("reading");
  const InputKind kind = check_inputs(command.inputs);
  const std::string& input = command.inputs[0];
  const auto of_one_file = [&](Mesh mesh, Accel accel = {}, Bvh bvh = {}) {
    Subject subject{{}, std::move(accel), std::move(bvh)};
    subject.meshes.add(input, std::move(mesh));
    return subject;
  };
  if (kind == InputKind::mesh) return {read_meshes(session, command.inputs), {}, {}};
  if (kind == InputKind::voxels) return of_one_file(surface_of(load_voxels(input, session.cancel_token())));
  if (holds_accel(input)) {
    AccelFile file = load_accel(input, context, session.cancel_token());
    return of_one_file(std::move(file.mesh), std::move(file.accel));
  }
  StructureFile file = load_structure(input, context, session.cancel_token());
  return of_one_file(std::move(file.mesh), {}, std::move(file.bvh));
}

/// Draws a subject from one camera after another. The time is that of rays and shading, of all pictures together.
class Drawing {
 public:
  Drawing(Session& session, const ContextOrDevices& contexts, const RenderCommand& command, Subject& subject)
      : context_(contexts.context()),
        devices_(contexts.devices.get()),
        command_(command),
        subject_(subject),
        mesh_(context_, subject.meshes.mesh) {
    if (!subject.has_structure()) session.begin("building");
    if (command.through == Through::grid) grid_ = build_grid(context_, mesh_.view());
    if (command.through == Through::bvh && !subject.has_structure()) {
      subject.accel = build(context_, mesh_.views(subject.meshes.parts), command.accel);
    }
    if (devices_ != nullptr) shared_ = replicate(*devices_, std::move(subject.accel));
    session.begin("rendering");
  }

  Image draw(const Camera& camera) {
    // A grid over the view of the camera is another one for each picture.
    if (command_.through == Through::frustum) {
      frustum_ = build_frustum_grid(context_, mesh_.view(), view_frustum(camera));
    }
    Stopwatch stopwatch(context_);
    Image image = render_through(camera);
    milliseconds_ += stopwatch.milliseconds();
    return image;
  }

  double milliseconds() const { return milliseconds_; }

 private:
  Image render_through(const Camera& camera) {
    const RenderOptions& options = command_.render;
    if (command_.through == Through::grid) return render(context_, grid_.view(), mesh_.view(), camera, options);
    if (command_.through == Through::frustum) return render(context_, frustum_.view(), mesh_.view(), options);
    if (devices_ != nullptr) return render(*devices_, shared_, camera, options);
    if (subject_.bvh.nodes.empty()) return render(context_, subject_.accel, camera, options);
    return render(context_, subject_.bvh.view(), mesh_.view(), camera, options);
  }

  Context& context_;
  Devices* devices_;  // null for a context alone
  const RenderCommand& command_;
  Subject& subject_;
  DeviceMesh mesh_;
  Grid grid_;
  FrustumGrid frustum_;
  ReplicatedAccel shared_;
  double milliseconds_ = 0;
};

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

void print_result(Session& session, const Context& context, const RenderCommand& command,
                  const InputMeshes& meshes, double milliseconds) {
  const RenderOptions& render = command.render;
  const u64 ray_count = u64{render.width} * render.height * std::max(command.frames, 1u);
  const bool ambient = render.shading == Shading::ambient_occlusion;
  Json report{{"copse", describe(context)}};
  add_inputs(report, command.inputs, meshes);
  report.update({{"output", command.output},
                 {"width", render.width},
                 {"height", render.height},
                 {"structure", name_in(structures(), command.through)},
                 {"shading", name_in(shadings(), render.shading)},
                 {"rays", ray_count}});
  if (command.frames > 0) report["frames"] = command.frames;
  if (command.gpus > 0) report["gpus"] = command.gpus;
  if (ambient) report["ambient_rays_per_hit"] = render.ambient_rays;
  report["render_ms"] = milliseconds;

  Facts facts;
  facts.add("picture", "{}, {}{} x {}", one_line(command.output), frames_in_words(command.frames), render.width,
            render.height);
  facts.add("device", "{}{}", command.gpus > 1 ? fmt::format("{} x ", command.gpus) : "",
            describe_in_words(context));
  add_input_facts(facts, command.inputs, meshes);
  facts.add("rays", "{}{}", grouped(ray_count),
            ambient ? fmt::format(", and {} for each hit", counted(render.ambient_rays, "ambient rays")) : "");
  facts.add("render", "{:.3f} ms", milliseconds);
  session.print(report, facts.text());
}

void check_structure(const RenderCommand& command, InputKind kind) {
  if (command.gpus > 0 && (kind == InputKind::scene || command.through != Through::bvh)) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("--gpus is {}, but {}: several GPUs share the tree of a mesh", command.gpus,
                    kind == InputKind::scene ? "the input is a scene"
                                             : "--structure is " + name_in(structures(), command.through)));
  }
  if (command.accel.splits != 1 && (kind == InputKind::structure || command.through != Through::bvh)) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("--splits is {}, but {}: only a tree that is built here is split", command.accel.splits,
                    kind == InputKind::structure ? "the input has a tree"
                                                 : "--structure is " + name_in(structures(), command.through)));
  }
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

int run_render(Session& session, const RenderCommand& command) {
  const InputKind kind = check_inputs(command.inputs);
  if (command.output.empty()) {
    throw Error(ErrorCode::invalid_argument, "-o is missing: name the picture to write, as in -o picture.png");
  }
  PictureFiles files(command.output, command.inputs, command.render.width, command.render.height, command.frames);
  check_structure(command, kind);
  if (kind == InputKind::scene) {
    return render_scene(session,
                        {command.inputs[0], command.output, command.scene, command.accel, command.camera,
                         command.render, name_in(shadings(), command.render.shading), command.frames},
                        files);
  }
  refuse_scene_choice(command.scene);
  const ContextOrDevices contexts = session.make_contexts(command.gpus);
  Context& context = contexts.context();
  session.progress().expect_stages(kind == InputKind::structure ? 3 : 4);
  Subject scene = load_subject(session, context, command);
  if (contexts.devices && !scene.bvh.nodes.empty()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--gpus is {}, but {} has a binary tree: several GPUs share the tree of copse build "
                            "--quality",
                            command.gpus, one_line(command.inputs[0])));
  }
  Drawing drawing(session, contexts, command, scene);
  const float aspect = float(command.render.width) / float(command.render.height);
  for (const Camera& camera : place_cameras(command.camera, bounds(scene.meshes.mesh), aspect, command.frames)) {
    files.add(drawing.draw(camera));
    session.throw_if_interrupted();
  }
  session.begin("writing");
  files.finish();
  print_result(session, context, command, scene.meshes, drawing.milliseconds());
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
  CLI::App* command = app.add_subcommand("render", "Ray cast a picture of meshes, a scene, a structure or voxels");
  const auto options = std::make_shared<RenderCommand>();
  add_inputs(*command, options->inputs, "IN",
             "A mesh (.obj, .ply, .stl, .off) or several, a scene (.glb, .gltf), a structure (.copse) or voxels "
             "(.voxels, .nvdb); - for a mesh on standard input");
  add_output(
      *command, options->output,
      "The picture, a .png file (required); with --turntable a strip of pictures, or an existing folder for them");
  add_choice<Through>(
      *command, "--structure", options->through, structures(),
      "The structure that rays traverse: a tree (default), a uniform grid, or a grid over the view of the "
      "camera");
  add_picture_options(*command, options->render);
  add_camera_options(*command, options->camera);
  add_turntable(*command, options->frames);
  add_scene_choice(*command, options->scene.scene);
  add_opening(*command, options->scene.opening);
  add_splits(*command, options->accel.splits);
  add_gpus(*command, options->gpus, "Share the rays of the picture over N GPUs");
  add_common_options(*command, common);
  command->footer(
      "Examples:\n"
      "  copse render assets/testball.ply -o testball.png\n"
      "  copse render assets/testball.ply -o heat.png --shading heat --size 1920x1080\n"
      "  copse render assets/spot.obj -o turn.png --turntable 8 --size 256\n"
      "  copse render assets/grove.glb -o grove.png --eye 9,6,16 --target 0,0.5,0\n"
      "  copse render assets/spot.obj -o spot.png --structure frustum\n"
      "  copse render assets/spot.obj -o face.png --eye 1,1,-3 --target 0,0,0 --fov 30 --shading ao");
  return {command, [options](Session& session) { return run_render(session, *options); }};
}

}  // namespace copse::cli
