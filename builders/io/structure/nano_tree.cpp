#include "builders/io/structure/nano_tree.h"

#include <bit>
#include <cstring>

namespace copse::detail {

namespace {

template <class Part>
Part part_of(const HostNanoGrid& grid, u64 offset) {
  Part part;
  std::memcpy(&part, reinterpret_cast<const char*>(grid.words.data()) + offset, sizeof part);
  return part;
}

std::string number(u64 value) {
  return std::to_string(value);
}

/// Walks the links. It visits at most as many nodes per level as the count of the level, and these counts fit the
/// bytes of the grid. So a small file whose links name one node a million times cannot cost much time.
class NanoWalk {
 public:
  NanoWalk(const HostNanoGrid& grid, std::vector<NanoCube>& cubes)
      : grid_(grid), bytes_(grid.words.size() * sizeof(u64)), layout_{grid.type, 0, 0, 0}, cubes_(cubes) {}

  std::string find_fault() {
    std::string fault = find_fault_of_head();
    if (fault.empty()) fault = find_fault_of_root();
    return fault;
  }

 private:
  std::string find_fault_of_head() {
    const u64 head = layout_.tiles();
    if (bytes_ < head) return "the grid has " + number(bytes_) + " bytes; it needs " + number(head) + " or more";
    const NanoGridData data = nano_grid_data(grid_);
    if (data.magic != nano_magic && data.magic != nano_grid_magic)
      return "the grid does not begin as grids of NanoVDB do";
    if (data.version >> 21 != nano_major) {
      return "the grid has version " + number(data.version >> 21) + "; this Copse reads version " +
             number(nano_major);
    }
    if (data.bytes > bytes_) {
      return "the grid says that it has " + number(data.bytes) + " bytes; there are " + number(bytes_);
    }
    bytes_ = data.bytes;
    if (data.type != u32(grid_.type)) {
      return "the grid has values of type " + number(data.type) + " in place of " + number(u32(grid_.type));
    }
    return find_fault_of_counts();
  }

  std::string find_fault_of_counts() {
    const NanoTreeData tree = nano_tree_data(grid_);
    const u64 sizes[3] = {layout_.leaf_bytes(), nano_lower.bytes(), nano_upper.bytes()};
    const char* const names[3] = {"leaves", "lower nodes", "upper nodes"};
    for (int level = 0; level < 3; ++level) {
      left_[level] = tree.counts[level];
      if (left_[level] * sizes[level] <= bytes_) continue;
      return "the grid has " + number(left_[level]) + " " + names[level] + " of " + number(sizes[level]) +
             " bytes in " + number(bytes_) + " bytes";
    }
    const u64 tree_end = sizeof(NanoGridData) + sizeof(NanoTreeData);
    if (tree.offsets[3] > bytes_ ||
        !fits(sizeof(NanoGridData) + tree.offsets[3], tree_end, layout_.tiles() - layout_.root())) {
      return "the root is at " + number(tree.offsets[3]) + " bytes behind the tree, in " + number(bytes_) +
             " bytes";
    }
    return "";
  }

  std::string find_fault_of_root() {
    const u64 tile_count = nano_root_head(grid_).tile_count, tiles = nano_tiles_offset(grid_);
    if (tile_count > (bytes_ - tiles) / sizeof(NanoTile)) {
      return "the root has " + number(tile_count) + " tiles of 32 bytes in " + number(bytes_ - tiles) + " bytes";
    }
    nodes_begin_ = tiles + tile_count * sizeof(NanoTile);
    for (u64 i = 0; i < tile_count; ++i) {
      const NanoTile tile = part_of<NanoTile>(grid_, tiles + i * sizeof(NanoTile));
      const i32 lo[3] = {place_of(tile.key >> 42), place_of(tile.key >> 21), place_of(tile.key)};
      if (tile.child == 0) {
        if (tile.state != 0)
          return "a tile of the root has 4096 set voxels along an edge; tiles can have up to 128";
        continue;
      }
      std::string fault = visit(2, nano_root_offset(grid_), tile.child, lo);
      if (!fault.empty()) return fault;
    }
    return "";
  }

  /// The place of a tile, of which a key holds 21 bits for each axis. The high bits of a negative place are kept.
  static i32 place_of(u64 bits) { return i32(u32(bits & 0xfffff) << 12); }

  bool fits(u64 offset, u64 first, u64 size) const {
    return offset % 8 == 0 && offset >= first && size <= bytes_ && offset <= bytes_ - size;
  }

