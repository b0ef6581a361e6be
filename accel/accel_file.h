#pragma once

#include <span>
#include <vector>

#include "accel/accel.h"
#include "builders/io/packed_tree_file.h"

namespace copse {

/// The content of a .copse file that save_accel wrote: an Accel, and the mesh that it was built over.
struct AccelFile {
  Mesh mesh;
  std::vector<MeshPart> parts;  // the views that the mesh was built as, in order
  Accel accel;
};

/// Writes an Accel and its mesh. The file appears under its name when it is complete, so that an old file survives a
/// full disk. docs/guide/structure-file.md describes the layout.
///   mesh:   a Mesh, or the records of a MappedMesh. Has the triangles of the last build, rebuild or refit
///   parts:  the views that they were built as. Without parts it was one view, of geometry 0 and all bits in its mask
///   cancel: a token such as std::stop_token. Once a stop is requested, the call throws Error cancelled soon, and an old
///           file stays
/// Throws: Error bad_file, Error cancelled; Error invalid_argument if `accel` was never built, if mesh and parts have other triangles
/// than `accel`, and for content that could not be loaded again, such as an infinite coordinate in the tree.
/// Waits: for the structure.
COPSE_API void save_accel(const FilePath& path, Context& context, const TriangleRecords& mesh, const Accel& accel,
                          std::span<const MeshPart> parts = {}, const CancelToken& cancel = {});

/// Reads an Accel into the context's memory. Rays and queries give the answers of the one that was saved. It has the
/// size of a compacted one, and 4 bytes per triangle for the ids of its tree: it can be traced and refitted, but not
/// rebuilt. Of one with splits, options().splits is the number of references per triangle that it has. Magic, version,
/// checksums, sizes and every index are checked before anything is used. Files of all older versions are read too.
/// Throws: Error bad_file with file, value and limit, also for a file that save_structure wrote; Error out_of_memory, Error
/// cancelled.
/// Waits: for the copies.
COPSE_API AccelFile load_accel(const FilePath& path, Context& context, const CancelToken& cancel = {});

/// An Accel in the pages of its file, for contexts of the CPU.
struct MappedAccel {
  Accel accel;                      // keeps the file mapped, wherever it is moved
  std::span<const vec3> positions;  // of the mesh, in the file; valid as long as `accel` is
  std::span<const uvec3> triangles;
  std::vector<MeshPart> parts;
};

/// Returns an Accel whose arrays are the pages of its file. Nothing is copied, and pages are read when rays come to
/// them, so that several programs share one copy and a file may be larger than memory. It can be used like a
/// compacted Accel; a refit copies the pages that it changes and does not change the file.
///
/// The file must not be changed or cut while the Accel lives: otherwise rays see other bytes, or the system ends the
/// program by SIGBUS. save_accel is safe: it replaces the file by a new one, and the pages of the old one stay valid.
///   check: FileCheck::everything (the default) reads the file once, block by block on all cores; `sizes` reads the
///          header alone
/// Throws: Error bad_file with file, value and limit, also for a file of a version before 4, which load_accel reads;
/// Error out_of_memory, Error cancelled.
/// Memory: address space only; during the check of everything, also 4 bytes per triangle and some bits.
COPSE_API MappedAccel map_accel(const FilePath& path, FileCheck check = FileCheck::everything,
                                const CancelToken& cancel = {});

/// Returns true for a .copse file that load_accel reads, and false for one that load_structure reads. It reads only
/// the first bytes.
/// Throws: Error bad_file if the file cannot be read or is no structure file.
COPSE_API bool holds_accel(const FilePath& path);

}  // namespace copse
