// The command copse: parses the options, runs a subcommand, and turns errors into one line and an exit code.

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>

#include "cli/commands/command.h"
#include "cli/exit_code.h"
#include "cli/help_text.h"
#include "cli/interrupt.h"
#include "cli/manual/manual.h"
#include "cli/usage.h"
#include "copse_commit.h"

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

std::string version_text() {
  return fmt::format("copse {}, commit {} ({})", COPSE_VERSION, COPSE_COMMIT,
                     built_with_cuda() ? "CPU and CUDA" : "CPU only");
}

void describe_program(CLI::App& app) {
  app.name("copse");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", version_text(), "Print the version and exit");
  app.require_subcommand(1);
  app.get_formatter()->column_width(help_column);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.footer(
      "Each command has its own help with examples: copse help build\n"
      "Data goes to standard output, messages to standard error.\n"
      "Programs call the library from C++, C and Python: docs/README.md\n"
      "\n"
      "Exit codes:\n"
      "  0  done                      5  not enough memory\n"
      "  2  wrong usage               6  internal error or device failure\n"
      "  3  bad file                  7  the structure is not valid (info --validate)\n"
      "  4  no such device            8  a time is worse (bench --compare)\n"
      "130  interrupted             141  the reader of standard output has ended");
}

int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::string message = one_line(usage_message(app, error));
  std::fprintf(stderr, "copse: error: %s (see %s --help)\n", message.c_str(), command_words(app).c_str());
  return exit_usage;
}

int run_parsed(const std::vector<Command>& commands, const CommonOptions& common) {
  Session session(common);
  for (const Command& command : commands) {
    if (command.app->parsed()) return command.run(session);
  }
  return exit_usage;
}

/// Returns the manual page for "help --man", or the script for "help --completion SHELL". Returns nothing for other
/// arguments.
/// Throws: CLI::ValidationError for another shell.
std::optional<std::string> manual_of(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.size() < 2 || arguments[0] != "help") return std::nullopt;
  if (arguments[1] == "--man") return man_page(describe_command(app), fmt::format("copse {}", COPSE_VERSION));
  if (arguments[1] != "--completion") return std::nullopt;
  const std::string shell = arguments.size() > 2 ? arguments[2] : "";
  if (shell == "bash") return bash_completion(describe_command(app));
  if (shell == "zsh") return zsh_completion(describe_command(app));
  if (shell == "fish") return fish_completion(describe_command(app));
  throw CLI::ValidationError("--completion is " + none_of(shell, {"bash", "zsh", "fish"}));
}

int run(int argc, char** argv) {
  CLI::App app{
      "Builds bounding volume hierarchies of meshes and traces rays through them, on CUDA and on the CPU."};
  describe_program(app);
  CommonOptions common;
  std::vector<Command> commands;
  for (const auto& add : {add_build_command, add_info_command, add_render_command, add_convert_command,
                          add_merge_command, add_generate_command, add_bench_command, add_doctor_command}) {
    commands.push_back(add(app, common));
    commands.back().app->group("Commands");
  }
  try {
    std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    if (const std::optional<std::string> text = manual_of(app, arguments)) {
      print_data(*text);
      return exit_ok;
    }
    arguments = with_help_option(app, std::move(arguments));
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    print_data(tidy_help(app.help()));
    return exit_ok;
  } catch (const CLI::CallForVersion&) {
    print_data(version_text() + "\n");
    return exit_ok;
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
  }
  return run_parsed(commands, common);
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
