// Measures scratch pools and free lists, beside the same work without them and beside malloc in kernels.
//
// scratch_pool/WORK has n warps. Each works for about a microsecond and uses a kibibyte of scratch. `ratio` is the
// time of a rival kernel over ours: 1 minus the share that the pool costs. Each warp of the rival uses the slot of
// its hardware place without a lock. So two warps may share a slot. scratch_pool/against_malloc has no work. Its
// rival takes a kibibyte from malloc for each warp.

#include "bench/primitives/rows.h"
#include "bench/support/cub.h"
#include "primitives/cuda/for_each.cuh"
#include "primitives/cuda/scratch_pool.cuh"
#include "primitives/free_list.h"

namespace copse::bench {

namespace {

constexpr u32 scratch_threads = 256;
constexpr u32 slot_bytes = 1024;

/// A slot that nothing protects.
class BareScratch {
 public:
  __device__ explicit BareScratch(const ScratchPoolView& pool) {
    const cuda::detail::HardwarePlace place = cuda::detail::hardware_place();
    memory_ = pool.memory(pool.place_of(place.multiprocessor, place.warp));
  }
  template <class T>
  __device__ T* data() const {
    return reinterpret_cast<T*>(memory_);
  }

 private:
  unsigned char* memory_;
};

/// Scratch from the heap of kernels. It is null if the heap is full.
class HeapScratch {
 public:
  __device__ explicit HeapScratch(const ScratchPoolView&) {
    unsigned long long memory = 0;
    if (cuda::lane_id() == 0) memory = reinterpret_cast<unsigned long long>(malloc(slot_bytes));
    memory_ = reinterpret_cast<void*>(__shfl_sync(cuda::all_lanes, memory, 0));
  }
  __device__ ~HeapScratch() {
    __syncwarp();
    if (cuda::lane_id() == 0) free(memory_);
  }
  template <class T>
  __device__ T* data() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_;
};

struct NoWork {
  __device__ u32 operator()(u32 seed) const { return seed; }
};

/// Waits for some clocks and does nothing else.
struct WaitForClock {
  u32 clocks;
  __device__ u32 operator()(u32 seed) const {
    const long long begin = clock64();
    while (clock64() - begin < clocks) continue;
    return seed;
  }
};

/// Arithmetic in which each step needs the step before. A step takes 4 clocks on a multiprocessor that has one
/// warp for each unit.
struct Compute {
  u32 steps;
  __device__ u32 operator()(u32 seed) const {
    u32 x = seed;
#pragma unroll 16
    for (u32 k = 0; k < steps; ++k) x = x * 747796405u + seed;
    return x;
  }
};

/// Reads memory twice, one read after the other. Each read goes to another place for each lane.
struct Chase {
  const u32* table;
  u32 mask;
  __device__ u32 operator()(u32 seed) const {
    u32 x = seed * 2654435761u;
    for (u32 k = 0; k < 2; ++k) x = table[x >> 4 & mask] + x * 747796405u;
    return x;
  }
};

/// Each warp uses a slot for its work, with all lanes together.
template <class ScratchOfWarp, class Work>
__global__ void __launch_bounds__(scratch_threads) scratch_kernel(ScratchPoolView pool, Work work, u32* out) {
  const u32 i = blockIdx.x * scratch_threads + threadIdx.x;
  const ScratchOfWarp slot(pool);
  u32* const scratch = slot.template data<u32>();
  if (scratch == nullptr) return;
  scratch[cuda::lane_id()] = i;
  scratch[cuda::warp_size + cuda::lane_id()] = work(i);
  __syncwarp();
  const u32 other = cuda::warp_size - 1 - cuda::lane_id();
  if (cuda::lane_id() == 0) out[i / cuda::warp_size] = scratch[other] + scratch[cuda::warp_size + other];
}

/// Compares our scratch with the rival's. Each kernel writes the result of the work, warp by warp.
template <class RivalScratch, class OfWarp>
void against(Comparison& c, const OfWarp& work) {
  auto pool = std::make_shared<ScratchPool>(cuda::scratch_pool_for_warps(
      c.context, scratch_kernel<cuda::WarpScratch, OfWarp>, scratch_threads, slot_bytes));
  const BufferSpan<u32> out = c.buffer<u32>(c.n), expected = c.buffer<u32>(c.n);
  const cuda::LaunchShape shape{c.n * cuda::warp_size / scratch_threads, scratch_threads};
  c.ours = [=, &c] {
    cuda::launch(c.context.cuda_executor(), "scratch pool", scratch_kernel<cuda::WarpScratch, OfWarp>, shape,
                 pool->view(), work, out.data());
  };
  c.add_rival([=, &c] {
    cuda::launch(c.context.cuda_executor(), "rival", scratch_kernel<RivalScratch, OfWarp>, shape, pool->view(),
                 work, expected.data());
  });
  c.expect_equal(out, expected);
}

u32 clocks_in_a_microsecond() {
  int kilohertz = 0;
  cuda::check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0), "asking for the clock");
  return u32(kilohertz / 1000);
}

