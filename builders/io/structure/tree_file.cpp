#include "builders/io/tree_file.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>

#include "builders/io/structure/structure_writer.h"
#include "builders/io/structure/tree_layout.h"
#include "builders/io/whole_file.h"
#include "primitives/core/check.h"
#include "primitives/core/device.h"

namespace copse {

using detail::StructureLayout;
using detail::TreeArrays;
using detail::TreeHeader;
using detail::TreeLayout;
using std::to_string;

namespace {

constexpr const char* kind_names[] = {"", "a kd-tree of points", "a point BVH", "a kd-tree of triangles"};

TreeHeader header_of(TreeKind kind) {
  TreeHeader header{};
  std::copy_n(detail::tree_magic, sizeof header.magic, header.magic);
  header.version = detail::tree_version;
  header.kind = u32(kind);
  header.bounds = {vec3(0), vec3(0)};
  return header;
}

/// Completes the header, refuses content that could not be loaded again, and writes the file.
void save_arrays(const FilePath& path, TreeArrays tree, const CancelToken& cancel) {
  tree.header.vertex_count = tree.positions.size();
  tree.header.triangle_count = tree.triangles.size();
  tree.header.node_count = tree.point_nodes.size() + tree.kd_nodes.size();
  tree.header.id_count = tree.ids.size();
  const std::string fault = detail::find_tree_fault(tree);
  if (!fault.empty()) detail::refuse("save_tree", fault);
  tree.header.file_bytes = TreeLayout::of(tree.header).file_bytes;
  char header[sizeof(TreeHeader)];
  std::memcpy(header, &tree.header, sizeof header);
  using detail::bytes_of;
  const std::span<const char> nodes = tree.kd_nodes.empty() ? bytes_of(tree.point_nodes) : bytes_of(tree.kd_nodes);
  const detail::FileArray arrays[] = {bytes_of(tree.positions), bytes_of(tree.triangles), nodes,
                                      bytes_of(tree.ids)};
  detail::write_in_blocks(path.text(), header, detail::structure_checksum_at, StructureLayout::old_alignment,
                          arrays, cancel);
}

void check_source(const char* name, const char* elements, u64 count, u64 source_count, bool is_built) {
  if (!is_built) detail::refuse("save_tree", std::string("the ") + name + " was never built");
  if (count == source_count) return;
  detail::refuse("save_tree", detail::counted(count, elements) + ", but the " + name + " was built over " +
                                  to_string(source_count));
}

/// Returns the ids of points, and checks that the tree holds those that are given.
std::vector<u32> ids_of(std::span<const NumberedPoint> nodes, std::span<const vec3> points) {
  std::vector<u32> ids;
  ids.reserve(nodes.size());
  for (const NumberedPoint& node : nodes) {
    if (node.id < points.size() && clean_point(points[node.id]) != node.position) {
      detail::refuse("save_tree", "point " + to_string(node.id) +
                                      " is elsewhere in the tree; the points must be those of the last build");
    }
    ids.push_back(node.id);
  }
  return ids;
}

std::vector<NumberedPoint> points_of(const TreeArrays& tree) {
  std::vector<NumberedPoint> points;
  points.reserve(tree.ids.size());
  for (const u32 id : tree.ids) points.push_back({clean_point(tree.positions[id]), id});
  return points;
}

/// Uploads the points of a tree in its order, and its counts.
///   counts: the members besides the counts of points
template <class Counts, class Tree>
void upload_points(const TreeArrays& arrays, Counts counts, Tree& tree, Buffer<NumberedPoint>& points) {
  counts.point_count = arrays.header.element_count;
  counts.invalid_count = arrays.positions.size() - counts.point_count;
  points.upload(points_of(arrays));
  tree.counts.upload(std::span(&counts, 1));
  tree.source_count = arrays.positions.size();
}

/// A file in memory, checked before anything is used.
class TreeReader {
 public:
  TreeReader(const FilePath& path, TreeKind kind, const CancelToken& cancel)
      : path_(path.text()), bytes_(detail::read_whole_file(path_, cancel)) {
    check_header(kind);
    check_size();
    check_checksum(cancel);
    find_arrays();
    const std::string fault = detail::find_tree_fault(tree_);
    if (!fault.empty()) fail(fault);
  }

  const TreeArrays& tree() const { return tree_; }

 private:
  [[noreturn]] void fail(const std::string& message) const { detail::throw_bad_file(path_, message); }

