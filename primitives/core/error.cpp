#include "primitives/core/error.h"

namespace copse {

const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::out_of_memory: return "out_of_memory";
    case ErrorCode::no_device: return "no_device";
    case ErrorCode::device_failure: return "device_failure";
    case ErrorCode::bad_file: return "bad_file";
    case ErrorCode::capacity: return "capacity";
    case ErrorCode::cancelled: return "cancelled";
  }
  return "unknown";
}

}  // namespace copse
