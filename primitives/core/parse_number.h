#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace copse {

/// Returns the number that the whole text spells, in the C locale; nullopt if the text is not a number, if the
/// number is out of range for the type, or if other text follows it.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace copse
