#include "viewer/exit_code.h"

namespace copse::viewer {

ExitCode exit_code_of(const Messages& messages) {
  const Message* error = messages.first_error();
  if (error == nullptr) return exit_ok;
  const bool is_of_machine = error->code == ErrorCode::no_device || error->code == ErrorCode::out_of_memory;
  return is_of_machine ? copse::exit_code_of(*error->code) : exit_bad_file;
}

}  // namespace copse::viewer
