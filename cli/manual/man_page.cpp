#include <fmt/format.h>

#include "cli/manual/manual.h"

namespace copse::cli {

namespace {

/// Returns text that the macros of manual pages print as it is. A line may end behind a |, as between the values of an
/// option.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '|') {
      out += "|\\:";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += std::string("\\&") + c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string bold(const std::string& text) {
  return "\\fB" + plain(text) + "\\fR";
}

std::string italic(const std::string& text) {
  return "\\fI" + plain(text) + "\\fR";
}

std::string option_lines(const OptionText& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += (names.empty() ? "" : ", ") + (name[0] == '-' ? bold(name) : italic(name));
  }
  if (!option.is_flag()) names += " " + italic(option.value);
  return ".TP\n" + names + "\n" + plain(option.description) + "\n";
}

std::string footer_lines(const std::string& footer) {
  return footer.empty() ? "" : ".PP\n.nf\n" + plain(footer) + "\n.fi\n";
}

std::string usage_line(const CommandText& command) {
  std::string line = bold(command.words);
  if (!command.commands.empty())
    return line + " " + italic(command.commands_label) + " [" + italic("OPTIONS") + "]";
  for (const OptionText& argument : command.arguments) {
    line += argument.is_required ? " " + italic(argument.names[0]) : " [" + italic(argument.names[0]) + "]";
  }
  return line + " [" + italic("OPTIONS") + "]";
}

void add_section(std::string& page, const CommandText& command) {
  page +=
      ".SS " + plain(command.words) + "\n" + usage_line(command) + "\n.PP\n" + plain(command.description) + ".\n";
  for (const OptionText& argument : command.arguments) page += option_lines(argument);
  for (const OptionText& option : command.options) page += option_lines(option);
  page += footer_lines(command.footer);
  for (const CommandText& below : command.commands) add_section(page, below);
}

}  // namespace

std::string man_page(const CommandText& program, const std::string& version) {
  std::string page = fmt::format(".TH COPSE 1 \"\" \"{}\" \"User Commands\"\n", plain(version));
  page += ".nh\n.ad l\n";  // values of options, such as octree, are not to be hyphenated or spread over the line
  page += ".SH NAME\ncopse \\- build acceleration structures for ray tracing, and trace rays through them\n";
  page += ".SH SYNOPSIS\n" + usage_line(program) + "\n";
  page += ".SH DESCRIPTION\n" + plain(program.description) + "\n.SH OPTIONS\n";
  for (const OptionText& option : program.options) page += option_lines(option);
  page += ".SH COMMANDS\n";
  for (const CommandText& command : program.commands) add_section(page, command);
  page += ".SH NOTES" + footer_lines(program.footer).replace(0, 3, "");
  return page + ".SH SEE ALSO\n.BR copse\\-viewer (1)\n";
}

}  // namespace copse::cli
