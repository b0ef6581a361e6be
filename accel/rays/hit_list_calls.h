#pragma once

// The calls of batches of several hits per ray, with their checks. Accels and scenes share them.

#include "accel/rays/hit_batch.h"
#include "accel/rays/ray_check.h"
#include "primitives/core/counted.h"
#include "primitives/core/dispatch.h"
#include "primitives/core/validation.h"
#include "trace/batch/check.h"

namespace copse::detail {

// The body: hit_lists.inl, for either executor.

/// Stores the first k hits of each ray, and how many there are.
template <class Executor, class View>
void store_first_hits(const Executor& ex, const HitBatch<View>& batch, u32 k, HitOf<View>* hits, u32* counts);

/// Stores how many hits each ray has.
template <class Executor, class View>
void count_hits_of(const Executor& ex, const HitBatch<View>& batch, u32* counts);

/// Stores where the list of each ray begins: offsets[i] = the sum of the counts before i, for each i of 0 to n. Stores
/// all hits of each ray too. Hits past the end of the target are not written. If it grows, it then has the right size.
template <class Executor, class View>
void find_hit_lists(const Executor& ex, const HitBatch<View>& batch, u64* offsets, HitTarget<HitOf<View>>& hits);

/// The calls for rays through a View.
template <class View, class Options>
struct HitListCalls {
  const char* function;
  Context& context;
  View view;
  RaySpan rays;
  Options options;

  /// Makes the checks that do not depend on the results.
  void check() const {
    check_rays(function, context, rays);
    check_masks(function, "rays", options.masks, rays.size());
    validate_span(context, function, "masks", options.masks);
    if (u32(options.cull) > u32(Cull::front)) {
      refuse(function, "options.cull is " + std::to_string(u32(options.cull)) + "; it can be 0 to 2");
    }
  }

  template <class Result>
  void check_apart_from(BufferSpan<Result> results) const {
    check_rays_apart(function, rays, results);
    check_apart(function, "masks", options.masks, results);
    validate_span(context, function, "results", results);
  }

  HitBatch<View> batch() const {
    return {view, rays, options.masks.empty() ? nullptr : options.masks.data(), options.mask, options.cull};
  }

  void first(BufferSpan<HitOf<View>> hits, BufferSpan<u32> counts) const {
    check();
    const u32 k = results_each(function, "rays", rays.size(), "hits", hits.size());
    if (rays.size() > 0 && (k == 0 || k > max_first_hits)) {
      refuse(function,
             std::to_string(k) + " hits for each of the rays; it can be 1 to " + std::to_string(max_first_hits));
    }
    if (!counts.empty()) check_one_each(function, counts.size(), "counts", rays.size(), "rays");
    check_apart_from(hits);
    check_apart_from(counts);
    check_apart(function, "hits", BufferSpan<const HitOf<View>>(hits), counts);
    dispatch(context, [&](const auto& ex) {
      store_first_hits(ex, batch(), k, hits.data(), counts.empty() ? nullptr : counts.data());
    });
  }

  void count(BufferSpan<u32> counts) const {
    check();
    check_one_each(function, counts.size(), "counts", rays.size(), "rays");
    check_apart_from(counts);
    dispatch(context, [&](const auto& ex) { count_hits_of(ex, batch(), counts.data()); });
  }

  void find(BufferSpan<u64> offsets, BufferSpan<HitOf<View>> hits) const {
    HitTarget<HitOf<View>> target(hits);
    find(offsets, target);
  }

  /// Lists: HitLists or SceneHitLists.
  template <class Lists>
  Lists all() const {
    Lists lists{Buffer<u64>(context, rays.size() + 1), {}};
    HitTarget<HitOf<View>> target(context);
    find(lists.offsets.span(), target);
    lists.hits = target.take();
    return lists;
  }

 private:
  void find(BufferSpan<u64> offsets, HitTarget<HitOf<View>>& hits) const {
    check();
    const u64 n = rays.size();
    if (offsets.size() != n + 1) {
      refuse(function, counted(offsets.size(), "offsets") + " for " + counted(n, "rays") + ", one more is needed");
    }
    check_apart_from(offsets);
    check_apart_from(hits.span());
    check_apart(function, "offsets", BufferSpan<const u64>(offsets), hits.span());
    dispatch(context, [&](const auto& ex) { find_hit_lists(ex, batch(), offsets.data(), hits); });
  }
};

}  // namespace copse::detail
