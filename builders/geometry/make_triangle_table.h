#pragma once

// Makes the triangle table of several views on an executor. For bodies: include the executor's primitives before.

#include <span>

#include "builders/geometry/triangle_table.h"
#include "primitives/core/executor.h"

namespace copse {

namespace detail {

/// Writes table entries that travel in the functor itself. A captured CUDA graph keeps them with the launch; a
/// copy from host memory would be read again at each replay.
struct WriteTableEntries {
  static constexpr u32 capacity = 16;

  TriangleTable::Entry values[capacity];
  TriangleTable::Entry* out;
  COPSE_HD void operator()(u64 i) const { out[i] = values[i]; }
};

}  // namespace detail

/// Returns the scratch that make_triangle_table takes for `view_count` views.
inline u64 triangle_table_scratch_bytes(u64 view_count) {
  return view_count > 1 ? ScratchArena::bytes_for<TriangleTable::Entry>(view_count) : 0;
}

/// Returns the table of `views`, with at most 2^31 triangles in all. It is valid until `frame` ends. May be
/// captured in a graph.
template <class Executor>
TriangleTable make_triangle_table(const Executor& ex, ScratchArena::Frame& frame,
                                  std::span<const TriangleView> views) {
  if (views.empty()) return {};
  if (views.size() == 1) return TriangleTable::of(views[0]);

  auto* entries = frame.allocate<TriangleTable::Entry>(views.size());
  u32 first = 0;
  for (u64 begin = 0; begin < views.size(); begin += detail::WriteTableEntries::capacity) {
    const u64 count = smaller(u64{detail::WriteTableEntries::capacity}, u64(views.size()) - begin);
    detail::WriteTableEntries write{};
    write.out = entries + begin;
    for (u64 i = 0; i < count; ++i) {
      write.values[i] = {views[begin + i], first};
      first += u32(views[begin + i].triangle_count());
    }
    for_each(ex, "triangle table", count, write);
  }
  return {{}, entries, u32(views.size()), first};
}

}  // namespace copse
