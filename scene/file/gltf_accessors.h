#pragma once

#include <filesystem>
#include <glm/vec4.hpp>
#include <string>
#include <vector>

#include "builders/geometry/aabb.h"
#include "scene/file/gltf_model.h"

namespace copse::detail {

/// Reads accessors of a glTF file. It checks all numbers that lead from an accessor to its bytes.
class GltfAccessors {
 public:
  GltfAccessors(const std::filesystem::path& path, const GltfModel& model) : path_(path), model_(model) {}

  /// Returns the points of an accessor: VEC3 of floats that are finite.
  ///   user: the object that refers to the accessor, for messages
  /// Throws: Error bad_file.
  std::vector<vec3> points(int accessor, const std::string& user) const;

  /// Returns the rotations of an accessor as x, y, z and w: VEC4 of floats, or of signed integers of 8 or 16 bits
  /// that stand for -1 to 1. They may have any length.
  /// Throws: Error bad_file.
  std::vector<glm::dvec4> rotations(int accessor, const std::string& user) const;

  /// Returns the numbers of an accessor: SCALAR of unsigned integers of 8, 16 or 32 bits. Each is below `limit`.
  /// Throws: Error bad_file.
  std::vector<u32> indices(int accessor, const std::string& user, u64 limit) const;

 private:
  /// Elements in a buffer view.
  struct Elements {
    const unsigned char* first;
    u64 stride;
  };

  const tinygltf::Accessor& accessor(int number, const std::string& user) const;
  Elements elements(const std::string& name, int view, u64 offset, u64 count, u64 element_bytes) const;
  template <class T>
  std::vector<T> read(const tinygltf::Accessor& accessor, const std::string& name, u64 element_bytes) const;
  template <class T>
  void replace_sparse(const tinygltf::Accessor& accessor, const std::string& name, u64 element_bytes,
                      std::vector<T>& values) const;

  const std::filesystem::path& path_;
  const GltfModel& model_;
};

}  // namespace copse::detail
