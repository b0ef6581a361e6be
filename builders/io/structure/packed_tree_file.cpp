#include "builders/io/packed_tree_file.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>

#include "builders/io/structure/structure_check.h"
#include "builders/io/structure/structure_reader.h"
#include "builders/io/structure/structure_writer.h"
#include "primitives/core/check.h"

namespace copse::detail {

namespace {

using std::to_string;

constexpr const char* function = "save_accel";

/// The used part of a tree and its triangles, on the host.
struct HostPackedTree {
  WideBvhCounts counts;
  std::vector<CompressedBvh4Node> nodes;
  std::vector<u32> parents;
  std::vector<PackedTriangle> triangles;
  std::vector<u32> masks, primitive_ids;
};

HostPackedTree download_tree(Context& context, const CompressedBvh4& tree, const PackedTriangles& packed) {
  HostPackedTree host{.counts = tree.counts.download()[0],
                      .nodes = {},
                      .parents = {},
                      .triangles = {},
                      .masks = {},
                      .primitive_ids = {}};
  const u64 node_count = std::max(host.counts.node_count, 1u), primitive_count = host.counts.primitive_count;
  host.nodes = download(context, tree.nodes.span().first(node_count));
  host.parents = download(context, tree.parents.span().first(node_count));
  host.triangles = download(context, packed.triangles.span().first(primitive_count));
  if (!packed.masks.empty()) host.masks = download(context, packed.masks.span().first(primitive_count));
  for (const PackedTriangle& triangle : host.triangles) host.primitive_ids.push_back(triangle.primitive);
  return host;
}

/// The part that has a triangle, and the triangle's number in it.
struct PlaceInPart {
  const MeshPart* part;
  u64 local_id;
};

/// Finds the part of any triangle of a mesh.
class PartFinder {
 public:
  explicit PartFinder(std::span<const MeshPart> parts) : parts_(parts) {
    for (const MeshPart& part : parts) ends_.push_back(part.triangle_count + (ends_.empty() ? 0 : ends_.back()));
  }

  PlaceInPart find(u64 triangle) const {
    const u64 k = u64(std::upper_bound(ends_.begin(), ends_.end(), triangle) - ends_.begin());
    return {&parts_[k], triangle - (k == 0 ? 0 : ends_[k - 1])};
  }

