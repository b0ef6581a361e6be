// The arguments of the command copse. Any words are a command with values in their ranges, a text to print, or one line that
// says what is wrong. No command runs.

#include <string>
#include <vector>

#include "cli/command_line.h"
#include "tests/fuzz/targets.h"

namespace copse::fuzz {

namespace {

/// Returns the words between the line breaks. The system lets no argument hold a zero.
std::vector<std::string> words_of(std::string_view bytes) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : bytes) {
    if (c == '\0') break;
    if (c != '\n') {
      word += c;
      continue;
    }
    words.push_back(std::move(word));
    word.clear();
    if (words.size() == 40) return words;
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

bool is_printable_line(const std::string& text) {
  for (const char c : text) {
    if ((c >= 0 && c < ' ') || c == 127) return false;
  }
  return !text.empty();
}

/// Making the commands takes a hundred times as long as reading arguments. So the commands are kept. Each 64th answer is
/// compared with that of new ones.
cli::Request parse(const std::vector<std::string>& words) {
  static cli::CommandLine kept;
  static unsigned count = 0;
  const cli::Request request = kept.parse(words);
  if (count++ % 64 == 0) {
    const cli::Request fresh = cli::CommandLine().parse(words);
    require(fresh.kind == request.kind && fresh.text == request.text, "arguments read before change no answer");
  }
  return request;
}

void run_arguments(std::string_view bytes) {
  using cli::Request;
  const Request request = parse(words_of(bytes));
  switch (request.kind) {
    case Request::Kind::command: require(request.text.empty(), "a command prints nothing before it runs"); break;
    case Request::Kind::print:
      require(request.text.ends_with('\n'), "a text that is printed ends its line");
      break;
    case Request::Kind::wrong_usage:
      require(is_printable_line(request.text), "a mistake is told in one line");
      require(request.text.ends_with(" --help)"), "the line names the help");
      break;
  }
}

}  // namespace

std::span<const Target> argument_targets() {
  static constexpr Target targets[] = {{"arguments", run_arguments}};
  return targets;
}

}  // namespace copse::fuzz
