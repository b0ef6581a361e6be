#pragma once

#include <vector>

#include "scene/scene.h"

namespace copse::detail {

/// Returns a scene over these accels, as build does. An accel may have the tree of a scene, and no triangles.
///   function: the name of the call, for errors
Scene build_scene_over(const char* function, Context& context, const std::vector<AccelView>& accels,
                       const InstanceView& instances, const SceneOptions& options);

/// Throws: Error invalid_argument if an instance is of an accel with a number from `accel_count` on.
///   accel, accels: their names in the error
void check_accel_numbers(const char* function, std::span<const Instance> instances, u64 accel_count,
                         const char* accel, const char* accels);

}  // namespace copse::detail
