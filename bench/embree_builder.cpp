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
  return leaf;
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

double EmbreeBuilder::build_low() {
  state_->work = state_->primitives;  // a build may reorder them
  RTCBuildArguments arguments = rtcDefaultBuildArguments();
  arguments.buildFlags = RTC_BUILD_FLAG_DYNAMIC;  // lets the next build use this one's memory
  arguments.buildQuality = RTC_BUILD_QUALITY_LOW;
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
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

}  // namespace copse::bench
