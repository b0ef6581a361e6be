// The program copse-viewer: shows structures in a window, or runs without a display.

#include <cstdio>
#include <exception>
#include <new>

#include "primitives/core/exit_code.h"
#include "viewer/run.h"

namespace copse::viewer {

namespace {

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
    return fail(copse::exit_code_of(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return fail(copse::exit_no_memory, "the machine has not enough memory for this");
  } catch (const std::exception& error) {
    return fail(copse::exit_internal, error.what());
  }
}
