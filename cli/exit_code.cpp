#include "cli/exit_code.h"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>

#include "cli/output.h"
#include "cli/thread_limits.h"

namespace copse::cli {

namespace {

int report(int code, const std::string& message) {
  std::fprintf(stderr, "copse: error: %s\n", one_line(message).c_str());
  return code;
}

int classify_current_exception() {
  try {
    throw;
  } catch (const ClosedPipe&) {
    return exit_closed_pipe;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) {
      std::fputs("copse: interrupted\n", stderr);
      return exit_interrupted;
    }
    return report(exit_code_of(error.code()), error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return report(exit_bad_file, error.what());
  } catch (const std::bad_alloc&) {
    return report(exit_no_memory, "the machine has not enough memory for this");
  } catch (const std::length_error&) {
    return report(exit_no_memory, "this needs more memory than a program can address");
  } catch (const std::exception& error) {
    if (is_about_threads(error)) return report(exit_no_memory, no_thread_message());
    return report(exit_internal, std::string("internal: ") + error.what());
  } catch (...) {
    return report(exit_internal, "internal: an unknown exception");
  }
}

}  // namespace

int report_current_exception() noexcept {
  try {
    return classify_current_exception();
  } catch (...) {  // there is no memory even for the message
    std::fputs("copse: error: the machine has not enough memory for this\n", stderr);
    return exit_no_memory;
  }
}

}  // namespace copse::cli
