#pragma once

#include <string>

#include "cli/manual/command_tree.h"

namespace copse::cli {

/// Returns a manual page of section 1, for man.
///   version: of the program, "copse 0.1.0"
std::string man_page(const CommandText& program, const std::string& version);

// Each returns a script by which a shell completes commands, options, their words and names of files.
std::string bash_completion(const CommandText& program);
std::string zsh_completion(const CommandText& program);
std::string fish_completion(const CommandText& program);

}  // namespace copse::cli
