#include "builders/io/nano_file.h"

#include <cstring>
#include <filesystem>

#include "builders/io/file/zlib_block.h"
#include "builders/io/structure/nano_tree.h"
#include "builders/io/whole_file.h"
#include "primitives/core/check.h"

namespace copse {

namespace {

namespace fs = std::filesystem;
using namespace detail;

struct NanoFileHeader {
  u64 magic;
  u32 version;
  u16 grid_count, codec;
};

/// The description of a grid in a file, before the grids.
struct NanoFileGrid {
  u64 bytes, file_bytes, name_hash, voxel_count;
  u32 type, grid_class;
  double world_lo[3], world_hi[3];
  i32 lo[3], hi[3];
  double voxel_size[3];
  u32 name_bytes;
  u32 node_counts[4], tile_counts[3];
  u16 codec, zero;
  u32 version;
};

static_assert(sizeof(NanoFileHeader) == 16 && sizeof(NanoFileGrid) == 176);

constexpr u16 codec_none = 0, codec_zip = 1, codec_blosc = 2;

/// The hash of names in files of NanoVDB.
u64 hash_of(const char* name) {
  u64 hash = 0;
  for (; *name != 0; ++name) hash = hash * 67 + u8(*name) + (hash >> 56);
  return hash;
}

u64 byte_count(const HostNanoGrid& grid) {
  return grid.words.size() * sizeof(u64);
}

std::string find_fault(const HostNanoGrid& grid) {
  std::vector<NanoCube> cubes;
  return find_nano_cubes(grid, cubes);
}

/// Returns the grid packed by zlib, behind the number of its packed bytes.
std::vector<char> zipped(const HostNanoGrid& grid) {
  const char* const words = reinterpret_cast<const char*>(grid.words.data());
  std::vector<char> packed = pack_block({words, byte_count(grid)}, sizeof(u64));
  const u64 packed_bytes = packed.size() - sizeof(u64);
  std::memcpy(packed.data(), &packed_bytes, sizeof packed_bytes);
  return packed;
}

NanoFileGrid describe(const HostNanoGrid& grid, u64 file_bytes, u16 codec) {
  const NanoGridData data = nano_grid_data(grid);
  const NanoTreeData tree = nano_tree_data(grid);
  const NanoRootHead root = nano_root_head(grid);
  NanoFileGrid out{};
  out.bytes = byte_count(grid);
  out.file_bytes = file_bytes;
  out.voxel_count = tree.voxel_count;
  out.type = data.type;
  out.grid_class = data.grid_class;
  for (int axis = 0; axis < 3; ++axis) {
    out.world_lo[axis] = data.world_lo[axis], out.world_hi[axis] = data.world_hi[axis];
    out.lo[axis] = root.lo[axis], out.hi[axis] = root.hi[axis];
    out.voxel_size[axis] = data.voxel_size[axis];
    out.node_counts[axis] = tree.counts[axis], out.tile_counts[axis] = tree.tile_counts[axis];
  }
  out.node_counts[3] = 1;
  out.codec = codec;
  out.version = data.version;
  return out;
}

/// Reads a file piece by piece.
class NanoReader {
 public:
  NanoReader(const fs::path& path, const FileBytes& bytes) : path_(path), bytes_(bytes) {}

  HostNanoGrid read() {
    const auto header = take<NanoFileHeader>("header");
    check_header(header);
    const auto first = take<NanoFileGrid>("list of grids");
    skip(first.name_bytes, "name of a grid");
    for (u32 i = 1; i < header.grid_count; ++i)
      skip(take<NanoFileGrid>("list of grids").name_bytes, "name of a grid");
    return read_grid(first, header.codec);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw_bad_file(path_, what); }

  u64 left() const { return bytes_.size() - at_; }

  void skip(u64 size, const char* what) {
    if (size > left()) {
      refuse(std::string("ends within the ") + what + ": it has " + detail::counted(size, "bytes") + ", and " +
             std::to_string(left()) + " are left");
    }
    at_ += size;
  }

  template <class Part>
  Part take(const char* what) {
    Part part;
    const u64 from = at_;
    skip(sizeof part, what);
    std::memcpy(&part, bytes_.data() + from, sizeof part);
    return part;
  }