void scratch_and_wait(Comparison& c) {
  against<BareScratch>(c, WaitForClock{clocks_in_a_microsecond()});
}
void scratch_and_compute(Comparison& c) {
  against<BareScratch>(c, Compute{clocks_in_a_microsecond() / 4});
}
void scratch_and_chase(Comparison& c) {
  const u64 size = u64{1} << 28;
  against<BareScratch>(c, Chase{c.hashed<u32>(size).data(), u32(size - 1)});
}

/// The heap has its size until the first kernel that uses it. To set the size again is an error.
void settle_heap() {
  const size_t bytes = size_t{256} << 20;
  size_t now = 0;
  cuda::check(cudaDeviceGetLimit(&now, cudaLimitMallocHeapSize), "asking for the heap of kernels");
  if (now < bytes) cuda::check(cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes), "setting the heap of kernels");
}

void scratch_against_malloc(Comparison& c) {
  settle_heap();
  against<HeapScratch>(c, NoWork{});
}

struct NodeOf32 {
  u32 words[8];
};

struct FromList {
  FreeListView list;
  NodeOf32* nodes;
  u32* out;
  COPSE_HD void operator()(u64 i) const {
    const u32 node = list.allocate();
    nodes[node].words[0] = u32(i);
    out[i] = nodes[node].words[0];
    list.free(node);
  }
};
struct FromHeap {
  u32* out;
  __device__ void operator()(u64 i) const {
    auto* node = static_cast<NodeOf32*>(malloc(sizeof(NodeOf32)));
    node->words[0] = u32(i);
    out[i] = node->words[0];
    ::free(node);
  }
};

/// Each thread allocates a node of 32 bytes and frees it. There are as many nodes as threads.
void allocate_and_free(Comparison& c) {
  settle_heap();
  auto list = std::make_shared<FreeList>(c.context, c.n);
  const BufferSpan<NodeOf32> nodes = c.buffer<NodeOf32>(c.n);
  const BufferSpan<u32> out = c.buffer<u32>(c.n), expected = c.buffer<u32>(c.n);
  c.ours = [=, &c] {
    cuda::for_each(c.context.cuda_executor(), "free list", c.n, FromList{list->view(), nodes.data(), out.data()});
  };
  c.add_rival([=, &c] { cuda::for_each(c.context.cuda_executor(), "malloc", c.n, FromHeap{expected.data()}); });
  c.expect_equal(out, expected);
}

}  // namespace

void add_pool_rows(Rows& rows) {
  const u64 warps = u64{1} << 20;
  rows.add_on_stream("scratch_pool/wait", warps, scratch_and_wait);
  rows.add_on_stream("scratch_pool/compute", warps, scratch_and_compute);
  rows.add_on_stream("scratch_pool/chase", warps, scratch_and_chase);
  rows.add_on_stream("scratch_pool/against_malloc", warps, scratch_against_malloc);
  rows.add_on_stream("free_list/against_malloc", u64{1} << 18, allocate_and_free);
}

}  // namespace copse::bench
