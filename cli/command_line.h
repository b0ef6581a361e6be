#pragma once

#include <memory>
#include <string>
#include <vector>

namespace copse::cli {

struct RankGroup;

/// What arguments ask for.
struct Request {
  enum class Kind { command, print, wrong_usage };

  Kind kind;
  std::string text;  // print: for standard output. wrong_usage: one line that says what is wrong. command: empty
};

/// The commands of the program and their options.
class CommandLine {
 public:
  CommandLine();
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// Reads the arguments, without the name of the program. It reads and writes no file. It may be called again, and then
  /// returns what a first call would. But run() then sees the values of former calls where an option is not named.
  Request parse(std::vector<std::string> arguments);

  /// Runs the command that parse() found, and returns the exit code.
  ///   ranks: the processes that run it together, or null
  /// Throws: Error and others, which outcome_of_current_exception() describes.
  int run(RankGroup* ranks = nullptr);

 private:
  struct Parts;  // <CLI/CLI.hpp> takes seconds to compile
  std::unique_ptr<Parts> parts_;
};

}  // namespace copse::cli
