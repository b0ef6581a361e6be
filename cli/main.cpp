// The command copse: reads the arguments, runs a command, and turns errors into one line and an exit code.

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/output.h"

namespace copse::cli {

namespace {

// If descriptor 0, 1 or 2 is closed, the next file opened would get its number, and output would go into that
// file.
void keep_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    // Standard output is opened for reading, so that writing to it is an error.
    [[maybe_unused]] const int opened = ::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

int run(int argc, char** argv) {
  CommandLine line;
  const Request request = line.parse({argv + (argc > 0 ? 1 : 0), argv + argc});
  switch (request.kind) {
    case Request::Kind::command: return line.run();
    case Request::Kind::print: print_data(request.text); return exit_ok;
    case Request::Kind::wrong_usage: break;
  }
  std::fprintf(stderr, "copse: error: %s\n", request.text.c_str());
  return exit_usage;
}

}  // namespace

}  // namespace copse::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe becomes an error of write(),
  std::signal(SIGXFSZ, SIG_IGN);  // and so does a file past the limit of its size
  copse::cli::remove_temporary_files_on_signals();
  copse::cli::keep_standard_descriptors();
  try {
    return copse::cli::run(argc, argv);
  } catch (...) {
    return copse::cli::report_current_exception();
  }
}
