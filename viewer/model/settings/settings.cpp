#include "viewer/model/settings/settings.h"

#include <algorithm>
#include <cstdlib>

#include "builders/io/whole_file.h"
#include "viewer/model/settings/options_json.h"

namespace copse::viewer {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr u64 max_recent_files = 10, max_bookmarks = 100;
constexpr int min_window = 200, max_window = 16384;
constexpr u32 max_level = 1000;

/// Clamps values to what load_settings accepts. A window, a scene or the command line may exceed it.
Settings within_limits(Settings settings) {
  settings.window.width = std::clamp(settings.window.width, min_window, max_window);
  settings.window.height = std::clamp(settings.window.height, min_window, max_window);
  settings.overlay.level = std::min(settings.overlay.level, max_level);
  return settings;
}

// ---- To JSON --------------------------------------------------------------------------------------------------

Json to_json(const WindowSettings& window) {
  return {{"width", window.width},
          {"height", window.height},
          {"x", window.x},
          {"y", window.y},
          {"maximised", window.maximised},
          {"ui_scale", window.ui_scale},
          {"theme", name_of(window.theme)},
          {"panels", window.panels}};
}

Json to_json(const CameraPose& pose) {
  return {{"eye", json_of(pose.eye)},
          {"target", json_of(pose.target)},
          {"up", json_of(pose.up)},
          {"field_of_view", pose.field_of_view}};
}

Json to_json(const ViewSettings& view) {
  return {{"view", name_of(view.view)},
          {"heat_limit", view.heat_limit},
          {"heat_percentile", view.heat_percentile},
          {"heat_legend", view.heat_legend},
          {"leaf_tint", name_of(view.leaf_tint)},
          {"ambient_samples", view.ambient_samples},
          {"ambient_reach", view.ambient_reach},
          {"smooth_samples", view.smooth_samples},
          {"wire", view.wire},
          {"slice",
           {{"on", view.slice.on},
            {"axis", view.slice.axis},
            {"place", view.slice.place},
            {"flipped", view.slice.flipped}}}};
}

Json to_json(const OverlaySettings& overlay) {
  return {{"boxes", overlay.boxes},
          {"level", overlay.level},
          {"levels_above", overlay.levels_above},
          {"picked_path", overlay.picked_path},
          {"curve", overlay.curve},
          {"cells", overlay.cells},
          {"bounds", overlay.bounds},
          {"on_top", overlay.on_top}};
}

Json to_json(const Settings& settings) {
  Json bookmarks = Json::array();
  for (const Bookmark& bookmark : settings.bookmarks) {
    bookmarks.push_back({{"name", bookmark.name}, {"scene", bookmark.scene}, {"pose", to_json(bookmark.pose)}});
  }
  return {{"window", to_json(settings.window)},
          {"camera", to_json(settings.camera)},
          {"camera_mode", name_of(settings.camera_mode)},
          {"move_speed", settings.move_speed},
          {"bookmarks", bookmarks},
          {"structures", {to_json(settings.structures[0]), to_json(settings.structures[1])}},
          {"update_mode", name_of(settings.update_mode)},
          {"view", to_json(settings.view)},
          {"overlay", to_json(settings.overlay)},
          {"folder", settings.folder},
          {"recent_files", settings.recent_files}};
}

// ---- From JSON ------------------------------------------------------------------------------------------------

void read_window(const JsonReader& reader, WindowSettings& window) {
  reader.read("width", window.width, min_window, max_window);
  reader.read("height", window.height, min_window, max_window);
  reader.read("x", window.x, -32768, 32767);
  reader.read("y", window.y, -32768, 32767);
  reader.read("maximised", window.maximised);
  float scale = window.ui_scale;
  reader.read("ui_scale", scale, 0.0f, 4.0f);
  if (scale == 0 || scale >= 0.5f) {
    window.ui_scale = scale;
  } else {
    reader.complain("ui_scale", "0 or 0.5 to 4");
  }
  reader.read("theme", window.theme);
  reader.read("panels", window.panels);
}

/// Ignores a pose that cannot be rendered.
void read_pose(const JsonReader& reader, CameraPose& pose) {
  CameraPose read = pose;
  reader.read("eye", read.eye);
  reader.read("target", read.target);
  reader.read("up", read.up);
  reader.read("field_of_view", read.field_of_view, 5.0f, 150.0f);
  try {
    CameraRig().set_pose(read);
    pose = read;
  } catch (const Error&) {
    reader.complain("", "a camera whose eye is away from its target");
  }
}

void read_view(const JsonReader& reader, ViewSettings& view) {
  reader.read("view", view.view);
  reader.read("heat_limit", view.heat_limit, 0u, 1000000u);
  reader.read("heat_percentile", view.heat_percentile, 50.0f, 100.0f);
  reader.read("heat_legend", view.heat_legend);
  reader.read("leaf_tint", view.leaf_tint);
  reader.read("ambient_samples", view.ambient_samples, 1u, 4096u);
  reader.read("ambient_reach", view.ambient_reach, 1e-6f, 100.0f);
  reader.read("smooth_samples", view.smooth_samples, 1u, 64u);
  reader.read("wire", view.wire);
  const JsonReader slice = reader.member("slice");
  slice.read("on", view.slice.on);
  slice.read("axis", view.slice.axis, 0u, 2u);
  slice.read("place", view.slice.place, 0.0f, 1.0f);
  slice.read("flipped", view.slice.flipped);
}

void read_overlay(const JsonReader& reader, OverlaySettings& overlay) {
  reader.read("boxes", overlay.boxes);
  reader.read("level", overlay.level, 0u, max_level);
  reader.read("levels_above", overlay.levels_above);
  reader.read("picked_path", overlay.picked_path);
  reader.read("curve", overlay.curve);
  reader.read("cells", overlay.cells);
  reader.read("bounds", overlay.bounds);
  reader.read("on_top", overlay.on_top);
}

void read_lists(const Json& json, const JsonReader& reader, Settings& settings) {
  for (const JsonReader& member : reader.members("bookmarks")) {
    if (settings.bookmarks.size() == max_bookmarks) break;
    Bookmark bookmark;
    member.read("name", bookmark.name);
    member.read("scene", bookmark.scene);
    read_pose(member.member("pose"), bookmark.pose);
    settings.bookmarks.push_back(bookmark);
  }
  const std::vector<JsonReader> structures = reader.members("structures");
  for (u64 side = 0; side < 2 && side < structures.size(); ++side) {
    read_options(structures[side], settings.structures[side]);
  }
  const auto files = json.find("recent_files");
  if (!json.is_object() || files == json.end()) return;
  if (!files->is_array()) reader.complain("recent_files", "an array");
  for (const Json& file : *files) {
    if (file.is_string() && settings.recent_files.size() < max_recent_files) {
      settings.recent_files.push_back(file.get<std::string>());
    }
  }
}

Settings read_settings(const Json& json, std::vector<std::string>& complaints) {
  Settings settings;
  const JsonReader reader(json, "", complaints);
  read_window(reader.member("window"), settings.window);
  read_pose(reader.member("camera"), settings.camera);
  reader.read("camera_mode", settings.camera_mode);
  reader.read("move_speed", settings.move_speed, 1e-3f, 100.0f);
  reader.read("upkeep", settings.update_mode);  // its name up to 0.1
  reader.read("update_mode", settings.update_mode);
  read_view(reader.member("view"), settings.view);
  read_overlay(reader.member("overlay"), settings.overlay);
  reader.read("folder", settings.folder);
  read_lists(json, reader, settings);
  return settings;
}

}  // namespace

