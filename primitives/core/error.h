#pragma once

#include <stdexcept>
#include <string>

namespace copse {

enum class ErrorCode {
  invalid_argument,  // the caller's value is outside the documented range
  out_of_memory,     // the memory resource could not give the bytes asked for
  no_device,         // no GPU answers, or this build has no CUDA half
  device_failure,    // a launch, copy or driver call failed
  bad_file,          // a file cannot be read, written or trusted
  capacity,          // a count passes what the structure can hold
  cancelled,         // the context's cancel token was set
};

/// "invalid_argument" and so on.
const char* name_of(ErrorCode code);

/// What every function of Copse throws. The message names the value seen and the limit.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace copse
