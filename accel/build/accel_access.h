#pragma once

#include "accel/accel.h"

namespace copse::detail {

/// The members of an Accel, for the calls that make or change one.
struct AccelAccess {
  static CompressedBvh4& tree(Accel& accel) { return accel.tree_; }
  static PackedTriangles& packed(Accel& accel) { return accel.packed_; }
  static AccelOptions& options(Accel& accel) { return accel.options_; }
  static u64& capacity(Accel& accel) { return accel.capacity_; }
  static Backend& backend(Accel& accel) { return accel.backend_; }
};

}  // namespace copse::detail
