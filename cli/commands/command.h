#pragma once

#include <functional>

#include "cli/options/options.h"
#include "cli/session.h"

namespace copse::cli {

/// A subcommand. Its options are parsed into variables that `run` holds. `run` returns the exit code.
struct Command {
  CLI::App* app;
  std::function<int(Session&)> run;
  bool takes_ranks = false;  // if not, the first rank alone runs it
};

Command add_build_command(CLI::App& app, CommonOptions& common);
Command add_info_command(CLI::App& app, CommonOptions& common);
Command add_render_command(CLI::App& app, CommonOptions& common);
Command add_convert_command(CLI::App& app, CommonOptions& common);
Command add_merge_command(CLI::App& app, CommonOptions& common);
Command add_doctor_command(CLI::App& app, CommonOptions& common);
Command add_generate_command(CLI::App& app, CommonOptions& common);
Command add_bench_command(CLI::App& app, CommonOptions& common);

}  // namespace copse::cli
