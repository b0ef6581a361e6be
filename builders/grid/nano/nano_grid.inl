// Grids of NanoVDB from bricks: sort the bricks into the order of leaves, number the nodes above them, and write
// every node at the place of its number. A thread per leaf writes the leaf and its link in the lower node. The
// first leaf of a node also writes the head of the node and its link in the node above. So there is one sort, one
// scan, and one pass.

#include "builders/grid/nano/nano_build.h"
#include "primitives/core/atomic.h"
#include "primitives/core/executor.h"
#include "primitives/for_each.h"
#include "primitives/inputs.h"
#include "primitives/radix_sort.h"
#include "primitives/reduce.h"
#include "primitives/scan.h"

namespace copse::detail {

struct NanoKeyOfBrick {
  BrickArrays bricks;
  COPSE_HD u64 operator()(u64 i) const { return nano_key(bricks.places.cell_of(bricks.keys[i])); }
};

COPSE_HD inline u32 nano_bits(u64 word) {
  return population_count(u32(word)) + population_count(u32(word >> 32));
}

/// Says which nodes begin at a leaf: 1 for a lower node, and 2^32 for an upper one.
struct NanoNodesAt {
  const u64* keys;
  COPSE_HD u64 operator()(u64 i) const {
    const u64 changed = i == 0 ? ~u64{0} : keys[i] ^ keys[i - 1];
    return (changed >> nano_lower_key_bits != 0 ? 1 : 0) | u64{changed >> nano_upper_key_bits != 0 ? 1u : 0u}
                                                               << 32;
  }
};

/// Loads the bits of a brick in the order of a leaf's mask.
COPSE_HD inline void load_nano_mask(const BrickArrays& bricks, u32 brick, u64 (&mask)[8]) {
  const u64* const words = reinterpret_cast<const u64*>(bricks.words + u64{brick} * brick_words);
  u64 bits[8];
#pragma unroll
  for (u32 z = 0; z < 8; ++z) bits[z] = words[z];
  turn_brick(bits, mask);
}

struct VoxelsOfNanoLeaf {
  BrickArrays bricks;
  const u32* order;
  COPSE_HD u64 operator()(u64 i) const {
    const u64* const words = reinterpret_cast<const u64*>(bricks.words + u64{order[i]} * brick_words);
    u64 count = 0;
#pragma unroll
    for (u32 z = 0; z < 8; ++z) count += nano_bits(words[z]);
    return count;
  }
};

/// Returns the box of the set voxels of a brick.
struct NanoBoxOfBrick {
  BrickArrays bricks;
  COPSE_HD NanoBox operator()(u64 i) const {
    u64 mask[8], any = 0;
    load_nano_mask(bricks, u32(i), mask);
    NanoBox box = NanoBox::empty();
    const uvec3 first = bricks.places.cell_of(bricks.keys[i]) * brick_edge;
#pragma unroll
    for (u32 x = 0; x < 8; ++x) {
      if (mask[x] == 0) continue;
      any |= mask[x];
      box.lo[0] = smaller(box.lo[0], i32(first.x + x));
      box.hi[0] = i32(first.x + x);
    }
    if (any == 0) return box;
    u32 columns = 0;  // along z, of all rows
    for (u32 y = 0; y < 8; ++y) {
      const u32 row = u32(any >> (8 * y)) & 0xff;
      if (row == 0) continue;
      columns |= row;
      box.lo[1] = smaller(box.lo[1], i32(first.y + y));
      box.hi[1] = i32(first.y + y);
    }
    box.lo[2] = i32(first.z) + 31 - i32(leading_zeros(columns & (~columns + 1)));
    box.hi[2] = i32(first.z) + 31 - i32(leading_zeros(columns));
    return box;
  }
};

struct MergeNanoBoxes {
  COPSE_HD NanoBox operator()(const NanoBox& a, const NanoBox& b) const {
    NanoBox box;
    for (u32 axis = 0; axis < 3; ++axis) {
      box.lo[axis] = smaller(a.lo[axis], b.lo[axis]);
      box.hi[axis] = larger(a.hi[axis], b.hi[axis]);
    }
    return box;
  }
};

/// The memory of a grid.
struct NanoMemory {
  NanoLayout layout;
  u8* data;

  template <class Part>
  COPSE_HD Part* at(u64 offset) const {
    return reinterpret_cast<Part*>(data + offset);
  }

