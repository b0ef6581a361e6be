// Batches of several hits per ray through a scene. The cooperative stages are those of accel/rays/hit_lists.inl.

#include "accel/rays/store_hits.h"
#include "scene/scene_hit_view.h"

namespace copse::detail {

template void store_first_hits(const BodyExecutor&, const HitBatch<SceneView>&, u32, SceneHit*, u32*);
template void count_hits_of(const BodyExecutor&, const HitBatch<SceneView>&, u32*);
template void find_hit_lists(const BodyExecutor&, const HitBatch<SceneView>&, u64*, HitTarget<SceneHit>&);

}  // namespace copse::detail
