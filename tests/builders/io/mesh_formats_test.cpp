// What all formats of meshes share: packed files, files in memory, writing, and damage.

#include <zlib.h>

#include <random>

#include "builders/geometry/generate.h"
#include "builders/io/mesh_file.h"
#include "tests/builders/io/ply_text.h"

namespace copse::test {
namespace {

const MeshFormat all_formats[] = {MeshFormat::obj, MeshFormat::ply, MeshFormat::stl, MeshFormat::off};
const char* const endings[] = {".obj", ".ply", ".stl", ".off"};

std::string gzip(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = uInt(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = uInt(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// Expects the same triangles, whose vertices may have other numbers.
void expect_same_surface(const Mesh& a, const Mesh& b) {
  ASSERT_EQ(a.positions.size(), b.positions.size());
  ASSERT_EQ(a.triangles.size(), b.triangles.size());
  for (size_t i = 0; i < a.triangles.size(); ++i) {
    for (int k = 0; k < 3; ++k) ASSERT_EQ(a.positions[a.triangles[i][k]], b.positions[b.triangles[i][k]]);
  }
}

TEST(MeshFormats, WhatIsWrittenIsReadBack) {
  const TemporaryFolder folder;
  const Mesh mesh = generate_sphere(3);
  for (size_t i = 0; i < 4; ++i) {
    SCOPED_TRACE(endings[i]);
    const std::filesystem::path path = folder / ("mesh" + std::string(endings[i]));
    save_mesh(path, mesh);
    const std::string bytes = read_bytes(path);
    EXPECT_EQ(bytes, mesh_bytes(mesh, all_formats[i]));
    expect_same_surface(load_mesh(path), mesh);
    expect_same_surface(parse_mesh(bytes), mesh);
    if (all_formats[i] != MeshFormat::stl) {
      EXPECT_EQ(load_mesh(path).triangles, mesh.triangles);
    }
    // The format that is named counts, not the ending.
    expect_same_surface(load_mesh(folder.write("mesh.other", bytes), {.format = all_formats[i]}), mesh);
  }
  const u32 normal_at = 84, triangle_bytes = 50;
  const std::string stl = mesh_bytes(generate_cube(), MeshFormat::stl);
  ASSERT_EQ(stl.size(), 84u + 12 * triangle_bytes);
  const float axis = std::bit_cast<float>(word_at(stl, normal_at)) +
                     std::bit_cast<float>(word_at(stl, normal_at + 4)) +
                     std::bit_cast<float>(word_at(stl, normal_at + 8));
  EXPECT_EQ(std::abs(axis), 1);
}

TEST(MeshFormats, RefuseToWriteWhatCannotBeRead) {
  const TemporaryFolder folder;
  const Mesh mesh = generate_cube();
  for (const char* name : {"mesh", "mesh.glb", "mesh.gz", "mesh.glb.gz"}) {
    EXPECT_COPSE_ERROR(save_mesh(folder / name, mesh), ErrorCode::bad_file,
                       "is none of a mesh that save_mesh writes: .obj, .ply, .stl or .off, with or without .gz");
  }
  Mesh broken = mesh;
  broken.triangles[7].y = 8;
  EXPECT_COPSE_ERROR(save_mesh(folder / "mesh.stl", broken), ErrorCode::invalid_argument,
                     "save_mesh: triangle 7 has the index 8, past the last of 8 vertices");
  EXPECT_COPSE_ERROR(mesh_bytes(mesh, MeshFormat::automatic), ErrorCode::invalid_argument,
                     "mesh_bytes: the format is automatic; it must be named");
  EXPECT_EQ(folder.file_count(), 0u);
}

TEST(MeshFormats, EndingsAreKnownInAnyLetters) {
  for (const char* name : {"a.obj", "b.PLY", "c.Stl", "a/d.off", "e.obj.gz", "f.x.PLY.GZ"}) {
    EXPECT_TRUE(has_mesh_ending(name)) << name;
  }
  for (const char* name : {"a", ".gz", "b.gz", "c.obj.zip", "d.gz.obj2", "obj", ""}) {
    EXPECT_FALSE(has_mesh_ending(name)) << name;
  }
  EXPECT_COPSE_ERROR(load_mesh("a.zip"), ErrorCode::bad_file,
                     "the ending '.zip' is none of a mesh: .obj, .ply, .stl or .off, with or without .gz");
}

TEST(PackedMesh, IsUnpackedByItsMagicBytes) {
  const TemporaryFolder folder;
  const Mesh mesh = generate_sphere(3);
  for (size_t i = 0; i < 4; ++i) {
    const std::string bytes = mesh_bytes(mesh, all_formats[i]), packed = gzip(bytes);
    const std::string name = "mesh" + std::string(endings[i]);
    expect_same_surface(load_mesh(folder.write(name + ".gz", packed)), mesh);
    expect_same_surface(load_mesh(folder.write(name, packed)), mesh);
    expect_same_surface(load_mesh(folder.write(name + ".gz", bytes)), mesh);
    expect_same_surface(parse_mesh(packed), mesh);
    // As several files behind each other, with zeros up to the end of a block.
    const size_t middle = bytes.size() / 2;
    expect_same_surface(
        parse_mesh(gzip(bytes.substr(0, middle)) + gzip(bytes.substr(middle)) + std::string(99, '\0')), mesh);
  }
}

TEST(PackedMesh, IsWrittenByItsEnding) {
  const TemporaryFolder folder;
  const Mesh mesh = generate_sphere(5);  // more bytes than a piece of the packer
  for (size_t i = 0; i < 4; ++i) {
    const std::filesystem::path path = folder / ("mesh" + std::string(endings[i]) + ".Gz");
    save_mesh(path, mesh);
    const std::string packed = read_bytes(path);
    EXPECT_EQ(packed.substr(0, 2), "\x1f\x8b");
    EXPECT_LT(packed.size(), mesh_bytes(mesh, all_formats[i]).size());
    expect_same_surface(load_mesh(path), mesh);
    save_mesh(path, mesh);
    EXPECT_EQ(read_bytes(path), packed) << "no time stands in the file";
  }
  save_mesh(folder / "none.off.gz", Mesh{});
  EXPECT_COPSE_ERROR(load_mesh(folder / "none.off.gz"), ErrorCode::bad_file, "none.off.gz");
  save_ply(folder / "mesh.ply.Gz", mesh);  // PLY whatever the ending
  EXPECT_EQ(read_bytes(folder / "mesh.ply.Gz"), mesh_bytes(mesh, MeshFormat::ply));
  EXPECT_COPSE_ERROR(save_mesh("/dev/full.gz", mesh), ErrorCode::bad_file, "is none of a mesh");
}

TEST(PackedMesh, NamesDamageAndLimits) {
  const std::string bytes = mesh_bytes(generate_sphere(2), MeshFormat::obj), packed = gzip(bytes);
  const auto fault = [](const std::string& file, const std::string& part, u64 max_bytes = 1 << 20) {
    EXPECT_COPSE_ERROR(parse_mesh(file, {.max_unpacked_bytes = max_bytes}, nullptr, "x.obj.gz"),
                       ErrorCode::bad_file, "x.obj.gz: " + part);
  };
  for (size_t size = 2; size < packed.size(); size += size < 64 ? 1 : 97) {
    fault(packed.substr(0, size), "the gzip data ends after " + std::to_string(size) + " bytes, in the middle");
  }
  std::string damaged = packed;
  damaged[damaged.size() - 6] ^= 1;  // of the checksum
  fault(damaged,
        "the gzip data is damaged near byte " + std::to_string(packed.size() - 4) + ": incorrect data check");
  damaged = packed;
  damaged[2] = 7;
  fault(damaged, "the gzip data is damaged near byte 4: unknown compression method");
  fault(packed + "more", "4 bytes of other data behind the gzip data");
  const u64 size = bytes.size();
  EXPECT_EQ(parse_mesh(packed, {.max_unpacked_bytes = size}).triangles.size(), 320u);
  const std::string limit = "its " + std::to_string(packed.size()) + " bytes unpack to more than ";
  for (const u64 max_bytes : {size - 1, u64{1000}, u64{0}}) {
    fault(packed, limit + std::to_string(max_bytes) + ", the limit LoadMeshOptions::max_unpacked_bytes",
          max_bytes);
  }
  const std::string bomb = gzip(std::string(8 << 20, ' '));
  EXPECT_LT(bomb.size(), 10000u);
  fault(bomb, "its " + std::to_string(bomb.size()) + " bytes unpack to more than 1048576");
}

/// Small files of every format and form, which the damage below begins with.
std::vector<std::string> whole_files() {
  const Mesh mesh = generate_sphere(0);
  std::vector<std::string> files;
  for (const MeshFormat format : all_formats) files.push_back(mesh_bytes(mesh, format));
  for (const PlyText::Format format : formats) {
    files.push_back(crowded_square(format).bytes());
    PlyText strips = begin_strips(format, "");
    files.push_back(put_square_vertices(strips).put<i32>(11, 1, 2, 0, 3, 1, -1, 3, 2, 1, 0, -1).bytes());
  }
  files.push_back(
      "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1e0 0 0\nvertex 0 1 0\nendloop\n"
      "endfacet\nendsolid x\n");
  files.push_back(
      "STCNOFF 5 2 0\n0 0 0 # c\n1 0 0 0 0 1 255 0 0 255\n1 1 0\n0 1 0\nnan 0 0\n4 0 1 2 3\n3 0 1 4\n");
  files.push_back("v 0 0 0\nv 1 0 0 \\\n 1\nv +1 1e-3 0\nv 0 1 inf\nf 1/2/3 2//1 3 # c\nf -4 -3 -2 -1\n");
  files.push_back(gzip(files[0]));
  files.push_back(gzip(files[3]));
  return files;
}

/// Any bytes give a mesh whose indices are in range and whose vertices are finite, or an Error bad_file. Built with the
/// preset asan, this is the fuzz target of parse_mesh: COPSE_FUZZ_RUNS sets the number of files, COPSE_FUZZ_SEED the
/// first one.
TEST(MeshFormats, DamagedBytesGiveAnErrorOrAValidMesh) {
  const auto number = [](const char* name, u32 otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : u32(std::strtoul(text, nullptr, 10));
  };
  const u32 runs = number("COPSE_FUZZ_RUNS", 10000), seed = number("COPSE_FUZZ_SEED", 1);
  const std::vector<std::string> whole = whole_files();
  const char* const pieces[] = {"0", "-1",  "99999999999", "4294967295", " ",   "\n",     "\\\n",       "\r",  "#",
                                "/", "nan", "1e999",       "solid",      "OFF", "facet ", "endfacet\n", "\x7f"};
  u32 read_count = 0;
  for (u32 run = 0; run < runs; ++run) {
    std::mt19937 random(seed + run);
    std::string bytes = whole[run % whole.size()];
    for (u32 left = 1 + random() % 3; left > 0 && !bytes.empty(); --left) {
      const size_t at = random() % bytes.size();
      switch (random() % 5) {
        case 0: bytes[at] = char(random()); break;
        case 1: bytes.erase(at, 1 + random() % 8); break;
        case 2: bytes.insert(at, pieces[random() % std::size(pieces)]); break;
        case 3: bytes.resize(at); break;
        default: bytes.replace(at, 1, pieces[random() % std::size(pieces)]); break;
      }
    }
    const LoadMeshOptions options{.workers = 1, .format = MeshFormat(random() % 8 < 5 ? 0 : 1 + random() % 4)};
    try {
      const Mesh mesh = parse_mesh(bytes, options);
      ++read_count;
      ASSERT_FALSE(mesh.triangles.empty()) << run;
      for (const vec3& p : mesh.positions) ASSERT_TRUE(is_finite(p)) << run;
      for (const uvec3& t : mesh.triangles) ASSERT_LT(std::max({t.x, t.y, t.z}), mesh.positions.size()) << run;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::bad_file) << error.what();
    }
  }
  EXPECT_GT(read_count, runs / 50) << "some damage has no effect";
  EXPECT_LT(read_count, runs - runs / 50);
}

}  // namespace
}  // namespace copse::test
