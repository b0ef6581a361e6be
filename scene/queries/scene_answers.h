#pragma once

// The types of answers of queries, by the kind of scene.

#include "scene/nested/nested_searches.h"
#include "scene/queries/instance_queries.h"

namespace copse::detail {

template <class View>
struct SceneAnswers;

template <>
struct SceneAnswers<SceneView> {
  using Nearest = SceneNearest;
  using Neighbour = SceneNeighbour;
  using Overlap = SceneOverlap;
};

template <>
struct SceneAnswers<NestedSceneView> {
  using Nearest = NestedNearest;
  using Neighbour = NestedNeighbour;
  using Overlap = NestedOverlap;
};

template <class View>
using NearestOf = typename SceneAnswers<View>::Nearest;
template <class View>
using NeighbourOf = typename SceneAnswers<View>::Neighbour;
template <class View>
using OverlapOf = typename SceneAnswers<View>::Overlap;

/// The tree over the instances.
inline const CompressedBvh4View& top_of(const SceneView& scene) {
  return scene.tree;
}
inline const CompressedBvh4View& top_of(const NestedSceneView& scene) {
  return scene.top.tree;
}

}  // namespace copse::detail
