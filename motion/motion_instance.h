#pragma once

#include "motion/motion_transform.h"
#include "scene/instance.h"

namespace copse {

/// Instances that move, in the memory of the context. Kernels may write them.
///
///   copse::Buffer<copse::MotionTransform> transforms(context, keys);    // instance 0 at all keys, then instance 1
///   copse::MotionInstanceView instances{.transforms = transforms.span(), .key_count = 3};
struct MotionInstanceView {
  /// The transforms of instance 0 at each key, then those of instance 1, and so on.
  BufferSpan<const MotionTransform> transforms = {};

  /// Key 0 has time 0, the last key has time 1, and the times of all keys are equally spaced. Range: 2 to 65535.
  u32 key_count = 2;

  /// These are the same at all keys. Their layout is that of InstanceView.
  WordSpan accels = {};  // 0 if there are none
  WordSpan masks = {};   // all bits if there are none
  WordSpan ids = {};     // the number of the instance if there are none
  WordSpan flags = {};   // 0 if there are none

  COPSE_HD u64 size() const { return transforms.size() / key_count; }
};

}  // namespace copse
