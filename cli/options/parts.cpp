#include "cli/options/parts.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "primitives/core/error.h"

namespace copse::cli {

namespace {

[[noreturn]] void refuse_parts(const std::string& what) {
  throw Error(ErrorCode::invalid_argument, what);
}

/// Throws: Error invalid_argument if an option of one piece is given.
///   how: what builds in parts
void refuse_options_of_one_piece(const CLI::App& command, const char* how) {
  if (command.count("--quality") > 0) {
    refuse_parts(fmt::format("{}, but --quality builds an Accel; give one of them", how));
  }
  for (const char* option : options_of_one_piece) {
    if (command.count(option) == 0) continue;
    refuse_parts(fmt::format("{}, which does not take {}; leave one of them out", how, option));
  }
}

}  // namespace

void add_parts(CLI::App& command, std::optional<u64>& bytes, u32& gpus) {
  add_bytes(
      command, "--memory", bytes,
      "Build with lbvh or hploc in slices that take at most so much memory of the device, as in 2G, for trees "
      "that do not fit a GPU; the tree is the same");
  add_gpus(command, gpus,
           "Build with lbvh or hploc one tree whose parts are on N GPUs; -o is then a folder, .copsed");
}

void check_parts(const CLI::App& command) {
  const bool in_slices = command.count("--memory") > 0, on_devices = command.count("--gpus") > 0;
  if (in_slices && on_devices) {
    refuse_parts(
        "--memory builds a tree in slices on one device, but --gpus builds one on several; give one of them");
  }
  if (in_slices) refuse_options_of_one_piece(command, "--memory builds a tree by hand in slices");
  if (on_devices) refuse_options_of_one_piece(command, "--gpus builds a tree by hand on several devices");
}

}  // namespace copse::cli
