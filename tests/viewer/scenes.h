#pragma once

// Scenes and folders for the tests of the viewer's model.

#include <stdlib.h>
#include <iterator>

#include <filesystem>
#include <fstream>
#include <string>

#include "builders/geometry/generate.h"
#include "builders/io/mesh_file.h"
#include "viewer/model/scene/geometry.h"
#include "viewer/model/session/session.h"
#include "viewer/model/structures/live_structure.h"

namespace copse::test {

inline viewer::Geometry testball() {
  static const viewer::Geometry geometry = viewer::join_meshes({{"testball", load_mesh("assets/testball.ply")}});
  return geometry;
}

/// A sphere of 1280 triangles.
inline viewer::Geometry sphere() {
  return viewer::join_meshes({{"sphere", generate_sphere(3)}});
}

inline viewer::StructureOptions tree_on(Backend backend) {
  viewer::StructureOptions options;
  options.backend = backend;
  options.builder = viewer::Builder::lbvh;
  return options;
}

inline viewer::LiveStructure live_over(const viewer::Geometry& geometry, const viewer::StructureOptions& options,
                                       const viewer::Pose& pose = {}) {
  return {options, geometry, pose, 0, {}};
}

/// A session over a mesh on the CPU that makes small pictures whole; or with other options, as in a window. Its trees
/// are built by hand, so that tests can set all their options.
struct SmallSession {
  explicit SmallSession(const viewer::Geometry& geometry = sphere(), u32 width = 96, u32 height = 64,
                        const viewer::SessionOptions& options = {.deterministic = true})
      : session(options) {
    for (u32 side = 0; side < 2; ++side) session.wanted(side).backend = Backend::cpu;
    session.wanted(0).builder = viewer::Builder::lbvh;
    session.set_picture_size(width, height);
    session.show(geometry);
    session.finish();
  }
  viewer::Session session;
};

/// A folder that is removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "copse-viewer-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

inline std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// True if a message of this severity contains the text.
inline bool has_message(const viewer::Session& session, viewer::Severity severity, const std::string& part) {
  for (const viewer::Message& message : session.messages().list()) {
    if (message.severity == severity && message.text.find(part) != std::string::npos) return true;
  }
  return false;
}

inline bool same_pixels(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height) return false;
  for (u64 i = 0; i < a.pixels.size(); ++i) {
    const Rgba8 p = a.pixels[i], q = b.pixels[i];
    if (p.r != q.r || p.g != q.g || p.b != q.b || p.a != q.a) return false;
  }
  return true;
}

}  // namespace copse::test
