#pragma once

#include "cli/options/options.h"

// Trees that are built in parts: --memory in slices, one after another; --gpus on several devices at once.

namespace copse::cli {

/// The options of trees that are built in one piece.
inline constexpr const char* options_of_one_piece[] = {"--max-leaf-size", "--top",    "--splits",
                                                       "--reinsertion",   "--layout", "--quality"};

/// Adds --memory and --gpus.
void add_parts(CLI::App& command, std::optional<u64>& bytes, u32& gpus);

/// Throws: Error invalid_argument if one of them is given beside the other one, or beside an option of one piece.
void check_parts(const CLI::App& command);

}  // namespace copse::cli
