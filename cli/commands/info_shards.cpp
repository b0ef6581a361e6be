#include "cli/commands/info_shards.h"

#include <algorithm>
#include <limits>

#include "builders/bvh/validate.h"
#include "cli/options/scene.h"

namespace copse::cli {

Mesh mesh_of(const ShardedBvh& shard) {
  constexpr u64 max_triangles = std::numeric_limits<u32>::max() / 3;
  if (shard.source_count > max_triangles) {
    throw Error(ErrorCode::capacity, fmt::format("{} triangles with vertices of their own; a file holds up to {}",
                                                 shard.source_count, max_triangles));
  }
  Mesh mesh{std::vector<vec3>(3 * shard.source_count, vec3(std::numeric_limits<float>::quiet_NaN())), {}};
  for (u64 id = 0; id < shard.source_count; ++id) mesh.triangles.push_back(uvec3(3 * id, 3 * id + 1, 3 * id + 2));
  for (const PackedTriangle& triangle : shard.triangles.triangles.download()) {
    vec3* const corners = mesh.positions.data() + 3 * u64{triangle.primitive};
    corners[0] = triangle.a;
    corners[1] = triangle.b;
    corners[2] = triangle.c;
  }
  return mesh;
}

namespace {

/// Puts the tree together, and checks it against its triangles.
ValidationReport validate_shards(Session& session, const std::string& folder) {
  const auto context = session.make_host_context();
  Communicator alone;
  const ShardedBvh shard = load_sharded(alone, *context, folder, session.cancel_token());
  const Mesh mesh = mesh_of(shard);
  const DeviceMesh device_mesh(*context, mesh);
  return validate(*context, gather(alone, *context, shard), device_mesh.view());
}

}  // namespace

FileReport describe_shards(Session& session, const InfoOptions& options) {
  if (options.epo) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("'{}': --epo takes a structure file; `copse merge` makes one of this folder", options.input));
  }
  const ShardedFolder folder = read_sharded_folder(options.input, session.cancel_token());
  Json leaves = Json::array();
  u64 most = 0;
  for (size_t rank = 0; rank + 1 < folder.first_slots.size(); ++rank) {
    leaves.push_back(folder.first_slots[rank + 1] - folder.first_slots[rank]);
    most = std::max(most, folder.first_slots[rank + 1] - folder.first_slots[rank]);
  }
  Json report{{"input", options.input},
              {"kind", "sharded tree"},
              {"triangles", folder.source_count},
              {"left_out", folder.source_count - folder.first_slots.back()},
              {"builder", folder.hploc_radius > 0 ? "hploc" : "lbvh"},
              {"morton_bits", folder.morton_bits},
              {"radius", folder.hploc_radius > 0 ? Json(folder.hploc_radius) : Json()},
              {"ranks", leaves.size()},
              {"leaves_of_ranks", leaves}};
  Facts facts;
  facts.add("sharded tree", "{}", one_line(options.input));
  facts.add("over", "{} triangles, {} left out", grouped(folder.source_count),
            grouped(folder.source_count - folder.first_slots.back()));
  facts.add("builder", "{}",
            folder.hploc_radius > 0 ? fmt::format("hploc, radius {}", folder.hploc_radius) : "lbvh");
  facts.add("ranks", "{}, with up to {} leaves each", leaves.size(), grouped(most));
  bool is_valid = true;
  if (options.validate) {
    session.begin("validating");
    const ValidationReport validation = validate_shards(session, options.input);
    report["validation"] = to_json(validation);
    facts.add("validation", "{}", validation.message());
    is_valid = validation.is_valid();
  }
  return {report, facts.text(), is_valid};
}

}  // namespace copse::cli
