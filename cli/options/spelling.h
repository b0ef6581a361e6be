#pragma once

#include <string>
#include <vector>

namespace copse::cli {

/// Returns the name that `text` is a misspelling of, or an empty string if it is close to none: at most one letter in
/// three is wrong, missing, too much, or has changed places with its neighbour.
std::string closest_name(const std::string& text, const std::vector<std::string>& names);

/// Returns "; did you mean NAME?", or an empty string.
std::string suggestion(const std::string& text, const std::vector<std::string>& names);

}  // namespace copse::cli