  void check_header(TreeKind kind) {
    TreeHeader& header = tree_.header;
    std::memcpy(&header, bytes_.data(), std::min<u64>(bytes_.size(), sizeof header));
    if (bytes_.size() < sizeof header || std::memcmp(header.magic, detail::tree_magic, sizeof header.magic) != 0) {
      fail("is no tree file; such a file begins with 'COPST' and has " + detail::counted(sizeof header, "bytes") +
           " or more");
    }
    if (header.version < 1 || header.version > detail::tree_version) {
      fail("has version " + to_string(header.version) + "; this Copse reads versions 1 to " +
           to_string(detail::tree_version));
    }
    if (header.kind != u32(kind)) {
      fail("holds " +
           (header.kind >= 1 && header.kind <= 3 ? std::string(kind_names[header.kind])
                                                 : "a tree of kind " + to_string(header.kind)) +
           ", not " + kind_names[u32(kind)]);
    }
    if (header.file_bytes != bytes_.size()) {
      fail("has " + detail::counted(bytes_.size(), "bytes") + "; its header promises " +
           to_string(header.file_bytes));
    }
  }

  void check_size() const {
    const TreeHeader& header = tree_.header;
    const bool is_of_points = TreeKind(header.kind) != TreeKind::sah_kd_tree;
    check_count("vertices", header.vertex_count, is_of_points ? max_kd_points : u64{1} << 32);
    check_count("triangles", header.triangle_count, u64{1} << 30);
    check_count("nodes", header.node_count, u64{1} << 30);
    check_count("ids", header.id_count, u64{1} << 32);
    const u64 needed = TreeLayout::of(header).file_bytes;
    if (needed != bytes_.size()) {
      fail("has " + detail::counted(bytes_.size(), "bytes") + "; its counts need " + to_string(needed));
    }
  }

  void check_checksum(const CancelToken& cancel) const {
    const TreeHeader& header = tree_.header;
    if (header.version == detail::tree_version) {
      return detail::check_block_sums(path_, bytes_.text(), TreeLayout::of(header).content_bytes,
                                      detail::structure_checksum_at, header.checksum, cancel);
    }
    const u64 sum = detail::StructureChecksum::of_file(bytes_.text());
    if (sum == header.checksum) return;
    fail("has the checksum " + to_string(sum) + "; its header says " + to_string(header.checksum) +
         ": the file is damaged");
  }

  void check_count(const char* what, u64 count, u64 limit) const {
    if (count <= limit) return;
    fail("promises " + to_string(count) + " " + what + "; at most " + to_string(limit) + " can be read");
  }

  void find_arrays() {
    const TreeHeader& header = tree_.header;
    const TreeLayout at = TreeLayout::of(header);
    tree_.positions = array<vec3>(at.positions, header.vertex_count);
    tree_.triangles = array<uvec3>(at.triangles, header.triangle_count);
    if (TreeKind(header.kind) == TreeKind::point_bvh)
      tree_.point_nodes = array<PointNode>(at.nodes, header.node_count);
    if (TreeKind(header.kind) == TreeKind::sah_kd_tree)
      tree_.kd_nodes = array<SahKdNode>(at.nodes, header.node_count);
    tree_.ids = array<u32>(at.ids, header.id_count);
  }

  template <class T>
  std::span<const T> array(u64 offset, u64 count) const {
    return {reinterpret_cast<const T*>(bytes_.data() + offset), count};
  }

