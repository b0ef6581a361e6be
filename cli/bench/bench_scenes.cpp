#include "cli/bench/bench_scenes.h"

#include <fmt/format.h>

#include <algorithm>

#include "builders/geometry/generate.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/options/options.h"
#include "primitives/core/error.h"

namespace copse::cli {

namespace fs = std::filesystem;

namespace {

enum class Base { testball, apartment, hairball, random };

struct NamedScene {
  const char* name;
  Base base;
  u32 subdivisions;
};

constexpr NamedScene named_scenes[] = {
    {"testball", Base::testball, 0},       {"apartment", Base::apartment, 0},
    {"testball-x16", Base::testball, 2},   {"hairball-like", Base::hairball, 0},
    {"apartment-x16", Base::apartment, 2}, {"testball-x64", Base::testball, 3},
    {"random-10M", Base::random, 0},       {"testball-x256", Base::testball, 4},
};

/// Places that show much, little and nothing of a scene. From the second and third of the testball all rays miss;
/// from the last of the apartment 97 % do.
std::vector<BenchView> views_of(Base base) {
  switch (base) {
    case Base::testball:
      return {{vec3(0.10f, 0.15f, 5.55f)},
              {vec3(0.10f, 0.15f, -5.36f)},
              {vec3(4.5f, 3.5f, 3.5f)},
              {vec3(0, 0, 0), true}};
    case Base::apartment:
      return {{vec3(6.62f, 1.29f, -5.78f), true},  {vec3(7.86f, 1.43f, -5.22f), true},
              {vec3(10.78f, 1.28f, -4.54f), true}, {vec3(9.80f, 1.21f, -5.16f), true},
              {vec3(10.53f, 1.08f, -6.16f), true}, {vec3(0, 0, 0)}};
    case Base::hairball: return {{vec3(0, -0.01f, 3.31f)}};
    case Base::random: return {{vec3(0.5f, 0.5f, 2.24f)}};
  }
  return {};
}

fs::path executable_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

std::string find_testball(const SceneFiles& files) {
  if (!files.testball.empty()) return files.testball;
  std::vector<fs::path> places;
  if (!files.folder.empty()) places.push_back(fs::path(files.folder) / "material-testball.ply");
  places.push_back(executable_folder() / COPSE_INSTALLED_ASSETS / "testball.ply");
  places.push_back(fs::path(COPSE_SOURCE_ASSETS) / "testball.ply");
  for (const fs::path& place : places) {
    std::error_code error;
    if (fs::exists(place, error)) return fs::weakly_canonical(place, error).string();
  }
  return "";
}

std::string find_apartment(const SceneFiles& files) {
  if (!files.apartment.empty()) return files.apartment;
  if (files.folder.empty()) return "";
  const fs::path place = fs::path(files.folder) / "dream-apartment.ply";
  std::error_code error;
  return fs::exists(place, error) ? place.string() : "";
}

BenchScene from_file(const std::string& name, const std::string& file, u32 subdivisions, bool interior,
                     std::vector<BenchView> views) {
  check_mesh_input(file);
  const std::string source =
      subdivisions == 0 ? file : fmt::format("{}, every triangle cut into {}", file, 1u << 2 * subdivisions);
  const auto load = [=](Session& session) {
    Mesh mesh = session.read_mesh(file);
    return subdivisions == 0 ? mesh : subdivide(mesh, subdivisions);
  };
  return {name, source, interior, load, std::move(views)};
}

/// Throws: Error bad_file if the file of the scene was not given.
BenchScene open_named(const NamedScene& scene, const SceneFiles& files) {
  switch (scene.base) {
    case Base::hairball:
      return {scene.name, "hairball 14400 100", false, [](Session&) { return generate_hairball(14400, 100); },
              views_of(scene.base)};
    case Base::random:
      return {scene.name, "random 10000000 0.002", false,
              [](Session&) { return generate_random(10'000'000, 0.002f); }, views_of(scene.base)};
    case Base::testball: {
      const std::string file = find_testball(files);
      if (!file.empty()) return from_file(scene.name, file, scene.subdivisions, false, views_of(scene.base));
      throw Error(ErrorCode::bad_file, fmt::format("scene {} needs --testball FILE, or --scenes DIR with "
                                                   "material-testball.ply in it",
                                                   scene.name));
    }
    case Base::apartment: {
      const std::string file = find_apartment(files);
      if (!file.empty()) return from_file(scene.name, file, scene.subdivisions, true, views_of(scene.base));
      throw Error(ErrorCode::bad_file, fmt::format("scene {} needs --apartment FILE, or --scenes DIR with "
                                                   "dream-apartment.ply in it",
                                                   scene.name));
    }
  }
  throw Error(ErrorCode::invalid_argument, "no such scene");
}

bool is_at_hand(const NamedScene& scene, const SceneFiles& files) {
  if (scene.base == Base::testball) return !find_testball(files).empty();
  if (scene.base == Base::apartment) return !find_apartment(files).empty();
  return true;
}

BenchScene open_word(const std::string& word, const SceneFiles& files) {
  for (const NamedScene& scene : named_scenes) {
    if (word == scene.name) return open_named(scene, files);
  }
  if (is_standard_stream(word)) return from_file("standard-input", word, 0, false, {});
  std::error_code error;
  if (!fs::exists(word, error) && fs::path(word).extension().empty()) {
    std::vector<std::string> names = scene_names();
    names.push_back("all");
    names.push_back("a mesh file");
    throw Error(ErrorCode::invalid_argument, "the scene is " + none_of(word, names));
  }
  return from_file(fs::path(word).stem().string(), word, 0, false, {});
}

}  // namespace

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const NamedScene& scene : named_scenes) names.push_back(scene.name);
  return names;
}

std::vector<BenchScene> choose_scenes(const std::vector<std::string>& words, const SceneFiles& files,
                                      std::vector<std::string>& left_out) {
  if (!files.folder.empty() && !fs::is_directory(files.folder)) {
    throw Error(ErrorCode::bad_file,
                fmt::format("'{}': --scenes takes a folder, and this is not one", files.folder));
  }
  std::vector<BenchScene> scenes;
  for (const std::string& word : words) {
    if (word != "all") {
      scenes.push_back(open_word(word, files));
      continue;
    }
    for (const NamedScene& scene : named_scenes) {
      if (is_at_hand(scene, files)) {
        scenes.push_back(open_named(scene, files));
      } else {
        left_out.push_back(scene.name);
      }
    }
  }
  return scenes;
}

BenchScene join_files(const std::vector<std::string>& paths) {
  const std::vector<std::string> names = scene_names();
  for (const std::string& path : paths) {
    if (path != "all" && std::find(names.begin(), names.end(), path) == names.end()) continue;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--together makes one scene of mesh files, but {} is the name of {}", path,
                            path == "all" ? "all scenes" : "a scene"));
  }
  check_mesh_inputs(paths);
  std::string name, source;
  for (const std::string& path : paths) {
    const std::string between = name.empty() ? "" : "+";
    name += between + (is_standard_stream(path) ? "standard-input" : fs::path(path).stem().string());
    source += (source.empty() ? "" : ", ") + path;
  }
  return {name, source, false, [=](Session& session) { return read_meshes(session, paths).mesh; }, {}};
}

}  // namespace copse::cli
