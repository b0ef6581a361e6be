#include "builders/geometry/triangle_check.h"

#include <string>

#include "primitives/core/buffer.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "primitives/core/validation.h"

namespace copse::detail {

// The body: triangle_check.inl, for either executor.

/// *first = the first triangle with an index past the last position, or ~0 if there is none.
template <class Executor>
void find_index_past_end(const Executor& ex, const TriangleView& view, u64* first);

namespace {

std::string name_of_view(u64 id) {
  return "triangle view " + std::to_string(id);
}

/// Throws Error invalid_argument about triangle `i`.
[[noreturn]] void refuse_triangle(Context& context, const char* function, u64 id, const TriangleView& view,
                                  u64 i) {
  std::string indices;
  const auto add = [&](const auto* data) {
    for (const auto index : download(context, BufferSpan(data + 3 * i, 3))) {
      indices += (indices.empty() ? "" : ", ") + std::to_string(index);
    }
  };
  if (view.triangles.index_bytes == 4) {
    add(static_cast<const u32*>(view.triangles.data));
  } else {
    add(static_cast<const u16*>(view.triangles.data));
  }
  refuse(function, name_of_view(id) + ": triangle " + std::to_string(i) + " has the indices " + indices +
                       ", but there are " + std::to_string(view.positions.size) + " positions");
}

}  // namespace

void validate_positions(Context& context, const char* function, const std::string& what,
                        const PositionSpan& positions) {
  const u64 bytes = positions.size == 0 ? 0 : (positions.size - 1) * positions.stride_bytes + sizeof(vec3);
  validate_memory(context, function, what, positions.data, bytes, alignof(vec3));
}

void validate_triangles(Context& context, const char* function, const TriangleViews& triangles) {
  if (!context.validates()) return;
  for (u64 id = 0; id < triangles.views().size(); ++id) {
    const TriangleView& view = triangles.views()[id];
    validate_positions(context, function, name_of_view(id) + ", positions", view.positions);
    if (view.triangles.index_bytes == 0 || view.triangles.size == 0) continue;
    validate_memory(context, function, name_of_view(id) + ", indices", view.triangles.data,
                    3 * view.triangles.size * view.triangles.index_bytes, view.triangles.index_bytes);
    Buffer<u64> first(context, 1);
    dispatch(context, [&](const auto& ex) { find_index_past_end(ex, view, first.data()); });
    const u64 found = first.download()[0];
    if (found != ~u64{0}) refuse_triangle(context, function, id, view, found);
  }
}

void validate_triangles(Context& host, const char* function, const TriangleRecords& triangles) {
  if (!host.validates()) return;
  for (u64 i = 0; i < triangles.triangle_count; ++i) {
    const uvec3 ids = triangles.vertex_ids(i);
    const u32 last = larger(ids.x, larger(ids.y, ids.z));
    if (last < triangles.vertex_count) continue;
    refuse(function, "triangle " + std::to_string(i) + " has vertex " + std::to_string(last) + " of " +
                         std::to_string(triangles.vertex_count));
  }
}

}  // namespace copse::detail
