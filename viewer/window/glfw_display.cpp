#include "viewer/window/glfw_display.h"

#include <imgui.h>

#include <algorithm>

#include "backends/imgui_impl_glfw.h"
#include "backends/imgui_impl_opengl3.h"
#include "primitives/core/error.h"
#include "viewer/window/gl.h"
#include "viewer/window/gl_pane.h"
#include "viewer/window/interop.h"

namespace copse::viewer {

namespace {

[[noreturn]] void fail(const std::string& what) {
  const char* reason = nullptr;
  glfwGetError(&reason);
  throw Error(ErrorCode::no_device, what + ": " + (reason != nullptr ? reason : "GLFW gives no reason") +
                                        "; --headless renders without a display");
}

}  // namespace

constexpr bool imgui_queues_keys = IMGUI_VERSION_NUM >= 18700;

using ResetStatus = GLenum (*)();  // of GL_ARB_robustness

/// The objects in the OpenGL context.
struct GlfwDisplay::Graphics {
  ResetStatus reset_status = nullptr;
  std::vector<std::unique_ptr<gl::PanePainter>> painters;  // one per pane of the last frame
};

GlfwDisplay::GlfwDisplay(const WindowOptions& options) : options_(options) {
  if (glfwInit() != GLFW_TRUE) fail("no window can be opened");
  try {
    open();
  } catch (...) {
    close();
    glfwTerminate();
    throw;
  }
}

GlfwDisplay::~GlfwDisplay() {
  close();
  glfwTerminate();
}

void GlfwDisplay::open() {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, GLFW_LOSE_CONTEXT_ON_RESET);  // if the driver supports it
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  glfwWindowHint(GLFW_MAXIMIZED, options_.maximized ? GLFW_TRUE : GLFW_FALSE);
  window_ = glfwCreateWindow(options_.width, options_.height, options_.title.c_str(), nullptr, nullptr);
  if (window_ == nullptr) fail("no window with OpenGL 3.3 can be opened");
  glfwSetWindowUserPointer(window_, this);
  glfwSetDropCallback(window_, [](GLFWwindow* window, int count, const char** paths) {
    static_cast<Display*>(static_cast<GlfwDisplay*>(glfwGetWindowUserPointer(window)))
        ->drop({paths, paths + count});
  });
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(options_.wait_for_refresh ? 1 : 0);
  ImGui::GetIO().IniFilename = nullptr;
  ImGui_ImplGlfw_InitForOpenGL(window_, true);
  // In place of ImGui's own: begin_frame() gives it the keys.
  glfwSetKeyCallback(window_, [](GLFWwindow* window, int key, int scancode, int action, int modifiers) {
    if (action == GLFW_REPEAT) return;  // ImGui repeats by its own clock
    static_cast<GlfwDisplay*>(glfwGetWindowUserPointer(window))->keys_.add({key, scancode, action, modifiers});
  });
  ImGui_ImplOpenGL3_Init("#version 330 core");
  graphics_ = std::make_unique<Graphics>();
  interop_problem_ = gl::interop_problem();
  if (glfwExtensionSupported("GL_ARB_robustness") == GLFW_TRUE) {
    graphics_->reset_status = reinterpret_cast<ResetStatus>(glfwGetProcAddress("glGetGraphicsResetStatusARB"));
  }
}

void GlfwDisplay::close() {
  if (graphics_ != nullptr) {
    graphics_.reset();
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
  }
  if (window_ != nullptr) glfwDestroyWindow(window_);
  window_ = nullptr;
  keys_.clear();
}

void GlfwDisplay::take_events(double seconds) {
  if (seconds > 0 && keys_.empty()) {
    glfwWaitEventsTimeout(seconds);
  } else {
    glfwPollEvents();
  }
}

bool GlfwDisplay::is_visible() const {
  int width = 0, height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  return width > 0 && height > 0 && glfwGetWindowAttrib(window_, GLFW_ICONIFIED) == GLFW_FALSE;
}

bool GlfwDisplay::is_asked_to_close() const {
  return glfwWindowShouldClose(window_) == GLFW_TRUE;
}

