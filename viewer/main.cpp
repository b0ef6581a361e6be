// The program copse-viewer: a window that shows structures, or the same without a display.

#include <cstdio>
#include <exception>
#include <new>

#include "primitives/core/error.h"
#include "viewer/run.h"

namespace copse::viewer {

namespace {

// As those of the command copse: docs/viewer.md.
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

int fail(int exit_code, const char* message) {
  std::fprintf(stderr, "copse-viewer: error: %s\n", message);
  return exit_code;
}

}  // namespace

}  // namespace copse::viewer

int main(int argc, char** argv) {
  using namespace copse::viewer;
  try {
    int exit_code = 0;
    const std::optional<Options> options = parse_options(argc, argv, exit_code);
    if (!options) return exit_code;
    return options->headless ? run_headless(*options) : run_in_window(*options);
  } catch (const copse::Error& error) {
    return fail(exit_code_of(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return fail(5, "the machine has not enough memory for this");
  } catch (const std::exception& error) {
    return fail(6, error.what());
  }
}
