// Walks the tree of nodes depth-first with a stack of its own, so that its depth has no limit. A node that is reached
// twice is an error, which excludes cycles.

#include "scene/file/gltf_nodes.h"

#include <cmath>
#include <glm/ext/matrix_double4x4.hpp>
#include <glm/ext/matrix_transform.hpp>
#include <limits>

#include "builders/io/whole_file.h"
#include "primitives/core/counted.h"
#include "scene/file/gltf_instancing.h"

namespace copse::detail {

namespace fs = std::filesystem;

namespace {

/// Walks the tree of nodes.
class NodeWalk {
 public:
  NodeWalk(const fs::path& path, const GltfModel& model, u64 max_bytes)
      : path_(path), model_(model), max_bytes_(max_bytes), is_reached_(model.nodes.size()) {}

  /// Adds a node. Nodes that are added later are visited first.
  void add(int node, const std::string& user, const glm::dmat4& parent);

  /// Visits all nodes that were added, and their children.
  std::vector<GltfPlacement> run();

 private:
  struct Waiting {
    u32 node;
    glm::dmat4 parent;  // the transform of its parent into the scene
  };

  glm::dmat4 transform_of(u32 number) const;
  void check_length(const std::string& name, const std::vector<double>& numbers, size_t length) const;
  void place(u32 node, const glm::dmat4& transform);
  GltfPlacement placement(u32 node, const glm::dmat4& transform) const;

  const fs::path& path_;
  const GltfModel& model_;
  u64 max_bytes_, bytes_ = 0;
  std::vector<bool> is_reached_;
  std::vector<Waiting> stack_;
  std::vector<GltfPlacement> placements_;
};

std::string name_of_node(u32 number) {
  return "nodes[" + std::to_string(number) + "]";
}

void NodeWalk::add(int node, const std::string& user, const glm::dmat4& parent) {
  if (node < 0 || size_t(node) >= model_.nodes.size()) {
    throw_bad_file(path_, user + " names node " + std::to_string(node) + ", but there are " +
                              std::to_string(model_.nodes.size()));
  }
  if (is_reached_[size_t(node)]) {
    throw_bad_file(
        path_, user + " names node " + std::to_string(node) + ", which is reached twice; nodes must form a tree");
  }
  is_reached_[size_t(node)] = true;
  stack_.push_back({u32(node), parent});
}

void NodeWalk::check_length(const std::string& name, const std::vector<double>& numbers, size_t length) const {
  if (numbers.size() == length) return;
  throw_bad_file(path_,
                 name + " has " + std::to_string(numbers.size()) + " numbers; it takes " + std::to_string(length));
}

glm::dmat4 NodeWalk::transform_of(u32 number) const {
  const tinygltf::Node& node = model_.nodes[number];
  const std::string name = name_of_node(number);
  glm::dmat4 transform(1.0);
  if (!node.matrix.empty()) {
    check_length(name + ".matrix", node.matrix, 16);
    for (int column = 0; column < 4; ++column) {
      for (int row = 0; row < 4; ++row) transform[column][row] = node.matrix[size_t(4 * column + row)];
    }
    for (int column = 0; column < 4; ++column) {
      if (std::abs(transform[column][3] - (column == 3 ? 1 : 0)) <= 1e-6) continue;
      throw_bad_file(path_, name + ".matrix has " + std::to_string(transform[column][3]) +
                                " in its last row, which must be 0 0 0 1");
    }
    return transform;
  }
  if (!node.translation.empty()) {
    check_length(name + ".translation", node.translation, 3);
    transform =
        glm::translate(transform, glm::dvec3(node.translation[0], node.translation[1], node.translation[2]));
  }
  if (!node.rotation.empty()) {
    check_length(name + ".rotation", node.rotation, 4);
    const glm::dvec4 turn(node.rotation[0], node.rotation[1], node.rotation[2], node.rotation[3]);
    transform = transform * gltf_rotation(path_, name + ".rotation", turn);
  }
  if (!node.scale.empty()) {
    check_length(name + ".scale", node.scale, 3);
    transform = glm::scale(transform, glm::dvec3(node.scale[0], node.scale[1], node.scale[2]));
  }
  return transform;
}

/// Places the mesh of a node: once, or at each transform of EXT_mesh_gpu_instancing.
void NodeWalk::place(u32 number, const glm::dmat4& transform) {
  const tinygltf::Node& node = model_.nodes[number];
  if (size_t(node.mesh) >= model_.meshes.size()) {
    throw_bad_file(path_, name_of_node(number) + " names mesh " + std::to_string(node.mesh) + ", but there are " +
                              std::to_string(model_.meshes.size()));
  }
  if (node.skin >= 0) throw_bad_file(path_, name_of_node(number) + " has a skin, which Copse does not read");
  const std::vector<glm::dmat4> instances = gltf_instances(path_, model_, number);
  // An instance of the scene file has the name of its node.
  bytes_ += instances.size() * (sizeof(GltfPlacement) + sizeof(Instance) + sizeof(std::string) + node.name.size());
  if (bytes_ > max_bytes_) {
    throw_bad_file(path_, "the instances have at least " + std::to_string(bytes_) + " bytes together; at most " +
                              std::to_string(max_bytes_) + " are read (LoadSceneOptions::max_bytes)");
  }
  for (const glm::dmat4& instance : instances) placements_.push_back(placement(number, transform * instance));
}

GltfPlacement NodeWalk::placement(u32 number, const glm::dmat4& transform) const {
  GltfPlacement placed{.node = number, .mesh = u32(model_.nodes[number].mesh)};
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 4; ++column) {
      const double value = transform[column][row];
      if (!(std::abs(value) <= std::numeric_limits<float>::max())) {
        throw_bad_file(path_, name_of_node(number) + ": its transform has " + std::to_string(value) +
                                  "; floats end at 3.4e38");
      }
      placed.rows[row][column] = float(value);
    }
  }
  return placed;
}

