#pragma once

#include <cstddef>

#include "builders/geometry/aabb.h"
#include "builders/geometry/glm.h"
#include "primitives/core/span.h"

namespace copse {

/// How culling treats the triangles of an instance. Bits, which may be combined.
///
/// The front of a triangle is defined in the space of its mesh, as in DXR. So for a ray that culls, a mirrored
/// instance, whose transform has a negative determinant, shows the same triangles as the mesh itself.
enum class InstanceFlags : u32 {
  none = 0,
  flips_facing = 1,  // front and back of its triangles are exchanged
  never_culls = 2,   // rays that cull see both sides of its triangles
};

/// One placement of an accel in a scene: 64 bytes, on the host or on the device.
struct Instance {
  /// Three rows of four numbers. The point (x, y, z) of the mesh is placed in the scene at row[i][0] x + row[i][1] y
  /// + row[i][2] z + row[i][3].
  float rows[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
  u32 accel = 0;       // number of its accel among the accels of the scene
  u32 mask = ~u32{0};  // a ray misses the instance if their masks share no bit
  u32 id = 0;          // the caller's own; SceneView::id_of returns it
  InstanceFlags flags = InstanceFlags::none;

  /// Returns the instance with the transform of a GLM matrix, such as glm::mat4x3(matrix) of a glm::mat4.
  static Instance of(const glm::mat4x3& transform, u32 accel = 0) {
    Instance instance;
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 4; ++column) instance.rows[row][column] = transform[column][row];
    }
    instance.accel = accel;
    return instance;
  }
};

static_assert(sizeof(Instance) == 64);

/// Words at a stride. Without data, all words have the value `missing`.
struct WordSpan {
  const u32* data = nullptr;
  u64 stride_bytes = sizeof(u32);  // from one word to the next; a multiple of 4, or 0 for one word for all

  COPSE_HD u32 at(u64 i, u32 missing) const {
    if (data == nullptr) return missing;
    return *reinterpret_cast<const u32*>(reinterpret_cast<const unsigned char*>(data) + i * stride_bytes);
  }
};

/// Transforms at a stride: three rows of four numbers each, as in Instance::rows.
struct TransformSpan {
  const float* data = nullptr;
  u64 size = 0;
  u64 stride_bytes = 12 * sizeof(float);  // from one transform to the next; a multiple of 4

  COPSE_HD const float* at(u64 i) const {
    return reinterpret_cast<const float*>(reinterpret_cast<const unsigned char*>(data) + i * stride_bytes);
  }
};

/// The instances of a scene in the memory of the context: records, or separate arrays. Kernels may write them.
///
///   auto view = copse::InstanceView::of(instances.span());                        // Buffer<copse::Instance>
///   auto view = copse::InstanceView{.transforms = {transforms.data(), transforms.size() / 12}};
struct InstanceView {
  TransformSpan transforms;
  WordSpan accels = {};  // 0 if there are none
  WordSpan masks = {};   // all bits if there are none
  WordSpan ids = {};     // the number of the instance if there are none
  WordSpan flags = {};   // 0 if there are none

  static InstanceView of(BufferSpan<const Instance> records) {
    if (records.empty()) return {};
    const Instance* const first = records.data();
    const u64 stride = sizeof(Instance);
    return {{detail::member_at<float>(first, offsetof(Instance, rows)), records.size(), stride},
            {detail::member_at<u32>(first, offsetof(Instance, accel)), stride},
            {detail::member_at<u32>(first, offsetof(Instance, mask)), stride},
            {detail::member_at<u32>(first, offsetof(Instance, id)), stride},
            {detail::member_at<u32>(first, offsetof(Instance, flags)), stride}};
  }

  u64 size() const { return transforms.size; }
};

}  // namespace copse
