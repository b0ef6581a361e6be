#include "cli/manual/command_tree.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace copse::cli {

namespace {

OptionText describe_option(const CLI::Option& option) {
  OptionText text{
      .names = {}, .value = {}, .description = option.get_description(), .is_required = option.get_required()};
  if (option.get_positional()) {
    text.names.push_back(option.get_name() + (option.get_items_expected_max() > 1 ? "..." : ""));
    return text;
  }
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  if (option.get_expected_max() > 0) text.value = option.get_option_text();
  return text;
}

bool is_word(const std::string& text) {
  return !text.empty() && text[0] >= 'a' && text[0] <= 'z';
}

}  // namespace

bool OptionText::takes_file() const {
  return value == "FILE" || value == "FOLDER" || value == "DIR" || value.ends_with(".json");
}

std::vector<std::string> OptionText::words() const {
  if (value.find('|') == value.npos) return {};
  std::vector<std::string> found = CLI::detail::split(value, '|');
  found.erase(std::remove_if(found.begin(), found.end(), [](const std::string& text) { return !is_word(text); }),
              found.end());
  return found;
}

CommandText describe_command(const CLI::App& app, const std::string& before) {
  CommandText text{.name = app.get_name(),
                   .words = before + app.get_name(),
                   .description = app.get_description(),
                   .commands_label = app.get_formatter()->get_label("SUBCOMMAND"),
                   .footer = app.get_footer(),
                   .options = {},
                   .arguments = {},
                   .commands = {}};
  for (const CLI::Option* option : app.get_options()) {
    (option->get_positional() ? text.arguments : text.options).push_back(describe_option(*option));
  }
  for (const CLI::App* command : app.get_subcommands({})) {
    text.commands.push_back(describe_command(*command, text.words + " "));
  }
  return text;
}

}  // namespace copse::cli
