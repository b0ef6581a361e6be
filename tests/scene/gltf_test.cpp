// What load_scene reads of glTF files of our own making.

#include "scene/scene_file.h"

#include <cmath>

#include "scene/scene_meshes.h"
#include "scene/scene_rays.h"
#include "tests/builders/io/temporary_folder.h"
#include "tests/scene/gltf_files.h"
#include "tests/support/backends.h"

namespace copse::test {
namespace {

SceneFile load(const std::string& bytes, const LoadSceneOptions& options = {}) {
  static const TemporaryFolder folder;
  return load_scene(folder.write(bytes.starts_with("glTF") ? "scene.glb" : "scene.gltf", bytes), options);
}

/// The mesh of a file with one node and one mesh, of these primitives.
SceneMesh mesh_of(GltfMaker maker, const std::string& primitives) {
  maker.add_mesh(primitives);
  maker.add_node("\"mesh\":0");
  const SceneFile file = load(maker.glb());
  EXPECT_EQ(file.meshes.size(), 1u);
  return file.meshes[0];
}

std::vector<float> numbers_of(const Instance& instance) {
  return {&instance.rows[0][0], &instance.rows[0][0] + 12};
}

const std::vector<vec3> row_of_points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 2, 0}};

}  // namespace

TEST(Gltf, ReadsTheSameFromEveryKindOfBuffer) {
  GltfMaker maker = cube_maker();
  maker.add_node("\"name\":\"box\",\"mesh\":0,\"translation\":[1,2,3]");
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "data");
  folder.write("data/a +b.bin", maker.bytes + "more than is asked for");
  const std::vector<std::filesystem::path> files = {
      folder.write("box.glb", maker.glb()), folder.write("BOX.GLTF", maker.gltf()),
      folder.write("beside.gltf", maker.json(",\"uri\":\"data/a%20+b.bin\""))};
  for (const std::filesystem::path& path : files) {
    SCOPED_TRACE(path);
    const SceneFile file = load_scene(path);
    ASSERT_EQ(file.meshes.size(), 1u);
    EXPECT_EQ(file.meshes[0].mesh.positions, cube_points);
    ASSERT_EQ(file.meshes[0].mesh.triangles.size(), 12u);
    EXPECT_EQ(file.meshes[0].mesh.triangles[1], uvec3(0, 3, 2));
    EXPECT_EQ(file.meshes[0].parts, (std::vector<MeshPart>{{.triangle_count = 12, .geometry = 0}}));
    ASSERT_EQ(file.instances.size(), 1u);
    EXPECT_EQ(numbers_of(file.instances[0]), (std::vector<float>{1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3}));
    EXPECT_EQ(file.instance_names, std::vector<std::string>{"box"});
    EXPECT_TRUE(file.left_out.is_complete());
  }
}

TEST(Gltf, ReadsStripsFansAndEveryTypeOfIndex) {
  GltfMaker maker;
  maker.add_points(row_of_points);
  maker.add_indices(std::vector<u8>{0, 1, 2, 3, 4});
  maker.add_indices(std::vector<u16>{0, 1, 3, 2});
  maker.add_indices(std::vector<u32>{4, 3, 2});
  const std::string positions = "{\"attributes\":{\"POSITION\":0}";
  const SceneMesh mesh =
      mesh_of(maker, positions + ",\"mode\":5,\"indices\":1}," + positions + ",\"mode\":6,\"indices\":2}," +
                         positions + ",\"indices\":3}," + positions + ",\"mode\":5}");
  const std::vector<uvec3> strip = {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}};
  std::vector<uvec3> wanted = strip;
  wanted.insert(wanted.end(), {{1, 3, 0}, {3, 2, 0}, {4, 3, 2}});
  wanted.insert(wanted.end(), strip.begin(), strip.end());
  EXPECT_EQ(mesh.mesh.triangles, wanted);
  EXPECT_EQ(mesh.mesh.positions, row_of_points) << "primitives share the vertices of an accessor";
  EXPECT_EQ(mesh.parts, (std::vector<MeshPart>{{3, 0}, {2, 1}, {1, 2}, {3, 3}}));
}

