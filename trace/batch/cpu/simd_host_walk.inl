// The traversal of a single ray: four children of a node at once, then four triangles of a leaf at once.

#if defined(COPSE_TRACE_CPU_SIMD_HOST_WALK) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_HOST_WALK
#undef COPSE_TRACE_CPU_SIMD_HOST_WALK
#else
#define COPSE_TRACE_CPU_SIMD_HOST_WALK
#endif

#include "trace/batch/cpu/simd_blocks.inl"
#include "trace/batch/cpu/simd_host_ray.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

/// Loads one corner of four contiguous triangles, with the axes of the shear exchanged. Returns the words behind the
/// corners.
HWY_INLINE Four load_corner_of_four(const PackedTriangle* first, u32 corner, u32 axis, Four (&out)[3]) {
  const FourLanes d;
  const FourWords du;
  const hn::Repartition<double, FourLanes> pairs;
  const float* at = &first->a.x + 4 * corner;
  const Four rows[4] = {hn::Load(d, at), hn::Load(d, at + 12), hn::Load(d, at + 24), hn::Load(d, at + 36)};
  const auto xy01 = hn::BitCast(pairs, hn::InterleaveLower(d, rows[0], rows[1]));
  const auto xy23 = hn::BitCast(pairs, hn::InterleaveLower(d, rows[2], rows[3]));
  const auto zw01 = hn::BitCast(pairs, hn::InterleaveUpper(d, rows[0], rows[1]));
  const auto zw23 = hn::BitCast(pairs, hn::InterleaveUpper(d, rows[2], rows[3]));
  const Four x = hn::BitCast(d, hn::InterleaveLower(pairs, xy01, xy23));
  const Four y = hn::BitCast(d, hn::InterleaveUpper(pairs, xy01, xy23));
  const Four z = hn::BitCast(d, hn::InterleaveLower(pairs, zw01, zw23));
  const auto axes = hn::Set(du, axis);
  const auto is_x = hn::RebindMask(d, hn::Eq(axes, hn::Zero(du)));
  const auto is_y = hn::RebindMask(d, hn::Eq(axes, hn::Set(du, 1)));
  out[0] = hn::IfThenElse(is_x, z, x), out[1] = hn::IfThenElse(is_y, z, y);
  out[2] = hn::IfThenElse(is_x, x, hn::IfThenElse(is_y, y, z));
  return hn::BitCast(d, hn::InterleaveUpper(pairs, zw01, zw23));
}

/// The closest hit so far: the smallest (t, primitive id).
struct HostClosest {
  UndividedHit hit{0, 0, 0, 1};
  float limit;  // its t, or the ray's t_max
  u32 place = invalid_id;

  /// Keeps a hit if it is before the closest one so far. Returns whether it is.
  HWY_INLINE bool keep(const PackedTriangle* packed, const UndividedHit& found, u32 at) {
    if (found.t > limit) return false;
    if (found.t == limit && place != invalid_id && packed[at].primitive >= packed[place].primitive) return false;
    hit = found, place = at, limit = found.t;
    return true;
  }
};

/// Traverses a tree over at least four packed triangles for one ray. Code that is rarely needed is in functions that
/// do not see the object, so that its members stay in registers.
class HostWalk {
  using Node = CompressedBvh4Node;

 public:
  HWY_INLINE HostWalk(const CompressedBvh4View& tree, const copse::MaskedPackedTriangles& triangles,
                      const Ray& ray)
      : nodes_(tree.nodes.data()),
        packed_(triangles.triangles.data()),
        last_(u32(triangles.triangles.size()) - 4),
        sees_all_(triangles.masks.masks == nullptr && triangles.ray_mask != 0 && triangles.cull == Cull::none),
        triangles_(triangles),
        ray_(ray) {
    closest_.limit = ray.t_max;
  }

  /// Finds the closest hit below a node. Returns false if it gives up: because of the ray's numbers, or because the
  /// tree is too deep for the stack.
  HWY_INLINE bool find_closest(u32 top_node) {
    if (!prepared_.prepare(ray_, nodes_[0])) return false;
    Waiting stack[stack_size];
    Waiting* top = stack;
    WideChild at{top_node, 0};
    do {
      if (at.is_leaf()) {
        if (test_leaf(at)) prepared_.box_limit = prepared_.limit_of_boxes(closest_.limit);
      } else {
        if (top > stack + stack_size - Node::width) return false;
        at = visit(nodes_[at.first], top);
        if (!at.is_nothing()) continue;
      }
      at = pop(stack, top);
    } while (!at.is_nothing());
    return true;
  }

