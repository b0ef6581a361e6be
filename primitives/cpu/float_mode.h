#pragma once

#include "primitives/core/processor.h"
#include "primitives/core/types.h"

namespace copse::cpu {

/// Sets round to nearest, with denormals, for the life of the object; restores the mode of the caller at its end.
class FloatMode {
 public:
  FloatMode() : before_(float_control()) {
    set_float_control((before_ & ~float_control_mode) | float_control_quiet);
  }
  ~FloatMode() { set_float_control(before_); }
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;

 private:
  u64 before_;
};

}  // namespace copse::cpu
