#include "builders/io/voxel_file.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "builders/io/image_file.h"
#include "builders/io/nano_file.h"
#include "builders/io/structure/structure_writer.h"
#include "builders/io/structure/voxel_layout.h"
#include "builders/io/voxel_tree_file.h"
#include "builders/io/whole_file.h"
#include "primitives/core/check.h"

namespace copse {

namespace {

namespace fs = std::filesystem;

using detail::VoxelHeader;

/// Returns the bytes of a key in a file.
u64 key_bytes(u32 version) {
  return version == 1 ? sizeof(u32) : sizeof(u64);
}

u64 row_words(const GridShape& shape) {
  return divide_rounding_up(u64{shape.resolution.x}, 32);
}
uvec3 brick_resolution(const GridShape& shape) {
  return (shape.resolution + brick_edge - 1u) / brick_edge;
}

u64 place_count(const GridShape& shape) {
  const uvec3 places = brick_resolution(shape);
  return u64{places.x} * places.y * places.z;
}

/// Returns the grid of the places of bricks, for its keys alone.
GridShape places_of(const GridShape& shape) {
  return {shape.lo, shape.cells_per_unit / double(brick_edge), brick_resolution(shape)};
}

u64 word_count(const GridShape& shape, bool is_sparse, u64 brick_count) {
  if (is_sparse) return brick_count * brick_words;
  return row_words(shape) * shape.resolution.y * shape.resolution.z;
}

std::string name_of(const uvec3& voxel) {
  return "voxel (" + std::to_string(voxel.x) + ", " + std::to_string(voxel.y) + ", " + std::to_string(voxel.z) +
         ")";
}

/// Returns the first voxel that is set past the end of a row, or an empty string.
std::string find_dense_voxel_outside(const HostVoxels& voxels) {
  const uvec3& size = voxels.shape.resolution;
  if (size.x % 32 == 0) return "";
  const u64 row = row_words(voxels.shape), row_count = u64{size.y} * size.z;
  for (u64 i = 0; i < row_count; ++i) {
    const u32 outside = voxels.words[i * row + row - 1] >> (size.x % 32);
    if (outside == 0) continue;
    const uvec3 voxel(size.x + u32(std::countr_zero(outside)), u32(i % size.y), u32(i / size.y));
    return name_of(voxel) + " is set; rows have " + detail::counted(size.x, "voxels");
  }
  return "";
}

/// Returns the first voxel of a brick that is set outside of the grid, or an empty string.
std::string find_sparse_voxel_outside(const HostVoxels& voxels) {
  const uvec3& size = voxels.shape.resolution;
  const GridShape places = places_of(voxels.shape);
  for (u64 brick = 0; brick < voxels.keys.size(); ++brick) {
    const uvec3 first = places.cell_of(voxels.keys[brick]) * brick_edge;
    const uvec3 last = first + (brick_edge - 1u);
    if (last.x < size.x && last.y < size.y && last.z < size.z) continue;
    for (u32 bit = 0; bit < brick_words * 32; ++bit) {
      if ((voxels.words[brick * brick_words + bit / 32] >> (bit % 32) & 1) == 0) continue;
      const uvec3 voxel =
          first + uvec3(bit % brick_edge, bit / brick_edge % brick_edge, bit / (brick_edge * brick_edge));
      if (voxel.x < size.x && voxel.y < size.y && voxel.z < size.z) continue;
      return name_of(voxel) + " is set in a grid of " + std::to_string(size.x) + " x " + std::to_string(size.y) +
             " x " + std::to_string(size.z);
    }
  }
  return "";
}

/// Returns the first fault of the voxels, or an empty string.
std::string find_fault(const HostVoxels& voxels) {
  const u64 needed = word_count(voxels.shape, voxels.is_sparse, voxels.keys.size());
  if (voxels.words.size() != needed) {
    return "the voxels have " + detail::counted(voxels.words.size(), "words") + "; " + std::to_string(needed) +
           " are needed";
  }
  const u64 places = place_count(voxels.shape);
  for (size_t i = 0; i < voxels.keys.size(); ++i) {
    if (voxels.keys[i] >= places) {
      return "brick " + std::to_string(i) + " is at place " + std::to_string(voxels.keys[i]) + " of " +
             std::to_string(places);
    }
    if (i > 0 && voxels.keys[i] <= voxels.keys[i - 1]) {
      return "brick " + std::to_string(i) + " is at place " + std::to_string(voxels.keys[i]) +
             "; the one before it is at " + std::to_string(voxels.keys[i - 1]);
    }
  }
  return voxels.is_sparse ? find_sparse_voxel_outside(voxels) : find_dense_voxel_outside(voxels);
}

void check(const char* function, const HostVoxels& voxels) {
  const std::string fault = find_fault(voxels);
  if (!fault.empty()) detail::refuse(function, fault);
}

/// Copies an array out of the file.
template <class T>
std::vector<T> take(const char*& from, u64 count) {
  std::vector<T> out(count);
  if (count > 0) std::memcpy(out.data(), from, count * sizeof(T));
  from += count * sizeof(T);
  return out;
}

std::vector<u64> take_keys(const char*& from, u64 count, u32 version) {
  if (version != 1) return take<u64>(from, count);
  const std::vector<u32> keys = take<u32>(from, count);
  return {keys.begin(), keys.end()};
}

/// Reads a file of NanoVDB.
HostVoxels load_voxels_of_nano(const fs::path& path, const CancelToken& cancel) {
  const HostNanoGrid grid = load_nano_grid(path, cancel);
  try {
    return to_voxels(grid);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument) throw;
    detail::throw_bad_file(path, error.what());
  }
}

void set_pixel(Image& image, u32 x, u32 y) {
  image.pixels[u64(image.height - 1 - y) * image.width + x] = {255, 255, 255, 255};
}

void draw_dense_slice(const HostVoxels& voxels, u32 z, Image& image) {
  for (u32 y = 0; y < image.height; ++y) {
    const u32* row = voxels.words.data() + (u64{z} * image.height + y) * row_words(voxels.shape);
    for (u32 x = 0; x < image.width; ++x) {
      if ((row[x / 32] >> (x % 32) & 1) != 0) set_pixel(image, x, y);
    }
  }
}

/// The bricks of a layer follow each other.
void draw_sparse_slice(const HostVoxels& voxels, u32 z, Image& image) {
  const GridShape places = places_of(voxels.shape);
  const u64 layer = places.key_of(uvec3(0, 0, 1)), first_key = z / brick_edge * layer;
  const auto begin = std::lower_bound(voxels.keys.begin(), voxels.keys.end(), first_key);
  for (auto key = begin; key != voxels.keys.end() && *key < first_key + layer; ++key) {
    const u32* words = voxels.words.data() + u64(key - voxels.keys.begin()) * brick_words + 2 * (z % brick_edge);
    const uvec3 brick = places.cell_of(*key);
    const u32 x = brick.x * brick_edge, y = brick.y * brick_edge;
    for (u32 bit = 0; bit < 64; ++bit) {
      const u32 px = x + bit % 8, py = y + bit / 8;
      const bool is_set = (words[bit / 32] >> (bit % 32) & 1) != 0;
      if (is_set && px < image.width && py < image.height) set_pixel(image, px, py);
    }
  }
}

}  // namespace

