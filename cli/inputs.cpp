#include "cli/inputs.h"

#include <algorithm>

#include "cli/files.h"
#include "primitives/core/error.h"

namespace copse::cli {

void InputMeshes::add(const std::string& path, Mesh next) {
  const u64 first = mesh.positions.size();
  if (first + next.positions.size() > ~u32{0}) {
    throw Error(ErrorCode::capacity,
                fmt::format("'{}': the files up to this one have {} vertices together; a mesh can have up to {}",
                            path, grouped(first + next.positions.size()), grouped(~u32{0})));
  }
  parts.push_back({.triangle_count = next.triangles.size(), .geometry = u32(parts.size())});
  vertex_counts.push_back(next.positions.size());
  if (parts.size() == 1) {
    mesh = std::move(next);
    return;
  }
  mesh.positions.insert(mesh.positions.end(), next.positions.begin(), next.positions.end());
  for (const uvec3& triangle : next.triangles) mesh.triangles.push_back(triangle + u32(first));
}

InputMeshes read_meshes(Session& session, const std::vector<std::string>& paths) {
  InputMeshes meshes;
  for (const std::string& path : paths) meshes.add(path, session.read_mesh(path));
  return meshes;
}

InputMeshes map_meshes(Session& session, const std::vector<std::string>& paths) {
  if (paths.size() > 1 || !has_ending(paths[0], ".ply")) return read_meshes(session, paths);
  std::string cause;
  try {
    InputMeshes meshes;
    meshes.mapped = session.map_mesh(paths[0]);
    const TriangleRecords records = meshes.records();
    meshes.parts = {{.triangle_count = records.triangle_count}};
    meshes.vertex_counts = {records.vertex_count};
    return meshes;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_file) throw;
    cause = error.what();
  }
  InputMeshes meshes = read_meshes(session, paths);
  session.note("{}; it is read into memory", cause);
  return meshes;
}

void add_inputs(Json& report, const std::vector<std::string>& paths, const InputMeshes& meshes) {
  if (paths.size() == 1) report["input"] = paths[0];
  report["triangles"] = meshes.records().triangle_count;
  report["vertices"] = meshes.records().vertex_count;
  if (paths.size() == 1) return;
  Json files = Json::array();
  for (size_t i = 0; i < paths.size(); ++i) {
    files.push_back({{"input", paths[i]},
                     {"triangles", meshes.parts[i].triangle_count},
                     {"vertices", meshes.vertex_counts[i]}});
  }
  report["files"] = std::move(files);
}

void add_input_facts(Facts& facts, const std::vector<std::string>& paths, const InputMeshes& meshes) {
  const auto counts = [](u64 triangles, u64 vertices) {
    return counted(triangles, "triangles") + ", " + counted(vertices, "vertices");
  };
  const std::string all = counts(meshes.records().triangle_count, meshes.records().vertex_count);
  if (paths.size() == 1) return facts.add("mesh", "{}: {}", one_line(paths[0]), all);
  facts.add("meshes", "{} files: {}", paths.size(), all);
  constexpr size_t max_lines = 16;
  for (size_t i = 0; i < std::min(paths.size(), max_lines); ++i) {
    facts.add(fmt::format("file {}", i), "{}: {}", one_line(paths[i]),
              counts(meshes.parts[i].triangle_count, meshes.vertex_counts[i]));
  }
  if (paths.size() > max_lines) facts.add("", "and {} more", counted(paths.size() - max_lines, "files"));
}

}  // namespace copse::cli
