#include <algorithm>
#include <filesystem>

#include "builders/io/structure/structure_check.h"
#include "builders/io/structure/structure_writer.h"
#include "builders/io/structure_file.h"
#include "builders/io/whole_file.h"
#include "primitives/core/check.h"
#include "primitives/core/device.h"

namespace copse {

using detail::StructureHeader;
using detail::StructureWideHeader;

namespace {

[[noreturn]] void refuse(const std::string& what) {
  detail::refuse("save_structure", what);
}

/// An array on the host: the memory of a context of the CPU itself, or a copy of that of a GPU.
template <class T>
class HostArray {
 public:
  HostArray() = default;
  HostArray(Context& context, BufferSpan<const T> array) {
    if (context.backend() == Backend::cpu) {
      memory_ = {array.data(), array.size()};
    } else {
      copy_ = download(context, array);
    }
  }

  std::span<const T> elements() const { return copy_.empty() ? memory_ : std::span<const T>(copy_); }

 private:
  std::vector<T> copy_;
  std::span<const T> memory_;
};

/// The used part of a tree, on the host.
struct HostTree {
  BvhCounts counts;
  HostArray<BvhNode> nodes;
  HostArray<u32> parents, primitive_ids;
};

HostTree download_tree(Context& context, const Bvh& bvh) {
  if (bvh.counts.size() != 1 || bvh.nodes.empty()) refuse("the tree was never made");
  context.wait();
  HostTree tree{.counts = bvh.counts.download()[0], .nodes = {}, .parents = {}, .primitive_ids = {}};
  const u64 node_count = std::max(tree.counts.node_count, 1u), pair_count = (node_count - 1) / 2;
  if (node_count > bvh.nodes.size() || pair_count > bvh.parents.size() ||
      tree.counts.primitive_count > bvh.primitive_ids.size()) {
    refuse("the tree counts " + detail::counted(node_count, "nodes") + " and " +
           detail::counted(tree.counts.primitive_count, "primitives") + " in room for " +
           std::to_string(bvh.nodes.size()) + " and " + std::to_string(bvh.primitive_ids.size()));
  }
  tree.nodes = HostArray<BvhNode>(context, bvh.nodes.span().first(node_count));
  tree.parents = HostArray<u32>(context, bvh.parents.span().first(pair_count));
  tree.primitive_ids = HostArray<u32>(context, bvh.primitive_ids.span().first(tree.counts.primitive_count));
  return tree;
}

/// The used part of a wide tree, on the host, with its nodes as bytes.
struct HostWideTree {
  StructureWideHeader header{};
  std::vector<char> nodes;
  std::vector<u32> parents, primitive_ids;
};

template <class Node>
std::string find_fault_of(const WideBvhCounts& counts, const HostWideTree& tree, u64 triangle_count) {
  return detail::find_wide_fault<Node>(
      {.node_count = counts.node_count,
       .nodes = {reinterpret_cast<const Node*>(tree.nodes.data()), tree.nodes.size() / sizeof(Node)},
       .parents = tree.parents,
       .primitive_ids = tree.primitive_ids,
       .triangle_count = triangle_count,
       .invalid_count = counts.invalid_count});
}

/// Refuses a tree that could not be loaded again.
template <class Node>
HostWideTree download_wide(Context& context, const WideBvh<Node>& wide, u32 layout, const HostTree& tree,
                           u64 triangle_count) {
  if (wide.counts.size() != 1 || wide.nodes.empty()) refuse("the wide tree was never made");
  const WideBvhCounts counts = wide.counts.download()[0];
  const u64 node_count = std::max(counts.node_count, 1u);
  if (counts.primitive_count != tree.counts.primitive_count || counts.invalid_count != tree.counts.invalid_count) {
    refuse("the wide tree holds " + detail::counted(counts.primitive_count, "primitives") + ", the binary one " +
           std::to_string(tree.counts.primitive_count));
  }
  if (node_count > wide.nodes.size() || node_count > wide.parents.size() ||
      counts.primitive_count > wide.primitive_ids.size()) {
    refuse("the wide tree counts " + detail::counted(node_count, "nodes") + " in room for " +
           std::to_string(wide.nodes.size()));
  }
  HostWideTree host{.header = {.layout = layout, .node_count = counts.node_count},
                    .nodes = std::vector<char>(node_count * sizeof(Node)),
                    .parents = download(context, wide.parents.span().first(node_count)),
                    .primitive_ids = download(context, wide.primitive_ids.span().first(counts.primitive_count))};
  context.device().download(host.nodes.data(), wide.nodes.data(), host.nodes.size());
  const std::string fault = find_fault_of<Node>(counts, host, triangle_count);
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

StructureHeader make_header(const TriangleRecords& mesh, const BvhCounts& counts, const std::string& builder,
                            u32 morton_bits, u32 max_leaf_size) {
  StructureHeader header{};
  constexpr size_t max_characters = sizeof header.builder - 1;
  if (builder.size() > max_characters || builder.find('\0') != std::string::npos) {
    refuse("the builder's name " + detail::in_quotes(builder) + " has " + std::to_string(builder.size()) +
           " characters; it can have at most " + std::to_string(max_characters) + " and no zero byte");
  }
  header.vertex_count = mesh.vertex_count;
  header.triangle_count = mesh.triangle_count;
  header.counts = counts;
  header.morton_bits = morton_bits;
  header.max_leaf_size = max_leaf_size;
  std::copy(builder.begin(), builder.end(), header.builder);
  return header;
}

}  // namespace

void save_structure(const FilePath& file_path, Context& context, const TriangleRecords& mesh, const Bvh& bvh,
                    const std::string& builder, u32 morton_bits, u32 max_leaf_size, const AnyWideBvh& wide,
                    const CancelToken& cancel) {
  const std::filesystem::path path = file_path.text();
  // Refuse content that could not be loaded again.
  const HostTree tree = download_tree(context, bvh);
  const std::string fault = detail::find_structure_fault({.counts = tree.counts,
                                                          .nodes = tree.nodes.elements(),
                                                          .parents = tree.parents.elements(),
                                                          .primitive_ids = tree.primitive_ids.elements(),
                                                          .mesh = mesh});
  if (!fault.empty()) refuse(fault);
  const HostWideTree wide_tree = download_wide(context, wide, tree, mesh.triangle_count);
  const detail::FileArray arrays[] = {detail::bytes_of(tree.nodes.elements()),
                                      detail::bytes_of(tree.parents.elements()),
                                      detail::bytes_of(tree.primitive_ids.elements()),
                                      {mesh.positions, mesh.vertex_count, sizeof(vec3), mesh.position_stride},
                                      {mesh.triangles, mesh.triangle_count, sizeof(uvec3), mesh.triangle_stride},
                                      detail::bytes_of(wide_tree.nodes),
                                      detail::bytes_of(wide_tree.parents),
                                      detail::bytes_of(wide_tree.primitive_ids)};
  detail::write_structure(path, make_header(mesh, tree.counts, builder, morton_bits, max_leaf_size),
                          wide_tree.header, arrays, cancel);
}

}  // namespace copse
