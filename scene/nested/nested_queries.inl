// Batches of questions about points and regions to a scene of scenes.

#include "primitives/persistent.h"
#include "scene/nested_query_view.h"
#include "scene/queries/query_batches.h"

namespace copse::detail {

COPSE_SCENE_POINT_QUERIES(NestedSceneView);
COPSE_SCENE_OVERLAPS_OF(NestedSceneView, Aabb);
COPSE_SCENE_OVERLAPS_OF(NestedSceneView, Sphere);
COPSE_SCENE_OVERLAPS_OF(NestedSceneView, Frustum);

}  // namespace copse::detail
