#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "cli/commands/command.h"
#include "cli/exit_code.h"
#include "cli/help_text.h"
#include "cli/manual/manual.h"
#include "cli/usage.h"
#include "copse_commit.h"

namespace copse::cli {

namespace {

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

/// Ranks of other arguments, or of another version, would wait for each other in different calls.
/// Throws: Error invalid_argument on all ranks.
void check_same_command(Communicator& comm, const std::string& words) {
  const std::vector<u64> sums = comm.all_gather(u64(std::hash<std::string>()(version_text() + words)));
  for (size_t rank = 0; rank < sums.size(); ++rank) {
    if (sums[rank] == sums[0]) continue;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("rank {} has other arguments than rank 0, or is another version of copse", rank));
  }
}

}  // namespace

struct CommandLine::Parts {
  CLI::App app{
      "Builds bounding volume hierarchies of meshes and traces rays through them, on CUDA and on the CPU."};
  CommonOptions common;
  std::vector<Command> commands;
  std::string words;  // the arguments, in lines
};

CommandLine::CommandLine() : parts_(std::make_unique<Parts>()) {
  describe_program(parts_->app);
  for (const auto& add : {add_build_command, add_info_command, add_render_command, add_convert_command,
                          add_merge_command, add_generate_command, add_bench_command, add_doctor_command}) {
    parts_->commands.push_back(add(parts_->app, parts_->common));
    parts_->commands.back().app->group("Commands");
  }
}
CommandLine::~CommandLine() = default;

Request CommandLine::parse(std::vector<std::string> arguments) {
  CLI::App& app = parts_->app;
  app.clear();  // of the arguments of a former call
  parts_->words.clear();
  for (const std::string& argument : arguments) parts_->words += argument + "\n";
  try {
    if (const std::optional<std::string> text = manual_of(app, arguments)) return {Request::Kind::print, *text};
    arguments = with_help_option(app, std::move(arguments));
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    return {Request::Kind::print, tidy_help(app.help())};
  } catch (const CLI::CallForVersion&) {
    return {Request::Kind::print, version_text() + "\n"};
  } catch (const CLI::ParseError& error) {
    return {Request::Kind::wrong_usage,
            fmt::format("{} (see {} --help)", one_line(usage_message(app, error)), command_words(app))};
  }
  return {Request::Kind::command, ""};
}

int CommandLine::run(RankGroup* ranks) {
  if (ranks != nullptr) check_same_command(ranks->comm, parts_->words);
  for (const Command& command : parts_->commands) {
    if (!command.app->parsed()) continue;
    if (!command.takes_ranks && ranks != nullptr && ranks->comm.rank() > 0) return exit_ok;
    Session session(parts_->common, command.takes_ranks ? ranks : nullptr);
    return command.run(session);
  }
  return exit_usage;
}

}  // namespace copse::cli