  void check_header(const NanoFileHeader& header) const {
    if (header.magic != nano_magic && header.magic != nano_file_magic) refuse("is not a file of NanoVDB");
    if (header.version >> 21 != nano_major) {
      refuse("has version " + std::to_string(header.version >> 21) + " of NanoVDB; this Copse reads version " +
             std::to_string(nano_major));
    }
    if (header.grid_count == 0) refuse("has no grid");
    if (header.codec == codec_none || header.codec == codec_zip) return;
    refuse("is packed by codec " + std::to_string(header.codec) + (header.codec == codec_blosc ? " (blosc)" : "") +
           "; this Copse reads 0 (none) and 1 (zip)");
  }

  HostNanoGrid read_grid(const NanoFileGrid& about, u16 codec) {
    const auto is_known = [](u32 type) {
      return type == u32(NanoType::floats) || type == u32(NanoType::mask) || type == u32(NanoType::index);
    };
    if (!is_known(about.type)) {
      refuse("has values of type " + std::to_string(about.type) +
             "; this Copse reads 1 (floats), 8 (mask) and 20 (index of set voxels)");
    }
    if (about.file_bytes > left()) {
      refuse("says that its grid has " + detail::counted(about.file_bytes, "bytes") + "; " +
             std::to_string(left()) + " are left");
    }
    // A byte of zlib's packs at most 1032.
    const u64 most = codec == codec_zip ? about.file_bytes * 1032 : about.file_bytes;
    if (about.bytes == 0 || about.bytes > most || about.bytes % 32 != 0) {
      refuse("says that its grid has " + std::to_string(about.bytes) +
             " bytes; it can be a multiple of 32 from 32 to " + std::to_string(most));
    }
    HostNanoGrid grid{NanoType(about.type), std::vector<u64>(about.bytes / sizeof(u64))};
    if (codec == codec_zip) {
      unpack(grid, about.file_bytes);
    } else {
      std::memcpy(grid.words.data(), bytes_.data() + at_, about.bytes);
    }
    const std::string fault = find_fault(grid);
    if (!fault.empty()) refuse(fault);
    return grid;
  }

  void unpack(HostNanoGrid& grid, u64 file_bytes) {
    const u64 packed = take<u64>("size of the packed grid");
    if (packed > left() || packed + sizeof(u64) > file_bytes) {
      refuse("says that its packed grid has " + detail::counted(packed, "bytes") + "; there are " +
             std::to_string(file_bytes - sizeof(u64)));
    }
    char* const words = reinterpret_cast<char*>(grid.words.data());
    if (!unpack_block({bytes_.data() + at_, packed}, {words, byte_count(grid)})) {
      refuse("has a packed grid that does not unpack to " + detail::counted(byte_count(grid), "bytes"));
    }
  }

  const fs::path& path_;
  const FileBytes& bytes_;
  u64 at_ = 0;
};

}  // namespace

HostNanoGrid download(const NanoGrid& grid) {
  return {grid.type, grid.words.download()};
}

void save_nano_grid(const FilePath& file_path, const HostNanoGrid& grid, NanoCodec codec,
                    const CancelToken& cancel) {
  const std::string fault = find_fault(grid);
  if (!fault.empty()) detail::refuse("save_nano_grid", fault);
  const bool is_zip = codec == NanoCodec::zip;
  const std::vector<char> packed = is_zip ? zipped(grid) : std::vector<char>();
  const u64 file_bytes = is_zip ? packed.size() : byte_count(grid);
  const u16 codec_number = is_zip ? codec_zip : codec_none;
  NanoGridData data = nano_grid_data(grid);
  data.name[sizeof data.name - 1] = 0;
  const NanoFileHeader header{nano_magic, data.version, 1, codec_number};
  NanoFileGrid about = describe(grid, file_bytes, codec_number);
  about.name_hash = hash_of(data.name);
  about.name_bytes = u32(std::strlen(data.name)) + 1;

  FileReplacement file(file_path.text(), cancel);
  file.write(&header, sizeof header);
  file.write(&about, sizeof about);
  file.write(data.name, about.name_bytes);
  file.write(is_zip ? packed.data() : reinterpret_cast<const char*>(grid.words.data()), file_bytes);
  file.commit();
}

HostNanoGrid load_nano_grid(const FilePath& file_path, const CancelToken& cancel) {
  const fs::path path = file_path.text();
  const FileBytes bytes = read_whole_file(path, cancel);
  return NanoReader(path, bytes).read();
}

}  // namespace copse
