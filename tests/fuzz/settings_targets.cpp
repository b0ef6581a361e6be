// The settings that the viewer keeps. Any bytes give settings that it can work with, and a line for each fault.

#include <cmath>
#include <unordered_set>

#include "tests/fuzz/targets.h"
#include "viewer/model/settings/settings.h"

namespace copse::fuzz {

namespace {

using namespace viewer;

void expect_in_range(const Settings& settings) {
  const WindowSettings& window = settings.window;
  require(window.width >= 200 && window.width <= 16384 && window.height >= 200 && window.height <= 16384,
          "a window has a size of its range");
  require(window.ui_scale == 0 || (window.ui_scale >= 0.5f && window.ui_scale <= 4), "texts can be read");
  require(settings.move_speed > 0 && settings.move_speed <= 100, "the camera moves");
  require(settings.recent_files.size() <= 10, "at most 10 files are kept");
  require(settings.view.slice.axis <= 2 && settings.view.slice.place >= 0 && settings.view.slice.place <= 1,
          "a slice is in the scene");
  for (const StructureOptions& options : settings.structures) {
    require(options.max_leaf_size >= 1 && options.max_leaf_size <= 32, "leaves have a size of their range");
    require(options.splits >= 1 && options.splits <= 4, "splits are in their range");
    require(options.grid_resolution.x <= 2048 && options.density > 0, "a grid can be built");
  }
  CameraRig().set_pose(settings.camera);  // throws if it cannot be rendered
  for (const Bookmark& bookmark : settings.bookmarks) CameraRig().set_pose(bookmark.pose);
}

/// What is read is written, and read again without a complaint, as the same text.
void run_settings(std::string_view bytes) {
  std::vector<std::string> complaints;
  const Settings settings = parse_settings(bytes, "bytes", complaints);
  for (const std::string& complaint : complaints) require(!complaint.empty(), "a complaint has a text");
  expect_in_range(settings);

  // Most bytes are no JSON, and give the same settings. Each text is read again once.
  const std::string text = settings_text(settings);
  static std::unordered_set<std::string> seen;
  if (seen.size() == 10000) seen.clear();
  if (!seen.insert(text).second) return;
  complaints.clear();
  const Settings kept = parse_settings(text, "text", complaints);
  require(complaints.empty(), "settings that were written are read without a complaint");
  require(settings_text(kept) == text, "settings that were written are read the same");
}

}  // namespace

std::span<const Target> settings_targets() {
  static constexpr Target targets[] = {{"settings", run_settings}};
  return targets;
}

}  // namespace copse::fuzz
