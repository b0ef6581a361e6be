// Sparse voxels: mark the bricks that triangles touch as bits of their places, then set the voxels in each brick.
//
// One bit per place takes 1/512 of one bit per voxel, so there is memory for all places while a build runs, up to
// 8192 voxels along an axis. Past that, a few layers of places are built at a time, and each puts its bricks behind
// those of the layers before. Keys ascend along x, then y, then z, so the bricks do not depend on how many layers
// that is. A prefix sum over the bits numbers the bricks in the order of their places, equally in every build. So a thread
// finds the brick of a voxel with two words, and a brick is made once, however many triangles touch it. The hash
// table is made from the bricks that exist, for later look-ups. Spatial hashing: Meister, Yoshimura, Kao, "GPU
// Programming Primitives for Computer Graphics", SIGGRAPH Asia courses, 2023; bricks: Crassin, Neyret, Lefebvre,
// Eisemann, "GigaVoxels", I3D 2009.

#include "builders/geometry/make_triangle_table.h"
#include "builders/grid/voxels/brick_places.h"
#include "builders/grid/voxels/brick_triangles.h"
#include "primitives/count.h"
#include "primitives/expand.h"
#include "primitives/reduce.h"
#include "primitives/scan.h"

namespace copse::detail {

struct MarkPlace {
  BrickPlaces places;
  COPSE_HD void operator()(u32 place) const { places.mark(place); }
  COPSE_HD void operator()(const BrickRun& run) const {
    for (u32 k = 0; k < run.count; ++k) places.mark(run.place + k * run.stride);
  }
};

/// Stores the parts of every triangle, and marks the bricks that small triangles touch.
struct MarkSmall {
  BrickTriangles triangles;
  BrickPlaces places;
  BrickParts* parts;
  COPSE_HD void operator()(u64 i) const {
    parts[i] = triangles.parts(u32(i));
    if (parts[i].small_count() > 0) triangles.visit_small(u32(i), MarkPlace{places});
  }
};

struct MarkLarge {
  BrickTriangles triangles;
  BrickPlaces places;
  COPSE_HD void operator()(u64 i, u64 part, u64) const {
    triangles.visit_large(triangles.vertices(u32(i)), u32(part), MarkPlace{places});
  }
};

struct SmallPartCount {
  const BrickParts* parts;
  COPSE_HD u32 operator()(u64 i) const { return parts[i].small_count(); }
};

struct LargePartCount {
  const BrickParts* parts;
  COPSE_HD u32 operator()(u64 i) const { return parts[i].large_count(); }
};

struct IsLeftOut {
  const BrickParts* parts;
  COPSE_HD bool operator()(u64 i) const { return parts[i].is_left_out(); }
};

/// The number of the first brick of the layers.
struct FirstBrick {
  const BrickCounts* counts;  // of the layers before; null for the first layers
  COPSE_HD u64 operator()() const { return counts != nullptr ? counts->brick_count : 0; }
};

/// Stores the keys of the bricks in a word of places, and inserts them into the hash table.
struct StoreBricks {
  BricksToFill bricks;
  BrickPlaces places;
  FirstBrick first;
  COPSE_HD void operator()(u64 i) const {
    if (places.bits[i] == 0) return;
    u64 brick = first() + places.ranks[i];
    const u64 first_key = bricks.shapes.first_key();
    for (u32 left = places.bits[i]; left != 0 && brick < bricks.brick_capacity; left &= left - 1, ++brick) {
      const u64 key = first_key + (u64{i} * 32 + 31 - leading_zeros(left & (~left + 1)));
      bricks.keys[brick] = key;
      if (bricks.has_table) bricks.table.insert(key, u32(brick));
    }
  }
};

/// Sets voxels by slabs of bricks, if there is room for their brick.
class SetVoxels {
 public:
  COPSE_HD SetVoxels(const BricksToFill& bricks, const BrickPlaces& places, const FirstBrick& first)
      : bricks_(bricks), places_(places), first_(first()) {}

  COPSE_HD void operator()(const uvec3& brick, u32 slab, u64 bits) {
    const u32 place = bricks_.shapes.place_of(brick);
    if (place != place_) {
      place_ = place;
      brick_ = first_ + places_.brick_at(place);
    }
    if (brick_ >= bricks_.brick_capacity) return;
    u32* const words = bricks_.words + brick_ * brick_words + 2 * slab;
    if (u32(bits) != 0) fetch_or_relaxed(words, u32(bits));
    if (bits >> 32 != 0) fetch_or_relaxed(words + 1, u32(bits >> 32));
  }

