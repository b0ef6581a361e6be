#include "tests/viewer/window/desktop.h"

#include <cstdlib>
#include <fstream>

#include "builders/geometry/generate.h"
#include "builders/io/mesh_file.h"

namespace copse::test {

namespace fs = std::filesystem;

namespace {

fs::path make_folder() {
  std::string name = (fs::temp_directory_path() / "copse-viewer-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
  return name;
}

}  // namespace

Desktop::Desktop()
    : folder(make_folder()),
      display(940, 1000),  // just room for both columns: small pictures are fast
      session({.workers = 2, .deterministic = true}),
      application(session, display, ui,
                  {.settings_file = folder / "settings.json",
                   .output_folder = folder,
                   .test_ball = fs::path(COPSE_ASSETS) / "testball.ply",
                   .widget_map = {},
                   .frame_seconds = 1.0 / 30}) {
  for (u32 side = 0; side < 2; ++side) session.wanted(side).backend = Backend::cpu;
  session.wanted(0).builder = viewer::Builder::lbvh;  // so that the panel has the options of trees
  session.view().ambient_samples = 4;
  session.view().smooth_samples = 1;
  run();
}

Desktop::~Desktop() {
  std::error_code error;
  fs::remove_all(folder, error);
}

void Desktop::run() {
  while (display.has_input()) application.run_frame();
  for (int settle = 0; settle < 2; ++settle) application.run_frame();
}

void Desktop::load(const fs::path& mesh) {
  session.open({mesh});
  run_until([&] { return !session.job().running; });
  run();
}

fs::path Desktop::sphere() const {
  const fs::path file = folder / "sphere.ply";
  save_ply(file, generate_sphere(2));
  return file;
}

void Desktop::write_text(const std::string& name, const std::string& text) const {
  std::ofstream(folder / name, std::ios::binary) << text;
}

std::pair<float, float> Desktop::middle(const std::string& widget) const {
  const viewer::Rectangle* place = ui.widgets().find(widget);
  EXPECT_NE(place, nullptr) << "no widget " << widget;
  if (place == nullptr) return {-1, -1};
  return {place->x + place->width / 2, place->y + place->height / 2};
}

void Desktop::click(const std::string& widget, int button) {
  const auto [x, y] = middle(widget);
  display.move_mouse(x, y);
  display.press_button(button, true);
  display.press_button(button, false);
  run();
}

void Desktop::double_click(const std::string& widget) {
  const auto [x, y] = middle(widget);
  display.move_mouse(x, y);
  for (int press = 0; press < 2; ++press) {
    display.press_button(0, true);
    display.press_button(0, false);
  }
  run();
}

void Desktop::choose(const std::string& list, const std::string& entry) {
  click(list);
  click(list + "/" + entry);
}

void Desktop::slide(const std::string& slider, float share) {
  const viewer::Rectangle* place = ui.widgets().find(slider);
  ASSERT_NE(place, nullptr) << "no widget " << slider;
  const float y = place->y + place->height / 2;
  drag({place->x + 4, y}, {place->x + place->width * share, y});
}

void Desktop::press(int key, int modifier) {
  if (modifier >= 0) display.press_key(modifier, true);
  display.press_key(key, true);
  display.press_key(key, false);
  if (modifier >= 0) display.press_key(modifier, false);
  run();
}

void Desktop::type(const std::string& text) {
  display.type(text);
  run();
}

std::pair<float, float> Desktop::in_picture(float x, float y) const {
  const viewer::Rectangle& place = display.last_places().at(0);
  return {place.x + place.width * x, place.y + place.height * y};
}

void Desktop::click_at(std::pair<float, float> place) {
  drag(place, place);
}

void Desktop::drag(std::pair<float, float> from, std::pair<float, float> to, int button, int modifier) {
  display.move_mouse(from.first, from.second);
  if (modifier >= 0) display.press_key(modifier, true);
  display.press_button(button, true);
  for (int step = 1; step <= 4; ++step) {
    const float f = float(step) / 4;
    display.move_mouse(from.first + (to.first - from.first) * f, from.second + (to.second - from.second) * f);
  }
  display.press_button(button, false);
  if (modifier >= 0) display.press_key(modifier, false);
  run();
}

bool Desktop::said(const std::string& part) const {
  for (const viewer::Message& message : session.messages().list()) {
    if (message.text.find(part) != std::string::npos) return true;
  }
  return false;
}

bool Desktop::has_errors() const {
  for (const viewer::Message& message : session.messages().list()) {
    if (message.severity == viewer::Severity::error) return true;
  }
  return false;
}

}  // namespace copse::test
