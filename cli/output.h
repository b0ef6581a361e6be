#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "primitives/core/cancel_token.h"

namespace copse::cli {

using Json = nlohmann::ordered_json;

/// The program that reads standard output has ended. Then this one ends too, without a message.
struct ClosedPipe {};

/// Writes data to stdout at once.
/// Throws: ClosedPipe; Error bad_file if it cannot be written, as on a full disk.
void print_data(std::string_view text);

/// Returns all that comes from standard input.
/// Throws: Error bad_file if it cannot be read; Error cancelled.
std::string read_standard_input(const CancelToken& cancel);

/// Writes one JSON object and a line break.
void print_json(const Json& object);

/// Aligned lines, each of a name and a value.
class Facts {
 public:
  template <class... Args>
  void add(std::string_view name, fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format("{:<18}{}\n", name, fmt::format(format, std::forward<Args>(args)...));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Returns `text` on one line: line breaks become spaces, other control characters "?".
std::string one_line(std::string text);

/// Returns a number with a space between groups of three digits: 20 676 608.
std::string grouped(unsigned long long number);

/// Returns a count and its noun: 1 ray, 20 676 608 rays.
///   nouns: the plural
std::string counted(unsigned long long count, std::string_view nouns);

/// Returns bytes in a fitting unit: 12.3 MB.
std::string readable_bytes(unsigned long long bytes);

}  // namespace copse::cli