float GlfwDisplay::ui_scale() const {
  float x = 1, y = 1;
  glfwGetWindowContentScale(window_, &x, &y);
  return std::max(1.0f, x / pixels_per_point());
}

float GlfwDisplay::pixels_per_point() const {
  int width = 0, height = 0, pixels = 0, rows = 0;
  glfwGetWindowSize(window_, &width, &height);
  glfwGetFramebufferSize(window_, &pixels, &rows);
  return width > 0 && pixels > 0 ? float(pixels) / float(width) : 1.0f;
}

WindowSize GlfwDisplay::window_size() const {
  const WindowOptions options = current_options();
  return {options.width, options.height, options.maximized};
}

void GlfwDisplay::begin_frame() {
  for (const KeyEvent& event : imgui_queues_keys ? keys_.take_all() : keys_.take_frame()) {
    ImGui_ImplGlfw_KeyCallback(window_, event.key, event.scancode, event.action, event.modifiers);
  }
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
}

std::string GlfwDisplay::present(std::span<const Pane> panes) {
  try {
    draw(panes);
    glfwSwapBuffers(window_);
  } catch (const Error& error) {
    return set_up_again(error.what());
  }
  // After a reset, the driver refuses all further work; so does a driver that is out of memory.
  const GLenum problem = glGetError();
  if (problem == GL_OUT_OF_MEMORY) return set_up_again("OpenGL is out of memory");
  const bool was_reset = graphics_->reset_status != nullptr && graphics_->reset_status() != GL_NO_ERROR;
  if (was_reset || problem == GL_CONTEXT_LOST || context_is_lost_) return set_up_again("OpenGL lost its context");
  return {};
}

void GlfwDisplay::draw(std::span<const Pane> panes) {
  int width = 0, height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  glViewport(0, 0, width, height);
  glClearColor(float(window_background.r) / 255, float(window_background.g) / 255,
               float(window_background.b) / 255, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  while (graphics_->painters.size() < panes.size()) {
    graphics_->painters.push_back(std::make_unique<gl::PanePainter>());
  }
  for (size_t i = 0; i < panes.size(); ++i) {
    const std::string problem = graphics_->painters[i]->paint(panes[i], pixels_per_point(), height);
    if (!problem.empty()) interop_problem_ = problem;
  }
  glViewport(0, 0, width, height);
  if (ImDrawData* drawn = ImGui::GetDrawData()) ImGui_ImplOpenGL3_RenderDrawData(drawn);
}

std::string GlfwDisplay::set_up_again(const std::string& problem) {
  context_is_lost_ = false;
  options_ = current_options();
  close();
  open();
  return problem + "; the window was opened again";
}

std::string GlfwDisplay::picture_way() const {
  return interop_problem_.empty() ? "CUDA to OpenGL" : "upload: " + interop_problem_;
}

void GlfwDisplay::forget_fonts() {
  ImGui_ImplOpenGL3_DestroyFontsTexture();
}

void GlfwDisplay::set_title(const std::string& title) {
  if (title == options_.title) return;
  options_.title = title;
  glfwSetWindowTitle(window_, title.c_str());
}

WindowOptions GlfwDisplay::current_options() const {
  WindowOptions options = options_;
  // GLFW multiplies the requested size by the content scale when the window opens.
  float scale = 1, ignored = 1;
  glfwGetWindowContentScale(window_, &scale, &ignored);
  int width = 0, height = 0;
  glfwGetWindowSize(window_, &width, &height);
  options.maximized = glfwGetWindowAttrib(window_, GLFW_MAXIMIZED) == GLFW_TRUE;
  if (width > 0 && height > 0 && !options.maximized) {
    options.width = int(float(width) / std::max(scale, 1.0f));
    options.height = int(float(height) / std::max(scale, 1.0f));
  }
  return options;
}

std::string GlfwDisplay::renderer_name() const {
  const auto* name = glGetString(GL_RENDERER);
  return name != nullptr ? reinterpret_cast<const char*>(name) : "unknown";
}

}  // namespace copse::viewer
