#pragma once

// A warp traverses a CompressedBvh4 for 32 neighbouring rays at once. It reads each node once for all of them, a word
// per lane, and decodes each plane once: 24 lanes decode one plane each, and share it through shared memory. Then
// each lane tests its own ray against the four boxes, as if the node had full precision.
//
// Source: Guenther, Popov, Seidel, Slusallek, "Realtime Ray Tracing on GPU with BVH-based Packet Traversal", RT 2007.
// Where we differ: a node has four children, and children behind all hits are dropped together, as in
// ray_packets.cuh. If the stack is full, the lanes go on alone.

#include "trace/batch/cuda/packet_stack.cuh"
#include "trace/batch/cuda/thread_per_ray.cuh"

namespace copse::cuda::detail {

using copse::detail::ChildTags;
using copse::detail::no_key;

/// The planes of a node in shared memory, and how the lanes of a warp put them there:
///
///   floats  0 to 15   lo x, lo y, lo z of slots 0 to 3, then four unused
///   floats 16 to 31   hi, the same
///
/// So the planes that a ray meets first and last are 64 bytes apart along each axis: one bit of the address.
class SharedPlanes {
 public:
  static constexpr u32 floats = 32;

  /// `planes`: room for the warp, at a multiple of 128 bytes.
  __device__ SharedPlanes(float* planes, const vec3& scale) {
    const u32 lane = lane_id();
    const u32 base = u32(__cvta_generic_to_shared(planes));
    own_ = base + (lane / 12 * 16 + lane % 12) * sizeof(float);
    near_x_ = base + (scale.x < 0 ? 64 : 0);
    near_y_ = base + (scale.y < 0 ? 64 : 0);
    near_z_ = base + (scale.z < 0 ? 64 : 0);
    // Otherwise the compiler computes the addresses again in every step.
    asm volatile("" : "+r"(own_), "+r"(near_x_), "+r"(near_y_), "+r"(near_z_));
  }

  /// `word`: lane k has word k of the node, or word k - 16.
  [[gnu::always_inline]] __device__ void decode(u32 word) const {
    const u32 lane = lane_id(), axis = lane / 4 % 3;
    const u32 origin = __shfl_sync(all_lanes, word, int(axis));
    const u32 exponents = __shfl_sync(all_lanes, word, 3);
    const u32 bytes = __shfl_sync(all_lanes, word, int(9 + lane / 4));
    const u32 steps = __byte_perm(bytes, 0, 0x4440 | lane % 4);
    const float step = __uint_as_float(__byte_perm(exponents, 0, 0x4440 | axis) << 23);
    const float plane = fmaf(float(steps), step, __uint_as_float(origin));
    __syncwarp();  // until no lane reads the previous planes
    if (lane < 24) asm volatile("st.shared.f32 [%0], %1;" ::"r"(own_), "f"(plane) : "memory");
    __syncwarp();
  }

  [[gnu::always_inline]] __device__ void find_spans(const RaySlabs& ray, BoxSpan (&spans)[4]) const {
    const float4 near_x = load<0>(near_x_), near_y = load<16>(near_y_), near_z = load<32>(near_z_);
    const float4 far_x = load<0>(near_x_ ^ 64), far_y = load<16>(near_y_ ^ 64), far_z = load<32>(near_z_ ^ 64);
    spans[0] = intersect_planes(ray, vec3(near_x.x, near_y.x, near_z.x), vec3(far_x.x, far_y.x, far_z.x));
    spans[1] = intersect_planes(ray, vec3(near_x.y, near_y.y, near_z.y), vec3(far_x.y, far_y.y, far_z.y));
    spans[2] = intersect_planes(ray, vec3(near_x.z, near_y.z, near_z.z), vec3(far_x.z, far_y.z, far_z.z));
    spans[3] = intersect_planes(ray, vec3(near_x.w, near_y.w, near_z.w), vec3(far_x.w, far_y.w, far_z.w));
  }

 private:
  template <u32 offset>
  [[gnu::always_inline]] __device__ static float4 load(u32 address) {
    float4 four;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4 + %5];"
                 : "=f"(four.x), "=f"(four.y), "=f"(four.z), "=f"(four.w)
                 : "r"(address), "n"(offset)
                 : "memory");
    return four;
  }

  u32 own_, near_x_, near_y_, near_z_;
};

/// The traversal of a warp. All lanes call all members together. All state is the same in all lanes, except that of
/// the lane's own ray.
template <class Query>
class WidePacketWalk {
 public:
  using Test = typename Query::template Test<Robustness::fast>;

  /// `planes`: as SharedPlanes takes them.
  [[gnu::always_inline]] __device__ WidePacketWalk(const Query& query, const Ray& ray, u32 i,
                                                   const PreparedRay& prepared, float* planes)
      : query_(query),
        test_(query.template test<Robustness::fast>(ray, i)),
        slabs_(prepared.slabs),
        planes_(planes, prepared.slabs.scale),
        limit_(ray.t_max),
        box_limit_(prepared.enters ? prepared.box_limit : never),
        last_(last_of_warp()),
        at_(query.tree.root()) {
    test_.gives_up = prepared.gives_up;
  }

