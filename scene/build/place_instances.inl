// Makes the records and the boxes of instances.
//
// The cooperative stage, scene/build/place_instances_cpu.h and scene/build/place_instances.cuh:
//
//   store_placed(ex, label, n, place, placed, boxes)
//     Stores place(i) to placed[i], and its box to boxes[i], for i from 0 to n - 1.

#include "scene/build/place_instance.h"

namespace copse::detail {

namespace {

struct PlaceInstance {
  InstanceView instances;
  BufferSpan<const AccelView> accels;

  COPSE_HD PlacedInstance operator()(u64 i) const {
    return place_instance(instances, accels, instances.accels.at(i, 0), i);
  }
};

}  // namespace

template <class Executor>
void place_instances(const Executor& ex, const InstanceView& instances, BufferSpan<const AccelView> accels,
                     PlacedInstance* placed, Aabb* boxes) {
  store_placed(ex, "scene: place instances", instances.size(), PlaceInstance{instances, accels}, placed, boxes);
}

template void place_instances(const BodyExecutor&, const InstanceView&, BufferSpan<const AccelView>,
                              PlacedInstance*, Aabb*);

}  // namespace copse::detail
