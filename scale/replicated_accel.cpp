#include "scale/replicated_accel.h"

#include <algorithm>
#include <string>

#include "accel/build/accel_access.h"
#include "accel/build/accel_check.h"
#include "scale/split_work.h"

namespace copse {

namespace detail {

struct ReplicatedAccess {
  static std::vector<Accel>& accels(ReplicatedAccel& accel) { return accel.accels_; }
  static const Devices*& devices(ReplicatedAccel& accel) { return accel.devices_; }
  static const Devices* devices(const ReplicatedAccel& accel) { return accel.devices_; }
};

void check_replicas(const char* function, const Devices& devices, const ReplicatedAccel& accel) {
  if (accel.count() == 0) refuse(function, "the structure was never replicated");
  if (ReplicatedAccess::devices(accel) != &devices) {
    refuse(function, "the structure was replicated for other devices: use those that replicate() got");
  }
}

}  // namespace detail

namespace {

using detail::AccelAccess;
using detail::ReplicatedAccess;

/// Copies from the memory of the first device to that of `context`.
struct Copier {
  Devices& devices;
  Context& context;

  template <class T>
  void copy(Buffer<T>& to, const Buffer<T>& from, u64 count) const {
    if (to.size() != count) to = Buffer<T>(context, count);
    if (count > 0) detail::copy_between(devices, context, to.data(), from.data(), count * sizeof(T));
  }

  /// The copy has no primitive ids in its tree, as after compact, since the packed triangles have them.
  void copy(Accel& to, const Accel& from, u64 node_count) const {
    const CompressedBvh4& tree = from.tree();
    const PackedTriangles& packed = from.packed_triangles();
    CompressedBvh4& tree_copy = AccelAccess::tree(to);
    copy(tree_copy.nodes, tree.nodes, node_count);
    copy(tree_copy.parents, tree.parents, std::min<u64>(node_count, tree.parents.size()));
    copy(tree_copy.counts, tree.counts, 1);
    copy(tree_copy.repeats, tree.repeats, tree.has_repeats() ? tree.place_count() : 0);
    tree_copy.source_count = tree.source_count;
    tree_copy.reference_count = tree.reference_count;
    PackedTriangles& packed_copy = AccelAccess::packed(to);
    copy(packed_copy.triangles, packed.triangles, tree.place_count());
    copy(packed_copy.masks, packed.masks, packed.masks.empty() ? 0 : tree.place_count());
    packed_copy.tree_ids = nullptr;
    AccelAccess::options(to) = from.options();
    AccelAccess::capacity(to) = from.triangle_count();
    AccelAccess::backend(to) = from.backend();
  }
};

void copy_to_others(const char* function, Devices& devices, std::vector<Accel>& accels) {
  const Accel& source = accels[0];
  const u64 node_count = std::max<u64>(source.tree().counts.download().at(0).node_count, 1);
  detail::share_work(function, devices, [&](Context& context, u32 device) {
    if (device > 0) Copier{devices, context}.copy(accels[device], source, node_count);
  });
}

}  // namespace

Accel& ReplicatedAccel::first() {
  if (accels_.empty()) detail::refuse("ReplicatedAccel::first", "the structure was never replicated");
  return accels_[0];
}

const Accel& ReplicatedAccel::on(u32 device) const {
  if (device >= accels_.size()) {
    detail::refuse("ReplicatedAccel::on", "device " + std::to_string(device) + " was asked for, but " +
                                              std::to_string(accels_.size()) + " have the structure");
  }
  return accels_[device];
}

u64 ReplicatedAccel::size_bytes() const {
  u64 sum = 0;
  for (const Accel& accel : accels_) sum += accel.size_bytes();
  return sum;
}

ReplicatedAccel replicate(Devices& devices, Accel accel) {
  detail::check_accel("replicate", devices.first(), accel);
  ReplicatedAccel replicated;
  std::vector<Accel>& accels = ReplicatedAccess::accels(replicated);
  accels.resize(devices.count());
  accels[0] = std::move(accel);
  ReplicatedAccess::devices(replicated) = &devices;
  copy_to_others("replicate", devices, accels);
  return replicated;
}

void update(Devices& devices, ReplicatedAccel& accel) {
  detail::check_replicas("update", devices, accel);
  copy_to_others("update", devices, ReplicatedAccess::accels(accel));
}

}  // namespace copse
