#pragma once

#include <string>

namespace copse::cli {

/// The column at which the descriptions of options begin.
inline constexpr size_t help_column = 34;

/// Returns a help text of CLI11 as it is printed. CLI11 writes two empty lines between groups, and one is removed. The
/// last line ends. On a terminal, long descriptions are broken between words and stay in their column; CLI11 leaves that
/// to the terminal, which breaks inside of words. Examples are not broken, so that they can be copied.
std::string tidy_help(std::string help);

}  // namespace copse::cli
