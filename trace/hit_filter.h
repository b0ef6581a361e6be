#pragma once

// Filters: functors that decide about each hit of a ray while it is traced, on the host and in kernels.
//
//   struct Opaque {                                            // for leaves with holes
//     const float* alpha;                                      // of each triangle
//     COPSE_HD copse::FilterAnswer operator()(const copse::Hit& hit) const {
//       return alpha[hit.primitive] > 0.5f ? copse::FilterAnswer::accept : copse::FilterAnswer::pass_over;
//     }
//   };
//   copse::Hit hit = copse::closest_hit(accel.view(), ray, Opaque{alpha});      // accel/accel_hit_view.h
//
// What a filter can rely on:
//   - It gets the whole hit, with the bits that closest_hit reports: t, ids and weights. In a scene that is a
//     SceneHit, with the instance.
//   - It is called at most once per ray and triangle of an instance, and only for hits in the ray's interval that pass
//     masks and culling. closest_hit and first_hits call it only for hits that would belong to the result so far.
//     any_hit calls it for each hit until one is accepted.
//   - The order of the calls is that of the traversal: roughly front to back, not sorted, and different between trees.
//     If the answer depends on the hit alone and is accept or pass_over, the result does not depend on the tree. If the
//     filter remembers earlier calls or answers stop, the result may depend on it.
//   - A filter is passed by reference: after the search, the caller reads in it what it counted.

#include <concepts>
#include <type_traits>

#include "trace/ray.h"

namespace copse {

/// What a filter answers about a hit.
enum class FilterAnswer : u32 {
  accept,     // the hit counts
  pass_over,  // the ray goes on as if the triangle was not there
  stop,       // the hit counts, and the search ends: the result is made of the hits that were accepted so far
};

/// A functor that takes hits of this type and returns a FilterAnswer.
template <class Filter, class HitType>
concept HitFilter = requires(Filter& filter, const HitType& hit) {
  { filter(hit) } -> std::same_as<FilterAnswer>;
};

namespace detail {

/// The filter of searches without one.
struct AcceptAll {
  template <class HitType>
  COPSE_HD FilterAnswer operator()(const HitType&) const {
    return FilterAnswer::accept;
  }
};

template <class Filter>
inline constexpr bool accepts_all = std::is_same_v<Filter, AcceptAll>;

}  // namespace detail

}  // namespace copse
