#pragma once

// Batches of rays on the CPU: what the SIMD code of a layout (simd_<layout>.cpp) is asked.

#include "trace/masked_triangles.h"
#include "trace/walk/wide_tree.h"

namespace copse::cpu {

/// A batch of rays through one tree. Either `hits` or `occluded` is asked for, the other is null.
template <class Tree>
struct SimdBatch {
  Tree tree;
  Aabb bounds;  // the tree's

  // One of them, the other is null.
  const TriangleTable* table;
  const PackedTriangle* packed;

  const Ray* rays;
  Hit* hits;
  u8* occluded;
  const copse::detail::BatchMasks* masks;  // or null
  bool packets;                            // neighbouring rays walk together as long as they stay together
  u64 packed_count;                        // of packed triangles; 0 where they are fetched
};

/// Traces rays begin to end - 1, by the widest instructions that this machine has and that were compiled for. The
/// hits are those of trace/traverse.h, bit for bit.
void trace_simd(const SimdBatch<copse::detail::BinaryTree>& batch, u64 begin, u64 end);
void trace_simd(const SimdBatch<copse::detail::WideTree<Bvh4Node>>& batch, u64 begin, u64 end);
void trace_simd(const SimdBatch<copse::detail::WideTree<CompressedBvh4Node>>& batch, u64 begin, u64 end);
void trace_simd(const SimdBatch<copse::detail::WideTree<CompressedBvh8Node>>& batch, u64 begin, u64 end);

/// The same for ray i with the masks of a batch, if there are any.
template <class Tree, class LeafTest>
float traverse_masked(const SimdBatch<Tree>& batch, u64 i, LeafTest& test) {
  NoCounter counter;
  if (batch.masks == nullptr) return copse::detail::traverse_robust(batch.tree, batch.rays[i], test, counter);
  copse::detail::MaskedTest masked(test, batch.masks->of(test.triangles), batch.masks->of_ray(i));
  const float limit = copse::detail::traverse_robust(batch.tree, batch.rays[i], masked, counter);
  test = masked;
  return limit;
}

/// Traces ray i by itself, without SIMD.
template <class Tree, class Triangles>
[[gnu::noinline]] void retrace_robust(const SimdBatch<Tree>& batch, const Triangles& triangles, u64 i) {
  const Ray ray = batch.rays[i];
  if (batch.hits != nullptr) {
    copse::detail::ClosestTriangle<Triangles> closest(triangles, ray);
    const float limit = traverse_masked(batch, i, closest);
    batch.hits[i] = closest.hit(limit);
  } else {
    copse::detail::AnyTriangle<Triangles> any(triangles, ray);
    traverse_masked(batch, i, any);
    batch.occluded[i] = any.found ? 1 : 0;
  }
}

}  // namespace copse::cpu