bool HostVoxels::at(const uvec3& voxel) const {
  if (!is_sparse) {
    const u64 row = (u64{voxel.z} * shape.resolution.y + voxel.y) * row_words(shape);
    return (words[row + voxel.x / 32] >> (voxel.x % 32) & 1) != 0;
  }
  const uvec3 inside = voxel % brick_edge;
  const u64 key = places_of(shape).key_of(voxel / brick_edge);
  const auto found = std::lower_bound(keys.begin(), keys.end(), key);
  if (found == keys.end() || *found != key) return false;
  const u32 bit = (inside.z * brick_edge + inside.y) * brick_edge + inside.x;
  return (words[u64(found - keys.begin()) * brick_words + bit / 32] >> (bit % 32) & 1) != 0;
}

HostVoxels download(const Voxels& voxels) {
  return {voxels.shape, false, {}, voxels.words.download()};
}

HostVoxels download(const Bricks& bricks) {
  const u64 count = bricks.counts.download().at(0).stored_count;
  return {bricks.shape, true, bricks.keys.download(count), bricks.words.download(count * brick_words)};
}

void save_voxels(const FilePath& file_path, const HostVoxels& voxels, const CancelToken& cancel) {
  const fs::path path = file_path.text();
  check("save_voxels", voxels);
  VoxelHeader header{};
  header.brick_edge = voxels.is_sparse ? brick_edge : 0;
  header.brick_count = voxels.keys.size();
  const detail::FileArray arrays[] = {detail::bytes_of(voxels.keys), detail::bytes_of(voxels.words)};
  detail::write_voxel_file(path, voxels.shape, header, detail::VoxelContents::voxels, arrays, cancel);
}

HostVoxels load_voxels(const FilePath& file_path, const CancelToken& cancel) {
  const fs::path path = file_path.text();
  const detail::FileBytes bytes = detail::read_whole_file(path, cancel);
  if (bytes.text().starts_with("NanoVDB")) return load_voxels_of_nano(path, cancel);
  const detail::VoxelBytes file = detail::check_voxel_file(path, bytes.text(), cancel);
  const VoxelHeader& header = file.header;
  if (file.contents == detail::VoxelContents::tree) return to_voxels(load_voxel_tree(path, cancel));

  HostVoxels voxels;
  voxels.is_sparse = header.brick_edge > 0;
  voxels.shape = detail::shape_of(header);
  const u64 array_bytes = file.arrays.size(), key_size = key_bytes(header.version);
  if (header.brick_count > array_bytes / key_size || (!voxels.is_sparse && header.brick_count > 0) ||
      array_bytes % sizeof(u32) != 0) {
    detail::throw_bad_file(path, "has " + detail::counted(header.brick_count, "bricks") + " in " +
                                     detail::counted(bytes.size(), "bytes"));
  }
  const char* from = file.arrays.data();
  voxels.keys = take_keys(from, header.brick_count, header.version);
  voxels.words = take<u32>(from, (array_bytes - header.brick_count * key_size) / sizeof(u32));
  const std::string fault = find_fault(voxels);
  if (!fault.empty()) detail::throw_bad_file(path, fault);
  return voxels;
}

void save_slices(const FilePath& file_path, const HostVoxels& voxels, const CancelToken& cancel) {
  const fs::path folder = file_path.text();
  check("save_slices", voxels);
  const uvec3& size = voxels.shape.resolution;
  for (u32 z = 0; z < size.z; ++z) {
    detail::throw_if_cancelled(folder, cancel, "writing");
    Image image{size.x, size.y, std::vector<Rgba8>(u64{size.x} * size.y, {0, 0, 0, 255})};
    if (voxels.is_sparse) {
      draw_sparse_slice(voxels, z, image);
    } else {
      draw_dense_slice(voxels, z, image);
    }
    char name[32];
    std::snprintf(name, sizeof name, "slice-%04u.png", z);
    save_png(folder / name, image);
  }
}

}  // namespace copse