std::vector<GltfPlacement> NodeWalk::run() {
  while (!stack_.empty()) {
    const Waiting waiting = stack_.back();
    stack_.pop_back();
    const glm::dmat4 transform = waiting.parent * transform_of(waiting.node);
    const tinygltf::Node& node = model_.nodes[waiting.node];
    if (node.mesh >= 0) place(waiting.node, transform);
    for (size_t i = node.children.size(); i-- > 0;) {
      add(node.children[i], name_of_node(waiting.node) + ".children", transform);
    }
  }
  return std::move(placements_);
}

std::vector<int> nodes_without_parent(const GltfModel& model) {
  std::vector<bool> has_parent(model.nodes.size());
  for (const tinygltf::Node& node : model.nodes) {
    for (const int child : node.children) {
      if (child >= 0 && size_t(child) < model.nodes.size()) has_parent[size_t(child)] = true;
    }
  }
  std::vector<int> roots;
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    if (!has_parent[i]) roots.push_back(int(i));
  }
  return roots;
}

/// "1 scene, number 0", "3 scenes, numbers 0 to 2"
std::string scenes_in_words(u64 count) {
  const std::string scenes = counted(count, "scenes");
  if (count == 0) return scenes;
  return scenes + (count == 1 ? ", number 0" : ", numbers 0 to " + std::to_string(count - 1));
}

}  // namespace

std::vector<GltfPlacement> placements_of(const fs::path& path, const GltfModel& model, std::optional<u32> scene,
                                         u64 max_bytes) {
  const u32 number = scene ? *scene : u32(std::max(model.defaultScene, 0));
  const bool has_none = model.scenes.empty() && number == 0;
  if (!has_none && number >= model.scenes.size()) {
    throw_bad_file(path, std::string(scene ? "the scene asked for" : "scene") + " is " + std::to_string(number) +
                             "; the file has " + scenes_in_words(model.scenes.size()));
  }
  const std::vector<int> roots = has_none ? nodes_without_parent(model) : model.scenes[number].nodes;
  NodeWalk walk(path, model, max_bytes);
  const std::string user = has_none ? "the file" : "scenes[" + std::to_string(number) + "]";
  for (size_t i = roots.size(); i-- > 0;) walk.add(roots[i], user, glm::dmat4(1.0));
  return walk.run();
}

}  // namespace copse::detail
