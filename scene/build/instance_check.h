#pragma once

// Checks of instances and their accels, in calls that build or refit.

#include <vector>

#include "scene/scene.h"

namespace copse::detail {

/// Throws: Error invalid_argument if a stride is no multiple of 4 or an address is null; if the context validates,
/// also if the device cannot read the instances. Error capacity past 2^31 instances.
void check_instances(const char* function, Context& context, const InstanceView& instances);

/// Returns the views of all accels.
/// Throws: Error invalid_argument if one was never built, or by another backend.
std::vector<AccelView> views_of(const char* function, const Context& context, const SceneAccels& accels);

}  // namespace copse::detail
