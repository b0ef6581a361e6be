// Instances that stand in accessors of a glTF file: EXT_mesh_gpu_instancing.

#include <array>
#include <cstdint>

#include "scene/scene_file.h"
#include "tests/builders/io/temporary_folder.h"
#include "tests/scene/gltf_files.h"
#include "tests/support/backends.h"

namespace copse::test {
namespace {

using Bytes4 = std::array<std::int8_t, 4>;
using Shorts4 = std::array<std::int16_t, 4>;

SceneFile load_instances(const GltfMaker& maker, const LoadSceneOptions& options = {}) {
  static const TemporaryFolder folder;
  return load_scene(folder.write("instances.glb", maker.glb()), options);
}

void expect_rows(const Instance& instance, const std::vector<float>& wanted) {
  for (u32 k = 0; k < 12; ++k) EXPECT_NEAR((&instance.rows[0][0])[k], wanted[k], 1e-6) << k;
}

}  // namespace

TEST(GltfInstancing, PlacesTheMeshOfANodeOncePerElement) {
  const SceneFile file = load_instances(three_cubes(all_instance_attributes));
  ASSERT_EQ(file.instances.size(), 3u);
  EXPECT_EQ(file.meshes.size(), 1u);
  EXPECT_EQ(file.instance_names, std::vector<std::string>(3, "row"));
  expect_rows(file.instances[0], {1, 0, 0, 1, 0, 1, 0, 10, 0, 0, 1, 0});
  expect_rows(file.instances[1], {-2, 0, 0, 2, 0, -1, 0, 10, 0, 0, 1, 0});
  expect_rows(file.instances[2], {0, -3, 0, 3, 1, 0, 0, 10, 0, 0, -1, 0});
  EXPECT_EQ(file.instanced_triangle_count(), 36u);
}

TEST(GltfInstancing, TakesEachAttributeAlone) {
  expect_rows(load_instances(three_cubes("\"TRANSLATION\":2")).instances[2],
              {1, 0, 0, 3, 0, 1, 0, 10, 0, 0, 1, 0});
  expect_rows(load_instances(three_cubes("\"ROTATION\":3")).instances[1], {-1, 0, 0, 0, 0, -1, 0, 10, 0, 0, 1, 0});
  expect_rows(load_instances(three_cubes("\"SCALE\":4")).instances[2], {1, 0, 0, 0, 0, 3, 0, 10, 0, 0, -1, 0});
}

TEST(GltfInstancing, TakesRotationsOfNormalizedIntegers) {
  GltfMaker maker = cube_maker();
  maker.add_accessor(std::vector<Bytes4>{{0, 0, 127, 0}, {0, 0, -128, 0}}, 5120,
                     "VEC4\",\"normalized\":true,\"name\":\"");
  maker.add_accessor(std::vector<Shorts4>{{0, 0, 32767, 0}, {23170, 0, 0, 23170}}, 5122,
                     "VEC4\",\"normalized\":true,\"name\":\"");
  maker.add_node("\"mesh\":0" + instancing("\"ROTATION\":2"));
  maker.add_node("\"mesh\":0" + instancing("\"ROTATION\":3"));
  const SceneFile file = load_instances(maker);
  ASSERT_EQ(file.instances.size(), 4u);
  for (const u32 i : {0, 1, 2}) expect_rows(file.instances[i], {-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 0});
  expect_rows(file.instances[3], {1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0});
  EXPECT_EQ(file.instances[2].id, 1u);
}

TEST(GltfInstancing, RefusesWithThePlaceTheValueAndTheLimit) {
  const auto expect = [](const GltfMaker& maker, const std::string& message,
                         const LoadSceneOptions& options = {}) {
    EXPECT_COPSE_ERROR(load_instances(maker, options), ErrorCode::bad_file, message);
  };
  const std::string place = "nodes[0].extensions.EXT_mesh_gpu_instancing.attributes";
  expect(three_cubes("\"TRANSLATION\":5"), place + ".TRANSLATION names accessor 5, but there are 5");
  expect(three_cubes("\"SCALE\":-1"), place + ".SCALE is -1; it takes a whole number from 0");
  expect(three_cubes("\"TRANSLATION\":2,\"SCALE\":0"), place + ".SCALE has 8 elements, but TRANSLATION has 3");
  expect(three_cubes("\"TRANSLATION\":1"), "accessors[1] has positions of componentType 5123");
  expect(three_cubes("\"ROTATION\":2"), "accessors[2] has rotations of componentType 5126; they take VEC4");
  expect(three_cubes("\"_ID\":2"), place + " has none of TRANSLATION, ROTATION and SCALE");
  GltfMaker zero = three_cubes("\"ROTATION\":3");
  zero.bytes.replace(zero.bytes.find(GltfMaker::word(0x3f3504f3)), 8, std::string(8, '\0'));
  expect(zero, place + ".ROTATION[2] is a quaternion of length 0.000000; it can be 1e-6 to 1e6");
  GltfMaker missing = cube_maker();
  missing.add_node("\"mesh\":0,\"extensions\":{\"EXT_mesh_gpu_instancing\":{}}");
  expect(missing, place + " is missing");
  GltfMaker wrong = cube_maker();
  wrong.add_node("\"mesh\":0,\"extensions\":{\"EXT_mesh_gpu_instancing\":[]}");
  expect(wrong, "nodes[0].extensions.EXT_mesh_gpu_instancing is an array; it takes an object");
}

/// Many nodes may name the same accessors.
TEST(GltfInstancing, RefusesMoreInstancesThanTheLimit) {
  GltfMaker maker = three_cubes(all_instance_attributes);
  for (u32 i = 0; i < 50; ++i)
    maker.add_node("\"mesh\":0,\"name\":\"" + std::string(1000, 'n') + "\"" + instancing("\"SCALE\":4"));
  EXPECT_EQ(load_instances(maker).instances.size(), 153u);
  EXPECT_COPSE_ERROR(load_instances(maker, {.max_bytes = 100000}), ErrorCode::bad_file,
                     "bytes together; at most 100000 are read (LoadSceneOptions::max_bytes)");
}

}  // namespace copse::test
