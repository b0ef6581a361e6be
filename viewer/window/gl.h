#pragma once

// OpenGL 3.3 core, by the names that libGL exports.

#define GL_GLEXT_PROTOTYPES
#define GLFW_INCLUDE_GLEXT
#include <GLFW/glfw3.h>

#include <string>

namespace copse::viewer::gl {

/// A shader program of a vertex and a fragment shader.
class Program {
 public:
  /// Throws: Error device_failure with the driver's message if a shader does not compile or link.
  Program(const std::string& vertex_source, const std::string& fragment_source);
  ~Program() { glDeleteProgram(id_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void use() const { glUseProgram(id_); }
  GLint uniform(const char* name) const { return glGetUniformLocation(id_, name); }

 private:
  GLuint id_;
};

/// A texture of one level.
class Texture {
 public:
  Texture() { glGenTextures(1, &id_); }
  ~Texture() { glDeleteTextures(1, &id_); }
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;

  /// Binds it to a texture unit.
  void bind(GLuint unit) const;
  /// Uploads texels of `format` and `type`, rows from the top; null: from the bound pixel buffer. The texture is
  /// bound to unit 0 afterwards.
  void upload(GLint internal_format, GLenum format, GLenum type, int width, int height, const void* texels);

 private:
  GLuint id_ = 0;
  GLint internal_format_ = 0;
  int width_ = 0;
  int height_ = 0;
};

/// A vertex array and its buffer.
class VertexArray {
 public:
  VertexArray();
  ~VertexArray();
  VertexArray(const VertexArray&) = delete;
  VertexArray& operator=(const VertexArray&) = delete;

  /// Binds both.
  void bind() const;

 private:
  GLuint array_ = 0;
  GLuint buffer_ = 0;
};

}  // namespace copse::viewer::gl