TEST(Gltf, ReadsStridesOffsetsAndSparseAccessors) {
  GltfMaker maker;
  maker.add_points(row_of_points, 20);
  // Accessor 1 begins at the third point of that view, and replaces its first and last one.
  const u32 places = maker.add_view(std::vector<u8>{0, 2}),
            values = maker.add_view(std::vector<vec3>{{7, 7, 7}, {8, 8, 8}});
  maker.accessors +=
      ",{\"bufferView\":0,\"byteOffset\":40,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\","
      "\"sparse\":{\"count\":2,\"indices\":{\"bufferView\":" +
      std::to_string(places) + ",\"componentType\":5121},\"values\":{\"bufferView\":" + std::to_string(values) +
      "}}}";
  const SceneMesh mesh =
      mesh_of(maker, "{\"attributes\":{\"POSITION\":0},\"mode\":5},{\"attributes\":{\"POSITION\":1}}");
  std::vector<vec3> wanted = row_of_points;
  wanted.insert(wanted.end(), {{7, 7, 7}, {1, 1, 0}, {8, 8, 8}});
  EXPECT_EQ(mesh.mesh.positions, wanted);
  EXPECT_EQ(mesh.mesh.triangles.back(), uvec3(5, 6, 7));
}

TEST(Gltf, MultipliesTheTransformsOfNodes) {
  GltfMaker maker = cube_maker();
  // A quarter turn about z, after a scale that mirrors x; its child moves along its own x.
  maker.add_node(
      "\"mesh\":0,\"children\":[1,2],\"translation\":[10,0,0],\"rotation\":[0,0,0.70710678118654752,"
      "0.70710678118654752],\"scale\":[-2,1,1]");
  maker.add_node("\"mesh\":0,\"translation\":[1,0,0]");
  maker.add_node("\"children\":[3],\"matrix\":[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,5,1]");
  maker.add_node("\"mesh\":0");
  const SceneFile file = load(maker.gltf());
  ASSERT_EQ(file.instances.size(), 3u);
  const std::vector<std::vector<float>> wanted = {{0, -1, 0, 10, -2, 0, 0, 0, 0, 0, 1, 0},
                                                  {0, -1, 0, 10, -2, 0, 0, -2, 0, 0, 1, 0},
                                                  {0, -1, 0, 10, -2, 0, 0, 0, 0, 0, 1, 5}};
  const u32 nodes[] = {0, 1, 3};
  for (u32 i = 0; i < 3; ++i) {
    EXPECT_EQ(file.instances[i].id, nodes[i]) << "parents come first, and children in order";
    for (u32 k = 0; k < 12; ++k)
      EXPECT_NEAR(numbers_of(file.instances[i])[k], wanted[i][k], 1e-6) << i << " " << k;
  }
  EXPECT_EQ(file.triangle_count(), 12u);
  EXPECT_EQ(file.instanced_triangle_count(), 36u);
}

TEST(Gltf, ReadsTheSceneThatIsAskedFor) {
  GltfMaker maker = cube_maker();
  for (const char* x : {"1", "2", "3"}) maker.add_node("\"mesh\":0,\"translation\":[" + std::string(x) + ",0,0]");
  maker.scenes = "{\"nodes\":[0]},{\"nodes\":[2,1]},{}";
  const auto places = [&](const SceneFile& file) {
    std::vector<float> xs;
    for (const Instance& instance : file.instances) xs.push_back(instance.rows[0][3]);
    return xs;
  };
  EXPECT_EQ(places(load(maker.glb())), std::vector<float>{1});
  EXPECT_EQ(places(load(maker.glb(), {.scene = 1})), (std::vector<float>{3, 2}));
  EXPECT_COPSE_ERROR(load(maker.glb(), {.scene = 2}), ErrorCode::bad_file, "the scene has 0 triangles");
  EXPECT_COPSE_ERROR(load(maker.glb(), {.scene = 3}), ErrorCode::bad_file,
                     "the scene asked for is 3; the file has 3 scenes, numbers 0 to 2");
  maker.more = ",\"scene\":1";
  EXPECT_EQ(places(load(maker.glb())), (std::vector<float>{3, 2}));
}

