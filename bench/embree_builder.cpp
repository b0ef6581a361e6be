#include "bench/embree_builder.h"

#include <embree3/rtcore.h>

#include <chrono>
#include <stdexcept>
#include <string>

namespace copse::bench {

namespace {

struct Node {
  RTCBounds bounds[2];
  Node* children[2];
  unsigned primitive;
  bool is_leaf = false;
};

void* create_node(RTCThreadLocalAllocator allocator, unsigned, void*) {
  return new (rtcThreadLocalAlloc(allocator, sizeof(Node), 16)) Node;
}

void set_children(void* node, void** children, unsigned count, void*) {
  for (unsigned i = 0; i < count; ++i) static_cast<Node*>(node)->children[i] = static_cast<Node*>(children[i]);
}

void set_bounds(void* node, const RTCBounds** bounds, unsigned count, void*) {
  for (unsigned i = 0; i < count; ++i) static_cast<Node*>(node)->bounds[i] = *bounds[i];
}

void* create_leaf(RTCThreadLocalAllocator allocator, const RTCBuildPrimitive* primitives, size_t, void*) {
  Node* leaf = new (rtcThreadLocalAlloc(allocator, sizeof(Node), 16)) Node;
  leaf->primitive = primitives[0].primID;
  leaf->is_leaf = true;
  return leaf;
}

/// The areas of inner nodes and of leaves, each divided by the root's area.
struct AreaSums {
  double inner = 0, leaves = 0;
};

Aabb box_of(const RTCBounds& b) {
  return {vec3(b.lower_x, b.lower_y, b.lower_z), vec3(b.upper_x, b.upper_y, b.upper_z)};
}

AreaSums measure(const Node* root) {
  if (root->is_leaf) return {0, 1};
  const double root_area = half_area(merge(box_of(root->bounds[0]), box_of(root->bounds[1])));
  AreaSums sums{root_area, 0};
  std::vector<const Node*> waiting{root};
  while (!waiting.empty()) {
    const Node* node = waiting.back();
    waiting.pop_back();
    for (int i = 0; i < 2; ++i) {
      const Node* child = node->children[i];
      (child->is_leaf ? sums.leaves : sums.inner) += half_area(box_of(node->bounds[i]));
      if (!child->is_leaf) waiting.push_back(child);
    }
  }
  return {sums.inner / root_area, sums.leaves / root_area};
}

}  // namespace

struct EmbreeBuilder::State {
  RTCDevice device;
  RTCBVH bvh;
  std::vector<RTCBuildPrimitive> primitives, work;
};

EmbreeBuilder::EmbreeBuilder(const std::vector<Aabb>& boxes, unsigned threads)
    : state_(std::make_unique<State>()) {
  state_->device = rtcNewDevice(("threads=" + std::to_string(threads)).c_str());
  state_->bvh = rtcNewBVH(state_->device);
  for (unsigned i = 0; i < boxes.size(); ++i) {
    const Aabb& box = boxes[i];
    state_->primitives.push_back({box.lo.x, box.lo.y, box.lo.z, 0, box.hi.x, box.hi.y, box.hi.z, i});
  }
}

EmbreeBuilder::~EmbreeBuilder() {
  rtcReleaseBVH(state_->bvh);
  rtcReleaseDevice(state_->device);
}

EmbreeBuilder::Result EmbreeBuilder::build(Quality quality) {
  state_->work = state_->primitives;  // a build may reorder them
  RTCBuildArguments arguments = rtcDefaultBuildArguments();
  arguments.buildFlags = RTC_BUILD_FLAG_DYNAMIC;  // lets the next build use the memory of this one
  arguments.buildQuality = quality == Quality::low ? RTC_BUILD_QUALITY_LOW : RTC_BUILD_QUALITY_MEDIUM;
  arguments.traversalCost = 1.2f;
  arguments.intersectionCost = 1;
  arguments.maxBranchingFactor = 2;
  arguments.minLeafSize = 1;
  arguments.maxLeafSize = 1;
  arguments.maxDepth = 1024;
  arguments.bvh = state_->bvh;
  arguments.primitives = state_->work.data();
  arguments.primitiveCount = state_->work.size();
  arguments.primitiveArrayCapacity = state_->work.size();
  arguments.createNode = create_node;
  arguments.setNodeChildren = set_children;
  arguments.setNodeBounds = set_bounds;
  arguments.createLeaf = create_leaf;
  const auto begin = std::chrono::steady_clock::now();
  const void* root = rtcBuildBVH(&arguments);
  const auto end = std::chrono::steady_clock::now();
  if (root == nullptr) throw std::runtime_error("rtcBuildBVH failed");
  const AreaSums sums = measure(static_cast<const Node*>(root));
  return {std::chrono::duration<double, std::milli>(end - begin).count(), 1.2 * sums.inner + sums.leaves};
}

}  // namespace copse::bench
