#include "cli/usage.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

#include "cli/options/options.h"
#include "cli/options/spelling.h"

namespace copse::cli {

namespace {

const CLI::App& deepest_parsed(const CLI::App& app) {
  return app.get_subcommands().empty() ? app : deepest_parsed(*app.get_subcommands().back());
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-';
}

/// "a mesh file" as a word of a sentence that goes on: "The mesh: .ply" becomes "the mesh: .ply".
std::string in_a_sentence(std::string description) {
  if (description.size() > 1 && description[1] >= 'a' && description[1] <= 'z')
    description[0] = char(std::tolower(static_cast<unsigned char>(description[0])));
  if (description.starts_with("A ")) description[0] = 'a';
  return description;
}

std::vector<const CLI::Option*> positionals(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::string unknown_option(const CLI::App& command, const std::string& words, const std::string& word) {
  const std::vector<std::string> names = option_names(command);
  const std::string name = word.substr(0, word.find('='));
  if (std::find(names.begin(), names.end(), name) != names.end()) {
    return fmt::format("{} stands before the command; write it after {}", name, words);
  }
  return fmt::format("{} has no option {}{}", words, word, suggestion(word, names));
}

/// "the command", or what the usage line calls the commands below this one, such as KIND.
std::string name_of_commands(const CLI::App& app) {
  const std::string label = app.get_formatter()->get_label("SUBCOMMAND");
  return label == "COMMAND" ? "the command" : label;
}

std::string missing_command(const CLI::App& app, const std::string& command) {
  const std::vector<std::string> words = app.remaining(), names = command_names(app);
  if (words.empty()) return name_of_commands(app) + " is missing; it can be " + one_of(names);
  const std::string& word = words.front();
  if (!is_option(word)) return name_of_commands(app) + " is " + none_of(word, names);
  if (!suggestion(word, option_names(app)).empty()) return unknown_option(app, command, word);
  return fmt::format("{0} stands before {1}, or is none of its options; write {1} first: {2}", word,
                     name_of_commands(app), one_of(names));
}

std::string unexpected_argument(const CLI::App& command, const std::string& words, const std::string& word) {
  std::string taken;
  for (const CLI::Option* option : positionals(command)) taken += " " + option->get_name();
  if (taken.empty()) return fmt::format("'{}' is unexpected; {} takes options alone", word, words);
  return fmt::format("'{}' is one argument too many; the arguments are {}{}", word, words, taken);
}

/// An option whose value, or a part of it, is missing. The message of CLI11 begins with its name and a colon.
std::string missing_value(const CLI::App& command, const std::string& message) {
  const std::string name = message.substr(0, message.find(':'));
  const CLI::Option* option = command.get_option_no_throw(name);
  if (option == nullptr) return message;
  if (option->get_items_expected_min() == 3) {
    return fmt::format("{} has too few numbers; it takes three, as in {} 1,2,-3", name, name);
  }
  return fmt::format("{} has no value: {}", name, in_a_sentence(option->get_description()));
}

std::string missing_argument(const CLI::App& command, const std::string& message) {
  for (const CLI::Option* option : positionals(command)) {
    if (message == option->get_name() + " is required") {
      return fmt::format("{} is missing: {}", option->get_name(), in_a_sentence(option->get_description()));
    }
  }
  return message;
}

}  // namespace

std::string command_words(const CLI::App& app) {
  if (app.get_subcommands().empty()) return app.get_name();
  return app.get_name() + " " + command_words(*app.get_subcommands().back());
}

std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = deepest_parsed(app);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    if (command.get_require_subcommand_min() > 0) return missing_command(command, command_words(app));
    // An option that is unknown is the mistake; what is missing after it may only seem so.
    for (const std::string& word : app.remaining(true)) {
      if (is_option(word)) return unknown_option(command, command_words(app), word);
    }
    return missing_argument(command, error.what());
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return missing_value(command, error.what());
  const std::vector<std::string> extras = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extras.empty()) {
    const std::string &word = extras.front(), words = command_words(app);
    return is_option(word) ? unknown_option(command, words, word) : unexpected_argument(command, words, word);
  }
  return error.what();
}

std::vector<std::string> with_help_option(const CLI::App& app, std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  const CLI::App* command = &app;
  for (const std::string& word : arguments) {
    if (is_option(word)) break;
    const std::vector<std::string> names = command_names(*command);
    if (names.empty()) throw CLI::ValidationError(fmt::format("'{}' is one word too many after help", word));
    if (std::find(names.begin(), names.end(), word) == names.end()) {
      throw CLI::ValidationError(name_of_commands(*command) + " is " + none_of(word, names));
    }
    command = command->get_subcommand(word);
  }
  arguments.push_back("--help");
  return arguments;
}

}  // namespace copse::cli
