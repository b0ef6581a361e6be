#include "builders/io/packed_tree_file.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <string>

#include "builders/bvh/splits.h"
#include "builders/io/file/file_mapping.h"
#include "builders/io/structure/packed_check.h"
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
  host.primitive_ids = ids_of(host.triangles);
  return host;
}

/// Refuses a mesh and parts that do not have the triangles of the structure.
void check_triangles(const TriangleRecords& mesh, std::span<const StructurePart> parts,
                     const HostPackedTree& tree) {
  const std::string fault = find_packed_fault(mesh, parts, tree.triangles, tree.masks);
  if (!fault.empty())
    refuse(function, fault + "; mesh and parts must be those of the last build, rebuild or refit");
}

void check_parts(const TriangleRecords& mesh, std::span<const MeshPart> parts) {
  u64 sum = 0;
  for (const MeshPart& part : parts) sum += std::min(part.triangle_count, max_primitives + 1);
  if (sum != mesh.triangle_count) {
    refuse(function, "the parts have " + counted(sum, "triangles") + " in all, but the mesh has " +
                         to_string(mesh.triangle_count));
  }
}

/// Refuses content that could not be loaded again.
void check_content(const TriangleRecords& mesh, const HostPackedTree& tree) {
  const StructureArrays arrays{.counts = {0, 0, tree.counts.primitive_count, tree.counts.invalid_count},
                               .nodes = {},
                               .parents = {},
                               .primitive_ids = tree.primitive_ids,
                               .mesh = mesh};
  std::string fault = find_sum_fault(arrays);
  if (fault.empty()) fault = find_vertex_fault(arrays);
  if (fault.empty()) {
    fault = find_wide_fault<CompressedBvh4Node>({.node_count = tree.counts.node_count,
                                                 .nodes = tree.nodes,
                                                 .parents = tree.parents,
                                                 .primitive_ids = tree.primitive_ids,
                                                 .triangle_count = mesh.triangle_count,
                                                 .invalid_count = tree.counts.invalid_count});
  }
  if (fault.empty()) fault = find_coordinate_fault(arrays);
  if (!fault.empty()) refuse(function, fault);
}

}  // namespace

void save_packed_tree(const FilePath& path, Context& context, const TriangleRecords& mesh,
                      std::span<const MeshPart> parts, const CompressedBvh4& tree, const PackedTriangles& packed,
                      u32 quality, const CancelToken& cancel) {
  check_parts(mesh, parts);
  HostPackedTree host = download_tree(context, tree, packed);
  check_content(mesh, host);
  std::vector<StructurePart> stored;
  for (const MeshPart& part : parts) stored.push_back({part.triangle_count, part.geometry, part.mask});
  check_triangles(mesh, stored, host);

  StructureHeader header{};
  header.vertex_count = mesh.vertex_count;
  header.triangle_count = mesh.triangle_count;
  header.counts = {0, 0, host.counts.primitive_count, host.counts.invalid_count};
  const StructureWideHeader wide{.layout = StructureWideHeader::accel_layout,
                                 .node_count = host.counts.node_count,
                                 .quality = quality,
                                 .part_count = u32(stored.size()),
                                 .contents = StructureContents::accel,
                                 .has_masks = host.masks.empty() ? 0u : 1u};
  const u64 place_count =
      std::max<u64>(mesh.triangle_count, u64{host.counts.primitive_count} + host.counts.invalid_count);
  host.triangles.resize(place_count, PackedTriangle{});  // those that are left out have no place
  if (!host.masks.empty()) host.masks.resize(place_count);
  const FileArray arrays[] = {{mesh.positions, mesh.vertex_count, sizeof(vec3), mesh.position_stride},
                              {mesh.triangles, mesh.triangle_count, sizeof(uvec3), mesh.triangle_stride},
                              bytes_of(host.nodes),
                              bytes_of(host.parents),
                              bytes_of(host.triangles),
                              bytes_of(host.masks),
                              bytes_of(stored)};
  write_structure(path.text(), header, wide, arrays, cancel);
}

namespace {

void expect_accel(const StructureReader& reader) {
  if (reader.holds_accel()) return;
  reader.fail("holds a binary tree, which load_structure reads; load_accel reads an Accel");
}

std::vector<MeshPart> parts_of(const StructureReader& reader) {
  std::vector<MeshPart> parts;
  for (const StructurePart& part : reader.parts())
    parts.push_back({part.triangle_count, part.geometry, part.mask});
  return parts;
}

/// Links the places of split triangles, which a file does not have. The ids of the tree must be there.
void link_places(Context& context, CompressedBvh4& tree) {
  const u64 place_count = tree.primitive_ids.size();
  tree.reference_count = place_count > tree.source_count ? place_count : 0;
  make_room_for_repeats(context, tree);
  link_repeats(context, tree);
}

WideBvhCounts counts_of(const StructureReader& reader) {
  const BvhCounts& counts = reader.header().counts;
  return {reader.wide_arrays<CompressedBvh4Node>().node_count, counts.primitive_count, counts.invalid_count};
}

/// Hands out the arrays of a mapped file as memory, one after the other. It goes with the last of them, so that a tree
/// keeps its file however it is moved.
class MappedMemory final : public MemoryResource {
 public:
  explicit MappedMemory(const FilePath& path) : file_(path.text(), PageAccess::read_and_write) {}