Settings parse_settings(std::string_view text, const std::string& name, std::vector<std::string>& complaints) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    complaints.push_back(name + ": this is not JSON; the default settings are used");
    return {};
  }
  std::vector<std::string> found;
  Settings settings = read_settings(json, found);
  for (const std::string& one : found) complaints.push_back(name + ": " + one);
  return settings;
}

Settings load_settings(const fs::path& file, std::vector<std::string>& complaints) {
  std::error_code error;
  if (file.empty() || !fs::exists(file, error)) return {};
  try {
    return parse_settings(detail::read_whole_file(file).text(), file.string(), complaints);
  } catch (const std::exception& exception) {
    complaints.push_back(std::string(exception.what()) + "; the default settings are used");
  }
  return {};
}

std::string settings_text(const Settings& settings) {
  // Leaves out values that reading would refuse. Else the next start would complain about this file.
  std::vector<std::string> left_out;
  const Settings kept = read_settings(to_json(within_limits(settings)), left_out);
  // Names of files may be other than UTF-8. Invalid bytes are replaced, not refused.
  return to_json(kept).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void save_settings(const fs::path& file, const Settings& settings) {
  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  save_text(file, settings_text(settings));
}

fs::path settings_path() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config != '\0') return fs::path(config) / "copse" / "viewer.json";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return fs::path(home) / ".config" / "copse" / "viewer.json";
  return {};
}

void save_text(const std::filesystem::path& file, std::string_view text) {
  detail::FileReplacement replacement(file);
  replacement.write(text.data(), text.size());
  replacement.commit();
}

}  // namespace copse::viewer
