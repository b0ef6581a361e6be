// Files that hold structures: .copse and .voxels.

#include "viewer/model/scene/scene_file.h"

#include "accel/accel_file.h"
#include "builders/bvh/build.h"
#include "builders/bvh/collapse.h"
#include "builders/grid/bricks.h"
#include "builders/grid/voxels.h"
#include "builders/io/structure_file.h"
#include "builders/io/voxel_file.h"
#include "builders/io/voxel_tree_file.h"
#include "tests/support/backends.h"
#include "tests/viewer/scenes.h"

namespace copse::test {
namespace {

using namespace viewer;
namespace fs = std::filesystem;

Context cpu() {
  return Context({.backend = Backend::cpu});
}

/// A SAH tree with compressed wide nodes over a sphere of 1280 triangles.
void write_tree(const fs::path& file) {
  Context context = cpu();
  const Mesh mesh = generate_sphere(3);
  const Buffer<vec3> positions(context, mesh.positions);
  const Buffer<uvec3> triangles(context, mesh.triangles);
  const TriangleView view{.positions = positions.span(), .triangles = triangles.span()};
  const Bvh bvh = build(context, view, SahOptions{.max_leaf_size = 3});
  AnyWideBvh wide = collapse<CompressedBvh8>(context, bvh);
  save_structure(file, context, mesh, bvh, "sah", 0, 3, wide);
}

/// Voxels of the same sphere, as a kind holds them.
void write_voxels(const fs::path& file, StructureKind kind) {
  Context context = cpu();
  const Mesh mesh = generate_sphere(3);
  const Buffer<vec3> positions(context, mesh.positions);
  const Buffer<uvec3> triangles(context, mesh.triangles);
  const TriangleView view{.positions = positions.span(), .triangles = triangles.span()};
  if (kind == StructureKind::voxels) return save_voxels(file, download(build_voxels(context, view, 60)));
  const Bricks bricks = build_bricks(context, view, {.resolution = 60});
  if (kind == StructureKind::bricks) return save_voxels(file, download(bricks));
  VoxelTree tree = build_octree(context, bricks);
  if (kind == StructureKind::dag) tree = build_dag(context, tree);
  save_voxel_tree(file, download(tree));
}

void open(Session& session, const fs::path& file) {
  session.open({file});
  session.finish();
}

TEST(SceneFile, TreeOfAFileIsShownAsItIs) {
  const TemporaryFolder folder;
  write_tree(folder / "sphere.copse");
  SmallSession s(testball());
  s.session.view().smooth_samples = 1;
  open(s.session, folder / "sphere.copse");
  EXPECT_TRUE(s.session.messages().list().empty());
  EXPECT_EQ(s.session.built(0).kind, StructureKind::file);
  EXPECT_FALSE(s.session.differs(0));
  EXPECT_EQ(s.session.statistics(0).origin, "sah, cbvh8, leaves to 3");
  EXPECT_EQ(s.session.statistics(0).primitive_count, 1280u);

  SmallSession built;
  built.session.view().smooth_samples = 1;
  built.session.finish();
  EXPECT_TRUE(same_pixels(s.session.picture(0).image, built.session.picture(0).image)) << "the hits are the same";
}

TEST(SceneFile, AccelOfAFileIsShownAsItIsAndRefitted) {
  const TemporaryFolder folder;
  Context context = cpu();
  const Mesh mesh = generate_sphere(3);
  const Buffer<vec3> positions(context, mesh.positions);
  const Buffer<uvec3> triangles(context, mesh.triangles);
  const TriangleView view{.positions = positions.span(), .triangles = triangles.span()};
  save_accel(folder / "sphere.copse", context, mesh, build(context, view, {.quality = Quality::best}));

  SmallSession s(testball());
  s.session.view().smooth_samples = 1;
  open(s.session, folder / "sphere.copse");
  EXPECT_TRUE(s.session.messages().list().empty());
  EXPECT_EQ(s.session.built(0).kind, StructureKind::file);
  EXPECT_EQ(s.session.statistics(0).origin, "Accel, best");
  EXPECT_EQ(s.session.statistics(0).primitive_count, 1280u);
  SmallSession built;
  built.session.view().smooth_samples = 1;
  built.session.finish();
  EXPECT_TRUE(same_pixels(s.session.picture(0).image, built.session.picture(0).image)) << "the hits are the same";

  s.session.playback().deformation = Deformation::twist;
  s.session.playback().phase = 0.4f;
  s.session.wanted(1).builder = Builder::lbvh;
  s.session.comparison() = Comparison::side_by_side;
  s.session.finish();
  EXPECT_EQ(s.session.picture(0).distances, s.session.picture(1).distances);
}

TEST(SceneFile, TreeOfAFileIsRefittedAndAnotherIsBuiltBesideIt) {
  const TemporaryFolder folder;
  write_tree(folder / "sphere.copse");
  SmallSession s;
  open(s.session, folder / "sphere.copse");
  const double cost = *s.session.statistics(0).sah_cost;
  s.session.playback().deformation = Deformation::twist;
  s.session.playback().phase = 0.4f;
  s.session.wanted(1).builder = Builder::lbvh;
  s.session.comparison() = Comparison::side_by_side;
  s.session.finish();
  EXPECT_NE(*s.session.statistics(0).sah_cost, cost);
  EXPECT_EQ(s.session.built(1).kind, StructureKind::bvh);
  EXPECT_EQ(s.session.picture(0).distances, s.session.picture(1).distances);
}

TEST(SceneFile, AMeshAfterAStructureIsBuiltAgain) {
  const TemporaryFolder folder;
  write_tree(folder / "sphere.copse");
  save_ply(folder / "cube.ply", generate_cube());
  SmallSession s;
  open(s.session, folder / "sphere.copse");
  open(s.session, folder / "cube.ply");
  EXPECT_EQ(s.session.built(0).kind, StructureKind::bvh);
  EXPECT_FALSE(s.session.differs(0));
  EXPECT_EQ(s.session.statistics(0).primitive_count, 12u);
  EXPECT_FALSE(has_message(s.session, Severity::error, ""));
}

TEST(SceneFile, MeshOfAStructureCanBeBuiltOtherwiseOrJoined) {
  const TemporaryFolder folder;
  write_tree(folder / "sphere.copse");
  save_ply(folder / "cube.ply", generate_cube());
  SmallSession s;
  s.session.open({folder / "sphere.copse"}, false, false);
  s.session.finish();
  EXPECT_EQ(s.session.built(0).kind, StructureKind::bvh);
  s.session.open({folder / "sphere.copse", folder / "cube.ply"});
  s.session.finish();
  EXPECT_EQ(s.session.built(0).kind, StructureKind::bvh);
  EXPECT_EQ(s.session.statistics(0).primitive_count, 1292u);
}

TEST(SceneFile, VoxelsOfAFileAreThoseThatAreBuilt) {
  const TemporaryFolder folder;
  for (const StructureKind kind :
       {StructureKind::voxels, StructureKind::bricks, StructureKind::octree, StructureKind::dag}) {
    write_voxels(folder / "sphere.voxels", kind);
    SmallSession built;
    built.session.wanted(0).kind = kind;
    built.session.wanted(0).voxel_resolution = built.session.wanted(0).brick_resolution = 60;
    built.session.build(0);
    built.session.finish();
    SmallSession read;
    open(read.session, folder / "sphere.voxels");
    EXPECT_FALSE(has_message(read.session, Severity::error, ""));
    EXPECT_EQ(read.session.built(0).kind, StructureKind::file);
    EXPECT_EQ(read.session.statistics(0).occupied_count, built.session.statistics(0).occupied_count);
    read.session.camera().set_pose(built.session.camera().pose());
    read.session.finish();
    EXPECT_EQ(read.session.picture(0).distances, built.session.picture(0).distances) << name_of(kind);
    EXPECT_EQ(read.session.statistics(0).size_bytes, built.session.statistics(0).size_bytes) << name_of(kind);
    read.session.pick(0.5f, 0.5f);
    ASSERT_TRUE(read.session.picked());
    EXPECT_TRUE(is_hit(read.session.picked()->hit));
  }
}

TEST(SceneFile, VoxelsAreRefusedBesideOtherFiles) {
  const TemporaryFolder folder;
  write_voxels(folder / "sphere.voxels", StructureKind::voxels);
  save_ply(folder / "cube.ply", generate_cube());
  SmallSession s;
  s.session.open({folder / "sphere.voxels", folder / "cube.ply"});
  s.session.finish();
  EXPECT_TRUE(has_message(s.session, Severity::error, "sphere.voxels: voxels have no mesh"));
  EXPECT_EQ(s.session.statistics(0).primitive_count, 12u) << "the other file is shown";
}

TEST(SceneFile, BrokenStructuresAreMessages) {
  const TemporaryFolder folder;
  write_text(folder / "broken.copse", "COPSE");
  write_text(folder / "broken.voxels", "no voxels");
  SmallSession s;
  open(s.session, folder / "broken.copse");
  open(s.session, folder / "broken.voxels");
  EXPECT_TRUE(has_message(s.session, Severity::error, "broken.copse"));
  EXPECT_TRUE(has_message(s.session, Severity::error, "broken.voxels"));
  EXPECT_EQ(s.session.statistics(0).primitive_count, 1280u) << "the old scene stays";
}

TEST(SceneFile, KindFileWithoutAFileBuildsATree) {
  SmallSession s;
  s.session.wanted(0).kind = StructureKind::file;
  s.session.build(0);
  s.session.finish();
  EXPECT_EQ(s.session.built(0).kind, StructureKind::bvh);
  EXPECT_FALSE(has_message(s.session, Severity::error, ""));
  Context context = cpu();
  StructureOptions options;
  options.kind = StructureKind::file;
  EXPECT_COPSE_ERROR(make_structure(context, options, *sphere()), ErrorCode::invalid_argument,
                     ".copse, .glb, .gltf or .voxels");
}

TEST(SceneFile, NamesTellWhatCanBeOpened) {
  EXPECT_TRUE(is_scene_name("a.copse"));
  EXPECT_TRUE(is_scene_name("a.VOXELS"));
  EXPECT_TRUE(is_scene_name("a.ply"));
  EXPECT_FALSE(is_scene_name("a.png"));
  EXPECT_FALSE(is_mesh_name("a.copse")) << "a sequence has meshes alone";
}

}  // namespace
}  // namespace copse::test