 private:
  const BricksToFill& bricks_;
  const BrickPlaces& places_;
  u64 first_;
  u32 place_ = invalid_id;
  u64 brick_ = 0;
};

struct SetSmallVoxels {
  BrickTriangles triangles;
  BricksToFill bricks;
  BrickPlaces places;
  FirstBrick first;
  COPSE_HD void operator()(u64 i, u64 part, u64) const {
    SetVoxels set(bricks, places, first);
    triangles.visit_voxels(u32(i), u32(part), set);
  }
};

/// Sets the voxels of the bricks of a run that a large triangle touches.
struct SetLargeVoxels {
  BrickTriangles triangles;
  BricksToFill bricks;
  BrickPlaces places;
  FirstBrick first;

  struct OfRun {
    const SetLargeVoxels& all;
    LatticeVertices vertices;
    COPSE_HD void operator()(const BrickRun& run) const {
      SetVoxels set(all.bricks, all.places, all.first);
      for (u32 k = 0; k < run.count; ++k) {
        all.triangles.visit_brick(vertices, all.bricks.shapes.brick_at(run.place + k * run.stride), set);
      }
    }
  };

  COPSE_HD void operator()(u64 i, u64 part, u64) const {
    const LatticeVertices vertices = triangles.vertices(u32(i));
    triangles.visit_large(vertices, u32(part), OfRun{*this, vertices});
  }
};

/// Adds the bricks of some layers to the counts.
struct AddBrickCounts {
  const u32* brick_count;
  u64 capacity;
  const u64* left_out;
  FirstBrick first;
  BrickCounts* counts;
  COPSE_HD void operator()(u64) const {
    const u64 count = first() + *brick_count;
    *counts = {count, smaller(count, capacity), *left_out};
  }
};

struct BitsOfBrick {
  const BrickCounts* counts;
  const u32* words;
  COPSE_HD u64 operator()(u64 i) const {
    return i < counts->stored_count * brick_words ? population_count(words[i]) : 0;
  }
};

struct InsertBrick {
  BrickTableView table;
  const u64* keys;
  COPSE_HD void operator()(u64 i) const { table.insert(keys[i], u32(i)); }
};

struct FindBrick {
  BrickTableView table;
  const u64* keys;
  u32* found;
  COPSE_HD void operator()(u64 i) const {
    const auto brick = table.find(keys[i]);
    found[i] = brick.found ? brick.value : invalid_id;
  }
};

inline u64 place_word_count(const BrickShapes& shapes) {
  return divide_rounding_up(shapes.place_count(), 32);
}

inline BrickPlaces allocate_places(ScratchArena::Frame& frame, const BrickShapes& layers) {
  const u64 word_count = place_word_count(layers);
  return {frame.allocate<u32>(word_count), frame.allocate<u32>(word_count), word_count, frame.allocate<u32>(1)};
}

/// Calls work(triangle, part, slot) for each part of the triangles.
template <class Executor, class Counts, class Work>
void for_each_part(const Executor& ex, const char* label, u64 n, const Counts& counts, const Work& work) {
  constexpr u64 no_limit = u64{1} << 60;
  ScratchArena::Frame frame(ex.scratch);
  u64* const no_offsets = nullptr;
  expand(ex, label, n, counts, work, no_limit, no_offsets, frame.allocate<u64>(1));
}

/// Marks and numbers the bricks that n triangles touch, and stores the triangles' parts.
template <class Executor>
void find_bricks(const Executor& ex, const BrickTriangles& triangles, u64 n, const BrickPlaces& places,
                 BrickParts* parts) {
  fill_bytes(ex, "bricks: clear places", places.bits, places.word_count, 0);
  for_each(ex, "bricks: mark", n, MarkSmall{triangles, places, parts});
  for_each_part(ex, "bricks: mark large", n, LargePartCount{parts}, MarkLarge{triangles, places});
  exclusive_scan(ex, "bricks: numbers", places.word_count, BitsOfPlaces{places.bits}, 0u, Plus{}, places.ranks,
                 places.total);
}

/// Calls step(shapes of layers, their first brick) for the layers that are built at a time, from the first on.
template <class Step>
void for_each_layers(const BricksToFill& bricks, const Step& step) {
  const BrickShapes& all = bricks.shapes;
  const u32 end = all.first_layer + all.layer_count;
  for (u32 layer = all.first_layer; layer < end; layer += bricks.layers_at_once) {
    const BrickShapes layers = all.of_layers(layer, smaller(bricks.layers_at_once, end - layer));
    step(layers, FirstBrick{layer == all.first_layer ? nullptr : bricks.counts});
  }
}

/// Stores the bricks of some layers behind those of the layers before.
template <class Executor>
void fill_layers(const Executor& ex, const TriangleTable& table, u64 n, const BricksToFill& bricks,
                 const FirstBrick& first, BrickParts* parts, u64* left_out) {
  ScratchArena::Frame frame(ex.scratch);
  const BrickTriangles triangles{table, bricks.shapes};
  const BrickPlaces places = allocate_places(frame, bricks.shapes);
  find_bricks(ex, triangles, n, places, parts);
  for_each(ex, "bricks: keys", places.word_count, StoreBricks{bricks, places, first});
  for_each_part(ex, "bricks: voxels", n, SmallPartCount{parts}, SetSmallVoxels{triangles, bricks, places, first});
  for_each_part(ex, "bricks: voxels of large", n, LargePartCount{parts},
                SetLargeVoxels{triangles, bricks, places, first});
  count_if(ex, "bricks: left out", n, IsLeftOut{parts}, left_out);
  for_each(ex, "bricks: counts", 1,
           AddBrickCounts{places.total, bricks.brick_capacity, left_out, first, bricks.counts});
}

template <class Executor>
void fill_bricks(const Executor& ex, std::span<const TriangleView> views, u64 n, const BricksToFill& bricks) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable table = make_triangle_table(ex, frame, views);
  BrickParts* const parts = frame.allocate<BrickParts>(n);
  u64* const left_out = frame.allocate<u64>(1);
  fill_bytes(ex, "bricks: clear", bricks.words, bricks.brick_capacity * brick_words, 0);
  for_each_layers(bricks, [&](const BrickShapes& layers, const FirstBrick& first) {
    BricksToFill of_layers = bricks;
    of_layers.shapes = layers;
    fill_layers(ex, table, n, of_layers, first, parts, left_out);
  });
}

