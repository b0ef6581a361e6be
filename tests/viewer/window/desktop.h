#pragma once

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "viewer/application.h"
#include "viewer/window/null_display.h"

namespace copse::test {

/// The viewer without a window. Function calls are the input of a user.
class Desktop : public testing::Test {
 protected:
  Desktop();
  ~Desktop() override;

  /// Runs frames until all input is read, and two more, so that everything has reacted.
  void run();
  /// Runs frames until `is_so`, or until very many have run. Some things happen after a time, and frames of an empty
  /// scene are fast.
  template <class Predicate>
  void run_until(const Predicate& is_so) {
    const auto begin = std::chrono::steady_clock::now();
    const auto is_early = [&] { return std::chrono::steady_clock::now() - begin < std::chrono::seconds(5); };
    for (int frame = 0; (frame < 20000 || is_early()) && !is_so(); ++frame) application.run_frame();
    EXPECT_TRUE(is_so());
  }

  /// Opens a mesh and runs until its structures are built.
  void load(const std::filesystem::path& mesh);
  /// A sphere of 320 triangles, saved as a file.
  std::filesystem::path sphere() const;
  void write_text(const std::string& name, const std::string& text) const;

  bool sees(const std::string& widget) const { return ui.widgets().find(widget) != nullptr; }
  /// The middle of a widget, which must be visible.
  std::pair<float, float> middle(const std::string& widget) const;
  void click(const std::string& widget, int button = 0);
  void double_click(const std::string& widget);
  void choose(const std::string& list, const std::string& entry);
  /// Drags from the left end of a slider to `share` of its width.
  void slide(const std::string& slider, float share);
  void press(int key, int modifier = -1);
  void type(const std::string& text);

  /// A place in the picture, as fractions of its size.
  std::pair<float, float> in_picture(float x, float y) const;
  void click_at(std::pair<float, float> place);
  void drag(std::pair<float, float> from, std::pair<float, float> to, int button = 0, int modifier = -1);

  /// True if a message contains the text.
  bool said(const std::string& part) const;
  bool has_errors() const;

  std::filesystem::path folder;  // of this test; removed after it
  viewer::Ui ui;
  viewer::NullDisplay display;
  viewer::Session session;
  viewer::Application application;
};

}  // namespace copse::test
