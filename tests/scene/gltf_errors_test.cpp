// Hostile glTF files: each is refused with the place, the value and the limit.

#include <random>

#include "scene/scene_file.h"
#include "tests/builders/io/temporary_folder.h"
#include "tests/scene/gltf_files.h"
#include "tests/support/backends.h"

namespace copse::test {
namespace {

const TemporaryFolder& folder() {
  static const TemporaryFolder one;
  return one;
}

SceneFile load_text(const std::string& json) {
  return load_scene(folder().write("scene.gltf", json));
}

SceneFile load_binary(const std::string& bytes) {
  return load_scene(folder().write("scene.glb", bytes));
}

/// A file with a node of each kind, an accessor of each kind and a material.
GltfMaker whole_maker() {
  GltfMaker maker = cube_maker();
  maker.materials = "{\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,1,1,1]}}";
  maker.add_mesh("{\"attributes\":{\"POSITION\":0},\"material\":0,\"indices\":1,\"mode\":4}");
  maker.add_node("\"mesh\":0,\"children\":[1,2],\"translation\":[1,2,3],\"rotation\":[0,0,0,1],\"scale\":[1,1,1]");
  maker.add_node("\"mesh\":1,\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]");
  maker.add_node("\"name\":\"empty\"");
  maker.scenes = "{\"nodes\":[0]}";
  maker.more = ",\"scene\":0";
  return maker;
}

struct Damage {
  const char* from;  // a part of the JSON
  const char* to;
  const char* message;
};

const Damage damages[] = {
    {"\"2.0\"", "\"1.0\"", "asset.version is '1.0'; Copse reads glTF 2.0"},
    {"\"version\":\"2.0\"", "", "asset.version is missing"},
    {"\"2.0\"", "2.0", "asset.version is 2.0; it takes a string"},
    {"\"scene\":0", "\"scene\":1", "scene is 1; the file has 1 scene, number 0"},
    {"\"scene\":0", "\"scene\":-1", "scene is -1; it takes a whole number from 0 to 2147483647"},
    {"\"scene\":0", "\"scene\":4294967296", "scene is 4294967296; it takes a whole number"},
    {"\"scene\":0", "\"scene\":0.5", "scene is 0.5; it takes a whole number"},
    {"\"scene\":0", "\"scene\":0,", "is no valid continuation"},
    {"\"nodes\":[0]}", "\"nodes\":[3]}", "scenes[0] names node 3, but there are 3"},
    {"\"nodes\":[0]}", "\"nodes\":[0,1]}", "nodes[0].children names node 1, which is reached twice"},
    {"\"nodes\":[0]}", "\"nodes\":0}", "scenes[0].nodes is 0; it takes an array"},
    {"\"children\":[1,2]", "\"children\":[0]", "nodes[0].children names node 0, which is reached twice"},
    {"\"children\":[1,2]", "\"children\":[1,-2]", "nodes[0].children[1] is -2; it takes a whole number"},
    {"\"children\":[1,2]", "\"children\":[9]", "nodes[0].children names node 9, but there are 3"},
    {"\"mesh\":1", "\"mesh\":2", "nodes[1] names mesh 2, but there are 2"},
    {"\"mesh\":1", "\"mesh\":\"1\"", "nodes[1].mesh is '1'; it takes a whole number"},
    {"\"mesh\":1", "\"mesh\":1,\"skin\":0", "nodes[1] has a skin, which Copse does not read"},
    {"[1,2,3]", "[1,2]", "nodes[0].translation has 2 numbers; it takes 3"},
    {"[1,2,3]", "[1,2,\"3\"]", "nodes[0].translation[2] is '3'; it takes a number"},
    {"[1,2,3]", "[1,2,3e39]", "nodes[0]: its transform has"},
    {"[1,2,3]", "[1,2,3e999]", "is no valid continuation"},
    {"[0,0,0,1]", "[0,0,0,0]", "nodes[0].rotation is a quaternion of length 0.000000; it can be 1e-6 to 1e6"},
    {"0,0,0,1]}", "0,0,0,2]}", "nodes[1].matrix has 2.000000 in its last row"},
    {"[1,0,0,0,0", "[0,0,0,0", "nodes[1].matrix has 15 numbers; it takes 16"},
    {"{\"POSITION\":0}", "{\"POSITION\":2}", "meshes[0].primitives[0] names accessor 2, but there are 2"},
    {"{\"POSITION\":0}", "{\"POSITION\":1}", "accessors[1] has positions of componentType 5123"},
    {"{\"POSITION\":0}", "{\"NORMAL\":0}", "meshes[0].primitives[0] has no attribute POSITION"},
    {"{\"POSITION\":0}", "{\"POSITION\":-1}", "meshes[0].primitives[0].attributes.POSITION is -1; it takes"},
    {"{\"POSITION\":0}", "{\"POSITION\":0},\"targets\":[{\"POSITION\":0}]",
     "meshes[0].primitives[0].targets[0] is a morph target, which Copse does not read"},
    {"\"indices\":1,", "\"indices\":0,", "accessors[0] has indices of componentType 5126"},
    {"\"material\":0", "\"material\":1", "meshes[1].primitives[0] names material 1, but there are 1"},
    {"\"mode\":4", "\"mode\":7", "meshes[1].primitives[0].mode is 7; it can be 0 to 6"},
    {"[1,1,1,1]}}", "[1,1,1]}}", "is no glTF file that tinygltf reads: Array length of `baseColorFactor"},
    {"\"count\":36", "\"count\":35", "has 35 corners; triangles take a multiple of 3"},
    {"\"count\":36", "\"count\":39", "accessors[1] has 39 elements of 2 bytes from byte 0 on, 2 bytes apart, but"},
    {"\"count\":36", "\"count\":9007199254740992", "at most 2147483648 are possible"},
    {"\"count\":36", "\"count\":0", "accessors[1].count is 0; it must be at least 1"},
    {"\"count\":8", "\"count\":7", "accessors[1]: index 11 is 7, but meshes[0].primitives[0] has 7 positions"},
    {"\"componentType\":5123", "\"componentType\":5122", "accessors[1] has indices of componentType 5122"},
    {"\"componentType\":5123", "\"byteOffset\":2,\"componentType\":5123",
     "has 36 elements of 2 bytes from byte 2"},
    {"\"bufferView\":0", "\"bufferView\":2", "accessors[0] names buffer view 2, but there are 2"},
    {"\"bufferView\":0,", "", "accessors[0] has no bufferView; a mesh needs one"},
    {"\"byteLength\":96}", "\"byteLength\":96,\"byteStride\":4}",
     "byteStride is 4, but an element of accessors[0] has"},
    {"\"byteLength\":96}", "\"byteLength\":169}", "bufferViews[0] has bytes 0 to 169, but its buffer has 168"},
    {"\"buffer\":0", "\"buffer\":1", "bufferViews[0] names buffer 1, but there are 1"},
    {"\"byteOffset\":96", "\"byteOffset\":9007199254740992", "bufferViews[1] has bytes 9007199254740992 to"},
    {"\"byteOffset\":96", "\"byteOffset\":-96",
     "bufferViews[1].byteOffset is -96; it takes a whole number from 0"},
    {"\"byteLength\":168,", "\"byteLength\":167,", "is no glTF file that tinygltf reads"},
    {"\"byteLength\":168,", "\"byteLength\":0,", "buffers[0].byteLength is 0; it must be at least 1"},
    {"\"byteLength\":168,", "", "buffers[0] has no byteLength"},
    {"data:application/octet-stream", "data:audio/mp3", "data URIs must be of the type application/octet-stream"},
    {"\"uri\":\"data:", "\"url\":\"data:", "buffers[0] has no uri, and the file has no bytes for it"},
    {"\"scene\":0", "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]",
     "requires the extension 'KHR_draco_mesh_compression', which Copse does not read"},
    {"\"scene\":0", "\"extensionsRequired\":[\"KHR_materials_unlit\",\"EXT_meshopt_compression\"]",
     "requires the extension 'EXT_meshopt_compression', which Copse does not read"},
};

}  // namespace

TEST(GltfErrors, NameThePlaceTheValueAndTheLimit) {
  const std::string whole = whole_maker().gltf();
  ASSERT_EQ(load_text(whole).instances.size(), 2u);
  for (const Damage& damage : damages) {
    SCOPED_TRACE(std::string(damage.from) + " becomes " + damage.to);
    std::string text = whole;
    const size_t at = text.find(damage.from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, std::strlen(damage.from), damage.to);
    const ErrorCode code = std::strstr(damage.message, "at most 21") ? ErrorCode::capacity : ErrorCode::bad_file;
    EXPECT_COPSE_ERROR(load_text(text), code, damage.message);
  }
}

TEST(GltfErrors, NameTheFaultOfJsonThatIsNoScene) {
  EXPECT_COPSE_ERROR(load_text(""), ErrorCode::bad_file, "is no valid continuation");
  EXPECT_COPSE_ERROR(load_text("[]"), ErrorCode::bad_file, "the JSON is an array, not an object");
  EXPECT_COPSE_ERROR(load_text("17"), ErrorCode::bad_file, "the JSON is 17, not an object");
  EXPECT_COPSE_ERROR(load_text("\"text\""), ErrorCode::bad_file, "the JSON is 'text', not an object");
  EXPECT_COPSE_ERROR(load_text("{\"extras\":" + std::string(1000000, '[')), ErrorCode::bad_file,
                     "the JSON has more than 64 levels");
  EXPECT_COPSE_ERROR(load_text("{\"asset\":{\"version\":\"2.0\"}}"), ErrorCode::bad_file,
                     "the scene has 0 triangles; at least 1 is needed");
  EXPECT_COPSE_ERROR(load_scene(folder().write("scene.obj", "")), ErrorCode::bad_file,
                     "the ending '.obj' is neither '.glb' nor '.gltf'");
}

/// Such names look like paths. A buffer of the file was asked for by them, although it has none.
TEST(GltfErrors, NamesWithDotsAndBracketsAreNoPaths) {
  for (const char* entry : {"\"buffers[].byteLength\":36", "\"buffers[].uri\":\"a.bin\"", "\"buffers[]\":{}",
                            "\"\":{\"buffers\":[{}]}"}) {
    EXPECT_COPSE_ERROR(load_text("{\"asset\":{\"version\":\"2.0\"}," + std::string(entry) + "}"),
                       ErrorCode::bad_file, "the scene has 0 triangles; at least 1 is needed");
  }
}

TEST(GltfErrors, NameTheFaultOfBinaryFiles) {
  const std::string whole = whole_maker().glb();
  const auto with_word = [&](size_t offset, u32 value) {
    return std::string(whole).replace(offset, 4, GltfMaker::word(value));
  };
  EXPECT_COPSE_ERROR(load_binary("glTF"), ErrorCode::bad_file, "is no .glb file");
  EXPECT_COPSE_ERROR(load_binary(with_word(0, 7)), ErrorCode::bad_file, "is no .glb file");
  EXPECT_COPSE_ERROR(load_binary(with_word(4, 1)), ErrorCode::bad_file, "is of version 1; Copse reads version 2");
  EXPECT_COPSE_ERROR(load_binary(with_word(8, u32(whole.size() + 4))), ErrorCode::bad_file,
                     "says that it has " + std::to_string(whole.size() + 4) + " bytes, but has");
  EXPECT_COPSE_ERROR(load_binary(with_word(8, 11)), ErrorCode::bad_file, "at least 12 are needed");
  EXPECT_COPSE_ERROR(load_binary(with_word(12, 0xfffffffc)), ErrorCode::bad_file,
                     "the JSON chunk at byte 12 has 4294967292 bytes, but");
  EXPECT_COPSE_ERROR(load_binary(with_word(12, 5)), ErrorCode::bad_file, "it takes a multiple of 4");
  EXPECT_COPSE_ERROR(load_binary(with_word(16, 5)), ErrorCode::bad_file, "is of type 5; it must be 1313821514");
  GltfMaker maker = whole_maker();
  const std::string json = maker.json();
  EXPECT_COPSE_ERROR(load_binary(GltfMaker::glb_of(json, maker.bytes.substr(0, 100))), ErrorCode::bad_file,
                     "buffers[0].byteLength is 168, but the binary chunk has 100 bytes");
}

TEST(GltfErrors, RefuseBuffersOutsideTheFolder) {
  const GltfMaker maker = whole_maker();
  folder().write("other.bin", maker.bytes);
  const auto load_with = [&](const std::string& uri) { return load_text(maker.json(",\"uri\":\"" + uri + "\"")); };
  EXPECT_EQ(load_with("./other.bin").instances.size(), 2u);
  for (const char* uri : {"../other.bin", "a/../../other.bin", "%2e%2e/other.bin", "/etc/passwd"}) {
    EXPECT_COPSE_ERROR(load_with(uri), ErrorCode::bad_file, "it takes a file below the folder of the glTF file");
  }
  for (const char* uri : {"file:///etc/passwd", "http://x/y.bin", "..\\\\other.bin"}) {
    EXPECT_COPSE_ERROR(load_with(uri), ErrorCode::bad_file, "it takes a file beside the glTF file");
  }
  for (const char* uri : {"a%zz", "a%2", "a%00b", ""}) {
    EXPECT_COPSE_ERROR(load_with(uri), ErrorCode::bad_file, "it is no name of a file");
  }
  EXPECT_COPSE_ERROR(load_with("none.bin"), ErrorCode::bad_file, "none.bin");
  folder().write("short.bin", maker.bytes.substr(1));
  EXPECT_COPSE_ERROR(load_with("short.bin"), ErrorCode::bad_file,
                     "short.bin: has 167 bytes, but the glTF file asks for 168");
}

TEST(GltfErrors, RefuseSparseElementsPastTheEnd) {
  const auto load_with = [&](u32 count, u8 last_place) {
    GltfMaker maker;
    maker.add_points({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
    const u32 places = maker.add_view(std::vector<u8>{0, last_place});
    const u32 values = maker.add_view(std::vector<vec3>{vec3(7), vec3(8)});
    maker.accessors.insert(maker.accessors.size() - 1,
                           ",\"sparse\":{\"count\":" + std::to_string(count) +
                               ",\"indices\":{\"bufferView\":" + std::to_string(places) +
                               ",\"componentType\":5121},\"values\":{\"bufferView\":" + std::to_string(values) +
                               "}}");
    maker.add_mesh("{\"attributes\":{\"POSITION\":0}}");
    maker.add_node("\"mesh\":0");
    return load_binary(maker.glb());
  };
  EXPECT_EQ(load_with(2, 2).meshes[0].mesh.positions[2], vec3(8));
  EXPECT_COPSE_ERROR(load_with(2, 3), ErrorCode::bad_file,
                     "accessors[0].sparse.indices has 3; the accessor has 3");
  EXPECT_COPSE_ERROR(load_with(3, 2), ErrorCode::bad_file, "accessors[0].sparse.indices has 3 elements of 1 byte");
  EXPECT_COPSE_ERROR(load_with(4, 2), ErrorCode::bad_file, "accessors[0].sparse.count is 4; it takes 1 to 3");
  EXPECT_COPSE_ERROR(load_with(0, 2), ErrorCode::bad_file, "accessors[0].sparse.count is 0; it takes 1 to 3");
}

TEST(GltfErrors, RefuseAPositionThatIsNotFinite) {
  GltfMaker maker = whole_maker();
  maker.bytes.replace(16, 4, GltfMaker::word(0x7f800000));
  EXPECT_COPSE_ERROR(load_binary(maker.glb()), ErrorCode::bad_file, "accessors[0]: position 1 is not finite");
}

/// Any bytes give a scene whose indices are in range, or an Error. Built with the preset asan, this is the fuzz target
/// of load_scene: COPSE_FUZZ_RUNS sets the number of files, COPSE_FUZZ_SEED the first one.
/// A small file can name the same bytes many times, and so ask for any number of triangles.
TEST(GltfErrors, RefuseMoreBytesThanTheLimit) {
  GltfMaker maker = cube_maker();
  const std::string primitive = "{\"attributes\":{\"POSITION\":0},\"indices\":1}";
  std::string primitives = primitive;
  for (int i = 1; i < 100; ++i) primitives += "," + primitive;
  maker.add_mesh(primitives);
  maker.add_node("\"mesh\":1");
  const std::filesystem::path file = folder().write("scene.glb", maker.glb());
  const u64 bytes = 8 * sizeof(vec3) + 100 * 12 * sizeof(uvec3);
  EXPECT_EQ(load_scene(file, {.max_bytes = bytes}).triangle_count(), 1200u);
  EXPECT_COPSE_ERROR(load_scene(file, {.max_bytes = bytes - 1}), ErrorCode::bad_file,
                     "the meshes have at least 14496 bytes together; at most 14495 are read");
  // The buffers, each of which may be the same file.
  folder().write("same.bin", maker.bytes);
  const std::string buffer = "{\"byteLength\":168,\"uri\":\"same.bin\"}";
  std::string json = maker.json(",\"uri\":\"same.bin\"");
  json.insert(json.rfind("]}"), "," + buffer + "," + buffer);
  const std::filesystem::path many = folder().write("scene.gltf", json);
  EXPECT_EQ(load_scene(many, {.max_bytes = bytes}).triangle_count(), 1200u);
  EXPECT_COPSE_ERROR(load_scene(many, {.max_bytes = 400}), ErrorCode::bad_file,
                     "buffers[0] to buffers[2] have 504 bytes together; at most 400 are read");
}

TEST(GltfErrors, DamagedBytesGiveAnErrorOrAValidScene) {
  const auto number = [](const char* name, u32 otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : u32(std::strtoul(text, nullptr, 10));
  };
  const u32 runs = number("COPSE_FUZZ_RUNS", 4000), seed = number("COPSE_FUZZ_SEED", 1);
  const GltfMaker cubes = three_cubes(all_instance_attributes);
  const std::string whole[] = {whole_maker().glb(), whole_maker().gltf(), cubes.glb(), cubes.gltf()};
  const char* const pieces[] = {"0",  "-1", "99999999999", "[",    "]",     "{",   "}",
                                "\"", ",",  ":",           "null", "1e300", "5121"};
  u32 read_count = 0;
  for (u32 run = 0; run < runs; ++run) {
    std::mt19937 random(seed + run);
    std::string bytes = whole[run % std::size(whole)];
    const u32 damage_count = 1 + random() % 3;
    for (u32 k = 0; k < damage_count; ++k) {
      const size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0: bytes[at] = char(random()); break;
        case 1: bytes.erase(at, 1 + random() % 8); break;
        case 2: bytes.insert(at, pieces[random() % std::size(pieces)]); break;
        default: bytes.replace(at, 1, pieces[random() % std::size(pieces)]); break;
      }
      if (bytes.empty()) bytes = "{";
    }
    try {
      const SceneFile file = run % 2 == 0 ? load_binary(bytes) : load_text(bytes);
      ++read_count;
      for (const SceneMesh& mesh : file.meshes) {
        ASSERT_EQ(mesh.parts.size(), mesh.materials.size());
        for (const u32 material : mesh.materials) ASSERT_LT(material, file.materials.size()) << run;
        for (const uvec3& t : mesh.mesh.triangles) {
          ASSERT_LT(std::max({t.x, t.y, t.z}), mesh.mesh.positions.size()) << run;
        }
      }
      for (const Instance& instance : file.instances) ASSERT_LT(instance.accel, file.meshes.size()) << run;
    } catch (const Error& error) {
      ASSERT_TRUE(error.code() == ErrorCode::bad_file || error.code() == ErrorCode::capacity) << error.what();
    }
  }
  EXPECT_GT(read_count, runs / 50) << "some damage has no effect";
  EXPECT_LT(read_count, runs - runs / 50);
}

}  // namespace copse::test
