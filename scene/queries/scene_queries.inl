// Batches of questions about points and regions to a scene.

#include "primitives/persistent.h"
#include "scene/queries/query_batches.h"
#include "scene/scene_query_view.h"

namespace copse::detail {

COPSE_SCENE_POINT_QUERIES(SceneView);
COPSE_SCENE_OVERLAPS_OF(SceneView, Aabb);
COPSE_SCENE_OVERLAPS_OF(SceneView, Sphere);
COPSE_SCENE_OVERLAPS_OF(SceneView, Frustum);

}  // namespace copse::detail
