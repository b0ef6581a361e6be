#include "tests/viewer/window/window_session.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmath>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

namespace copse::test {

WindowSession::WindowSession(const TestFolder& folder, const std::string& arguments) : folder_(folder) {
  const std::string inner =
      "cd '" + folder.path().string() +
      "' && echo $$ > pid && echo DISPLAY=$DISPLAY XAUTHORITY=$XAUTHORITY > environment.part && mv "
      "environment.part environment && exec '" +
      viewer_path() + "' --widget-map map.json " + arguments + " > viewer.log 2>&1";
  process_ = ::fork();
  if (process_ == 0) {
    ::setsid();
    ::execlp("xvfb-run", "xvfb-run", "-a", "-s", "-screen 0 1600x1000x24 +extension GLX -noreset", "sh", "-c",
             inner.c_str(), nullptr);
    ::_exit(126);
  }
  std::ifstream environment(wait_for_file("environment"));
  std::getline(environment, environment_);
  EXPECT_TRUE(wait_for("Scene/Open...")) << "the viewer's window does not open";
  xdotool("search --onlyvisible --name Copse windowfocus --sync");
}

WindowSession::~WindowSession() {
  if (process_ <= 0) return;
  ::kill(-process_, SIGTERM);
  ::waitpid(process_, nullptr, 0);
}

void WindowSession::pause(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

nlohmann::json WindowSession::map() const {
  std::ifstream file(folder_ / "map.json");
  return nlohmann::json::parse(file, nullptr, false);
}

std::optional<WindowSession::Place> WindowSession::place_of(const std::string& widget) const {
  const nlohmann::json all = map();
  if (!all.is_object() || !all["widgets"].contains(widget)) return std::nullopt;
  const nlohmann::json& place = all["widgets"][widget];
  return Place{place[0], place[1], place[2], place[3]};
}

WindowSession::Place WindowSession::picture() const {
  const nlohmann::json place = map()["pictures"][0];
  return {place[0], place[1], place[2], place[3]};
}

u64 WindowSession::picture_count() const {
  const nlohmann::json all = map();
  return all.is_object() ? all["pictures"].size() : 0;
}

bool WindowSession::wait_for(const std::string& widget) {
  return wait_until([&] { return place_of(widget).has_value(); });
}

std::string WindowSession::wait_for_file(const std::string& name) {
  EXPECT_TRUE(wait_until([&] { return std::filesystem::exists(folder_ / name); })) << "there is no file " << name;
  return folder_ / name;
}

void WindowSession::xdotool(const std::string& commands) const {
  const Ending ending = run_line(environment_ + " xdotool " + commands);
  EXPECT_EQ(ending.exit_code, 0) << commands << ": " << ending.text;
}

// ImGui reads the mouse once per frame, so a button must be down for longer than a frame.
void WindowSession::click_at(double x, double y) const {
  const std::string place = std::to_string(int(x)) + " " + std::to_string(int(y));
  xdotool("mousemove " + place + " sleep 0.3 mousedown 1 sleep 0.3 mouseup 1 sleep 0.3");
}

void WindowSession::click(const std::string& widget) {
  ASSERT_TRUE(wait_for(widget)) << widget;
  const Place place = *place_of(widget);
  click_at(place.x + place.width / 2, place.y + place.height / 2);
}

void WindowSession::choose(const std::string& list, const std::string& entry) {
  click(list);
  click(list + "/" + entry);
}

void WindowSession::press(const std::string& key) {
  xdotool("key " + key + " sleep 0.3");
}

void WindowSession::click_picture(double x, double y) {
  const Place place = picture();
  click_at(place.x + place.width * x, place.y + place.height * y);
}

void WindowSession::drag_picture(double x0, double y0, double x1, double y1) {
  const Place place = picture();
  const auto at = [&](double x, double y) {
    return std::to_string(int(place.x + place.width * x)) + " " + std::to_string(int(place.y + place.height * y));
  };
  std::string commands = "mousemove " + at(x0, y0) + " sleep 0.3 mousedown 1 sleep 0.3";
  for (int step = 1; step <= 8; ++step) {
    const double f = step / 8.0;
    commands += " mousemove " + at(x0 + (x1 - x0) * f, y0 + (y1 - y0) * f) + " sleep 0.1";
  }
  xdotool(commands + " sleep 0.3 mouseup 1 sleep 0.3");
}

void WindowSession::scroll_picture(int steps) {
  const Place place = picture();
  const std::string button = steps > 0 ? "4" : "5";
  std::string commands = "mousemove " + std::to_string(int(place.x + place.width / 2)) + " " +
                         std::to_string(int(place.y + place.height / 2));
  for (int step = 0; step < std::abs(steps); ++step) commands += " sleep 0.2 click " + button;
  xdotool(commands + " sleep 0.3");
}

// The server ends with the viewer, perhaps before xdotool has released the keys.
int WindowSession::quit() {
  run_line(environment_ + " xdotool key ctrl+q");
  return wait_for_the_end();
}

int WindowSession::end_by(int signal) {
  std::ifstream file(folder_ / "pid");
  pid_t viewer = 0;
  file >> viewer;
  EXPECT_GT(viewer, 0);
  if (viewer > 0) ::kill(viewer, signal);
  return wait_for_the_end();
}

int WindowSession::wait_for_the_end() {
  int status = 0;
  pid_t ended = 0;
  wait_until([&] { return (ended = ::waitpid(process_, &status, WNOHANG)) == process_; });
  if (ended != process_) return -1;
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace copse::test