  /// Visits the node of a level that `link` names, from the node at `from` on.
  std::string visit(int level, u64 from, i64 link, const i32 (&lo)[3]) {
    const char* const names[3] = {"a leaf", "a lower node", "an upper node"};
    const u64 size = level == 0 ? layout_.leaf_bytes() : shape_of(level).bytes(), offset = from + u64(link);
    if (!fits(offset, nodes_begin_, size)) {
      return std::string("a link leads to ") + names[level] + " at byte " + std::to_string(i64(offset)) +
             "; nodes are from byte " + number(nodes_begin_) + " to " + number(bytes_);
    }
    if (left_[level] == 0) {
      return std::string("there are more links to ") + names[level] + " than the grid's " +
             number(nano_tree_data(grid_).counts[level]) + " nodes of the level";
    }
    --left_[level];
    if (level > 0) return visit_children(level, offset, lo);
    const NanoLeaf& leaf =
        *reinterpret_cast<const NanoLeaf*>(reinterpret_cast<const char*>(grid_.words.data()) + offset);
    cubes_.push_back({{lo[0], lo[1], lo[2]}, brick_edge, &leaf});
    return grid_.type == NanoType::index ? find_fault_of_numbers(leaf) : "";
  }

  /// Numbers of voxels are indices into arrays, so they must be below the count that the grid names.
  std::string find_fault_of_numbers(const NanoLeaf& leaf) const {
    u64 before = 0, prefixes = 0;
    for (u32 word = 0; word < 8; ++word) {
      if (word > 0) prefixes |= before << (9 * (word - 1));
      before += u64(std::popcount(leaf.mask[word]));
    }
    const u64 count = nano_grid_data(grid_).value_count;
    if (before > 0 && (leaf.offset > count || before > count - leaf.offset)) {
      return "a leaf numbers " + number(before) + " voxels from " + number(leaf.offset) + " on; the grid has " +
             number(count) + " values";
    }
    if (leaf.prefixes != prefixes) {
      return "a leaf counts its voxels by " + number(leaf.prefixes) + "; they are " + number(prefixes);
    }
    return "";
  }

  static NanoNodeShape shape_of(int level) { return level == 2 ? nano_upper : nano_lower; }

  std::string visit_children(int level, u64 node, const i32 (&lo)[3]) {
    const NanoNodeShape shape = shape_of(level);
    const u32 edge = level == 2 ? 128 : 8, row = (1u << shape.bits) - 1;
    for (u64 word = 0; word < shape.child_count() / 64; ++word) {
      const u64 children = part_of<u64>(grid_, node + shape.child_mask() + 8 * word);
      const u64 active = part_of<u64>(grid_, node + shape.value_mask() + 8 * word) & ~children;
      for (u64 left = children | active; left != 0; left &= left - 1) {
        const u32 bit = u32(std::countr_zero(left)), child = u32(word) * 64 + bit;
        const i32 at[3] = {i32(u32(lo[0]) + (child >> (2 * shape.bits)) * edge),
                           i32(u32(lo[1]) + (child >> shape.bits & row) * edge),
                           i32(u32(lo[2]) + (child & row) * edge)};
        if ((children >> bit & 1) == 0) {
          cubes_.push_back({{at[0], at[1], at[2]}, edge, nullptr});
          continue;
        }
        std::string fault = visit(level - 1, node, part_of<i64>(grid_, node + shape.table() + 8 * u64{child}), at);
        if (!fault.empty()) return fault;
      }
    }
    return "";
  }

  const HostNanoGrid& grid_;
  u64 bytes_;
  NanoLayout layout_;
  std::vector<NanoCube>& cubes_;
  u64 left_[3] = {};  // how many nodes of each level may still be visited
  u64 nodes_begin_ = 0;
};

}  // namespace

NanoGridData nano_grid_data(const HostNanoGrid& grid) {
  return part_of<NanoGridData>(grid, 0);
}
NanoTreeData nano_tree_data(const HostNanoGrid& grid) {
  return part_of<NanoTreeData>(grid, sizeof(NanoGridData));
}
NanoRootHead nano_root_head(const HostNanoGrid& grid) {
  return part_of<NanoRootHead>(grid, nano_root_offset(grid));
}

u64 nano_root_offset(const HostNanoGrid& grid) {
  return sizeof(NanoGridData) + nano_tree_data(grid).offsets[3];
}

u64 nano_tiles_offset(const HostNanoGrid& grid) {
  return nano_root_offset(grid) + (grid.type == NanoType::index ? 96 : 64);
}

std::string find_nano_cubes(const HostNanoGrid& grid, std::vector<NanoCube>& cubes) {
  return NanoWalk(grid, cubes).find_fault();
}

}  // namespace copse::detail