template <class Executor>
void count_bricks(const Executor& ex, std::span<const TriangleView> views, u64 n, const BricksToFill& bricks) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable table = make_triangle_table(ex, frame, views);
  BrickParts* const parts = frame.allocate<BrickParts>(n);
  u64* const left_out = frame.allocate<u64>(1);
  fill_bytes(ex, "bricks: left out", left_out, 1, 0);
  for_each_layers(bricks, [&](const BrickShapes& layers, const FirstBrick& first) {
    ScratchArena::Frame of_layers(ex.scratch);
    const BrickPlaces places = allocate_places(of_layers, layers);
    find_bricks(ex, BrickTriangles{table, layers}, n, places, parts);
    for_each(ex, "bricks: count", 1, AddBrickCounts{places.total, 0, left_out, first, bricks.counts});
  });
}

template <class Executor>
void insert_bricks(const Executor& ex, const BrickTableView& table, const u64* keys, u64 count) {
  for_each(ex, "bricks: table", count, InsertBrick{table, keys});
}

template <class Executor>
void find_in_brick_table(const Executor& ex, const BrickTableView& table, const u64* keys, u64 count, u32* found) {
  for_each(ex, "bricks: find", count, FindBrick{table, keys, found});
}

template <class Executor>
void count_brick_voxels(const Executor& ex, const BrickCounts* counts, const u32* words, u64 capacity, u64* out) {
  reduce(ex, "bricks: count voxels", capacity * brick_words, BitsOfBrick{counts, words}, u64{0}, Plus{}, out);
}

template <class Executor>
u64 brick_scratch_bytes(const Executor& ex, const BrickShapes& layers, u64 n, u64 view_count) {
  const u64 words = place_word_count(layers);
  const u64 work = larger(u64(expand_scratch_bytes(ex, n)) + ScratchArena::bytes_for<u64>(1),
                          u64(scan_scratch_bytes<u32>(ex, words)));
  return triangle_table_scratch_bytes(view_count) + 2 * ScratchArena::bytes_for<u32>(words) +
         ScratchArena::bytes_for<u32>(1) + ScratchArena::bytes_for<BrickParts>(n) +
         ScratchArena::bytes_for<u64>(1) + work;
}

template void fill_bricks(const BodyExecutor&, std::span<const TriangleView>, u64, const BricksToFill&);
template void count_bricks(const BodyExecutor&, std::span<const TriangleView>, u64, const BricksToFill&);
template void insert_bricks(const BodyExecutor&, const BrickTableView&, const u64*, u64);
template void find_in_brick_table(const BodyExecutor&, const BrickTableView&, const u64*, u64, u32*);
template void count_brick_voxels(const BodyExecutor&, const BrickCounts*, const u32*, u64, u64*);
template u64 brick_scratch_bytes(const BodyExecutor&, const BrickShapes&, u64, u64);

}  // namespace copse::detail
