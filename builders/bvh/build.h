#pragma once

#include <variant>

#include "builders/bvh/hploc.h"
#include "builders/bvh/lbvh.h"
#include "builders/bvh/sah.h"

namespace copse {

/// The options of any builder of binary trees, for programs that choose the builder at run time. build(),
/// rebuild() and build_sizes() take them in place of the options that they hold.
using AnyBuildOptions = std::variant<LbvhOptions, HplocOptions, SahOptions>;

inline Bvh build(Context& context, const TriangleViews& triangles, const AnyBuildOptions& options) {
  return std::visit([&](const auto& chosen) { return build(context, triangles, chosen); }, options);
}
inline Bvh build(Context& context, const BoxView& boxes, const AnyBuildOptions& options) {
  return std::visit([&](const auto& chosen) { return build(context, boxes, chosen); }, options);
}

inline void rebuild(Context& context, Bvh& bvh, const TriangleViews& triangles, const AnyBuildOptions& options) {
  std::visit([&](const auto& chosen) { rebuild(context, bvh, triangles, chosen); }, options);
}
inline void rebuild(Context& context, Bvh& bvh, const BoxView& boxes, const AnyBuildOptions& options) {
  std::visit([&](const auto& chosen) { rebuild(context, bvh, boxes, chosen); }, options);
}

inline BuildSizes build_sizes(Context& context, u64 primitive_count, const AnyBuildOptions& options,
                              u64 view_count = 1) {
  return std::visit([&](const auto& chosen) { return build_sizes(context, primitive_count, chosen, view_count); },
                    options);
}

}  // namespace copse
