#include "viewer/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "primitives/core/parse_number.h"

namespace copse::viewer {

namespace {

template <class Enum>
CLI::Option* add_choice(CLI::App& app, const char* name, std::optional<Enum>& value, const char* description) {
  std::string list;
  for (const char* word : names<Enum>()) list += (list.empty() ? "" : "|") + std::string(word);
  const auto parse = [=, &value](const std::string& text) {
    value = named<Enum>(text);
    if (!value) throw CLI::ValidationError(fmt::format("{} is '{}'; it takes {}", name, text, list));
  };
  return app.add_option_function<std::string>(name, parse, description)->option_text(list);
}

CLI::Option* add_count(CLI::App& app, const char* name, u32 lowest, u32 highest, std::function<void(u32)> use,
                       const char* description) {
  const auto parse = [=](const std::string& text) {
    const std::optional<u32> number = parse_number<u32>(text);
    if (!number || *number < lowest || *number > highest) {
      throw CLI::ValidationError(
          fmt::format("{} is '{}'; it takes a whole number from {} to {}", name, text, lowest, highest));
    }
    use(*number);
  };
  return app.add_option_function<std::string>(name, parse, description)->option_text("N");
}

template <class T>
void add_size(CLI::App& app, const char* name, T& width, T& height, const char* description) {
  const auto parse = [=, &width, &height](const std::string& text) {
    const size_t cross = text.find('x');
    const bool has_both = cross != std::string::npos;
    const u32 w = parse_number<u32>(text.substr(0, cross)).value_or(0);
    const u32 h = has_both ? parse_number<u32>(text.substr(cross + 1)).value_or(0) : 0;
    if (w < 1 || h < 1 || w > 16384 || h > 16384) {
      throw CLI::ValidationError(
          fmt::format("{} is '{}'; it takes WIDTHxHEIGHT, each from 1 to 16384", name, text));
    }
    width = T(w);
    height = T(h);
  };
  app.add_option_function<std::string>(name, parse, description)->option_text("WxH");
}

void add_camera(CLI::App& app, std::optional<CameraPose>& camera) {
  const auto parse = [&camera](const std::string& list) {
    std::vector<float> numbers;
    for (size_t begin = 0; begin <= list.size();) {
      const size_t end = std::min(list.find(',', begin), list.size());
      const std::string text = list.substr(begin, end - begin);
      begin = end + 1;
      const std::optional<float> number = parse_number<float>(text);
      if (!number || !std::isfinite(*number)) {
        throw CLI::ValidationError(fmt::format("--camera has '{}'; it takes finite numbers", text));
      }
      numbers.push_back(*number);
    }
    if (numbers.size() == 6) numbers.push_back(40);
    if (numbers.size() != 7)
      throw CLI::ValidationError("--camera takes 6 or 7 numbers: eye, target and, optionally, the field of view");
    camera = CameraPose{.eye = {numbers[0], numbers[1], numbers[2]},
                        .target = {numbers[3], numbers[4], numbers[5]},
                        .field_of_view = numbers[6]};
  };
  app.add_option_function<std::string>("--camera", parse,
                                       "Eye, target and field of view; default: sees the whole scene")
      ->option_text("X,Y,Z,X,Y,Z[,F]");
}

void add_structure_options(CLI::App& app, Options& options) {
  const auto parse = [&options](const std::string& text) {
    options.backend = text == "auto" ? Backend::automatic : named<Backend>(text);
    if (!options.backend)
      throw CLI::ValidationError(fmt::format("--backend is '{}'; it takes auto|cpu|cuda", text));
  };
  app.add_option_function<std::string>("--backend", parse, "Where to build and trace")
      ->option_text("auto|cpu|cuda");
  add_count(
      app, "--threads", 1, 4096, [&options](u32 n) { options.threads = n; }, "CPU threads, default all");
  add_choice(app, "--kind", options.kind, "The structure to build");
  add_choice(app, "--builder", options.builder, "A quality of Accel, or the algorithm that builds a tree");
  add_choice(app, "--compare", options.second_builder, "A second builder, whose tree is shown beside the first");
  add_choice(app, "--layout", options.layout, "Layout of the nodes of a tree");
  add_count(
      app, "--max-leaf-size", 1, 32, [&options](u32 n) { options.max_leaf_size = n; },
      "Maximum triangles per leaf");
  add_choice(app, "--update-mode", options.update_mode, "What happens to the structure when the scene moves");
  add_choice(app, "--upkeep", options.update_mode, "The same")->group("");  // its name up to 0.1: not in the help
}

void add_picture_options(CLI::App& app, Options& options) {
  add_choice(app, "--view", options.view, "What the colour of a pixel shows");
  add_count(
      app, "--boxes", 0, 1000, [&options](u32 n) { options.level = n; }, "Show the boxes of level N of the tree");
  app.add_flag("--curve", options.curve, "Show the Morton curve");
  add_camera(app, options.camera);
  add_choice(app, "--play", options.play, "Play a deformation");
  add_count(
      app, "--pile", 1, 100000, [&options](u32 n) { options.pile = n; },
      "Play N objects that fall into a heap, as instances that are built anew in every frame");
  app.add_option("--sequence", options.sequence, "Play the numbered meshes in the folder of this one")
      ->option_text("MESH");
}

void add_output_options(CLI::App& app, Options& options) {
  app.add_flag("--headless", options.headless,
               "Open no window: render, write the files that other options name, and end");
  add_count(
      app, "--frames", 0, 1000000, [&options](u32 n) { options.frames = n; },
      "Play N frames of 1/30 s, then end; with --headless, print the times");
  add_count(
      app, "--gpus", 1, 64, [&options](u32 n) { options.gpus = n; },
      "With --headless and --frames: N GPUs share the rays of each frame");
  add_count(
      app, "--orbit", 1, 600, [&options](u32 n) { options.orbit_seconds = n; },
      "With --headless: orbit the scene for N seconds, as a mouse would, and print the pictures per second");
  app.add_flag("--while-building", options.while_building, "With --orbit: keep building at the same time");
  add_size(app, "--size", options.width, options.height,
           "Size of the screenshot; with --headless, default 1280x720");
  app.add_option("--screenshot", options.screenshot, "Save the picture at the end")->option_text("FILE.png");
  app.add_flag("--with-panels", options.with_panels,
               "With --screenshot: save the window of --size, with its panels");
  app.add_option("--record", options.recording, "Save all pictures as numbered files, or as a video")
      ->option_text("FOLDER|FILE.mp4");
  app.add_option("--statistics", options.statistics, "Save the statistics at the end")->option_text("FILE.json");
}

void add_window_options(CLI::App& app, Options& options) {
  add_size(app, "--window", options.window_width, options.window_height, "Size of the window");
  const auto parse = [&options](const std::string& text) {
    const std::optional<float> scale = parse_number<float>(text);
    if (!scale || !(*scale >= 0.5f) || *scale > 4) {
      throw CLI::ValidationError(fmt::format("--ui-scale is '{}'; it takes a number from 0.5 to 4", text));
    }
    options.ui_scale = *scale;
  };
  app.add_option_function<std::string>("--ui-scale", parse,
                                       "Scale of text and widgets; default: that of the display")
      ->option_text("X");
  app.add_option("--settings", options.settings_file, "The file that keeps the settings; empty: none")
      ->option_text("FILE");
  app.add_option("--widget-map", options.widget_map, "Keep the places of widgets in this JSON file, for scripts")
      ->option_text("FILE");
}

/// Checks the endings of output files before the work, and options that need each other.
void check(const Options& options) {
  const auto expect = [](const char* name, const std::filesystem::path& path, const char* ending) {
    if (path.empty() || path.extension() == ending) return;
    throw CLI::ValidationError(
        fmt::format("{} is '{}'; it takes a name that ends in {}", name, path.string(), ending));
  };
  expect("--screenshot", options.screenshot, ".png");
  expect("--statistics", options.statistics, ".json");
  if (options.with_panels && options.screenshot.empty())
    throw CLI::ValidationError("--with-panels needs --screenshot");
  if (options.gpus > 0 && (!options.headless || options.frames.value_or(0) == 0))
    throw CLI::ValidationError("--gpus needs --headless, and --frames of 1 at least");
  if (options.orbit_seconds && !options.headless) throw CLI::ValidationError("--orbit needs --headless");
  if (options.while_building && !options.orbit_seconds)
    throw CLI::ValidationError("--while-building needs --orbit");
  if (options.pile && (!options.meshes.empty() || !options.sequence.empty()))
    throw CLI::ValidationError("--pile takes no mesh beside it");
  if (options.headless && options.meshes.empty() && options.sequence.empty() && !options.pile) {
    throw CLI::ValidationError("--headless needs a mesh");
  }
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, int& exit_code) {
  Options options;
  options.settings_file = settings_path();
  CLI::App app{"Shows live how acceleration structures are built, refitted and traced."};
  app.name("copse-viewer");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", "copse-viewer " COPSE_VERSION, "Print the version and exit");
  app.get_formatter()->column_width(36);
  app.add_option("MESH", options.meshes,
                 "Meshes (.obj, .ply, .stl, .off), folders of them, a scene (.glb, .gltf), or a .copse, .voxels "
                 "or .nvdb file")
      ->option_text(" ");
  add_structure_options(app, options);
  add_picture_options(app, options);
  add_output_options(app, options);
  add_window_options(app, options);
  try {
    app.parse(argc, argv);
    check(options);
    return options;
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == 0;
    if (!asked) std::fprintf(stderr, "copse-viewer: error: %s (see copse-viewer --help)\n", error.what());
    if (asked) app.exit(error);
    exit_code = asked ? 0 : 2;
    return std::nullopt;
  }
}

bool ends_by_itself(const Options& options) {
  return options.headless || options.frames.has_value() || !options.screenshot.empty() ||
         !options.recording.empty() || !options.statistics.empty();
}

bool shows_structures(const Options& options) {
  return !options.kind && !options.builder && !options.layout && !options.max_leaf_size;
}

void apply_options(const Options& options, Session& session) {
  for (u32 side = 0; side < 2; ++side) {
    StructureOptions& wanted = session.wanted(side);
    wanted.backend = options.backend.value_or(wanted.backend);
    wanted.kind = options.kind.value_or(wanted.kind);
    // An Accel has a layout and a leaf size of its own, so these options ask for a tree by hand.
    const bool by_hand = options.layout || options.max_leaf_size;
    if (by_hand && quality_of(wanted.builder)) wanted.builder = Builder::lbvh;
    wanted.builder = options.builder.value_or(wanted.builder);
    wanted.layout = options.layout.value_or(wanted.layout);
    wanted.max_leaf_size = options.max_leaf_size.value_or(wanted.max_leaf_size);
  }
  if (options.second_builder) {
    session.wanted(1).builder = *options.second_builder;
    session.comparison() = Comparison::side_by_side;
  }
  session.update_mode() = options.update_mode.value_or(session.update_mode());
  session.view().view = options.view.value_or(session.view().view);
  if (options.level) {
    session.overlay().boxes = true;
    session.overlay().level = *options.level;
  }
  session.overlay().curve |= options.curve;
  session.playback().deformation = options.play.value_or(session.playback().deformation);
}

}  // namespace copse::viewer
