#include <algorithm>
#include <cstring>
#include <filesystem>

#include "builders/io/structure/structure_check.h"
#include "builders/io/structure/structure_layout.h"
#include "builders/io/structure_file.h"
#include "builders/io/whole_file.h"
#include "primitives/core/check.h"
#include "primitives/core/device.h"

namespace copse {

using detail::StructureChecksum;
using detail::StructureHeader;
using detail::StructureLayout;
using detail::StructureWideHeader;

namespace {

[[noreturn]] void refuse(const std::string& what) {
  detail::refuse("save_structure", what);
}

/// The used part of a tree, on the host.
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

/// The used part of a wide tree, on the host, with its nodes as bytes.
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

/// Refuses a tree that could not be loaded again.
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
           " characters; it can have at most " + std::to_string(max_characters) + " and no zero byte");
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

}  // namespace

void save_structure(const FilePath& file_path, Context& context, const Mesh& mesh, const Bvh& bvh,
                    const std::string& builder, u32 morton_bits, u32 max_leaf_size, const AnyWideBvh& wide) {
  const std::filesystem::path path = file_path.text();
  // Refuse content that could not be loaded again.
  const HostTree tree = download_tree(context, bvh);
  const std::string fault = detail::find_structure_fault({.counts = tree.counts,
                                                          .nodes = tree.nodes,
                                                          .parents = tree.parents,
                                                          .primitive_ids = tree.primitive_ids,
                                                          .triangles = mesh.triangles,
                                                          .positions = mesh.positions});
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

}  // namespace copse
