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
    refuse(ErrorCode::invalid_argument, "the output of several ranks is a folder and must end in .copsed");
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

  u64 rank_count() const { return first_slots.size() - 1; }
  u64 leaves_of(u64 rank) const { return first_slots[rank + 1] - first_slots[rank]; }
  u64 left_out() const { return source_count - first_slots.back(); }
};

/// Returns the corners of the triangles that a rank brings: a range of all, and equally many for each rank.
Buffer<vec3> corners_of_rank(Context& context, const TriangleRecords& triangles, const Communicator& comm) {
  const u64 n = triangles.triangle_count;
  const u64 begin = n * comm.rank() / comm.size(), end = n * (comm.rank() + 1) / comm.size();
  std::vector<vec3> corners;
  corners.reserve(3 * (end - begin));
  for (u64 i = begin; i < end; ++i) {
    const uvec3 ids = triangles.vertex_ids(i);
    for (int k = 0; k < 3; ++k) corners.push_back(triangles.position(ids[k]));
  }
  return {context, corners};
}

/// Builds the part of this rank and saves it. Returns the same on all ranks.
BuiltShards build_and_save(Communicator& comm, Context& context, const TriangleRecords& triangles,
                           const ShardedBuildRequest& request, const CancelToken& cancel) {
  Buffer<vec3> corners;
  comm.agree([&] { corners = corners_of_rank(context, triangles, comm); });
  const auto start = std::chrono::steady_clock::now();
  const ShardedBvh shard =
      build_sharded(comm, context, TriangleView{.positions = corners.span()},
                    {.morton_bits = *request.settings.morton_bits, .hploc_radius = request.settings.radius});
  comm.agree([&] { context.wait(); });
  const double milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (!request.output.empty()) save_sharded(comm, context, request.output, shard, cancel);

  BuiltShards built{shard.first_slots, shard.source_count};
  for (const double of_rank : comm.all_gather(milliseconds)) {
    built.milliseconds = std::max(built.milliseconds, of_rank);
  }
  for (const u64 of_rank : comm.all_gather(shard.tree.size_bytes() + shard.triangles.size_bytes())) {
    built.bytes += of_rank;
  }
  return built;
}

/// The same on all devices.
BuiltShards build_and_save(Devices& devices, const TriangleRecords& triangles, const ShardedBuildRequest& request,
                           const CancelToken& cancel) {
  std::vector<Communicator> ranks = Communicator::of_devices(devices);
  BuiltShards built;
  devices.run([&](Context& context, u32 rank) {
    Communicator comm = std::move(ranks[rank]);
    BuiltShards of_rank = build_and_save(comm, context, triangles, request, cancel);
    if (rank == 0) built = std::move(of_rank);
  });
  return built;
}

void check_request(const Session& session, const ShardedBuildRequest& request) {
  const std::string& builder = request.settings.builder;
  if (builder != "lbvh" && builder != "hploc") {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} builds one tree on several ranks, which lbvh and hploc do; --builder is {}",
                            session.ranks() != nullptr ? "mpirun" : "--gpus", builder));
  }
  if (session.ranks() != nullptr) refuse_standard_input(request.inputs);
}

void print_result(Session& session, const Context& context, const ShardedBuildRequest& request,
                  const InputMeshes& meshes, const BuiltShards& built) {
  Json report{{"copse", describe(context)}};
  add_inputs(report, request.inputs, meshes);
  Json leaves = Json::array();
  u64 most = 0;
  for (u64 rank = 0; rank < built.rank_count(); ++rank) {
    leaves.push_back(built.leaves_of(rank));
    most = std::max(most, built.leaves_of(rank));
  }
  report.update({{"mapped", meshes.mapped.has_value()},
                 {"recipe", to_json(request.settings)},
                 {"ranks", built.rank_count()},
                 {"leaves_of_ranks", leaves},
                 {"left_out", built.left_out()},
                 {"bytes", built.bytes},
                 {"first_build_ms", built.milliseconds},
                 {"output", request.output.empty() ? Json() : Json(request.output)}});
  Facts facts;
  add_input_facts(facts, request.inputs, meshes);
  facts.add("device", "{}", describe_in_words(context));
  add_facts(facts, request.settings);
  facts.add("ranks", "{}, with up to {} leaves each", built.rank_count(), grouped(most));
  facts.add("left out", "{}", grouped(built.left_out()));
  facts.add("memory", "{} of all ranks, for trees and triangles", readable_bytes(built.bytes));
  facts.add("build", "{:.3f} ms, with allocation", built.milliseconds);
  session.print(report, facts.text());
}

}  // namespace

int build_sharded_tree(Session& session, const ShardedBuildRequest& request) {
  check_request(session, request);
  ContextOrDevices contexts;
  InputMeshes meshes;
  session.together([&] {
    check_mesh_inputs(request.inputs);
    if (!request.output.empty()) check_shard_folder(request.output);
    contexts = session.make_contexts(request.gpus);
    session.progress().expect_stages(2);
    session.begin("reading");
    meshes = map_meshes(session, request.inputs);
    session.begin("building");
  });
  const BuiltShards built =
      contexts.devices ? build_and_save(*contexts.devices, meshes.records(), request, session.cancel_token())
                       : build_and_save(session.ranks()->comm, contexts.context(), meshes.records(), request,
                                        session.cancel_token());
  if (!request.output.empty()) session.note("wrote {}", request.output);
  print_result(session, contexts.context(), request, meshes, built);
  return exit_ok;
}

}  // namespace copse::cli
