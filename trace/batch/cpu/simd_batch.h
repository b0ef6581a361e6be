#pragma once

// Batches of rays on the CPU, as the SIMD code of a layout gets them (trace/batch/cpu/simd_entry.inl).

#include "trace/batch/cpu/hit_collector.h"
#include "trace/masked_triangles.h"
#include "trace/short_hit.h"
#include "trace/walk/wide_tree.h"

namespace copse::cpu {

/// What the rays of a batch look for.
enum class Goal { closest, any, several };

/// A batch of rays through one tree. Its results go to `hits`, `short_hits`, `occluded` or `collector`; the others are
/// null.
template <class Tree>
struct SimdBatch {
  Tree tree;
  Aabb bounds;  // the tree's

  // One of these is set, the other is null.
  const TriangleTable* table = nullptr;
  const PackedTriangle* packed = nullptr;
  u64 packed_count = 0;

  const Ray* rays;
  Hit* hits = nullptr;
  ShortHit* short_hits = nullptr;  // of packed triangles
  u8* occluded = nullptr;
  HitCollector* collector = nullptr;                 // of packed triangles
  const copse::detail::BatchMasks* masks = nullptr;  // or null
  bool packets;  // neighbouring rays traverse together as long as they stay together
};

/// Traces rays begin to end - 1, by the widest compiled instructions that this machine has. The hits are those of
/// trace/traverse.h, bit for bit.
void trace_simd(const SimdBatch<copse::detail::BinaryTree>& batch, u64 begin, u64 end);
void trace_simd(const SimdBatch<copse::detail::WideTree<Bvh4Node>>& batch, u64 begin, u64 end);
void trace_simd(const SimdBatch<copse::detail::WideTree<CompressedBvh4Node>>& batch, u64 begin, u64 end);
void trace_simd(const SimdBatch<copse::detail::WideTree<CompressedBvh8Node>>& batch, u64 begin, u64 end);

/// Gives the first or all hits of rays begin to end - 1 to the collector, by the same instructions. A hit may be given
/// several times. Stops early if the collector has lost hits.
void collect_simd(const SimdBatch<copse::detail::WideTree<CompressedBvh4Node>>& batch, u64 begin, u64 end);

/// Traces ray i alone and without SIMD, against the triangles that it sees.
template <class Tree, class Triangles>
void trace_seen(const SimdBatch<Tree>& batch, const Triangles& triangles, u64 i) {
  const Ray ray = batch.rays[i];
  NoCounter counter;
  if (batch.occluded == nullptr) {
    copse::detail::ClosestTriangle closest(triangles, ray);
    const float limit = copse::detail::traverse_robust(batch.tree, ray, closest, counter);
    if (batch.hits != nullptr) {
      batch.hits[i] = closest.hit(limit);
    } else {
      batch.short_hits[i] = {limit, closest.closest};
    }
  } else {
    copse::detail::AnyTriangle any(triangles, ray);
    copse::detail::traverse_robust(batch.tree, ray, any, counter);
    batch.occluded[i] = any.found ? 1 : 0;
  }
}

/// The same with the masks of the batch, if there are any.
template <class Tree, class Triangles>
void trace_masked(const SimdBatch<Tree>& batch, const Triangles& triangles, u64 i) {
  if (batch.masks == nullptr) {
    trace_seen(batch, triangles, i);
  } else {
    trace_seen(batch, batch.masks->seen(triangles, i), i);
  }
}

/// Traces ray i of the batch alone and without SIMD. It is compiled once for all instruction sets.
template <class Tree>
[[gnu::noinline]] void trace_alone(const SimdBatch<Tree>& batch, u64 i) {
  if (batch.packed != nullptr) {
    trace_masked(batch, copse::detail::PlacedTriangles{batch.packed}, i);
  } else {
    trace_masked(batch, copse::detail::IndexedTriangles{batch.table}, i);
  }
}

/// Gives the hits of ray i to the collector, without SIMD, against the triangles that it sees.
template <class Tree, class Triangles>
void collect_seen(const SimdBatch<Tree>& batch, const Triangles& triangles, u64 i) {
  const Ray ray = batch.rays[i];
  HitCollector::OfRay sink{*batch.collector, i};
  copse::detail::OfferTriangles<Triangles, HitCollector::OfRay, copse::detail::Robustness::robust> test(triangles,
                                                                                                        ray, sink);
  NoCounter counter;
  copse::detail::traverse_robust(batch.tree, ray, test, counter);
}

/// The same with the masks of the batch, if there are any.
template <class Tree>
[[gnu::noinline]] void collect_alone(const SimdBatch<Tree>& batch, u64 i) {
  const copse::detail::PlacedTriangles triangles{batch.packed};
  if (batch.masks == nullptr) {
    collect_seen(batch, triangles, i);
  } else {
    collect_seen(batch, batch.masks->seen(triangles, i), i);
  }
}

}  // namespace copse::cpu
