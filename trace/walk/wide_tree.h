#pragma once

// Wide trees as traversals see them. A step is the same for all layouts: it computes the spans of all children, sorts
// their keys by a sorting network, and pushes the farther children on the stack. Only the way to read the planes of a
// node depends on the layout. The boxes of compressed nodes are not decoded: multiplied with the ray's scale, the
// grid's steps become times.

#include <type_traits>

#include "builders/bvh/wide_node.h"
#include "builders/geometry/quad.h"
#include "trace/hit/prepared_ray.h"

namespace copse::detail {

COPSE_HD inline u32 pick(const Quad& quad, u32 slot) {
  const u32 low = slot & 1 ? quad.words[1] : quad.words[0];
  const u32 high = slot & 1 ? quad.words[3] : quad.words[2];
  return slot & 2 ? high : low;
}

COPSE_HD inline u32 byte_of(u32 word, u32 byte) {
  return word >> (8 * byte) & 255u;
}

/// The children of a node in full precision. The planes that the ray meets first are chosen by their address.
class Bvh4Reader {
 public:
  COPSE_HD Bvh4Reader(const Bvh4Node* node, const RaySlabs& ray) : quads_(reinterpret_cast<const Quad*>(node)) {
    const u32 x = ray.scale.x < 0 ? 3 : 0, y = ray.scale.y < 0 ? 3 : 0, z = ray.scale.z < 0 ? 3 : 0;
    near_[0] = quads_[x], near_[1] = quads_[1 + y], near_[2] = quads_[2 + z];
    far_[0] = quads_[3 - x], far_[1] = quads_[4 - y], far_[2] = quads_[5 - z];
    first_ = quads_[6];
  }

  COPSE_HD bool exists(u32 slot) const { return first_.words[slot] != invalid_id; }
  COPSE_HD BoxSpan span(const RaySlabs& ray, u32 slot) const {
    return intersect_planes(ray, point(near_, slot), point(far_, slot));
  }
  COPSE_HD WideChild child(u32 slot) const { return {pick(first_, slot), pick(quads_[7], slot)}; }

 private:
  COPSE_HD static vec3 point(const Quad (&planes)[3], u32 slot) {
    return vec3(float_from_bits(planes[0].words[slot]), float_from_bits(planes[1].words[slot]),
                float_from_bits(planes[2].words[slot]));
  }

  const Quad* quads_;
  Quad near_[3], far_[3], first_;
};

/// One axis of a grid, in the units of boxes. The ray meets a plane q steps from the origin at
/// base + one_and_byte(q) * step.
struct GridAxis {
  float near_base, far_base, step;

  /// The bases are 2^15 steps too low, as one_and_byte adds 2^15 steps again. That rounds them by up to 3 * 2^-9 of a
  /// step. Near and far bases are moved apart by more. The growth of the slabs covers the rounding of the grid's own
  /// coordinates.
  COPSE_HD GridAxis(float origin, u32 exponent, float ray_origin, float scale, float near_offset,
                    float far_offset) {
    constexpr float more = 32768.0f + 1.0f / 128, less = 32768.0f - 1.0f / 128;
    const bool backwards = scale < 0;
    step = mul_rn(float_from_bits(exponent << 23), scale);
    near_base = multiply_add(step, backwards ? -less : -more, plane_time(origin, ray_origin, scale, near_offset));
    far_base = multiply_add(step, backwards ? -more : -less, plane_time(origin, ray_origin, scale, far_offset));
    step = mul_rn(step, 32768.0f);
  }
};

struct Grid {
  GridAxis x, y, z;

  /// `exponents`: of x, y and z, in the lowest bytes.
  COPSE_HD Grid(const Quad& origin, u32 exponents, const RaySlabs& ray)
      : x(float_from_bits(origin.words[0]), byte_of(exponents, 0), ray.origin.x, ray.scale.x, ray.near_offset.x,
          ray.far_offset.x),
        y(float_from_bits(origin.words[1]), byte_of(exponents, 1), ray.origin.y, ray.scale.y, ray.near_offset.y,
          ray.far_offset.y),
        z(float_from_bits(origin.words[2]), byte_of(exponents, 2), ray.origin.z, ray.scale.z, ray.near_offset.z,
          ray.far_offset.z) {}

  /// The span of one child. Each word has the planes of four children; `byte` is that of the child.
  COPSE_HD BoxSpan span(u32 near_x, u32 far_x, u32 near_y, u32 far_y, u32 near_z, u32 far_z, u32 byte) const {
    return {largest_or_zero(multiply_add(one_and_byte(near_x, byte), x.step, x.near_base),
                            multiply_add(one_and_byte(near_y, byte), y.step, y.near_base),
                            multiply_add(one_and_byte(near_z, byte), z.step, z.near_base)),
            mul_rn(smallest_or_negative(multiply_add(one_and_byte(far_x, byte), x.step, x.far_base),
                                        multiply_add(one_and_byte(far_y, byte), y.step, y.far_base),
                                        multiply_add(one_and_byte(far_z, byte), z.step, z.far_base)),
                   slab_growth)};
  }
};

/// The planes of four children, a byte each, sorted into those that the ray meets first and last.
struct PlaneBytes {
  u32 near_x, far_x, near_y, far_y, near_z, far_z;

