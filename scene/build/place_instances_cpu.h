#pragma once

#include "primitives/cpu/for_each.h"
#include "scene/walk/placed_instance.h"

namespace copse::cpu {

namespace detail {

template <class Place>
struct StorePlaced {
  Place place;
  copse::detail::PlacedInstance* placed;
  Aabb* boxes;

  void operator()(u64 i) const {
    placed[i] = place(i);
    boxes[i] = placed[i].box();
  }
};

}  // namespace detail

/// Contract: scene/build/place_instances.inl.
template <class Place>
void store_placed(const Executor& ex, const char* label, u64 n, const Place& place,
                  copse::detail::PlacedInstance* placed, Aabb* boxes) {
  for_each(ex, label, n, detail::StorePlaced<Place>{place, placed, boxes});
}

}  // namespace copse::cpu
