// Makes the records and the boxes of instances.

#include "scene/build/place_instance.h"

namespace copse::detail {

namespace {

struct PlaceInstance {
  InstanceView instances;
  BufferSpan<const AccelView> accels;
  PlacedInstance* placed;
  Aabb* boxes;

  COPSE_HD void operator()(u64 i) const {
    const PlacedInstance instance = place_instance(instances, accels, instances.accels.at(i, 0), i);
    boxes[i] = instance.box();
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
