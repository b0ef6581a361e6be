#pragma once

#include "motion/motion_transform.h"
#include "scene/instance.h"

namespace copse {

/// Instances that move, in the memory of the context. Kernels may write them.
///
///   copse::Buffer<copse::MotionTransform> transforms(context, keys);    // instance 0 at all keys, then instance 1
///   copse::MotionInstanceView instances{.transforms = transforms.span(), .key_count = 3};
struct MotionInstanceView {
  /// Those of instance 0 at each key, then those of instance 1, and so on.
  BufferSpan<const MotionTransform> transforms = {};

  /// The first key has time 0, the last has time 1, and all are equally far apart. Range: 2 to 65535.
  u32 key_count = 2;

  /// The same at all keys. The words are as InstanceView has them.
  WordSpan accels = {};  // 0 if there are none
  WordSpan masks = {};   // all bits if there are none
  WordSpan ids = {};     // the number of the instance if there are none
  WordSpan flags = {};   // 0 if there are none

  COPSE_HD u64 size() const { return transforms.size() / key_count; }
};

}  // namespace copse
