#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace copse::cli {

/// Returns the words of the command that was parsed, such as "copse generate grid".
std::string command_words(const CLI::App& app);

/// Returns what is wrong with the arguments and what they should be. CLI11 says the first alone.
///   app: after the parse that threw the error
std::string usage_message(const CLI::App& app, const CLI::ParseError& error);

/// Turns "help build" into "build --help", and "help" into "--help".
///   arguments: of the program, without its name
/// Throws: CLI::ValidationError if a word is no command.
std::vector<std::string> with_help_option(const CLI::App& app, std::vector<std::string> arguments);

}  // namespace copse::cli
