#pragma once

#include <optional>
#include <string>
#include <vector>

#include "builders/io/mapped_mesh.h"
#include "builders/io/packed_tree_file.h"
#include "cli/output.h"
#include "cli/session.h"

// Commands that take several meshes at once, as one scene.

namespace copse::cli {

/// The meshes of one file or several, as one mesh. Its vertices and triangles are those of the first file, then those of
/// the second, and so on.
struct InputMeshes {
  Mesh mesh;                         // empty if the mesh stays in its file
  std::optional<MappedMesh> mapped;  // of one file
  std::vector<MeshPart> parts;       // one per file; MeshPart::geometry is the number of the file, from 0
  std::vector<u64> vertex_counts;    // one per file

  /// Adds the mesh of the next file.
  ///   path: of the file, for the error
  /// Throws: Error capacity past 2^32 - 1 vertices of all files.
  void add(const std::string& path, Mesh next);

  TriangleRecords records() const { return mapped ? mapped->records() : TriangleRecords(mesh); }
};

/// Returns the meshes in files, or on standard input for "-".
/// Throws: as Session::read_mesh and InputMeshes::add.
InputMeshes read_meshes(Session& session, const std::vector<std::string>& paths);

/// The same, but a PLY file that can be mapped stays where it is. If it cannot, a note says why.
/// Throws: as read_meshes.
InputMeshes map_meshes(Session& session, const std::vector<std::string>& paths);

/// Writes into a report what was read: "input", "triangles" and "vertices" of one file. For several files, "files"
/// holds these three of each, and takes the place of "input".
void add_inputs(Json& report, const std::vector<std::string>& paths, const InputMeshes& meshes);
/// The same as lines of text. Of more than 16 files it lists the first 16.
void add_input_facts(Facts& facts, const std::vector<std::string>& paths, const InputMeshes& meshes);

}  // namespace copse::cli
