#pragma once

#include <stdexcept>
#include <string>

#include "primitives/core/macros.h"

namespace copse {

enum class ErrorCode {
  invalid_argument,  // a value is outside of the documented range
  out_of_memory,     // the memory resource could not give the requested bytes
  no_device,         // no GPU answers, or this build has no CUDA backend
  device_failure,    // a launch, copy or driver call failed
  bad_file,          // a file cannot be read, written or trusted
  capacity,          // a count is larger than the structure can hold
  cancelled,         // the cancel token of the context requested a stop
};

/// Returns "invalid_argument" and so on.
COPSE_API const char* name_of(ErrorCode code);

/// The exception that every function of Copse throws. The message names the value seen and the limit.
class COPSE_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace copse