  COPSE_HD void begin_node(u64 node, const uvec3& leaf, u32 edge) const {
    const uvec3 lo = leaf / (edge / brick_edge) * edge;
    *at<NanoNodeHead>(node) = {
        {i32(lo.x), i32(lo.y), i32(lo.z)}, {i32(lo.x + edge - 1), i32(lo.y + edge - 1), i32(lo.z + edge - 1)}, 0};
  }
  COPSE_HD void link_child(u64 node, NanoNodeShape shape, u32 number, u64 child) const {
    fetch_or_relaxed(at<u32>(node + shape.child_mask()) + number / 32, 1u << (number % 32));
    at<i64>(node + shape.table())[number] = i64(child - node);
  }
};

struct WriteNanoLeaf {
  BrickArrays bricks;
  NanoOrder order;
  NanoMemory grid;
  COPSE_HD void operator()(u64 i) const {
    const u64 key = order.keys[i], begins = NanoNodesAt{order.keys}(i), numbers = order.nodes_before[i] + begins;
    const uvec3 place = nano_leaf_of(key);
    const u64 leaf = grid.layout.leaf(i), lower = grid.layout.lower(u32(numbers) - 1),
              upper = grid.layout.upper((numbers >> 32) - 1);
    write_leaf(i, place, *grid.at<NanoLeaf>(leaf));
    grid.link_child(lower, nano_lower, u32(key) & ((1u << nano_lower_key_bits) - 1), leaf);
    if (u32(begins) != 0) {
      grid.begin_node(lower, place, 128);
      grid.link_child(upper, nano_upper, u32(key >> nano_lower_key_bits) & 0x7fff, lower);
    }
    if (begins >> 32 != 0) {
      grid.begin_node(upper, place, 4096);
      const uvec3 tile = place >> 9u;
      grid.at<NanoTile>(grid.layout.tiles())[(numbers >> 32) - 1] = {
          u64{tile.x} << 42 | u64{tile.y} << 21 | tile.z, i64(upper - grid.layout.root()), 0, 0, 0};
    }
  }

 private:
  COPSE_HD void write_leaf(u64 i, const uvec3& place, NanoLeaf& leaf) const {
    NanoLeaf out{};
    out.lo[0] = i32(place.x * 8), out.lo[1] = i32(place.y * 8), out.lo[2] = i32(place.z * 8);
    out.extent[0] = out.extent[1] = out.extent[2] = 7;
    load_nano_mask(bricks, order.bricks[i], out.mask);
    if (grid.layout.type == NanoType::index) {
      out.offset = 1 + order.voxels_before[i];
      u64 before = 0;
#pragma unroll
      for (u32 k = 1; k < 8; ++k) {
        before += nano_bits(out.mask[k - 1]);
        out.prefixes |= before << (9 * (k - 1));
      }
    }
    leaf = out;
  }
};

/// Gives all children of a level the background, as a value.
struct FillNanoTables {
  NanoMemory grid;
  NanoNodeShape shape;
  u64 first;
  u64 background;
  COPSE_HD void operator()(u64 i) const {
    const u64 node = first + i / shape.child_count() * shape.bytes();
    grid.at<u64>(node + shape.table())[i % shape.child_count()] = background;
  }
};

struct CopyNanoValue {
  NanoOrder order;
  NanoMemory grid;
  const float* values;
  COPSE_HD void operator()(u64 i) const {
    const u64 leaf = i / 512;
    const u32 voxel = u32(i % 512), x = voxel / 64, y = voxel / 8 % 8, z = voxel % 8;
    grid.at<float>(grid.layout.leaf(leaf) + sizeof(NanoLeaf))[voxel] =
        values[u64{order.bricks[leaf]} * 512 + (64 * z + 8 * y + x)];
  }
};

/// Sorts bricks by column along z, and upwards in each.
struct NanoColumnOfBrick {
  BrickArrays bricks;
  COPSE_HD u64 operator()(u64 i) const {
    const uvec3 place = bricks.places.cell_of(bricks.keys[i]);
    return (u64{place.y} * bricks.places.resolution.x + place.x) * bricks.places.resolution.z + place.z;
  }
};

/// Writes the inside value to the tiles between a brick of a level set and the next brick above it, if these tiles
/// are inside. No surface lies between the two bricks, so the sign of a highest voxel of the lower brick decides.
///
/// The tile of a lower node is a place of a brick. The tile of an upper node is a cube of 16 places without a
/// lower node; the column at its corner writes it. A tile of the root would be 512 places without a brick, inside;
/// no grid of up to 1024 places along an axis has one, since each tile of the root meets its outside.
struct FillNanoInside {
  BrickArrays bricks;
  const float* values;
  const u64* columns;  // ascending
  const u32* order;    // of the bricks
  NanoMemory grid;
  u32 inside;  // the bits of the value

  COPSE_HD void operator()(u64 i) const {
    if (i + 1 == bricks.count || !(values[u64{order[i]} * 512 + 64 * 7] < 0)) return;
    const u64 size = bricks.places.resolution.z;
    if (columns[i] / size != columns[i + 1] / size) return;
    const uvec3 place = bricks.places.cell_of(bricks.keys[order[i]]);
    const u32 end = u32(columns[i + 1] % size);
    for (u32 z = place.z + 1; z < end; ++z) fill(uvec3(place.x, place.y, z));
  }