  /// Finds any hit below a node, in no particular order. Returns false if it gives up.
  HWY_INLINE bool find_any(u32 top_node) {
    if (!prepared_.prepare(ray_, nodes_[0])) return false;
    u32 waiting[stack_size], top = 0;
    for (u32 node = top_node;; node = waiting[--top]) {
      if (top + Node::width > stack_size) return false;
      u32 leaves = push_inner(nodes_[node], waiting, top);
      for (; leaves != 0; leaves &= leaves - 1) {
        if (test_leaf(nodes_[node].child(lowest_bit(leaves)))) return true;
      }
      if (top == 0) return true;
    }
  }

  HWY_INLINE bool has_hit() const { return closest_.place != invalid_id; }

  HWY_INLINE Hit hit() const {
    if (!has_hit()) return {ray_.t_max, invalid_id, invalid_id, 0, 0};
    const TriangleHit found = closest_.hit.divided();
    const PackedTriangle& triangle = packed_[closest_.place];
    return {found.t, triangle.local_id, triangle.geometry, found.u, found.v};
  }

 private:
  static constexpr u32 stack_size = 256;

  /// A child on the stack, and the time at which the ray enters it, as the bits of a float without its lowest two.
  struct Waiting {
    WideChild child;
    u32 entry;
  };

  HWY_INLINE static void order(u32& near, u32& far) {
    const u32 lower = smaller(near, far);
    far = larger(near, far), near = lower;
  }

  /// Prefetches the contents of a node's children, while the boxes are tested.
  HWY_INLINE void prefetch(const Node& node) const {
    for (u32 slot = 0; slot < Node::width; ++slot) {
      const u32 first = node.first[slot];
      const auto* inner = reinterpret_cast<const char*>(nodes_ + first);
      const auto* leaf = reinterpret_cast<const char*>(packed_ + first);
      prefetch_line(node.count[slot] != 0 ? leaf : inner);
    }
  }

  HWY_INLINE static void push(const Node& node, u32 key, Waiting*& top) {
    *top++ = {node.child(key & 3), key & ~3u};
  }

  /// Returns the child that the ray enters first, or nothing. Pushes the others, with the nearest on top.
  HWY_INLINE WideChild visit(const Node& node, Waiting*& top) const {
    [[maybe_unused]] const FourLanes d;
    const FourWords du;
    prefetch(node);
    Four entry;
    const u32 entered = enter_children(node, prepared_, entry);
    if (entered == 0) return WideChild::nothing();
    if ((entered & (entered - 1)) == 0) return node.child(lowest_bit(entered));
    const auto slots = hn::Iota(du, 0);
    alignas(16) u32 keys[4];
    hn::Store(hn::Or(hn::AndNot(hn::Set(du, 3), hn::BitCast(du, entry)), slots), du, keys);
    if (population_count(entered) == 2) {
      u32 near = keys[lowest_bit(entered)], far = keys[highest_bit(entered)];
      order(near, far);
      push(node, far, top);
      return node.child(near & 3);
    }
    for (u32 slot = 0; slot < 4; ++slot) keys[slot] |= (entered >> slot & 1) - 1;  // all ones if it is missed
    order(keys[0], keys[1]), order(keys[2], keys[3]);
    order(keys[0], keys[2]), order(keys[1], keys[3]);
    order(keys[1], keys[2]);
    if (entered == 15) push(node, keys[3], top);
    push(node, keys[2], top), push(node, keys[1], top);
    return node.child(keys[0] & 3);
  }

  /// Takes the latest child that the ray enters within its limit. Returns nothing if there is none.
  HWY_INLINE WideChild pop(const Waiting* stack, Waiting*& top) const {
    while (top != stack) {
      const Waiting& last = *--top;
      if (float_from_bits(last.entry) <= prepared_.box_limit && !last.child.is_nothing()) return last.child;
    }
    return WideChild::nothing();
  }

