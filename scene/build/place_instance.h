#pragma once

// The record of an instance, and its box in the scene: see scene/build/instance_box.h.

#include "accel/accel_view.h"
#include "scene/build/instance_box.h"

namespace copse::detail {

/// Sets the node of an accel, in a tree with these bounds, at which rays through an instance begin.
COPSE_HD inline void begin_in(const AccelView& accel, const Aabb& bounds, u32 node, PlacedInstance& instance) {
  instance.node = node;
  instance.farthest = TreeReach::of(bounds).farthest;
  instance.nodes = accel.tree.nodes.data();
  instance.triangles = accel.triangles.data();
  instance.masks = accel.masks;
}

/// Reads a transform of twelve numbers, by loads of 16 bytes if it is aligned to them.
COPSE_HD inline Affine affine_at(const TransformSpan& transforms, u64 i) {
  float numbers[12];
  if ((reinterpret_cast<u64>(transforms.data) | transforms.stride_bytes) % sizeof(Quad) == 0) {
    const auto* quads = reinterpret_cast<const Quad*>(transforms.at(i));
#pragma unroll
    for (u32 row = 0; row < 3; ++row) {
      const Quad quad = quads[row];
#pragma unroll
      for (u32 k = 0; k < 4; ++k) numbers[4 * row + k] = float_from_bits(quad.words[k]);
    }
  } else {
#pragma unroll
    for (u32 k = 0; k < 12; ++k) numbers[k] = transforms.at(i)[k];
  }
  return Affine::of(numbers);
}

/// Makes the record of instance i, with the root of its accel as the first node. Its box is empty if no ray can hit
/// it.
COPSE_HD inline PlacedInstance place_instance(const InstanceView& instances, BufferSpan<const AccelView> accels,
                                              u32 accel, u64 i) {
  const Affine affine = affine_at(instances.transforms, i);
  PlacedInstance instance{};
  instance.number = u32(i);
  instance.accel = accel;
  instance.mask = instances.masks.at(i, ~u32{0});
  instance.id = instances.ids.at(i, u32(i));
  instance.flags = InstanceFlags(instances.flags.at(i, 0));
  Aabb box = Aabb::empty();
  if (accel < accels.size() && affine.store_inverse(instance.rows)) {
    const AccelView& of_mesh = accels.data()[accel];
    const Aabb bounds = tree_of(of_mesh.tree).bounds();
    begin_in(of_mesh, bounds, 0, instance);
    box = box_in_scene(affine, of_mesh.tree.nodes.data(), bounds);
  }
  instance.lo = box.lo;
  instance.hi = box.hi;
  return instance;
}

}  // namespace copse::detail
