// Makes the records and the boxes of instances: see scene/build/instance_box.h.

#include "scene/build/instance_box.h"

namespace copse::detail {

namespace {

struct PlaceInstance {
  InstanceView instances;
  BufferSpan<const AccelView> accels;
  PlacedInstance* placed;
  Aabb* boxes;

  COPSE_HD void operator()(u64 i) const {
    const Affine affine = Affine::of(instances.transforms.at(i));
    PlacedInstance instance;
    instance.translation =
        vec3(float(affine.translation.x), float(affine.translation.y), float(affine.translation.z));
    instance.accel = instances.accels.at(i, 0);
    instance.mask = instances.masks.at(i, ~u32{0});
    instance.id = instances.ids.at(i, u32(i));
    instance.flags = InstanceFlags(instances.flags.at(i, 0));
    const bool can_be_hit = affine.invert(instance.inverse) && instance.accel < accels.size();
    boxes[i] = can_be_hit ? box_in_scene(affine, accels.data()[instance.accel].tree) : Aabb::empty();
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
