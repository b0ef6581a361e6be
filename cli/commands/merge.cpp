// copse merge: puts the parts of a sharded tree together, as one structure file.

#include <CLI/CLI.hpp>
#include <memory>

#include "builders/bvh/checksum.h"
#include "builders/io/structure_file.h"
#include "cli/commands/command.h"
#include "cli/commands/info_shards.h"
#include "cli/exit_code.h"
#include "cli/files.h"
#include "copse/shards.h"

namespace copse::cli {

namespace {

struct MergeOptions {
  std::string folder, output;
};

int run_merge(Session& session, const MergeOptions& options) {
  if (!holds_sharded(options.folder)) {
    throw Error(ErrorCode::bad_file,
                fmt::format("'{}': no folder with the manifest.json of a sharded tree; `copse build --gpus N -o "
                            "NAME.copsed` writes one",
                            options.folder));
  }
  if (options.output.empty()) {
    throw Error(ErrorCode::invalid_argument, "-o is missing: name the file to write, as in -o tree.copse");
  }
  check_output(options.output, ".copse", {});
  const auto context = session.make_host_context();
  session.progress().expect_stages(3);
  Communicator alone;
  session.begin("reading");
  const ShardedBvh shard = load_sharded(alone, *context, options.folder, session.cancel_token());
  session.begin("joining");
  const Bvh tree = gather(alone, *context, shard);
  const Mesh mesh = mesh_of(shard);
  session.begin("writing");
  save_structure(options.output, *context, mesh, tree, shard.hploc_radius > 0 ? "hploc" : "lbvh",
                 shard.morton_bits, 1, {}, session.cancel_token());

  const std::string sum = fmt::format("{:#018x}", checksum(*context, tree));
  Facts facts;
  facts.add("input", "{}", one_line(options.folder));
  facts.add("triangles", "{}", grouped(shard.source_count));
  facts.add("checksum", "{}", sum);
  facts.add("written", "{}", one_line(options.output));
  session.print({{"copse", describe(*context)},
                 {"input", options.folder},
                 {"triangles", shard.source_count},
                 {"checksum", sum},
                 {"output", options.output}},
                facts.text());
  return exit_ok;
}

}  // namespace

Command add_merge_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = app.add_subcommand("merge", "Put the parts of a sharded tree together in one file");
  const auto options = std::make_shared<MergeOptions>();
  add_input(*command, options->folder, "FOLDER", "A .copsed folder, as `copse build --gpus N` writes it");
  add_output(*command, options->output, "The file to write, .copse (required)");
  add_common_options(*command, common);
  command->footer(
      "The tree is that of `copse build --builder lbvh`, or hploc. The mesh has three vertices of its own for "
      "each triangle.\n"
      "\n"
      "Examples:\n"
      "  copse build assets/testball.ply --gpus 4 --backend cpu -o testball.copsed\n"
      "  copse merge testball.copsed -o testball.copse");
  return {command, [options](Session& session) { return run_merge(session, *options); }};
}

}  // namespace copse::cli
