#include "cli/commands/build_shards.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "cli/exit_code.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/options/builders.h"
#include "copse/shards.h"

namespace copse::cli {

namespace {

namespace fs = std::filesystem;

/// Refuses an output whose files are not those of a sharded tree.
void check_shard_folder(const std::string& output) {
  const auto refuse = [&](ErrorCode code, const char* cause) {
    throw Error(code, fmt::format("'{}': {}", output, cause));
  };
  std::error_code error;
  fs::path folder = output;
  if (!folder.has_filename()) folder = folder.parent_path();  // "name.copsed/"
  if (folder.extension() != ".copsed")
    refuse(ErrorCode::invalid_argument, "with --gpus, the output is a folder and must end in .copsed");
  if (!fs::exists(folder, error)) return;
  if (!fs::is_directory(folder, error)) refuse(ErrorCode::bad_file, "this is a file, not a folder");
  if (!fs::is_empty(folder, error) && !holds_sharded(folder) && !fs::exists(folder / "shard-0000.shard", error))
    refuse(ErrorCode::bad_file, "this folder holds other files");
}

/// What the ranks have built.
struct BuiltShards {
  std::vector<u64> first_slots;
  u64 source_count = 0;
  double milliseconds = 0;  // of the slowest rank, with allocation
  u64 bytes = 0;            // of all ranks
};

/// Each rank brings a range of the triangles.
BuiltShards build_and_save(Devices& devices, const Mesh& mesh, const ShardedBuildRequest& request,
                           const CancelToken& cancel) {
  std::vector<Communicator> ranks = Communicator::of_devices(devices);
  std::vector<double> milliseconds(ranks.size());
  std::vector<u64> bytes(ranks.size());
  BuiltShards built;
  devices.run([&](Context& context, u32 rank) {
    Communicator comm = std::move(ranks[rank]);
    Buffer<vec3> positions;
    Buffer<uvec3> triangles;
    comm.agree([&] {
      const u64 n = mesh.triangles.size(), begin = n * rank / comm.size(), end = n * (rank + 1) / comm.size();
      positions = Buffer<vec3>(context, mesh.positions);
      triangles = Buffer<uvec3>(context, std::span(mesh.triangles).subspan(begin, end - begin));
    });
    const auto start = std::chrono::steady_clock::now();
    const TriangleView view{.positions = positions.span(), .triangles = triangles.span()};
    const ShardedBvh shard = build_sharded(comm, context, view, {.morton_bits = *request.settings.morton_bits});
    context.wait();
    milliseconds[rank] =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    bytes[rank] = shard.tree.size_bytes() + shard.triangles.size_bytes();
    if (!request.output.empty()) save_sharded(comm, context, request.output, shard, cancel);
    if (rank == 0) built = {shard.first_slots, shard.source_count};
  });
  built.milliseconds = *std::max_element(milliseconds.begin(), milliseconds.end());
  for (const u64 of_rank : bytes) built.bytes += of_rank;
  return built;
}

}  // namespace

int build_sharded_tree(Session& session, const ShardedBuildRequest& request) {
  if (request.settings.builder != "lbvh") {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--gpus builds one tree on several ranks, which only lbvh does; --builder is {}",
                            request.settings.builder));
  }
  check_mesh_inputs(request.inputs);
  if (!request.output.empty()) check_shard_folder(request.output);
  const ContextOrDevices contexts = session.make_contexts(request.gpus);
  session.progress().expect_stages(2);

  session.begin("reading");
  const InputMeshes meshes = read_meshes(session, request.inputs);
  session.begin("building");
  const BuiltShards built = build_and_save(*contexts.devices, meshes.mesh, request, session.cancel_token());
  if (!request.output.empty()) session.note("wrote {}", request.output);

  Json report{{"copse", describe(contexts.context())}};
  add_inputs(report, request.inputs, meshes);
  Json leaves = Json::array();
  u64 most = 0;
  for (size_t rank = 0; rank + 1 < built.first_slots.size(); ++rank) {
    leaves.push_back(built.first_slots[rank + 1] - built.first_slots[rank]);
    most = std::max(most, built.first_slots[rank + 1] - built.first_slots[rank]);
  }
  report.update({{"recipe", to_json(request.settings)},
                 {"ranks", request.gpus},
                 {"leaves_of_ranks", leaves},
                 {"left_out", built.source_count - built.first_slots.back()},
                 {"bytes", built.bytes},
                 {"first_build_ms", built.milliseconds},
                 {"output", request.output.empty() ? Json() : Json(request.output)}});
  Facts facts;
  add_input_facts(facts, request.inputs, meshes);
  facts.add("device", "{}", describe_in_words(contexts.context()));
  add_facts(facts, request.settings);
  facts.add("ranks", "{}, with up to {} leaves each", request.gpus, grouped(most));
  facts.add("left out", "{}", grouped(built.source_count - built.first_slots.back()));
  facts.add("memory", "{} of all ranks, for trees and triangles", readable_bytes(built.bytes));
  facts.add("build", "{:.3f} ms, with allocation", built.milliseconds);
  session.print(report, facts.text());
  return exit_ok;
}

}  // namespace copse::cli
