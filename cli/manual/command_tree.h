#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace copse::cli {

/// An option or a positional argument, as its help text describes it.
struct OptionText {
  std::vector<std::string>
      names;  // "-o", "--output"; of a positional argument its name alone: "IN", or "IN..." if it takes several
  std::string value;  // "FILE", "lbvh|sah"; empty for a flag and for a positional argument
  std::string description;
  bool is_required = false;

  bool is_flag() const { return value.empty(); }
  /// True if the value is the name of a file or folder.
  bool takes_file() const;
  /// Returns the words that the value can be; empty if it is no choice of words.
  std::vector<std::string> words() const;
};

/// A command with its options and subcommands. Manual pages and completions are made of it, so that they always have
/// what the program takes.
struct CommandText {
  std::string name;   // "generate"
  std::string words;  // "copse generate"
  std::string description;
  std::string commands_label;  // what the usage line calls the commands below: "COMMAND", "KIND"
  std::string footer;          // notes and examples
  std::vector<OptionText> options, arguments;
  std::vector<CommandText> commands;
};

/// Describes a command and all below it.
///   before: the words in front of its name; empty for the program
CommandText describe_command(const CLI::App& app, const std::string& before = "");

}  // namespace copse::cli