 private:
  std::span<const MeshPart> parts_;
  std::vector<u64> ends_;  // [part]: the first triangle after it
};

/// Returns how a packed triangle differs from that of the mesh, or an empty string.
std::string find_difference(const Mesh& mesh, const PartFinder& parts, const PackedTriangle& packed, u32 mask) {
  const uvec3& ids = mesh.triangles[packed.primitive];
  const Triangle triangle{clean_point(mesh.positions[ids.x]), clean_point(mesh.positions[ids.y]),
                          clean_point(mesh.positions[ids.z])};
  if (triangle.a != packed.a || triangle.b != packed.b || triangle.c != packed.c) {
    return "has other vertices than the structure; it must be the mesh of the last build, rebuild or refit";
  }
  const auto [part, local_id] = parts.find(packed.primitive);
  if (part->geometry != packed.geometry || local_id != packed.local_id) {
    return "is triangle " + to_string(local_id) + " of geometry " + to_string(part->geometry) +
           ", but in the structure it is triangle " + to_string(packed.local_id) + " of geometry " +
           to_string(packed.geometry);
  }
  if (part->mask != mask) {
    return "has the mask " + to_string(part->mask) + ", but in the structure it has the mask " + to_string(mask);
  }
  return "";
}

/// Refuses a mesh and parts that do not have the triangles of the structure.
void check_triangles(const Mesh& mesh, std::span<const MeshPart> parts, const HostPackedTree& tree) {
  const PartFinder finder(parts);
  for (u64 place = 0; place < tree.triangles.size(); ++place) {
    const u32 mask = tree.masks.empty() ? ~u32{0} : tree.masks[place];
    const std::string difference = find_difference(mesh, finder, tree.triangles[place], mask);
    if (!difference.empty()) {
      refuse(function, "triangle " + to_string(tree.triangles[place].primitive) + " of the mesh " + difference);
    }
  }
}

void check_parts(const Mesh& mesh, std::span<const MeshPart> parts) {
  u64 sum = 0;
  for (const MeshPart& part : parts) sum += std::min(part.triangle_count, max_primitives + 1);
  if (sum != mesh.triangles.size()) {
    refuse(function, "the parts have " + to_string(sum) + " triangles in all, but the mesh has " +
                         to_string(mesh.triangles.size()));
  }
}

/// Refuses content that could not be loaded again.
void check_content(const Mesh& mesh, const HostPackedTree& tree) {
  const StructureArrays arrays{.counts = {0, 0, tree.counts.primitive_count, tree.counts.invalid_count},
                               .nodes = {},
                               .parents = {},
                               .primitive_ids = tree.primitive_ids,
                               .triangles = mesh.triangles,
                               .positions = mesh.positions};
  std::string fault = find_sum_fault(arrays);
  if (fault.empty()) fault = find_vertex_fault(arrays);
  if (fault.empty()) {
    fault = find_wide_fault<CompressedBvh4Node>({.node_count = tree.counts.node_count,
                                                 .nodes = tree.nodes,
                                                 .parents = tree.parents,
                                                 .primitive_ids = tree.primitive_ids,
                                                 .triangle_count = mesh.triangles.size(),
                                                 .invalid_count = tree.counts.invalid_count});
  }
  if (fault.empty()) fault = find_coordinate_fault(arrays);
  if (!fault.empty()) refuse(function, fault);
}

}  // namespace

void save_packed_tree(const FilePath& path, Context& context, const Mesh& mesh, std::span<const MeshPart> parts,
                      const CompressedBvh4& tree, const PackedTriangles& packed, u32 quality,
                      const CancelToken& cancel) {
  check_parts(mesh, parts);
  const HostPackedTree host = download_tree(context, tree, packed);
  check_content(mesh, host);
  check_triangles(mesh, parts, host);

  std::vector<StructurePart> stored;
  for (const MeshPart& part : parts) stored.push_back({part.triangle_count, part.geometry, part.mask});
  StructureHeader header{};
  header.version = accel_version;
  header.vertex_count = mesh.positions.size();
  header.triangle_count = mesh.triangles.size();
  header.counts = {0, 0, host.counts.primitive_count, host.counts.invalid_count};
  const StructureWideHeader wide{
      StructureWideHeader::accel_layout, host.counts.node_count, quality, u32(stored.size()), {}};
  const std::span<const char> arrays[] = {bytes_of(mesh.positions),     bytes_of(mesh.triangles),
                                          bytes_of(host.nodes),         bytes_of(host.parents),
                                          bytes_of(host.primitive_ids), bytes_of(stored)};
  write_structure(path.text(), header, wide, arrays, cancel);
}

PackedTreeFile load_packed_tree(const FilePath& path, Context& context, const CancelToken& cancel) try {
  const StructureReader reader(path.text(), cancel);
  if (!reader.holds_accel()) {
    reader.fail("has version " + to_string(reader.header().version) +
                ", a binary tree, which load_structure reads; load_accel reads an Accel");
  }
  const WideStructureArrays<CompressedBvh4Node> arrays = reader.wide_arrays<CompressedBvh4Node>();
  const StructureArrays mesh = reader.arrays();
  const WideBvhCounts counts{arrays.node_count, mesh.counts.primitive_count, mesh.counts.invalid_count};

  PackedTreeFile file;
  file.mesh.positions.assign(mesh.positions.begin(), mesh.positions.end());
  file.mesh.triangles.assign(mesh.triangles.begin(), mesh.triangles.end());
  for (const StructurePart& part : reader.parts()) {
    file.parts.push_back({part.triangle_count, part.geometry, part.mask});
  }
  file.tree.nodes = Buffer<CompressedBvh4Node>(context, arrays.nodes);
  file.tree.parents = Buffer<u32>(context, arrays.parents);
  file.tree.primitive_ids = Buffer<u32>(context, with_left_out_ids(arrays.primitive_ids, arrays.triangle_count));
  file.tree.counts = Buffer<WideBvhCounts>(context, std::span(&counts, 1));
  file.tree.source_count = arrays.triangle_count;
  file.quality = reader.quality();
  return file;
} catch (const std::bad_alloc&) {
  throw Error(ErrorCode::out_of_memory, path.text() + ": no memory for the structure");
}

bool holds_packed_tree(const FilePath& path) {
  char bytes[sizeof structure_magic + sizeof(u32)] = {};
  std::ifstream file(path.text(), std::ios::binary);
  if (!file) throw_bad_file(path.text(), "cannot be opened");
  file.read(bytes, sizeof bytes);
  if (file.gcount() != sizeof bytes || std::memcmp(bytes, structure_magic, sizeof structure_magic) != 0) {
    throw_bad_file(path.text(), "is no structure file; such a file begins with 'COPSE'");
  }
  u32 version;
  std::memcpy(&version, bytes + sizeof structure_magic, sizeof version);
  return version == accel_version;
}

std::vector<TriangleView> views_of(BufferSpan<const vec3> positions, BufferSpan<const uvec3> triangles,
                                   std::span<const MeshPart> parts) {
  std::vector<TriangleView> views;
  u64 first = 0;
  for (const MeshPart& part : parts) {
    views.push_back({.positions = positions,
                     .triangles = triangles.subspan(first, part.triangle_count),
                     .geometry = part.geometry,
                     .mask = part.mask});
    first += part.triangle_count;
  }
  return views;
}

}  // namespace copse::detail
