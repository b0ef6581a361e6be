#include "builders/io/structure_file.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <string_view>

#include "builders/io/structure/structure_check.h"
#include "builders/io/structure/structure_layout.h"
#include "builders/io/structure/wide_check.h"
#include "builders/io/whole_file.h"

namespace copse {

using detail::StructureArrays;
using detail::StructureChecksum;
using detail::StructureHeader;
using detail::StructureLayout;
using detail::StructureWideHeader;
using detail::WideStructureArrays;

namespace {

constexpr u64 max_vertices = u64{1} << 32;
constexpr u64 checksum_at = offsetof(StructureHeader, checksum);

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, "save_structure: " + message);
}

/// The tree's used part on the host.
struct HostTree {
  BvhCounts counts;
  std::vector<BvhNode> nodes;
  std::vector<u32> parents, primitive_ids;
};

HostTree download_tree(Context& context, const Bvh& bvh) {
  if (bvh.counts.size() != 1 || bvh.nodes.empty()) refuse("the tree was never made");
  HostTree tree{.counts = bvh.counts.download()[0], .nodes = {}, .parents = {}, .primitive_ids = {}};
  const u64 node_count = std::max(tree.counts.node_count, 1u), pair_count = (node_count - 1) / 2;
  if (node_count > bvh.nodes.size() || pair_count > bvh.parents.size() ||
      tree.counts.primitive_count > bvh.primitive_ids.size()) {
    refuse("the tree counts " + std::to_string(node_count) + " nodes and " +
           std::to_string(tree.counts.primitive_count) + " primitives in room for " +
           std::to_string(bvh.nodes.size()) + " and " + std::to_string(bvh.primitive_ids.size()));
  }
  tree.nodes = download(context, bvh.nodes.span().first(node_count));
  tree.parents = download(context, bvh.parents.span().first(pair_count));
  tree.primitive_ids = download(context, bvh.primitive_ids.span().first(tree.counts.primitive_count));
  return tree;
}

/// A wide tree's used part on the host, its nodes as bytes.
struct HostWideTree {
  StructureWideHeader header{};
  std::vector<char> nodes;
  std::vector<u32> parents, primitive_ids;
};

template <class Node>
std::string find_fault_of(u32 node_count, const HostWideTree& tree, u64 triangle_count) {
  return detail::find_wide_fault<Node>(
      {.node_count = node_count,
       .nodes = {reinterpret_cast<const Node*>(tree.nodes.data()), tree.nodes.size() / sizeof(Node)},
       .parents = tree.parents,
       .primitive_ids = tree.primitive_ids,
       .triangle_count = triangle_count});
}

/// Refuses what could not be loaded again.
template <class Node>
HostWideTree download_wide(Context& context, const WideBvh<Node>& wide, u32 layout, const HostTree& tree,
                           u64 triangle_count) {
  if (wide.counts.size() != 1 || wide.nodes.empty()) refuse("the wide tree was never made");
  const WideBvhCounts counts = wide.counts.download()[0];
  const u64 node_count = std::max(counts.node_count, 1u);
  if (counts.primitive_count != tree.counts.primitive_count || counts.invalid_count != tree.counts.invalid_count) {
    refuse("the wide tree holds " + std::to_string(counts.primitive_count) + " primitives, the binary one " +
           std::to_string(tree.counts.primitive_count));
  }
  if (node_count > wide.nodes.size() || node_count > wide.parents.size() ||
      counts.primitive_count > wide.primitive_ids.size()) {
    refuse("the wide tree counts " + std::to_string(node_count) + " nodes in room for " +
           std::to_string(wide.nodes.size()));
  }
  HostWideTree host{.header = {layout, counts.node_count, {}},
                    .nodes = std::vector<char>(node_count * sizeof(Node)),
                    .parents = download(context, wide.parents.span().first(node_count)),
                    .primitive_ids = download(context, wide.primitive_ids.span().first(counts.primitive_count))};
  context.device().download(host.nodes.data(), wide.nodes.data(), host.nodes.size());
  const std::string fault = find_fault_of<Node>(counts.node_count, host, triangle_count);
  if (!fault.empty()) refuse(fault);
  return host;
}

HostWideTree download_wide(Context& context, const AnyWideBvh& wide, const HostTree& tree, u64 triangle_count) {
  const u32 layout = u32(wide.index());
  return std::visit(
      [&](const auto& of_layout) -> HostWideTree {
        if constexpr (std::is_same_v<std::decay_t<decltype(of_layout)>, std::monostate>) {
          return {};
        } else {
          return download_wide(context, of_layout, layout, tree, triangle_count);
        }
      },
      wide);
}