  std::span<const char> bytes() const { return file_.bytes(); }

  /// Returns a buffer over an array of the file. Buffers free their memory through the context, so it must be the one
  /// of this resource.
  template <class T>
  Buffer<T> buffer(Context& context, std::span<const T> array) {
    next_ = const_cast<T*>(array.data());
    return Buffer<T>(context, array.size());
  }

  void* allocate(u64, void*) override {
    ++user_count_;
    return next_;
  }
  void deallocate(void*, u64, void*) noexcept override { release(); }

  /// Ends one use; the maker is one.
  void release() noexcept {
    if (user_count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  ~MappedMemory() override = default;

  FileMapping file_;
  void* next_ = nullptr;
  std::atomic<u64> user_count_ = 1;
};

struct ReleaseMappedMemory {
  void operator()(MappedMemory* memory) const { memory->release(); }
};

}  // namespace

PackedTreeFile load_packed_tree(const FilePath& path, Context& context, const CancelToken& cancel) try {
  const FileBytes bytes = read_whole_file(path.text(), cancel);
  const StructureReader reader(path.text(), bytes.text(), FileCheck::everything, cancel);
  expect_accel(reader);
  const WideStructureArrays<CompressedBvh4Node> arrays = reader.wide_arrays<CompressedBvh4Node>();
  const WideBvhCounts counts = counts_of(reader);

  PackedTreeFile file;
  file.mesh.positions.assign(reader.positions().begin(), reader.positions().end());
  file.mesh.triangles.assign(reader.triangles().begin(), reader.triangles().end());
  file.parts = parts_of(reader);
  file.tree.nodes = Buffer<CompressedBvh4Node>(context, arrays.nodes);
  file.tree.parents = Buffer<u32>(context, arrays.parents);
  file.tree.counts = Buffer<WideBvhCounts>(context, std::span(&counts, 1));
  file.tree.source_count = arrays.triangle_count;
  file.quality = reader.quality();
  file.has_packed = reader.has_packed();
  const std::vector<u32> packed_ids =
      file.has_packed ? ids_of(reader.packed().first(counts.primitive_count)) : std::vector<u32>();
  file.tree.primitive_ids = Buffer<u32>(
      context, with_left_out_ids(file.has_packed ? packed_ids : arrays.primitive_ids, arrays.triangle_count));
  link_places(context, file.tree);
  if (!file.has_packed) return file;
  file.packed.triangles = Buffer<PackedTriangle>(context, reader.packed());
  file.packed.masks = Buffer<u32>(context, reader.masks());
  file.packed.tree_ids = file.tree.primitive_ids.data();
  return file;
} catch (const std::bad_alloc&) {
  throw Error(ErrorCode::out_of_memory, path.text() + ": no memory for the structure");
}

MappedTreeFile map_packed_tree(const FilePath& path, FileCheck check, const CancelToken& cancel) try {
  const std::unique_ptr<MappedMemory, ReleaseMappedMemory> memory(new MappedMemory(path));
  const StructureReader reader(path.text(), memory->bytes(), check, cancel);
  expect_accel(reader);
  if (!reader.has_packed()) {
    reader.fail("has version " + to_string(reader.header().version) + "; version " + to_string(structure_version) +
                " can be mapped. load_accel reads the older ones, and save_accel writes the new one");
  }
  const WideStructureArrays<CompressedBvh4Node> arrays = reader.wide_arrays<CompressedBvh4Node>();
  const WideBvhCounts counts = counts_of(reader);
  Context mapped({.backend = Backend::cpu, .memory = memory.get(), .workers = 1});
  Context heap({.backend = Backend::cpu, .workers = 1});

  MappedTreeFile file;
  file.positions = reader.positions();
  file.triangles = reader.triangles();
  file.parts = parts_of(reader);
  file.tree.nodes = memory->buffer(mapped, arrays.nodes);
  file.tree.parents = memory->buffer(mapped, arrays.parents);
  file.tree.counts = Buffer<WideBvhCounts>(heap, std::span(&counts, 1));
  file.tree.source_count = arrays.triangle_count;
  file.packed.triangles = memory->buffer(mapped, reader.packed());
  file.packed.masks = memory->buffer(mapped, reader.masks());
  file.quality = reader.quality();
  if (reader.packed().size() > arrays.triangle_count) {
    file.tree.primitive_ids = Buffer<u32>(heap, ids_of(reader.packed()));  // for the links alone
    link_places(heap, file.tree);
    heap.wait();
    file.tree.primitive_ids = {};
  }
  return file;
} catch (const std::bad_alloc&) {
  throw Error(ErrorCode::out_of_memory, path.text() + ": no memory to check the structure");
}

bool holds_packed_tree(const FilePath& path) {
  StructureHeader header{};
  StructureWideHeader wide{};
  std::ifstream file(path.text(), std::ios::binary);
  if (!file) throw_bad_file(path.text(), "cannot be opened");
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  constexpr std::streamsize magic_and_version = sizeof header.magic + sizeof header.version;
  if (file.gcount() < magic_and_version || std::memcmp(header.magic, structure_magic, sizeof header.magic) != 0) {
    throw_bad_file(path.text(), "is no structure file; such a file begins with 'COPSE'");
  }
  file.read(reinterpret_cast<char*>(&wide), sizeof wide);
  if (header.version < structure_version) return header.version == old_accel_version;
  return wide.contents == StructureContents::accel;
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
