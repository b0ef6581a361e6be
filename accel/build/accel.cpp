// Build, rebuild, refit and compaction of Accel, an Accel over a tree of the caller, and the choice between refit and
// rebuild.

#include "accel/accel.h"

#include <algorithm>
#include <string>

#include "accel/accel_motion.h"
#include "accel/build/accel_access.h"
#include "accel/build/accel_check.h"
#include "builders/bvh/packed_tree.h"
#include "primitives/core/counted.h"

namespace copse {

namespace {

using detail::AccelAccess;

/// From this many triangles on, fast and balanced builds begin with leaves of up to two triangles: see
/// docs/decisions/0017-large-builds-begin-with-pairs.md.
constexpr u64 min_paired_triangles = u64{1} << 20;

HplocOptions hploc_options(u64 triangle_count) {
  if (triangle_count < min_paired_triangles) return {};
  return {.radius = 2, .max_leaf_size = 2};
}

detail::PackedBuildOptions packed_options(const AccelOptions& options, u64 triangle_count) {
  const QualitySteps steps = steps_of(options.quality, triangle_count);
  return {.builder = steps.builder,
          .alternative = steps.alternative,
          .splits = options.splits,
          .reinsertion = steps.reinsertion};
}

void check_room(const Accel& accel, u64 triangle_count) {
  if (triangle_count > accel.capacity()) {
    detail::refuse("rebuild", detail::counted(triangle_count, "triangles") + ", but the structure has room for " +
                                  std::to_string(accel.capacity()) +
                                  "; build a new one, or give the first build a larger AccelOptions::capacity");
  }
  const u64 place_count = reference_count(triangle_count, accel.options().splits);
  const CompressedBvh4& tree = accel.tree();
  if (tree.nodes.size() < wide_node_capacity(place_count) || tree.primitive_ids.size() < place_count) {
    detail::refuse("rebuild",
                   "the structure was compacted or comes from a file, so it has no room for a rebuild; build a "
                   "new one");
  }
}

void build_in_place(Context& context, Accel& accel, const TriangleViews& triangles) {
  detail::build_packed(context, AccelAccess::tree(accel), AccelAccess::packed(accel), triangles,
                       packed_options(accel.options(), triangles.primitive_count()));
}

}  // namespace

QualitySteps steps_of(Quality quality, u64 triangle_count) {
  switch (quality) {
    case Quality::fast: return {.builder = hploc_options(triangle_count)};
    case Quality::balanced:
      return {.builder = hploc_options(triangle_count), .reinsertion = {.passes = 2, .min_parent_area = 0.5f}};
    case Quality::best:
      return {.builder = HplocOptions{},
              .reinsertion = {.passes = 8, .min_parent_area = 0.125f},
              .alternative = SahOptions{}};
  }
  throw Error(ErrorCode::invalid_argument, "quality is " + std::to_string(u32(quality)) + "; it can be 0 to 2");
}

Accel build(Context& context, const TriangleViews& triangles, const AccelOptions& options) {
  packed_options(options, triangles.primitive_count());  // checks the quality
  Accel accel;
  AccelAccess::options(accel) = options;
  AccelAccess::capacity(accel) = std::max(options.capacity, triangles.primitive_count());
  AccelAccess::backend(accel) = context.backend();
  detail::make_packed(context, accel.capacity(), options.splits, AccelAccess::tree(accel),
                      AccelAccess::packed(accel));
  build_in_place(context, accel, triangles);
  return accel;
}

namespace {

/// Returns the structure over a tree of `n` triangles, of views or of records.
template <class Triangles>
Accel accel_over(Context& context, const Bvh& bvh, u64 n, const Triangles& triangles) {
  if (bvh.nodes.empty()) detail::refuse("accel_of", "the tree was never made");
  if (n != bvh.source_count) {
    detail::refuse("accel_of", std::to_string(n) + " triangles, but the tree was built over " +
                                   std::to_string(bvh.source_count) + " primitives");
  }
  Accel accel;
  detail::collapse_packed(context, bvh, triangles, AccelAccess::tree(accel), AccelAccess::packed(accel));
  if (bvh.has_repeats()) AccelAccess::options(accel).splits = float(double(bvh.place_count()) / double(n));
  AccelAccess::capacity(accel) = n;
  AccelAccess::backend(accel) = context.backend();
  return accel;
}

}  // namespace

Accel accel_of(Context& context, const Bvh& bvh, const TriangleViews& triangles) {
  return accel_over(context, bvh, triangles.primitive_count(), triangles);
}

Accel accel_of(Context& host, const Bvh& bvh, const TriangleRecords& triangles) {
  if (host.backend() != Backend::cpu) {
    detail::refuse("accel_of", std::string("the context is of the backend ") + name_of(host.backend()) +
                                   ", but records are for a context of the CPU");
  }
  return accel_over(host, bvh, triangles.triangle_count, triangles);
}

void rebuild(Context& context, Accel& accel, const TriangleViews& triangles) {
  detail::check_accel("rebuild", context, accel);
  check_room(accel, triangles.primitive_count());
  build_in_place(context, accel, triangles);
}

void refit(Context& context, Accel& accel, const TriangleViews& triangles) {
  detail::check_accel("refit", context, accel);
  if (triangles.primitive_count() != accel.triangle_count()) {
    detail::refuse("refit", detail::counted(triangles.primitive_count(), "triangles") +
                                ", but the structure was built over " + std::to_string(accel.triangle_count()));
  }
  detail::refit_packed(context, AccelAccess::tree(accel), AccelAccess::packed(accel), triangles);
}

void refit_or_rebuild(Context& context, Accel& accel, const TriangleViews& triangles, RebuildAdvisor& advisor) {
  refit(context, accel, triangles);
  note_refit(context, advisor, accel.tree());
  run_if(context, advisor.is_due(), [&] {
    rebuild(context, accel, triangles);
    note_build(context, advisor, accel.tree());
  });
}

void compact(Context& context, Accel& accel) {
  detail::check_accel("compact", context, accel);
  detail::compact_packed(context, AccelAccess::tree(accel), AccelAccess::packed(accel));
  AccelAccess::capacity(accel) = accel.triangle_count();
}

BuildSizes build_sizes(Context& context, u64 triangle_count, const AccelOptions& options, u64 view_count) {
  return detail::packed_sizes(context, triangle_count, packed_options(options, triangle_count), view_count);
}

}  // namespace copse