  /// Traverses for all lanes together. False if the stack was full.
  [[gnu::always_inline]] __device__ bool run() {
    for (;;) {
      while (at_.count == 0) {
        const Next next = step();
        if (next != Next::child) return next == Next::end;
      }
      test_leaf();
      if (!stack_.pop(last_, at_)) return true;
    }
  }

  /// After the stack was full: each lane traverses again alone, up to the closest hit that it has found.
  [[gnu::always_inline]] __device__ void run_alone() {
    StackEntry entries[fast_stack_size];
    FastWalk<Query> walk(query_.tree, entries);
    walk.begin(PreparedRay{slabs_, limit_, box_limit_, box_limit_ != never, false});
    NoCounter counter;
    while (!walk.is_done()) {
      walk.template take_steps<steps_between_leaves<Query>>(counter);
      if (walk.is_at_leaf()) walk.test_leaf(test_, counter);
    }
    limit_ = walk.limit();
    test_.gives_up = test_.gives_up || walk.gives_up();
  }

  /// Of this lane's ray.
  __device__ bool gives_up() const { return test_.gives_up; }
  [[gnu::always_inline]] __device__ typename Query::Result result(u32 i) const {
    return query_.result(test_, limit_, i);
  }

 private:
  enum class Next { child, end, full };

  static constexpr float never = -1;  // no box is entered before it

  [[gnu::always_inline]] __device__ Next pop() { return stack_.pop(last_, at_) ? Next::child : Next::end; }

  /// The key of the time after which no ray enters a box. For keys see wide_walk.h.
  [[gnu::always_inline]] __device__ i32 last_of_warp() const {
    return warp_max(all_lanes, __float_as_int(box_limit_) | 255);
  }

  /// Goes to a child of an inner node that any lane enters, or to the latest child on the stack.
  [[gnu::always_inline]] __device__ Next step() {
    if (at_.is_nothing()) return pop();  // an empty slot
    const u32 word = reinterpret_cast<const u32*>(query_.tree.nodes + at_.first)[lane_id() % 16];
    planes_.decode(word);
    const u32 tags = __shfl_sync(all_lanes, word, 8) | ChildTags<CompressedBvh4Node>::slots;
    BoxSpan spans[4];
    planes_.find_spans(slabs_, spans);
    // The earliest ray that enters a child decides about its place in the order.
    u32 keys[4];
#pragma unroll
    for (u32 slot = 0; slot < 4; ++slot) {
      const u32 key = pick_bytes(copse::detail::entry_key(spans[slot]), tags, 0x3214u + slot);
      const bool enters = spans[slot].entry <= min_number(spans[slot].exit, box_limit_);
      keys[slot] = u32(warp_min(all_lanes, i32(enters ? key : no_key)));
    }
    copse::detail::sort_keys(keys);
    if (keys[0] == no_key) return pop();
    const u32 count = (keys[1] != no_key) + (keys[2] != no_key) + (keys[3] != no_key);
    if (!stack_.has_room(count)) return Next::full;
    const u32 order = stack_.order_of_lane(count);
    const u32 key = order == 0 ? keys[1] : order == 1 ? keys[2] : keys[3];
    stack_.push(count, child_of(word, key), i32(key));
    at_ = child_of(word, keys[0]);
    return Next::child;
  }

  /// The child that a key names. `word`: as SharedPlanes::decode takes it.
  [[gnu::always_inline]] __device__ static WideChild child_of(u32 word, u32 key) {
    using Tags = ChildTags<CompressedBvh4Node>;
    const u32 slot = (key & 255) >> Tags::slot_shift;
    return {__shfl_sync(all_lanes, word, int(4 + slot)), key & Tags::count_mask};
  }

  [[gnu::always_inline]] __device__ void test_leaf() {
    if (box_limit_ != never) {
      const float before = limit_;
      for (u32 place = at_.first, last = place + at_.count; place != last; ++place) {
        u32 which = place;
        if constexpr (!Test::takes_places) which = query_.tree.primitive_ids[place];
        test_(which, limit_);
      }
      if (limit_ != before) box_limit_ = copse::detail::common_range_box_limit(slabs_, limit_);
    }
    last_ = last_of_warp();
  }

  const Query& query_;
  Test test_;
  RaySlabs slabs_;
  SharedPlanes planes_;
  float limit_, box_limit_;
  i32 last_;
  WideChild at_;
  PacketStack stack_;
};

/// Packets for closest hits. They have no test that ends a ray at its first hit.
template <class Query>
struct WidePackets {
  static constexpr TraceKernel kernel = TraceKernel::packets;
  static constexpr u32 blocks = 8;  // 64 registers per thread

  [[gnu::always_inline]] __device__ static bool trace(const Query& query, const Ray& ray, u32 i,
                                                      const PreparedRay& prepared,
                                                      typename Query::Result& result) {
    __shared__ alignas(128) float planes[ray_threads / warp_size][SharedPlanes::floats];
    WidePacketWalk<Query> walk(query, ray, i, prepared, planes[threadIdx.x / warp_size]);
    if (!walk.run()) walk.run_alone();
    if (!walk.gives_up()) result = walk.result(i);
    return !walk.gives_up();
  }
};

}  // namespace copse::cuda::detail
