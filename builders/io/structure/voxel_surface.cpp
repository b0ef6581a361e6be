#include <algorithm>
#include <bit>
#include <new>
#include <string>

#include "builders/io/voxel_file.h"
#include "primitives/core/counted.h"
#include "primitives/core/error.h"

namespace copse {

namespace {

/// The set voxels of a piece of a row along x that have a face towards each of the six neighbours, as bits.
struct Faces {
  u32 towards[6];  // -x, +x, -y, +y, -z, +z
};

/// Returns the faces of the voxels in word (x, y, z). A word has the `width` voxels from x * width on in its low bits.
///   word_at: (x, y, z) -> the word, 0 outside of the grid
template <u32 width, class WordAt>
Faces faces_of(const WordAt& word_at, i64 x, i64 y, i64 z) {
  const u32 set = word_at(x, y, z);
  if (set == 0) return {};
  const u32 before = set << 1 | word_at(x - 1, y, z) >> (width - 1);
  const u32 after = set >> 1 | word_at(x + 1, y, z) << (width - 1);
  return {set & ~before,
          set & ~after,
          set & ~word_at(x, y - 1, z),
          set & ~word_at(x, y + 1, z),
          set & ~word_at(x, y, z - 1),
          set & ~word_at(x, y, z + 1)};
}

/// Calls f(x, y, z, faces) for the words of a dense grid; x is that of the first voxel.
template <class F>
void for_each_dense_word(const HostVoxels& voxels, const F& f) {
  const uvec3 size = voxels.shape.resolution;
  const i64 row_words = (i64{size.x} + 31) / 32;
  const auto word_at = [&](i64 x, i64 y, i64 z) -> u32 {
    if (x < 0 || y < 0 || z < 0 || x >= row_words || y >= size.y || z >= size.z) return 0;
    return voxels.words[u64((z * size.y + y) * row_words + x)];
  };
  for (i64 z = 0; z < size.z; ++z) {
    for (i64 y = 0; y < size.y; ++y) {
      for (i64 x = 0; x < row_words; ++x) f(u32(32 * x), u32(y), u32(z), faces_of<32>(word_at, x, y, z));
    }
  }
}

/// A brick and its six neighbours, whose words are pieces of 8 voxels.
class BrickNeighbourhood {
 public:
  BrickNeighbourhood(const HostVoxels& voxels, const uvec3& places, u64 brick) : voxels_(voxels), places_(places) {
    const u64 key = voxels.keys[brick], row = key / places.x;
    place_[0] = i64(key % places.x), place_[1] = i64(row % places.y), place_[2] = i64(row / places.y);
    words_[1][1][1] = voxels.words.data() + brick * brick_words;
    for (const int step : {-1, 1}) {
      words_[1][1][1 + step] = find(step, 0, 0);
      words_[1][1 + step][1] = find(0, step, 0);
      words_[1 + step][1][1] = find(0, 0, step);
    }
  }

  uvec3 first_voxel() const { return {u32(8 * place_[0]), u32(8 * place_[1]), u32(8 * place_[2])}; }

  /// Returns the 8 voxels in row (y, z) of the brick, 0 to 7, or of a neighbour: x -1 or 1, y or z -1 or 8.
  u32 word_at(i64 x, i64 y, i64 z) const {
    const u32* words = words_[(z + 8) / 8][(y + 8) / 8][x + 1];
    if (words == nullptr) return 0;
    const u64 row = u64(y + 8) % 8;
    return words[2 * (u64(z + 8) % 8) + row / 4] >> (row % 4 * 8) & 0xff;
  }

 private:
  const u32* find(i64 x, i64 y, i64 z) const {
    const i64 at[3] = {place_[0] + x, place_[1] + y, place_[2] + z};
    for (int k = 0; k < 3; ++k) {
      if (at[k] < 0 || at[k] >= places_[k]) return nullptr;
    }
    const u64 key = u64((at[2] * places_.y + at[1]) * places_.x + at[0]);
    const auto found = std::lower_bound(voxels_.keys.begin(), voxels_.keys.end(), key);
    if (found == voxels_.keys.end() || *found != key) return nullptr;
    return voxels_.words.data() + u64(found - voxels_.keys.begin()) * brick_words;
  }