  std::filesystem::path path_;
  detail::FileBytes bytes_;
  TreeArrays tree_{};
};

}  // namespace

void save_tree(const FilePath& path, Context& context, std::span<const vec3> points, const KdTree& tree,
               const CancelToken& cancel) {
  check_source("kd-tree", "points", points.size(), tree.source_count, tree.is_built());
  TreeArrays arrays{.header = header_of(TreeKind::kd_tree), .positions = points};
  arrays.header.element_count = download(context, tree.counts.span())[0].point_count;
  const std::vector<u32> ids =
      ids_of(download(context, tree.nodes.span().first(arrays.header.element_count)), points);
  arrays.ids = ids;
  save_arrays(path, arrays, cancel);
}

void save_tree(const FilePath& path, Context& context, std::span<const vec3> points, const PointBvh& bvh,
               const CancelToken& cancel) {
  check_source("point BVH", "points", points.size(), bvh.source_count, bvh.is_built());
  TreeArrays arrays{.header = header_of(TreeKind::point_bvh), .positions = points};
  const PointBvhCounts counts = download(context, bvh.counts.span())[0];
  arrays.header.element_count = counts.point_count;
  arrays.header.bounds = counts.bounds;
  const std::vector<u32> ids = ids_of(download(context, bvh.points.span().first(counts.point_count)), points);
  const std::vector<PointNode> all = download(context, bvh.nodes.span());
  std::vector<PointNode> nodes;  // without the gaps behind each depth
  const PointBvhShape shape(counts.point_count);
  for (u32 depth = 0; depth <= shape.depth(); ++depth) {
    const auto first = all.begin() + PointBvhShape::first_at(depth);
    nodes.insert(nodes.end(), first, first + shape.count_at(depth));
  }
  arrays.ids = ids;
  arrays.point_nodes = nodes;
  save_arrays(path, arrays, cancel);
}

void save_tree(const FilePath& path, Context& context, const Mesh& mesh, const SahKdTree& tree,
               const CancelToken& cancel) {
  check_source("kd-tree of triangles", "triangles", mesh.triangles.size(), tree.source_count, tree.is_built());
  TreeArrays arrays{
      .header = header_of(TreeKind::sah_kd_tree), .positions = mesh.positions, .triangles = mesh.triangles};
  arrays.header.element_count = tree.source_count - tree.invalid_count;
  arrays.header.depth = tree.depth;
  arrays.header.bounds = download(context, tree.bounds.span())[0];
  const std::vector<SahKdNode> nodes = download(context, tree.nodes.span());
  const std::vector<u32> ids = download(context, tree.primitive_ids.span());
  arrays.kd_nodes = nodes;
  arrays.ids = ids;
  save_arrays(path, arrays, cancel);
}

std::optional<TreeKind> tree_kind(const FilePath& path) {
  TreeHeader header{};
  std::ifstream file(path.text(), std::ios::binary);
  if (!file) detail::throw_bad_file(path.text(), "cannot be opened");
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (std::memcmp(header.magic, detail::tree_magic, sizeof header.magic) != 0) return {};
  if (header.kind < u32(TreeKind::kd_tree) || header.kind > u32(TreeKind::sah_kd_tree)) {
    detail::throw_bad_file(path.text(), "holds a tree of kind " + to_string(header.kind) + "; it can be 1 to 3");
  }
  return TreeKind(header.kind);
}

KdTreeFile load_kd_tree(const FilePath& path, Context& context, const CancelToken& cancel) {
  const TreeReader reader(path, TreeKind::kd_tree, cancel);
  const std::span<const vec3> points = reader.tree().positions;
  KdTreeFile file{{points.begin(), points.end()}, make_kd_tree(context, points.size())};
  upload_points(reader.tree(), KdCounts{}, file.tree, file.tree.nodes);
  return file;
}

PointBvhFile load_point_bvh(const FilePath& path, Context& context, const CancelToken& cancel) {
  const TreeReader reader(path, TreeKind::point_bvh, cancel);
  const TreeArrays& arrays = reader.tree();
  const std::span<const vec3> points = arrays.positions;
  PointBvhFile file{{points.begin(), points.end()}, make_point_bvh(context, points.size())};
  const PointBvhShape shape(arrays.header.element_count);
  std::vector<PointNode> nodes(shape.node_capacity());
  auto from = arrays.point_nodes.begin();
  for (u32 depth = 0; depth <= shape.depth(); ++depth) {
    std::copy_n(from, shape.count_at(depth), nodes.begin() + PointBvhShape::first_at(depth));
    from += shape.count_at(depth);
  }
  file.bvh.nodes.upload(nodes);
  upload_points(arrays, PointBvhCounts{0, 0, arrays.header.bounds}, file.bvh, file.bvh.points);
  return file;
}

SahKdTreeFile load_sah_kd_tree(const FilePath& path, Context& context, const CancelToken& cancel) {
  const TreeReader reader(path, TreeKind::sah_kd_tree, cancel);
  const TreeArrays& arrays = reader.tree();
  SahKdTreeFile file;
  file.mesh.positions.assign(arrays.positions.begin(), arrays.positions.end());
  file.mesh.triangles.assign(arrays.triangles.begin(), arrays.triangles.end());
  file.tree.nodes = Buffer<SahKdNode>(context, arrays.kd_nodes);
  file.tree.primitive_ids = Buffer<u32>(context, arrays.ids);
  file.tree.bounds = Buffer<Aabb>(context, std::span(&arrays.header.bounds, 1));
  file.tree.source_count = arrays.triangles.size();
  file.tree.invalid_count = arrays.triangles.size() - arrays.header.element_count;
  file.tree.depth = arrays.header.depth;
  return file;
}

}  // namespace copse
