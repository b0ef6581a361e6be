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

constexpr const char* no_memory = "the machine has not enough memory for this";

Outcome error(int code, const std::string& message) {
  return {code, "copse: error: " + one_line(message)};
}

Outcome classify_current_exception() {
  try {
    throw;
  } catch (const ClosedPipe&) {
    return {exit_closed_pipe, ""};
  } catch (const Error& thrown) {
    if (thrown.code() == ErrorCode::cancelled) return {exit_interrupted, "copse: interrupted"};
    return error(exit_code_of(thrown.code()), thrown.what());
  } catch (const std::filesystem::filesystem_error& thrown) {
    return error(exit_bad_file, thrown.what());
  } catch (const std::bad_alloc&) {
    return error(exit_no_memory, no_memory);
  } catch (const std::length_error&) {
    return error(exit_no_memory, "this needs more memory than a program can address");
  } catch (const std::exception& thrown) {
    if (is_about_threads(thrown)) return error(exit_no_memory, no_thread_message());
    return error(exit_internal, std::string("internal: ") + thrown.what());
  } catch (...) {
    return error(exit_internal, "internal: an unknown exception");
  }
}

}  // namespace

Outcome outcome_of_current_exception() noexcept {
  try {
    return classify_current_exception();
  } catch (...) {  // there is no memory even for the message
    return {exit_no_memory, ""};
  }
}

Outcome wrong_usage(const std::string& message) {
  return error(exit_usage, message);
}

int report(const Outcome& outcome) noexcept {
  if (!outcome.line.empty()) {
    std::fprintf(stderr, "%s\n", outcome.line.c_str());
  } else if (outcome.code == exit_no_memory) {
    std::fprintf(stderr, "copse: error: %s\n", no_memory);
  }
  return outcome.code;
}

}  // namespace copse::cli
