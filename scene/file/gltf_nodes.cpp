#include "scene/file/gltf_nodes.h"

#include <cmath>
#include <glm/ext/matrix_double4x4.hpp>
#include <glm/ext/matrix_transform.hpp>
#include <glm/gtc/quaternion.hpp>
#include <limits>

#include "builders/io/whole_file.h"

namespace copse::detail {

namespace fs = std::filesystem;

namespace {

/// Walks the tree of nodes.
class NodeWalk {
 public:
  NodeWalk(const fs::path& path, const GltfModel& model)
      : path_(path), model_(model), is_reached_(model.nodes.size()) {}

  /// Adds a node that will be visited after those that were added later.
  void add(int node, const std::string& user, const glm::dmat4& parent);

  /// Visits all nodes that were added, and their children.
  std::vector<GltfPlacement> run();

 private:
  struct Waiting {
    u32 node;
    glm::dmat4 parent;  // the transform of its parent into the scene
  };

  glm::dmat4 transform_of(u32 number) const;
  glm::dmat4 turned_by(const std::string& name, const std::vector<double>& rotation) const;
  void check_length(const std::string& name, const std::vector<double>& numbers, size_t length) const;
  GltfPlacement placement(u32 node, const glm::dmat4& transform) const;

  const fs::path& path_;
  const GltfModel& model_;
  std::vector<bool> is_reached_;
  std::vector<Waiting> stack_;
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

glm::dmat4 NodeWalk::turned_by(const std::string& name, const std::vector<double>& rotation) const {
  check_length(name, rotation, 4);
  const glm::dquat turn(rotation[3], rotation[0], rotation[1], rotation[2]);
  const double length = glm::length(turn);
  if (!(length > 1e-6) || !(length < 1e6)) {
    throw_bad_file(path_, name + " is a quaternion of length " + std::to_string(length) + "; it must be 1");
  }
  return glm::mat4_cast(turn / length);
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
  if (!node.rotation.empty()) transform = transform * turned_by(name + ".rotation", node.rotation);
  if (!node.scale.empty()) {
    check_length(name + ".scale", node.scale, 3);
    transform = glm::scale(transform, glm::dvec3(node.scale[0], node.scale[1], node.scale[2]));
  }
  return transform;
}

GltfPlacement NodeWalk::placement(u32 number, const glm::dmat4& transform) const {
  const tinygltf::Node& node = model_.nodes[number];
  if (size_t(node.mesh) >= model_.meshes.size()) {
    throw_bad_file(path_, name_of_node(number) + " names mesh " + std::to_string(node.mesh) + ", but there are " +
                              std::to_string(model_.meshes.size()));
  }
  if (node.skin >= 0) throw_bad_file(path_, name_of_node(number) + " has a skin, which Copse does not read");
  GltfPlacement placed{.node = number, .mesh = u32(node.mesh)};
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
  std::vector<GltfPlacement> placements;
  while (!stack_.empty()) {
    const Waiting waiting = stack_.back();
    stack_.pop_back();
    const glm::dmat4 transform = waiting.parent * transform_of(waiting.node);
    const tinygltf::Node& node = model_.nodes[waiting.node];
    if (node.mesh >= 0) placements.push_back(placement(waiting.node, transform));
    for (size_t i = node.children.size(); i-- > 0;) {
      add(node.children[i], name_of_node(waiting.node) + ".children", transform);
    }
  }
  return placements;
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

}  // namespace

std::vector<GltfPlacement> placements_of(const fs::path& path, const GltfModel& model, std::optional<u32> scene) {
  const u32 number = scene ? *scene : u32(std::max(model.defaultScene, 0));
  const bool has_none = model.scenes.empty() && number == 0;
  if (!has_none && number >= model.scenes.size()) {
    throw_bad_file(path, std::string(scene ? "the scene asked for" : "scene") + " is " + std::to_string(number) +
                             ", but there are " + std::to_string(model.scenes.size()) + " scenes");
  }
  const std::vector<int> roots = has_none ? nodes_without_parent(model) : model.scenes[number].nodes;
  NodeWalk walk(path, model);
  const std::string user = has_none ? "the file" : "scenes[" + std::to_string(number) + "]";
  for (size_t i = roots.size(); i-- > 0;) walk.add(roots[i], user, glm::dmat4(1.0));
  return walk.run();
}

}  // namespace copse::detail
