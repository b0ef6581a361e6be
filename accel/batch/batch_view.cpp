// What a Scene reads of an AccelBatch. It is part of the core library, which builds no batches.

#include <algorithm>
#include <string>

#include "accel/accel_batch.h"
#include "primitives/core/check.h"

namespace copse {

AccelView AccelBatch::view(u64 mesh) const {
  if (mesh >= mesh_count()) {
    detail::refuse("AccelBatch::view", "mesh " + std::to_string(mesh) + ", but the batch has " +
                                           detail::counted(mesh_count(), "meshes"));
  }
  const auto large = std::lower_bound(large_ids_.begin(), large_ids_.end(), u32(mesh));
  if (large != large_ids_.end() && *large == mesh) return large_[u64(large - large_ids_.begin())].view();
  const u32 tree = tree_of_mesh_[mesh], begin = forest_.begins_on_host[tree];
  return {forest_.view(tree),
          {packed_.data() + begin, forest_.size(tree)},
          masks_.empty() ? nullptr : masks_.data() + begin};
}

u64 AccelBatch::size_bytes() const {
  u64 bytes = device_meshes_.size_bytes() + mesh_of_tree_.size_bytes() + forest_.size_bytes() +
              packed_.size_bytes() + masks_.size_bytes() + views_.size_bytes();
  for (const Accel& accel : large_) bytes += accel.size_bytes();
  return bytes;
}

}  // namespace copse
