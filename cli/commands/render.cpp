// copse render: ray casts a picture of a mesh, scene, structure or voxels.

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/commands/command.h"
#include "cli/commands/drawing.h"
#include "cli/commands/turntable.h"
#include "cli/exit_code.h"
#include "cli/files.h"
#include "cli/options/builders.h"

namespace copse::cli {

namespace {

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
  if (session.ranks() != nullptr) report["ranks"] = session.ranks()->comm.size();
  if (ambient) report["ambient_rays_per_hit"] = render.ambient_rays;
  report["render_ms"] = milliseconds;

  Facts facts;
  facts.add("picture", "{}, {}{} x {}", one_line(command.output), frames_in_words(command.frames), render.width,
            render.height);
  const u32 device_count = session.ranks() != nullptr ? session.ranks()->comm.size() : command.gpus;
  facts.add("device", "{}{}", device_count > 1 ? fmt::format("{} x ", device_count) : "",
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

/// Throws: Error invalid_argument for options of the picture that have no effect, or that contradict each other.
void check_picture_options(const CLI::App& app, const RenderOptions& render) {
  const auto needs = [&](const char* option, u32 value, Shading shading) {
    if (app.count(option) == 0 || render.shading == shading) return;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} is {}, but --shading is {}; add --shading {}", option, value,
                            name_in(shadings(), render.shading), name_in(shadings(), shading)));
  };
  needs("--ao-rays", render.ambient_rays, Shading::ambient_occlusion);
  needs("--heat-limit", render.heat_limit, Shading::heat);
  for (const char* side : {"--width", "--height"}) {
    if (app.count("--size") == 0 || app.count(side) == 0) continue;
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("--size is the width and the height, but {} is given too; leave one of them out", side));
  }
}

/// Throws: Error invalid_argument for what several ranks do not share.
void check_for_ranks(const RenderCommand& command, InputKind kind) {
  refuse_standard_input(command.inputs);
  const auto refuse = [](const std::string& what) {
    throw Error(ErrorCode::invalid_argument, what + ": the ranks of mpirun share the tree of a mesh");
  };
  if (command.gpus > 0) refuse(fmt::format("--gpus is {}", command.gpus));
  if (kind == InputKind::scene) refuse("the input is a scene");
  if (command.through != Through::bvh) refuse("--structure is " + name_in(structures(), command.through));
}

/// Draws the pictures, and puts them into files.
///   Returns the time of rays and shading.
double draw_all(Session& session, const ContextOrDevices& contexts, const RenderCommand& command, Subject& subject,
                PictureFiles& files) {
  std::optional<Drawing> drawing;
  session.together([&] { drawing.emplace(session, contexts, command, subject); });
  const float aspect = float(command.render.width) / float(command.render.height);
  for (const Camera& camera : place_cameras(command.camera, bounds(subject.meshes.mesh), aspect, command.frames)) {
    Image image = drawing->draw(camera);
    session.together([&] {
      if (session.is_first_rank()) files.add(std::move(image));
      session.throw_if_interrupted();
    });
  }
  session.together([&] {
    session.begin("writing");
    if (session.is_first_rank()) files.finish();
  });
  return drawing->milliseconds();
}

void check_subject(const Session& session, const RenderCommand& command, const Subject& subject) {
  if ((command.gpus == 0 && session.ranks() == nullptr) || subject.bvh.nodes.empty()) return;
  const std::string several =
      session.ranks() == nullptr ? fmt::format("--gpus is {}", command.gpus) : "mpirun runs several ranks";
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}, but {} has a binary tree: they share the tree of copse build --quality", several,
                          one_line(command.inputs[0])));
}

int run_render(Session& session, const CLI::App& app, const RenderCommand& command) {
  check_picture_options(app, command.render);
  InputKind kind{};
  session.together([&] { kind = check_inputs(command.inputs); });
  if (session.ranks() != nullptr) check_for_ranks(command, kind);
  if (command.output.empty()) {
    throw Error(ErrorCode::invalid_argument, "-o is missing: name the picture to write, as in -o picture.png");
  }
  std::optional<PictureFiles> files;
  session.together([&] {
    files.emplace(command.output, command.inputs, command.render.width, command.render.height, command.frames);
  });
  check_structure(command, kind);
  if (kind == InputKind::scene) {
    return render_scene(session,
                        {command.inputs[0], command.output, command.scene, command.accel, command.camera,
                         command.render, name_in(shadings(), command.render.shading), command.frames},
                        *files);
  }
  refuse_scene_choice(command.scene);
  ContextOrDevices contexts;
  Subject subject;
  session.together([&] {
    contexts = session.make_contexts(command.gpus);
    session.progress().expect_stages(kind == InputKind::structure ? 3 : 4);
    subject = load_subject(session, contexts.context(), command);
    check_subject(session, command, subject);
  });
  const double milliseconds = draw_all(session, contexts, command, subject, *files);
  print_result(session, contexts.context(), command, subject.meshes, milliseconds);
  return exit_ok;
}

void add_picture_options(CLI::App& app, RenderOptions& render) {
  constexpr u32 max_pixels = 16384;
  add_count(app, "--width", render.width, 1, max_pixels, "Pixels, default 1024");
  add_count(app, "--height", render.height, 1, max_pixels,
            "Pixels, default 1024; both up to 16384, and up to 134 million pixels in all");
  add_image_size(app, render.width, render.height, max_pixels);
  add_choice<Shading>(app, "--shading", render.shading, shadings(),
                      "What the colour of a pixel shows, default normal");
  add_count(app, "--ao-rays", render.ambient_rays, 1, 4096,
            "Ambient rays per pixel, default 32; needs --shading ao");
  add_count(app, "--heat-limit", render.heat_limit, 1, 0xffffffffu,
            "Visits that have the hottest colour; default: the maximum in the picture; needs --shading heat");
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
  return {command, [command, options](Session& session) { return run_render(session, *command, *options); }, true};
}

}  // namespace copse::cli
