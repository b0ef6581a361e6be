#pragma once

#include "accel/accel.h"
#include "builders/bvh/rebuild_advisor.h"

namespace copse {

/// Refits an Accel to triangles that have moved and measures its tree. If the advisor says that a rebuild is due,
/// rebuilds it and measures it again. So its SAH cost never exceeds max_growth times its cost after the last build.
/// The call may be captured in a graph; then the GPU decides at every launch.
///   triangles: as many as `accel` was built over, in the same order
///   advisor:   knows the tree by note_build(context, advisor, accel.tree()); otherwise the first call rebuilds it
/// Throws: as refit, rebuild and run_if.
/// Waits: for the decision, on CUDA outside of a capture.
/// Memory: as refit and rebuild. A rebuild before the capture reserves what the graph needs.
COPSE_API void refit_or_rebuild(Context& context, Accel& accel, const TriangleViews& triangles,
                                RebuildAdvisor& advisor);

}  // namespace copse
