// Makes the records and the boxes of instances: see scene/build/instance_box.h.

#include "accel/accel_view.h"
#include "scene/build/instance_box.h"

namespace copse::detail {

namespace {

/// Lets rays through an instance begin at the root of its accel, in a tree with these bounds.
COPSE_HD void begin_in(const AccelView& accel, const Aabb& bounds, PlacedInstance& instance) {
  instance.node = 0;
  instance.farthest = TreeReach::of(bounds).farthest;
  instance.nodes = accel.tree.nodes.data();
  instance.triangles = accel.triangles.data();
  instance.masks = accel.masks;
}

struct PlaceInstance {
  InstanceView instances;
  BufferSpan<const AccelView> accels;
  PlacedInstance* placed;
  Aabb* boxes;

  COPSE_HD void operator()(u64 i) const {
    const Affine affine = Affine::of(instances.transforms.at(i));
    PlacedInstance instance{};
    instance.number = u32(i);
    instance.accel = instances.accels.at(i, 0);
    instance.mask = instances.masks.at(i, ~u32{0});
    instance.id = instances.ids.at(i, u32(i));
    instance.flags = InstanceFlags(instances.flags.at(i, 0));
    Aabb box = Aabb::empty();
    if (instance.accel < accels.size() && affine.store_inverse(instance.rows)) {
      const AccelView& accel = accels.data()[instance.accel];
      const Aabb bounds = tree_of(accel.tree).bounds();
      begin_in(accel, bounds, instance);
      box = box_in_scene(affine, accel.tree.nodes.data(), bounds);
    }
    instance.lo = box.lo;
    instance.hi = box.hi;
    boxes[i] = box;
    placed[i] = instance;
  }
};

}  // namespace

template <class Executor>
void place_instances(const Executor& ex, const InstanceView& instances, BufferSpan<const AccelView> accels,
                     PlacedInstance* placed, Aabb* boxes) {
  for_each(ex, "scene: place instances", instances.size(), PlaceInstance{instances, accels, placed, boxes});
}

template void place_instances(const BodyExecutor&, const InstanceView&, BufferSpan<const AccelView>,
                              PlacedInstance*, Aabb*);

}  // namespace copse::detail