StructureHeader make_header(const Mesh& mesh, const BvhCounts& counts, const std::string& builder, u32 morton_bits,
                            u32 max_leaf_size, const StructureWideHeader& wide) {
  StructureHeader header{};
  constexpr size_t max_characters = sizeof header.builder - 1;
  if (builder.size() > max_characters || builder.find('\0') != std::string::npos) {
    refuse("the builder's name " + detail::in_quotes(builder) + " has " + std::to_string(builder.size()) +
           " characters, at most " + std::to_string(max_characters) + " and no zero byte can be kept");
  }
  std::copy_n(detail::structure_magic, sizeof header.magic, header.magic);
  header.version = wide.layout > 0 ? 2 : 1;
  header.header_bytes = u32(sizeof header + (wide.layout > 0 ? sizeof wide : 0));
  header.vertex_count = mesh.positions.size();
  header.triangle_count = mesh.triangles.size();
  header.counts = counts;
  header.morton_bits = morton_bits;
  header.max_leaf_size = max_leaf_size;
  std::copy(builder.begin(), builder.end(), header.builder);
  header.file_bytes = StructureLayout::of(header, wide).file_bytes;
  return header;
}

/// Calls `f` with all bytes of the file in order, in pieces of whole 8-byte words.
template <class F>
void for_each_piece(const StructureHeader& header, const HostTree& tree, const Mesh& mesh,
                    const HostWideTree& wide, F&& f) {
  const auto piece = [&](const void* data, u64 bytes) {
    constexpr u64 alignment = StructureLayout::alignment;
    const u64 whole = bytes / alignment * alignment;
    if (whole > 0) f(std::span(static_cast<const char*>(data), whole));
    if (whole == bytes) return;
    char last[alignment] = {};
    std::memcpy(last, static_cast<const char*>(data) + whole, bytes - whole);
    f(std::span<const char>(last));
  };
  piece(&header, sizeof header);
  if (wide.header.layout > 0) piece(&wide.header, sizeof wide.header);
  piece(tree.nodes.data(), tree.nodes.size() * sizeof(BvhNode));
  piece(tree.parents.data(), tree.parents.size() * sizeof(u32));
  piece(tree.primitive_ids.data(), tree.primitive_ids.size() * sizeof(u32));
  piece(mesh.positions.data(), mesh.positions.size() * sizeof(vec3));
  piece(mesh.triangles.data(), mesh.triangles.size() * sizeof(uvec3));
  piece(wide.nodes.data(), wide.nodes.size());
  piece(wide.parents.data(), wide.parents.size() * sizeof(u32));
  piece(wide.primitive_ids.data(), wide.primitive_ids.size() * sizeof(u32));
}

/// The ids in the tree, then those that were left out, ascending, as the builders leave them.
std::vector<u32> with_left_out_ids(std::span<const u32> ids, u64 triangle_count) {
  std::vector<u32> all(ids.begin(), ids.end());
  if (ids.size() == triangle_count) return all;
  std::vector<bool> is_in_tree(triangle_count);
  for (const u32 id : ids) is_in_tree[id] = true;
  for (u32 id = 0; id < triangle_count; ++id) {
    if (!is_in_tree[id]) all.push_back(id);
  }
  return all;
}

/// A file in memory, checked step by step; every step trusts what the earlier ones have proved.
class StructureReader {
 public:
  explicit StructureReader(const std::filesystem::path& path)
      : path_(path), bytes_(detail::read_whole_file(path)) {
    check_header();
    check_size();
    check_checksum();
    check_padding();
    std::string fault = detail::find_structure_fault(arrays());
    if (fault.empty()) fault = find_wide_fault();
    if (!fault.empty()) fail(fault);
  }

  const StructureHeader& header() const { return header_; }

  StructureArrays arrays() const {
    return {.counts = header_.counts,
            .nodes = array<BvhNode>(layout_.nodes, layout_.node_count),
            .parents = array<u32>(layout_.parents, layout_.pair_count),
            .primitive_ids = array<u32>(layout_.primitive_ids, header_.counts.primitive_count),
            .triangles = array<uvec3>(layout_.triangles, header_.triangle_count),
            .vertex_count = header_.vertex_count};
  }
  std::span<const vec3> positions() const { return array<vec3>(layout_.positions, header_.vertex_count); }

  /// 0 where there is no wide tree.
  u32 wide_layout() const { return wide_.layout; }
  template <class Node>
  WideStructureArrays<Node> wide_arrays() const {
    return {.node_count = wide_.node_count,
            .nodes = array<Node>(layout_.wide_nodes, layout_.wide_node_count),
            .parents = array<u32>(layout_.wide_parents, layout_.wide_node_count),
            .primitive_ids = array<u32>(layout_.wide_primitive_ids, header_.counts.primitive_count),
            .triangle_count = header_.triangle_count};
  }

