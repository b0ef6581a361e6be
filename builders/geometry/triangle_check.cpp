#include "builders/geometry/triangle_check.h"

#include <string>

#include "primitives/core/buffer.h"
#include "primitives/core/dispatch.h"

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
[[noreturn]] void refuse_triangle(Context& context, u64 id, const TriangleView& view, u64 i) {
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
  throw Error(ErrorCode::invalid_argument, name_of_view(id) + ": triangle " + std::to_string(i) +
                                               " has the indices " + indices + ", but there are " +
                                               std::to_string(view.positions.size) + " positions");
}

}  // namespace

void validate_memory(Context& context, const std::string& what, const void* memory) {
  if (!context.validates() || memory == nullptr || context.device().can_read(memory)) return;
  throw Error(ErrorCode::invalid_argument,
              what + ": the GPU cannot read them, they are in the memory of the host");
}

void validate_triangles(Context& context, const TriangleViews& triangles) {
  if (!context.validates()) return;
  for (u64 id = 0; id < triangles.views().size(); ++id) {
    const TriangleView& view = triangles.views()[id];
    validate_memory(context, name_of_view(id) + ", positions", view.positions.data);
    if (view.triangles.index_bytes == 0 || view.triangles.size == 0) continue;
    validate_memory(context, name_of_view(id) + ", indices", view.triangles.data);
    Buffer<u64> first(context, 1);
    dispatch(context, [&](const auto& ex) { find_index_past_end(ex, view, first.data()); });
    const u64 found = first.download()[0];
    if (found != ~u64{0}) refuse_triangle(context, id, view, found);
  }
}

}  // namespace copse::detail