 private:
  COPSE_HD void fill(const uvec3& place) const {
    const u64 upper = upper_over(place);
    if (upper == 0) return;
    const u64 key = nano_key(place);
    const u32 number = u32(key >> nano_lower_key_bits) & 0x7fff;
    const u32* const children = grid.at<u32>(upper + nano_upper.child_mask());
    i64* const table = grid.at<i64>(upper + nano_upper.table());
    if ((children[number / 32] >> (number % 32) & 1) != 0) {
      const u64 lower = upper + u64(table[number]);
      grid.at<u64>(lower + nano_lower.table())[u32(key) & ((1u << nano_lower_key_bits) - 1)] = inside;
    } else if (((place.x | place.y | place.z) & 15) == 0) {
      table[number] = inside;
    }
  }

  COPSE_HD u64 upper_over(const uvec3& place) const {
    const uvec3 tile = place >> 9u;
    const u64 wanted = u64{tile.x} << 42 | u64{tile.y} << 21 | tile.z;
    const NanoTile* const tiles = grid.at<NanoTile>(grid.layout.tiles());
    for (u64 k = 0; k < grid.layout.upper_count; ++k) {
      if (tiles[k].key == wanted) return grid.layout.root() + u64(tiles[k].child);
    }
    return 0;
  }
};

struct WriteNanoHead {
  NanoHead head;
  NanoHead* out;
  COPSE_HD void operator()(u64) const { *out = head; }
};

template <class Executor>
void order_nano_leaves(const Executor& ex, const BrickArrays& bricks, const NanoOrder& order, NanoSums* sums) {
  const u64 n = bricks.count;
  radix_sort_pairs(ex, "nano: sort", n, NanoKeyOfBrick{bricks}, Index{}, order.keys, order.bricks,
                   BitRange{0, nano_key_bits});
  exclusive_scan(ex, "nano: nodes", n, NanoNodesAt{order.keys}, u64{0}, Plus{}, order.nodes_before, &sums->nodes);
  exclusive_scan(ex, "nano: voxels", n, VoxelsOfNanoLeaf{bricks, order.bricks}, u64{0}, Plus{},
                 order.voxels_before, &sums->voxel_count);
  reduce(ex, "nano: box", n, NanoBoxOfBrick{bricks}, NanoBox::empty(), MergeNanoBoxes{}, &sums->box);
}

template <class Executor>
void write_nano_grid(const Executor& ex, const BrickArrays& bricks, const NanoOrder& order,
                     const NanoLayout& layout, const NanoHead& head, const NanoValues& values, u8* out) {
  const NanoMemory grid{layout, out};
  fill_bytes(ex, "nano: clear", reinterpret_cast<u64*>(out), layout.bytes() / sizeof(u64), 0);
  for_each(ex, "nano: head", 1, WriteNanoHead{head, reinterpret_cast<NanoHead*>(out)});
  if (layout.type == NanoType::floats) {
    const u64 background = head.root.background;
    for_each(ex, "nano: background of upper nodes", layout.upper_count * nano_upper.child_count(),
             FillNanoTables{grid, nano_upper, layout.upper(0), background});
    for_each(ex, "nano: background of lower nodes", layout.lower_count * nano_lower.child_count(),
             FillNanoTables{grid, nano_lower, layout.lower(0), background});
    for_each(ex, "nano: values", bricks.count * 512, CopyNanoValue{order, grid, values.data});
  }
  for_each(ex, "nano: nodes", bricks.count, WriteNanoLeaf{bricks, order, grid});
}

template <class Executor>
void fill_nano_inside(const Executor& ex, const BrickArrays& bricks, const NanoOrder& order,
                      const NanoLayout& layout, const NanoValues& values, u8* out) {
  const u64 most = u64{bricks.places.resolution.x} * bricks.places.resolution.y * bricks.places.resolution.z;
  radix_sort_pairs(ex, "nano: columns", bricks.count, NanoColumnOfBrick{bricks}, Index{}, order.keys, order.bricks,
                   BitRange{0, 64 - leading_zeros(most)});
  for_each(ex, "nano: inside", bricks.count,
           FillNanoInside{bricks, values.data, order.keys, order.bricks, NanoMemory{layout, out}, values.inside});
}

template <class Executor>
u64 nano_scratch_bytes(const Executor& ex, u64 n) {
  return larger(u64(radix_sort_pairs_scratch_bytes<u64, u32>(ex, n, BitRange{0, nano_key_bits})),
                larger(u64(scan_scratch_bytes<u64>(ex, n)), u64(reduce_scratch_bytes<NanoBox>(ex, n))));
}

template void order_nano_leaves(const BodyExecutor&, const BrickArrays&, const NanoOrder&, NanoSums*);
template void write_nano_grid(const BodyExecutor&, const BrickArrays&, const NanoOrder&, const NanoLayout&,
                              const NanoHead&, const NanoValues&, u8*);
template void fill_nano_inside(const BodyExecutor&, const BrickArrays&, const NanoOrder&, const NanoLayout&,
                               const NanoValues&, u8*);
template u64 nano_scratch_bytes(const BodyExecutor&, u64);

}  // namespace copse::detail
