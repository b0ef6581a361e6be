#include "cli/help_text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <sstream>

namespace copse::cli {

namespace {

/// Returns the width of the terminal that standard output is, or 0 if it is none.
size_t columns_of_output() {
  winsize size{};
  const bool known = ::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return known ? size.ws_col : 0;
}

/// Returns the column at which the parts of a broken line continue, or npos for a line that is not broken.
size_t continuation_of(const std::string& line) {
  if (line.size() > help_column && line[help_column] != ' ' && line.compare(help_column - 2, 2, "  ") == 0) {
    return help_column;
  }
  return line.starts_with(' ') ? std::string::npos : 0;
}

/// Appends a line of at most `columns` characters where words allow that, and the rest of it on lines of its own.
void append_broken(std::string& text, std::string line, size_t columns) {
  const size_t indent = continuation_of(line);
  while (indent != std::string::npos && line.size() > columns) {
    size_t end = line.rfind(' ', columns);
    if (end == std::string::npos || end <= indent) end = line.find(' ', columns);
    if (end == std::string::npos) break;
    text += line.substr(0, end) + "\n";
    line = std::string(indent, ' ') + line.substr(end + 1);
  }
  text += line + "\n";
}

}  // namespace

std::string tidy_help(std::string help) {
  for (size_t at; (at = help.find("\n\n\n")) != std::string::npos;) help.erase(at, 1);
  if (!help.ends_with("\n")) help += "\n";
  constexpr size_t min_description = 24;
  const size_t columns = columns_of_output();
  if (columns < help_column + min_description) return help;
  std::istringstream lines(help);
  std::string broken;
  for (std::string line; std::getline(lines, line);) append_broken(broken, line, columns);
  return broken;
}

}  // namespace copse::cli
