// The command copse: reads the arguments, runs a command, and turns errors into one line and an exit code.

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/session.h"
#if COPSE_HAS_MPI
#include "cli/mpi_world.h"
#endif

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

///   ranks: the processes that run the command together, or null
Outcome run(const std::vector<std::string>& arguments, RankGroup* ranks = nullptr) {
  try {
    CommandLine line;
    const Request request = line.parse(arguments);
    if (request.kind == Request::Kind::wrong_usage) return wrong_usage(request.text);
    if (request.kind == Request::Kind::command) return {line.run(ranks), ""};
    if (ranks == nullptr || ranks->comm.rank() == 0) print_data(request.text);
    return {};
  } catch (...) {
    return outcome_of_current_exception();
  }
}

#if COPSE_HAS_MPI
int run_alone_or_as_rank(const std::vector<std::string>& arguments) {
  if (!MpiWorld::is_launched()) return report(run(arguments));
  MpiWorld world;
  return world.end(run(arguments, &world.ranks()));
}
#else
int run_alone_or_as_rank(const std::vector<std::string>& arguments) {
  return report(run(arguments));
}
#endif

}  // namespace

}  // namespace copse::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe becomes an error of write(),
  std::signal(SIGXFSZ, SIG_IGN);  // and so does a file past the limit of its size
  copse::cli::remove_temporary_files_on_signals();
  copse::cli::keep_standard_descriptors();
  return copse::cli::run_alone_or_as_rank({argv + (argc > 0 ? 1 : 0), argv + argc});
}