 private:
  template <class T>
  std::span<const T> array(u64 offset, u64 count) const {
    return {reinterpret_cast<const T*>(bytes_.data() + offset), count};
  }

  void check_header() {
    std::memcpy(&header_, bytes_.data(), std::min<u64>(bytes_.size(), sizeof header_));
    const std::string_view magic(detail::structure_magic, sizeof header_.magic);
    if (bytes_.text().substr(0, magic.size()) != magic) {
      fail("begins with " + detail::in_quotes(bytes_.text().substr(0, magic.size())) + ", not with 'COPSE'");
    }
    if (bytes_.size() < sizeof header_) {
      fail("has " + std::to_string(bytes_.size()) + " bytes, the header alone has " +
           std::to_string(sizeof header_));
    }
    if (header_.version == 0 || header_.version > detail::structure_version) {
      fail("has version " + std::to_string(header_.version) + ", this Copse reads version 1 to " +
           std::to_string(detail::structure_version));
    }
    const u64 header_bytes = sizeof header_ + (header_.version > 1 ? sizeof wide_ : 0);
    if (header_.header_bytes != header_bytes || bytes_.size() < header_bytes) {
      fail("has a header of " + std::to_string(header_.header_bytes) + " bytes, not " +
           std::to_string(header_bytes));
    }
    if (header_.version > 1) check_wide_header();
    if (header_.file_bytes != bytes_.size()) {
      fail("has " + std::to_string(bytes_.size()) + " bytes, its header promises " +
           std::to_string(header_.file_bytes));
    }
  }

  void check_wide_header() {
    std::memcpy(&wide_, bytes_.data() + sizeof header_, sizeof wide_);
    if (wide_.layout == 0 || wide_.layout > StructureWideHeader::max_layout) {
      fail("has a wide tree of layout " + std::to_string(wide_.layout) + ", it can be 1 to " +
           std::to_string(StructureWideHeader::max_layout));
    }
    check_zeros(sizeof header_ + offsetof(StructureWideHeader, zeros), sizeof header_ + sizeof wide_);
  }

  std::string find_wide_fault() const {
    switch (wide_.layout) {
      case 1: return detail::find_wide_fault(wide_arrays<Bvh4Node>());
      case 2: return detail::find_wide_fault(wide_arrays<CompressedBvh4Node>());
      case 3: return detail::find_wide_fault(wide_arrays<CompressedBvh8Node>());
    }
    return "";
  }

  void check_size() {
    if (header_.vertex_count > max_vertices || header_.triangle_count > max_primitives) {
      fail("promises " + std::to_string(header_.vertex_count) + " vertices and " +
           std::to_string(header_.triangle_count) + " triangles, at most " + std::to_string(max_vertices) +
           " and " + std::to_string(max_primitives) + " can be read");
    }
    layout_ = StructureLayout::of(header_, wide_);
    if (layout_.file_bytes != bytes_.size()) {
      fail("has " + std::to_string(bytes_.size()) + " bytes, its counts need " +
           std::to_string(layout_.file_bytes));
    }
  }

  void check_checksum() const {
    StructureChecksum sum;
    sum.add({bytes_.data(), checksum_at});
    sum.add(0);
    sum.add({bytes_.data() + checksum_at + 8, bytes_.size() - checksum_at - 8});
    if (sum.value() != header_.checksum) {
      fail("has the checksum " + std::to_string(sum.value()) + ", its header says " +
           std::to_string(header_.checksum) + ": the file is damaged");
    }
  }

  /// So that saving what was loaded gives the same bytes.
  void check_padding() const {
    const char* const name_end = std::find(std::begin(header_.builder), std::end(header_.builder), '\0');
    if (name_end == std::end(header_.builder)) {
      fail("the builder's name " + detail::in_quotes({header_.builder, sizeof header_.builder}) + " has no end");
    }
    const char* const header = reinterpret_cast<const char*>(&header_);
    check_zeros(u64(name_end - header), sizeof header_);
    check_zeros(layout_.parents + layout_.pair_count * sizeof(u32), layout_.primitive_ids);
    check_zeros(layout_.primitive_ids + header_.counts.primitive_count * sizeof(u32), layout_.positions);
    check_zeros(layout_.positions + header_.vertex_count * sizeof(vec3), layout_.triangles);
    check_zeros(layout_.triangles + header_.triangle_count * sizeof(uvec3), layout_.wide_nodes);
    if (wide_.layout == 0) return;
    check_zeros(layout_.wide_nodes + layout_.wide_node_count * detail::wide_node_bytes(wide_.layout),
                layout_.wide_parents);
    check_zeros(layout_.wide_parents + layout_.wide_node_count * sizeof(u32), layout_.wide_primitive_ids);
    check_zeros(layout_.wide_primitive_ids + header_.counts.primitive_count * sizeof(u32), layout_.file_bytes);
  }

