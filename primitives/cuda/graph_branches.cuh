#pragma once

// Branches of a graph that is being captured. A branch is a conditional node: a kernel before it reads a word, and
// the work of the branch is captured on a stream of its own, into the graph of that node.

#include <vector>

#include "primitives/cuda/launch.cuh"

namespace copse::cuda {

#if COPSE_HAS_GRAPH_BRANCHES

namespace detail {

__global__ static void set_condition_kernel(cudaGraphConditionalHandle handle, const u32* flag) {
  cudaGraphSetConditional(handle, *flag != 0 ? 1 : 0);
}

}  // namespace detail

/// The branches of one capture. They may stand inside each other.
class GraphBranches {
 public:
  GraphBranches() = default;
  ~GraphBranches() {
    for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
  }
  GraphBranches(const GraphBranches&) = delete;
  GraphBranches& operator=(const GraphBranches&) = delete;

  /// Contract: Device::begin_branch.
  ///   capturing: the stream of the capture
  cudaStream_t begin(cudaStream_t capturing, const u32* flag) {
    constexpr const char* what = "beginning a branch of a captured graph";
    const cudaStream_t outer = depth_ == 0 ? capturing : streams_[depth_ - 1];
    const cudaStream_t inner = stream_of_depth();

    // The kernel that reads the flag comes before the node.
    cudaGraphConditionalHandle handle{};
    check(cudaGraphConditionalHandleCreate(&handle, place_in(outer).graph, 0, cudaGraphCondAssignDefault), what);
    detail::set_condition_kernel<<<1, 1, 0, outer>>>(handle, flag);
    check(cudaGetLastError(), what);

    // Later work of the outer stream waits for the node.
    const Place place = place_in(outer);
    cudaGraphNodeParams node{};
    node.type = cudaGraphNodeTypeConditional;
    node.conditional.handle = handle;
    node.conditional.type = cudaGraphCondTypeIf;
    node.conditional.size = 1;
    cudaGraphNode_t added = nullptr;
    check(cudaGraphAddNode(&added, place.graph, place.nodes, nullptr, place.node_count, &node), what);
    check(cudaStreamUpdateCaptureDependencies(outer, &added, nullptr, 1, cudaStreamSetCaptureDependencies), what);
    check(cudaStreamBeginCaptureToGraph(inner, node.conditional.phGraph_out[0], nullptr, nullptr, 0,
                                        cudaStreamCaptureModeThreadLocal),
          what);
    ++depth_;
    return inner;
  }

  void end() {
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(streams_[--depth_], &graph), "ending a branch of a captured graph");
  }

  void abandon() noexcept {
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(streams_[--depth_], &graph);
    cudaGetLastError();
  }

 private:
  /// The graph of a capture, and the nodes that its next node waits for.
  struct Place {
    cudaGraph_t graph = nullptr;
    const cudaGraphNode_t* nodes = nullptr;
    size_t node_count = 0;
  };

  static Place place_in(cudaStream_t stream) {
    Place place;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check(
        cudaStreamGetCaptureInfo(stream, &status, nullptr, &place.graph, &place.nodes, nullptr, &place.node_count),
        "reading the state of a capture");
    return place;
  }

  /// Returns the stream for a branch at the depth that is reached. Streams are made at first use.
  cudaStream_t stream_of_depth() {
    if (depth_ < streams_.size()) return streams_[depth_];
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    check(cudaThreadExchangeStreamCaptureMode(&mode), "making a stream for a branch");
    cudaStream_t stream = nullptr;
    const cudaError_t status = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    check(cudaThreadExchangeStreamCaptureMode(&mode), "making a stream for a branch");
    check(status, "making a stream for a branch");
    streams_.push_back(stream);
    return stream;
  }

  std::vector<cudaStream_t> streams_;  // [depth]
  size_t depth_ = 0;
};

#else

class GraphBranches {
 public:
  cudaStream_t begin(cudaStream_t, const u32*) {
    throw Error(ErrorCode::no_device,
                "this build was made by a CUDA toolkit before version 13, which has no branches "
                "in captured graphs: call run_if outside of a capture, or build with a newer one");
  }
  void end() {}
  void abandon() noexcept {}
};

#endif

}  // namespace copse::cuda
