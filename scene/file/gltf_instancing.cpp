// Reads instances from accessors: EXT_mesh_gpu_instancing, an extension of Khronos' registry; see
// https://github.com/KhronosGroup/glTF/tree/main/extensions/2.0/Vendor/EXT_mesh_gpu_instancing.

#include "scene/file/gltf_instancing.h"

#include <glm/ext/matrix_transform.hpp>
#include <glm/gtc/quaternion.hpp>
#include <optional>

#include "builders/io/whole_file.h"
#include "scene/file/gltf_accessors.h"

namespace copse::detail {

namespace fs = std::filesystem;

namespace {

constexpr const char* extension_name = "EXT_mesh_gpu_instancing";

/// The accessors of the instances of a node.
class InstanceAttributes {
 public:
  InstanceAttributes(const fs::path& path, const GltfModel& model, std::string name,
                     const tinygltf::Value& attributes)
      : path_(path), accessors_(path, model), name_(std::move(name)), attributes_(attributes) {}

  std::vector<glm::dmat4> transforms() {
    if (const auto number = number_of("TRANSLATION")) {
      const std::vector<vec3> moves = accessors_.points(*number, name_ + ".TRANSLATION");
      begin("TRANSLATION", moves.size());
      for (size_t i = 0; i < moves.size(); ++i) result_[i] = glm::translate(result_[i], glm::dvec3(moves[i]));
    }
    if (const auto number = number_of("ROTATION")) {
      const std::vector<glm::dvec4> turns = accessors_.rotations(*number, name_ + ".ROTATION");
      begin("ROTATION", turns.size());
      for (size_t i = 0; i < turns.size(); ++i) {
        const std::string name = name_ + ".ROTATION[" + std::to_string(i) + "]";
        result_[i] = result_[i] * gltf_rotation(path_, name, turns[i]);
      }
    }
    if (const auto number = number_of("SCALE")) {
      const std::vector<vec3> sizes = accessors_.points(*number, name_ + ".SCALE");
      begin("SCALE", sizes.size());
      for (size_t i = 0; i < sizes.size(); ++i) result_[i] = glm::scale(result_[i], glm::dvec3(sizes[i]));
    }
    if (result_.empty()) throw_bad_file(path_, name_ + " has none of TRANSLATION, ROTATION and SCALE");
    return std::move(result_);
  }

 private:
  std::optional<int> number_of(const char* attribute) const {
    if (!attributes_.Has(attribute)) return std::nullopt;
    return attributes_.Get(attribute).GetNumberAsInt();
  }

  /// Throws unless all accessors have as many elements as the first one.
  void begin(const char* attribute, size_t count) {
    if (result_.empty()) {
      result_.assign(count, glm::dmat4(1.0));
      first_ = attribute;
    }
    if (count == result_.size()) return;
    throw_bad_file(path_, name_ + "." + attribute + " has " + std::to_string(count) + " elements, but " + first_ +
                              " has " + std::to_string(result_.size()));
  }

  const fs::path& path_;
  GltfAccessors accessors_;
  std::string name_, first_;
  const tinygltf::Value& attributes_;
  std::vector<glm::dmat4> result_;
};

}  // namespace

glm::dmat4 gltf_rotation(const fs::path& path, const std::string& name, const glm::dvec4& rotation) {
  const glm::dquat turn(rotation.w, rotation.x, rotation.y, rotation.z);
  const double length = glm::length(turn);
  if (!(length > 1e-6) || !(length < 1e6)) {
    throw_bad_file(path,
                   name + " is a quaternion of length " + std::to_string(length) + "; it can be 1e-6 to 1e6");
  }
  return glm::mat4_cast(turn / length);
}

std::vector<glm::dmat4> gltf_instances(const fs::path& path, const GltfModel& model, u32 node) {
  const auto& extensions = model.nodes[node].extensions;
  const auto found = extensions.find(extension_name);
  if (found == extensions.end()) return {glm::dmat4(1.0)};
  const std::string name = "nodes[" + std::to_string(node) + "].extensions." + extension_name + ".attributes";
  if (!found->second.Has("attributes")) throw_bad_file(path, name + " is missing");
  return InstanceAttributes(path, model, name, found->second.Get("attributes")).transforms();
}

}  // namespace copse::detail
