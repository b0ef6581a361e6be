#include "tests/viewer/window/egl_context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <vector>

#include "viewer/window/gl.h"

namespace copse::test {

namespace {

/// The displays of all devices that EGL knows, GPUs first. A server without a screen has these.
std::vector<EGLDisplay> displays() {
  std::vector<EGLDisplay> all;
  const auto query = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
  const auto display_of =
      reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
  EGLDeviceEXT devices[16];
  EGLint count = 0;
  if (query != nullptr && display_of != nullptr && query(16, devices, &count) == EGL_TRUE) {
    for (EGLint i = 0; i < count; ++i) all.push_back(display_of(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr));
  }
  all.push_back(eglGetDisplay(EGL_DEFAULT_DISPLAY));
  return all;
}

}  // namespace

EglContext::EglContext(int width, int height) {
  problem_ = "EGL has no device with OpenGL 3.3";
  for (const EGLDisplay display : displays()) {
    if (display == EGL_NO_DISPLAY || !open(display)) continue;
    problem_.clear();
    make_framebuffer(width, height);
    return;
  }
}

bool EglContext::open(void* display) {
  if (eglInitialize(display, nullptr, nullptr) != EGL_TRUE) return false;
  const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
  const EGLint version[] = {
      EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (eglBindAPI(EGL_OPENGL_API) == EGL_TRUE && eglChooseConfig(display, wanted, &config, 1, &count) == EGL_TRUE &&
      count > 0) {
    context_ = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
  }
  if (context_ != EGL_NO_CONTEXT &&
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) == EGL_TRUE) {
    display_ = display;
    return true;
  }
  eglTerminate(display);
  context_ = nullptr;
  return false;
}

void EglContext::make_framebuffer(int width, int height) {
  glGenFramebuffers(1, &framebuffer_);
  glGenRenderbuffers(1, &colour_);
  glBindRenderbuffer(GL_RENDERBUFFER, colour_);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour_);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) problem_ = "no framebuffer";
}

EglContext::~EglContext() {
  if (display_ == nullptr) return;
  glDeleteRenderbuffers(1, &colour_);
  glDeleteFramebuffers(1, &framebuffer_);
  eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglDestroyContext(display_, context_);
  eglTerminate(display_);
}

std::string EglContext::renderer() const {
  return display_ != nullptr ? reinterpret_cast<const char*>(glGetString(GL_RENDERER)) : "";
}

}  // namespace copse::test
