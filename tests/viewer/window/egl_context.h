#pragma once

#include <string>

namespace copse::test {

/// An OpenGL 3.3 context without a window, by EGL. It is current during its lifetime and draws into a picture of
/// its own.
class EglContext {
 public:
  EglContext(int width, int height);
  ~EglContext();
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

  /// Why there is no context; empty if there is one.
  const std::string& problem() const { return problem_; }
  std::string renderer() const;

 private:
  bool open(void* display);
  void make_framebuffer(int width, int height);

  std::string problem_;
  void* display_ = nullptr;
  void* context_ = nullptr;
  unsigned framebuffer_ = 0, colour_ = 0;
};

}  // namespace copse::test