  COPSE_HD PlaneBytes(const RaySlabs& ray, u32 lo_x, u32 lo_y, u32 lo_z, u32 hi_x, u32 hi_y, u32 hi_z) {
    const bool x = ray.scale.x < 0, y = ray.scale.y < 0, z = ray.scale.z < 0;
    near_x = x ? hi_x : lo_x, far_x = x ? lo_x : hi_x;
    near_y = y ? hi_y : lo_y, far_y = y ? lo_y : hi_y;
    near_z = z ? hi_z : lo_z, far_z = z ? lo_z : hi_z;
  }
  COPSE_HD BoxSpan span(const Grid& grid, u32 byte) const {
    return grid.span(near_x, far_x, near_y, far_y, near_z, far_z, byte);
  }
};

/// The children of a node of 64 bytes:
///   quad 0   origin x, y, z                exponents
///   quad 1   first of slots 0 to 3
///   quad 2   counts         lo x           lo y           lo z
///   quad 3   hi x           hi y           hi z
class CompressedBvh4Reader {
 public:
  COPSE_HD CompressedBvh4Reader(const CompressedBvh4Node* node, const RaySlabs& ray)
      : CompressedBvh4Reader(*reinterpret_cast<const Quad*>(node), reinterpret_cast<const Quad*>(node)[1],
                             reinterpret_cast<const Quad*>(node)[2], reinterpret_cast<const Quad*>(node)[3], ray) {
  }

  COPSE_HD bool exists(u32 slot) const { return first_.words[slot] != invalid_id; }
  COPSE_HD BoxSpan span(const RaySlabs&, u32 slot) const { return planes_.span(grid_, slot); }
  COPSE_HD WideChild child(u32 slot) const { return {pick(first_, slot), byte_of(counts_, slot)}; }

 private:
  COPSE_HD CompressedBvh4Reader(const Quad& origin, const Quad& first, const Quad& lo, const Quad& hi,
                                const RaySlabs& ray)
      : grid_(origin, origin.words[3], ray),
        planes_(ray, lo.words[1], lo.words[2], lo.words[3], hi.words[0], hi.words[1], hi.words[2]),
        first_(first),
        counts_(lo.words[0]) {}

  Grid grid_;
  PlaneBytes planes_;
  Quad first_;
  u32 counts_;
};

/// The children of a node of 80 bytes:
///   quad 0   origin x, y, z                               exponents and inner_mask
///   quad 1   first_child    first_primitive    meta of slots 0 to 3, of slots 4 to 7
///   quad 2   lo x of slots 0 to 3, 4 to 7      lo y, the same
///   quad 3   lo z           hi x
///   quad 4   hi y           hi z
class CompressedBvh8Reader {
 public:
  COPSE_HD CompressedBvh8Reader(const CompressedBvh8Node* node, const RaySlabs& ray)
      : CompressedBvh8Reader(*reinterpret_cast<const Quad*>(node), reinterpret_cast<const Quad*>(node)[1],
                             reinterpret_cast<const Quad*>(node)[2], reinterpret_cast<const Quad*>(node)[3],
                             reinterpret_cast<const Quad*>(node)[4], ray) {}

  COPSE_HD bool exists(u32 slot) const { return byte_of(slot < 4 ? low_meta_ : high_meta_, slot & 3) != 0; }
  COPSE_HD BoxSpan span(const RaySlabs&, u32 slot) const {
    return slot < 4 ? low_planes_.span(grid_, slot) : high_planes_.span(grid_, slot - 4);
  }
  COPSE_HD WideChild child(u32 slot) const {
    const u32 meta = byte_of(slot & 4 ? high_meta_ : low_meta_, slot & 3);
    if (inner_mask_ >> slot & 1) return {first_child_ + population_count(inner_mask_ & ((1u << slot) - 1)), 0};
    return {first_primitive_ + (meta & 31u), population_count(meta >> 5)};
  }

 private:
  COPSE_HD CompressedBvh8Reader(const Quad& origin, const Quad& children, const Quad& a, const Quad& b,
                                const Quad& c, const RaySlabs& ray)
      : grid_(origin, origin.words[3], ray),
        low_planes_(ray, a.words[0], a.words[2], b.words[0], b.words[2], c.words[0], c.words[2]),
        high_planes_(ray, a.words[1], a.words[3], b.words[1], b.words[3], c.words[1], c.words[3]),
        inner_mask_(origin.words[3] >> 24),
        first_child_(children.words[0]),
        first_primitive_(children.words[1]),
        low_meta_(children.words[2]),
        high_meta_(children.words[3]) {}