TEST(Gltf, ReadsOnlyMeshesThatArePlaced) {
  GltfMaker maker = cube_maker();
  maker.add_points(row_of_points);
  maker.add_mesh("{\"attributes\":{\"POSITION\":2},\"mode\":5}");
  maker.add_mesh("{\"attributes\":{\"POSITION\":2},\"mode\":1},{\"attributes\":{\"POSITION\":2},\"mode\":0}");
  maker.add_node("\"mesh\":1");
  maker.add_node("\"mesh\":2");
  maker.more = ",\"animations\":[{\"channels\":[],\"samplers\":[]}]";
  const SceneFile file = load(maker.glb());
  ASSERT_EQ(file.meshes.size(), 1u);
  EXPECT_EQ(file.meshes[0].mesh.triangles.size(), 3u);
  ASSERT_EQ(file.instances.size(), 1u);
  EXPECT_EQ(file.instances[0].accel, 0u);
  EXPECT_EQ(file.left_out.message(), "2 primitives of points or lines, 1 animation were left out");
}

TEST(Gltf, KeepsTheColoursOfMaterials) {
  GltfMaker maker = cube_maker();
  maker.materials = "{\"name\":\"red\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,0.25,0,1]}},{}";
  const std::string positions = "{\"attributes\":{\"POSITION\":0},\"indices\":1";
  maker.add_mesh(positions + ",\"material\":1}," + positions + "}," + positions + ",\"material\":0}");
  maker.add_node("\"mesh\":1");
  const SceneFile file = load(maker.glb());
  EXPECT_EQ(file.meshes[0].materials, (std::vector<u32>{1, 2, 0}));
  ASSERT_EQ(file.materials.size(), 3u);
  EXPECT_EQ(file.materials[0].name, "red");
  EXPECT_EQ(file.materials[0].base_colour[1], 0.25f);
  EXPECT_EQ(file.materials[2].base_colour[1], 1.0f);
}

/// Pictures are neither read nor decoded, and what extensions and extras hold has no effect.
TEST(Gltf, PassesOverPicturesAndExtensions) {
  GltfMaker maker = cube_maker();
  maker.add_node("\"mesh\":0,\"extras\":{\"mesh\":-1,\"deep\":[[[[1e99]]]]}");
  maker.more =
      ",\"images\":[{\"uri\":\"../../none.png\"},{\"bufferView\":0,\"mimeType\":\"image/png\"}],"
      "\"textures\":[{\"source\":0}],\"cameras\":[{\"type\":\"perspective\",\"perspective\":{\"yfov\":1,"
      "\"znear\":1}}],\"extensionsUsed\":[\"KHR_texture_transform\",\"X_unknown\"],"
      "\"extensionsRequired\":[\"KHR_texture_transform\"]";
  EXPECT_EQ(load(maker.glb()).instances.size(), 1u);
}

class GltfScenes : public OnEachBackend {};

TEST_P(GltfScenes, AreHitWhereTheyArePlaced) {
  GltfMaker maker = cube_maker();
  const std::string positions = "{\"attributes\":{\"POSITION\":0},\"indices\":1}";
  maker.add_mesh(positions + "," + positions);  // the second part hides behind the first
  maker.add_node("\"mesh\":0,\"scale\":[1,1,-3]");
  maker.add_node("\"mesh\":1,\"translation\":[10,0,0]");
  const SceneFile file = load(maker.glb());
  const SceneMeshes meshes(context(), file);
  const std::vector<Accel> accels = build_accels(context(), meshes);
  const Scene scene = build(context(), accels, file.instances);
  const Buffer<Ray> rays(context(), std::vector<Ray>{{vec3(0.5f, 0.25f, 9), 0, vec3(0, 0, -1), infinity},
                                                     {vec3(10.5f, 0.25f, 9), 0, vec3(0, 0, -1), infinity},
                                                     {vec3(5, 0, 9), 0, vec3(0, 0, -1), infinity}});
  Buffer<SceneHit> hits(context(), rays.size());
  closest_hits(context(), scene, rays.span(), hits.span());
  const std::vector<SceneHit> found = hits.download();
  EXPECT_EQ(found[0].t, 6.0f);
  EXPECT_EQ(found[0].instance, 0u);
  EXPECT_EQ(found[0].primitive, 0u) << "the mirrored cube shows its lower side";
  EXPECT_EQ(found[1].t, 8.0f);
  EXPECT_EQ(found[1].instance, 1u);
  EXPECT_EQ(found[1].geometry, 0u);
  EXPECT_FALSE(is_hit(found[2]));
}

COPSE_ON_EACH_BACKEND(GltfScenes);

}  // namespace copse::test
