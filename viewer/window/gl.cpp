#include "viewer/window/gl.h"

#include "primitives/core/error.h"

namespace copse::viewer::gl {

namespace {

std::string log_of(GLuint object, decltype(&glGetShaderInfoLog) get_log) {
  std::string log(1024, '\0');
  GLsizei length = 0;
  get_log(object, GLsizei(log.size()), &length, log.data());
  log.resize(size_t(length));
  return log;
}

GLuint compile(GLenum kind, const std::string& source) {
  const GLuint shader = glCreateShader(kind);
  const char* text = source.c_str();
  glShaderSource(shader, 1, &text, nullptr);
  glCompileShader(shader);
  GLint compiled = GL_FALSE;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
  if (compiled == GL_TRUE) return shader;
  const std::string log = log_of(shader, glGetShaderInfoLog);
  glDeleteShader(shader);
  throw Error(ErrorCode::device_failure, "OpenGL does not compile a shader: " + log);
}

}  // namespace

Program::Program(const std::string& vertex_source, const std::string& fragment_source) : id_(glCreateProgram()) {
  for (const auto& [kind, source] : {std::pair(GLenum(GL_VERTEX_SHADER), vertex_source),
                                     std::pair(GLenum(GL_FRAGMENT_SHADER), fragment_source)}) {
    const GLuint shader = compile(kind, source);
    glAttachShader(id_, shader);
    glDeleteShader(shader);  // lives as long as it is attached
  }
  glLinkProgram(id_);
  GLint linked = GL_FALSE;
  glGetProgramiv(id_, GL_LINK_STATUS, &linked);
  if (linked == GL_TRUE) return;
  const std::string log = log_of(id_, glGetProgramInfoLog);
  glDeleteProgram(id_);
  throw Error(ErrorCode::device_failure, "OpenGL does not link a program: " + log);
}

void Texture::bind(GLuint unit) const {
  glActiveTexture(GL_TEXTURE0 + unit);
  glBindTexture(GL_TEXTURE_2D, id_);
}

void Texture::upload(GLint internal_format, GLenum format, GLenum type, int width, int height,
                     const void* texels) {
  bind(0);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  if (internal_format == internal_format_ && width == width_ && height == height_) {
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, format, type, texels);
    return;
  }
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  glTexImage2D(GL_TEXTURE_2D, 0, internal_format, width, height, 0, format, type, texels);
  internal_format_ = internal_format;
  width_ = width;
  height_ = height;
}

VertexArray::VertexArray() {
  glGenVertexArrays(1, &array_);
  glGenBuffers(1, &buffer_);
}

VertexArray::~VertexArray() {
  glDeleteBuffers(1, &buffer_);
  glDeleteVertexArrays(1, &array_);
}

void VertexArray::bind() const {
  glBindVertexArray(array_);
  glBindBuffer(GL_ARRAY_BUFFER, buffer_);
}

}  // namespace copse::viewer::gl