  Grid grid_;
  PlaneBytes low_planes_, high_planes_;
  u32 inner_mask_, first_child_, first_primitive_, low_meta_, high_meta_;
};

template <class Node>
struct WideReader;
template <>
struct WideReader<Bvh4Node> {
  using type = Bvh4Reader;
};
template <>
struct WideReader<CompressedBvh4Node> {
  using type = CompressedBvh4Reader;
};
template <>
struct WideReader<CompressedBvh8Node> {
  using type = CompressedBvh8Reader;
};

/// Sort key of a child: the lowest key is visited first. It is the time at which the box is entered. The stack stores
/// this time anyway, and saving four sums gains more than the better order of binary trees (middle_key).
COPSE_HD inline u32 entry_key(const BoxSpan& span) {
  return bits_of(span.entry);
}

/// The key of a child that the ray misses. It is behind all others, as their sign bits are 0.
inline constexpr u32 no_key = 0x7fffffffu;

COPSE_HD inline void order_pair(u32& a, u32& b) {
  const u32 least = smaller(a, b);
  b = larger(a, b);
  a = least;
}

/// Batcher's merge exchange networks: 5 and 19 comparisons.
COPSE_HD inline void sort_keys(u32 (&k)[4]) {
  order_pair(k[0], k[1]), order_pair(k[2], k[3]);
  order_pair(k[0], k[2]), order_pair(k[1], k[3]);
  order_pair(k[1], k[2]);
}
COPSE_HD inline void sort_keys(u32 (&k)[8]) {
  order_pair(k[0], k[1]), order_pair(k[2], k[3]), order_pair(k[4], k[5]), order_pair(k[6], k[7]);
  order_pair(k[0], k[2]), order_pair(k[1], k[3]), order_pair(k[4], k[6]), order_pair(k[5], k[7]);
  order_pair(k[1], k[2]), order_pair(k[5], k[6]), order_pair(k[0], k[4]), order_pair(k[3], k[7]);
  order_pair(k[1], k[5]), order_pair(k[2], k[6]);
  order_pair(k[1], k[4]), order_pair(k[3], k[6]);
  order_pair(k[2], k[4]), order_pair(k[3], k[5]);
  order_pair(k[3], k[4]);
}

template <class Node>
struct WideTree {
  static constexpr u32 width = Node::width;
  using Reader = typename WideReader<Node>::type;

  const Node* nodes;
  const u32* parents;
  const u32* primitive_ids;

  COPSE_HD explicit WideTree(const WideBvhView<Node>& bvh)
      : nodes(bvh.nodes.data()), parents(bvh.parents.data()), primitive_ids(bvh.primitive_ids.data()) {}

  COPSE_HD Aabb bounds() const {
    Aabb box = Aabb::empty();
    for (u32 slot = 0; slot < width; ++slot) {
      if (!nodes[0].child(slot).is_nothing()) box = merge(box, nodes[0].child_box(slot));
    }
    return box;
  }
  COPSE_HD WideChild root() const { return {0, 0}; }

  /// Sort key of a child: the time at which it is entered, with the slot in the lowest bits. Times within 2^-20 of
  /// each other (2^-21 with four children) count as equal, and the slot decides.
  COPSE_HD static u32 key(const BoxSpan& span, u32 slot) { return (entry_key(span) & ~(width - 1)) | slot; }

  /// Returns the child of a node to visit first, and pushes the others. Returns nothing if the ray misses all.
  template <class Stack>
  [[gnu::always_inline]] COPSE_HD WideChild descend(const RaySlabs& slabs, float limit, u32 node,
                                                    Stack& stack) const {
    const Reader reader(nodes + node, slabs);
    u32 keys[width];
#pragma unroll
    for (u32 slot = 0; slot < width; ++slot) {
      const BoxSpan span = reader.span(slabs, slot);
      keys[slot] = is_within(span, limit) && reader.exists(slot) ? key(span, slot) : no_key;
    }
    sort_keys(keys);
#pragma unroll
    for (u32 k = width - 1; k > 0; --k) {
      if (keys[k] == no_key) continue;
      const WideChild child = reader.child(keys[k] & (width - 1));
      stack.push(child.first, child.count, keys[k]);
    }
    return keys[0] == no_key ? WideChild::nothing() : reader.child(keys[0] & (width - 1));
  }

  // ---- For climbing -----------------------------------------------------------------------------------------

  COPSE_HD WideChild child(u32 node, u32 slot) const {
    return nodes[node].child(slot);
  }
  COPSE_HD BoxSpan span(const RaySlabs& slabs, u32 node, u32 slot) const {
    const Reader reader(nodes + node, slabs);
    BoxSpan span{1, 0};
#pragma unroll
    for (u32 k = 0; k < width; ++k) {
      if (k == slot) span = reader.span(slabs, k);
    }
    return span;
  }
  COPSE_HD static u64 order(const BoxSpan& span, u32 slot) {
    return key(span, slot);
  }

  /// Goes from a node to its parent, and to its slot there. False at the root.
  COPSE_HD bool to_parent(u32& node, u32& slot) const {
    if (node == 0) return false;
    const u32 parent = parents[node];
    for (slot = 0; slot < width - 1; ++slot) {
      const WideChild child = nodes[parent].child(slot);
      if (child.is_inner() && child.first == node) break;
    }
    node = parent;
    return true;
  }
};

template <class Node>
COPSE_HD inline WideTree<Node> tree_of(const WideBvhView<Node>& bvh) {
  return WideTree<Node>(bvh);
}

}  // namespace copse::detail