  void check_zeros(u64 begin, u64 end) const {
    for (u64 i = begin; i < end; ++i) {
      if (bytes_.data()[i] != 0) {
        fail("byte " + std::to_string(i) + " is " + std::to_string(u8(bytes_.data()[i])) + ", it must be 0");
      }
    }
  }

  [[noreturn]] void fail(const std::string& message) const { detail::throw_bad_file(path_, message); }

  const std::filesystem::path& path_;
  detail::FileBytes bytes_;
  StructureHeader header_{};
  StructureWideHeader wide_{};
  StructureLayout layout_{};
};

/// The file's wide tree in the context's memory, without room to spare.
template <class Node>
WideBvh<Node> upload_wide(Context& context, const StructureReader& reader) {
  const WideStructureArrays<Node> arrays = reader.wide_arrays<Node>();
  const BvhCounts& counts = reader.header().counts;
  const WideBvhCounts wide_counts{arrays.node_count, counts.primitive_count, counts.invalid_count};
  WideBvh<Node> wide;
  wide.nodes = Buffer<Node>(context, arrays.nodes);
  wide.parents = Buffer<u32>(context, arrays.parents);
  wide.primitive_ids = Buffer<u32>(context, with_left_out_ids(arrays.primitive_ids, arrays.triangle_count));
  wide.counts = Buffer<WideBvhCounts>(context, std::span(&wide_counts, 1));
  wide.source_count = arrays.triangle_count;
  return wide;
}

AnyWideBvh upload_wide(Context& context, const StructureReader& reader) {
  switch (reader.wide_layout()) {
    case 1: return upload_wide<Bvh4Node>(context, reader);
    case 2: return upload_wide<CompressedBvh4Node>(context, reader);
    case 3: return upload_wide<CompressedBvh8Node>(context, reader);
  }
  return std::monostate{};
}

u32 largest_leaf(std::span<const BvhNode> nodes) {
  u32 largest = 1;
  for (const BvhNode& node : nodes) largest = std::max(largest, node.count);
  return largest;
}

}  // namespace

void save_structure(const std::filesystem::path& path, Context& context, const Mesh& mesh, const Bvh& bvh,
                    const std::string& builder, u32 morton_bits, u32 max_leaf_size, const AnyWideBvh& wide) {
  // Refuse what could not be loaded again.
  const HostTree tree = download_tree(context, bvh);
  const std::string fault = detail::find_structure_fault({.counts = tree.counts,
                                                          .nodes = tree.nodes,
                                                          .parents = tree.parents,
                                                          .primitive_ids = tree.primitive_ids,
                                                          .triangles = mesh.triangles,
                                                          .vertex_count = mesh.positions.size()});
  if (!fault.empty()) refuse(fault);
  const HostWideTree wide_tree = download_wide(context, wide, tree, mesh.triangles.size());
  StructureHeader header = make_header(mesh, tree.counts, builder, morton_bits, max_leaf_size, wide_tree.header);

  StructureChecksum sum;
  for_each_piece(header, tree, mesh, wide_tree, [&](std::span<const char> bytes) { sum.add(bytes); });
  header.checksum = sum.value();

  detail::FileReplacement file(path);
  for_each_piece(header, tree, mesh, wide_tree,
                 [&](std::span<const char> bytes) { file.write(bytes.data(), bytes.size()); });
  file.commit();
}

StructureFile load_structure(const std::filesystem::path& path, Context& context) try {
  const StructureReader reader(path);
  const StructureHeader& header = reader.header();
  const StructureArrays arrays = reader.arrays();

  StructureFile file;
  file.builder = header.builder;
  file.morton_bits = header.morton_bits;
  file.max_leaf_size = header.max_leaf_size;
  file.mesh.positions.assign(reader.positions().begin(), reader.positions().end());
  file.mesh.triangles.assign(arrays.triangles.begin(), arrays.triangles.end());

  // Room for a rebuild, as the tree had before it was saved.
  file.bvh = make_bvh(context, header.triangle_count);
  file.bvh.source_count = header.triangle_count;
  file.bvh.nodes.upload(arrays.nodes);
  file.bvh.parents.upload(arrays.parents);
  file.bvh.primitive_ids.upload(with_left_out_ids(arrays.primitive_ids, header.triangle_count));
  file.bvh.counts.upload(std::span(&header.counts, 1));
  file.bvh.max_leaf_size = largest_leaf(arrays.nodes);
  file.wide = upload_wide(context, reader);
  return file;
} catch (const std::bad_alloc&) {
  throw Error(ErrorCode::out_of_memory, path.string() + ": no memory for the structure");
}

}  // namespace copse