  /// Pushes the inner children that the ray enters. Returns bits of the leaves that it enters. No branch depends on
  /// which children these are. Children on the far side are on top, as an occluder is found early there
  /// (trace/walk/unordered_walk.h).
  HWY_INLINE u32 push_inner(const Node& node, u32* waiting, u32& top) const {
    const FourWords du;
    const hn::Rebind<u8, FourWords> d8;
    Four entry;
    const u32 entered = enter_children(node, prepared_, entry);
    const auto counts = hn::PromoteTo(du, hn::LoadU(d8, node.count));
    const u32 leaves = bits_of_mask(du, hn::Ne(counts, hn::Zero(du)));
    const u32 nothing = bits_of_mask(du, hn::Eq(hn::Load(du, node.first), hn::Set(du, invalid_id)));
    const u32 inner = entered & ~leaves & ~nothing, flip = prepared_.is_backward_mainly ? 3 : 0;
    for (u32 k = 0; k < 4; ++k) {
      const u32 slot = k ^ flip;
      waiting[top] = node.first[slot];
      top += inner >> slot & 1;
    }
    return entered & leaves;
  }

  /// Tests the triangles of a leaf. Returns whether one of them is the closest so far.
  HWY_INLINE bool test_leaf(WideChild leaf) {
    bool found = test_four(leaf);
    while (HWY_UNLIKELY(leaf.count > 4)) {
      leaf = {leaf.first + 4, leaf.count - 4};
      found |= test_four(leaf);
    }
    return found;
  }

  /// Tests the first four triangles of a leaf. At the end of the array it also reads the triangles before the leaf.
  HWY_INLINE bool test_four(WideChild leaf) {
    const u32 begin = smaller(leaf.first, last_);
    u32 there = block_bits >> (4 - smaller(leaf.count, 4u)) << (leaf.first - begin);
    if (HWY_UNLIKELY(!sees_all_)) there = seen(triangles_, begin, there);
    Corners<FourLanes> corners;
    load_corner_of_four(packed_ + begin, 0, prepared_.axis, corners.a);
    load_corner_of_four(packed_ + begin, 1, prepared_.axis, corners.b);
    load_corner_of_four(packed_ + begin, 2, prepared_.axis, corners.c);
    Shears<FourLanes> shears = prepared_.shears;
    shears.limit = hn::Set(FourLanes(), closest_.limit);
    const TriangleAnswer<FourLanes> answer = intersect(FourLanes(), shears, corners, there);
    bool found = false;
    if (HWY_UNLIKELY(answer.hits != 0)) found = keep_hits(answer, begin);
    if (HWY_UNLIKELY(answer.unknown != 0)) {
      const float before = closest_.limit;
      const u32 place = closest_.place;
      closest_ = test_unknown(packed_, ray_, answer.unknown, begin, closest_);
      found |= closest_.limit != before || closest_.place != place;
    }
    return found;
  }

  HWY_INLINE bool keep_hits(const TriangleAnswer<FourLanes>& answer, u32 begin) {
    const FourFloats t(answer.t), v(answer.v), w(answer.w), inverse(answer.inverse);
    bool found = false;
    for (u32 hits = answer.hits; hits != 0; hits &= hits - 1) {
      const u32 i = lowest_bit(hits);
      found |= closest_.keep(packed_, {t.of[i], v.of[i], w.of[i], inverse.of[i]}, begin + i);
    }
    return found;
  }

  /// Tests triangles that the float test could not decide. Returns the new closest hit.
  HWY_NOINLINE static HostClosest test_unknown(const PackedTriangle* packed, const Ray& ray, u32 unknown,
                                               u32 begin, HostClosest closest) {
    const RayShear shear = make_shear(ray);
    for (; unknown != 0; unknown &= unknown - 1) {
      const u32 at = begin + lowest_bit(unknown);
      UndividedHit hit;
      if (intersect_triangle(shear, packed[at].triangle(), ray.t_min, closest.limit, hit)) {
        closest.keep(packed, hit, at);
      }
    }
    return closest;
  }

  /// Returns bits of those of four triangles that the ray sees.
  HWY_NOINLINE static u32 seen(const copse::MaskedPackedTriangles& triangles, u32 begin, u32 there) {
    const auto tests = triangles.for_leaf_tests();
    u32 seen = 0;
    for (; there != 0; there &= there - 1) {
      const u32 i = lowest_bit(there);
      seen |= u32(tests.sees(begin + i)) << i;
    }
    return seen;
  }

  const Node* nodes_;
  const PackedTriangle* packed_;
  const u32 last_;
  const bool sees_all_;
  const copse::MaskedPackedTriangles& triangles_;
  const Ray& ray_;
  HostRay prepared_;
  HostClosest closest_;
};

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
