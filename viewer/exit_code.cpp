#include "viewer/exit_code.h"

namespace copse::viewer {

int exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return 2;
    case ErrorCode::capacity: return 2;
    case ErrorCode::bad_file: return 3;
    case ErrorCode::no_device: return 4;
    case ErrorCode::out_of_memory: return 5;
    case ErrorCode::device_failure: return 6;
    case ErrorCode::cancelled: return 130;
  }
  return 6;
}

int exit_code_of(const Messages& messages) {
  const Message* error = messages.first_error();
  if (error == nullptr) return 0;
  const bool is_of_machine = error->code == ErrorCode::no_device || error->code == ErrorCode::out_of_memory;
  return is_of_machine ? exit_code_of(*error->code) : 3;
}

}  // namespace copse::viewer