  const HostVoxels& voxels_;
  const uvec3& places_;
  i64 place_[3];
  const u32* words_[3][3][3] = {};  // by z, y and x; null for a brick that is not stored
};

template <class F>
void for_each_sparse_word(const HostVoxels& voxels, const F& f) {
  const uvec3 places = (voxels.shape.resolution + brick_edge - 1u) / brick_edge;
  for (u64 brick = 0; brick < voxels.keys.size(); ++brick) {
    const BrickNeighbourhood around(voxels, places, brick);
    const auto word_at = [&](i64 x, i64 y, i64 z) { return around.word_at(x, y, z); };
    const uvec3 first = around.first_voxel();
    for (u32 z = 0; z < 8; ++z) {
      for (u32 y = 0; y < 8; ++y) f(first.x, first.y + y, first.z + z, faces_of<8>(word_at, 0, y, z));
    }
  }
}

template <class F>
void for_each_word(const HostVoxels& voxels, const F& f) {
  voxels.is_sparse ? for_each_sparse_word(voxels, f) : for_each_dense_word(voxels, f);
}

/// Appends the face of a voxel in a direction of Faces.
void append_face(const GridShape& shape, const uvec3& voxel, u32 direction, Mesh& mesh) {
  const u32 axis = direction / 2, side = direction % 2;
  const u32 first = u32(mesh.positions.size());
  for (u32 corner = 0; corner < 4; ++corner) {
    // Counter-clockwise about +axis: (0, 0), (1, 0), (1, 1), (0, 1) along the next two axes.
    const u32 u = corner == 1 || corner == 2, v = corner / 2;
    uvec3 at = voxel;
    at[int(axis)] += side;
    at[int((axis + 1) % 3)] += u;
    at[int((axis + 2) % 3)] += v;
    mesh.positions.push_back(vec3(shape.lo + dvec3(at) / shape.cells_per_unit));
  }
  if (side == 1) {
    mesh.triangles.insert(mesh.triangles.end(), {{first, first + 1, first + 2}, {first, first + 2, first + 3}});
  } else {
    mesh.triangles.insert(mesh.triangles.end(), {{first, first + 2, first + 1}, {first, first + 3, first + 2}});
  }
}

}  // namespace

u64 count_voxels(const HostVoxels& voxels) {
  u64 count = 0;
  for (const u32 word : voxels.words) count += u64(std::popcount(word));
  return count;
}

Mesh surface_of(const HostVoxels& voxels) {
  u64 face_count = 0;
  for_each_word(voxels, [&](u32, u32, u32, const Faces& faces) {
    for (const u32 bits : faces.towards) face_count += u64(std::popcount(bits));
  });
  constexpr u64 max_triangles = u64{1} << 31;
  if (2 * face_count > max_triangles) {
    throw Error(ErrorCode::capacity, "surface_of: the voxels have " +
                                         detail::counted(2 * face_count, "triangles") +
                                         " on their surface; a mesh can have " + std::to_string(max_triangles));
  }
  Mesh mesh;
  try {
    mesh.positions.reserve(4 * face_count);
    mesh.triangles.reserve(2 * face_count);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory,
                "surface_of: no memory for " + std::to_string(2 * face_count) + " triangles");
  }
  for_each_word(voxels, [&](u32 x, u32 y, u32 z, const Faces& faces) {
    for (u32 direction = 0; direction < 6; ++direction) {
      for (u32 bits = faces.towards[direction]; bits != 0; bits &= bits - 1) {
        append_face(voxels.shape, {x + u32(std::countr_zero(bits)), y, z}, direction, mesh);
      }
    }
  });
  return mesh;
}

}  // namespace copse
