// Reading and building in the background.

#include "viewer/model/session/build_job.h"

#include "tests/support/backends.h"
#include "tests/viewer/scenes.h"

namespace copse::test {
namespace {

using namespace viewer;

BuildRequest request_for(const Geometry& geometry, Backend backend) {
  BuildRequest request;
  request.geometry = geometry;
  request.sides[0] = tree_on(backend);
  return request;
}

class BuildJobs : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(BuildJobs);

TEST_P(BuildJobs, StructuresOutliveTheirJob) {
  BuildResult result;
  {
    BuildJob job(request_for(sphere(), GetParam()));
    result = job.take();
  }
  ASSERT_TRUE(result.sides[0]);
  EXPECT_TRUE(result.errors.empty());
  EXPECT_EQ(result.sides[0]->statistics().primitive_count, 1280u);
  result.sides[0]->build_now();
  result.sides[0]->move({Deformation::twist, 1, 0.3f}, UpdateMode::refit, true);
}

TEST_P(BuildJobs, CancelEndsABuild) {
  BuildRequest request = request_for(testball(), GetParam());
  request.sides[0]->overlap = true;
  BuildJob job(request);
  job.cancel();
  const BuildResult result = job.take();
  EXPECT_TRUE(result.cancelled);
  EXPECT_FALSE(result.sides[0]);
  EXPECT_TRUE(result.errors.empty());
}

TEST_P(BuildJobs, CancelInTheMiddleEndsABuildAtItsNextStage) {
  BuildRequest request = request_for(join_meshes({{"many", generate_random(400000, 0.01f)}}), GetParam());
  request.sides[0]->builder = Builder::sah;
  request.sides[1] = request.sides[0];
  BuildJob job(request);
  while (job.stage().rfind("building", 0) != 0 && !job.is_done()) std::this_thread::yield();
  job.cancel();
  const BuildResult result = job.take();
  EXPECT_TRUE(result.cancelled);
  EXPECT_FALSE(result.sides[1]);
}

TEST(BuildJobFiles, CancelEndsTheReadingOfALargeMesh) {
  const TemporaryFolder folder;
  std::string text;
  for (u32 i = 0; i < 400000; ++i) text += "v 0.125 " + std::to_string(i) + " 7.25\n";
  text += "f 1 2 3\n";
  for (u32 i = 0; i < 4; ++i) write_text(folder / ("m" + std::to_string(i) + ".obj"), text);
  BuildRequest request;
  for (u32 i = 0; i < 4; ++i) request.files.push_back(folder / ("m" + std::to_string(i) + ".obj"));
  request.sides[0] = tree_on(Backend::cpu);
  BuildJob job(request);
  while (job.stage().rfind("reading", 0) != 0 && !job.is_done()) std::this_thread::yield();
  job.cancel();
  const BuildResult result = job.take();
  EXPECT_TRUE(result.cancelled);
  EXPECT_FALSE(result.geometry);
  EXPECT_TRUE(result.errors.empty());
}

TEST(BuildJobFiles, SayWhatIsLeftOutOfAMesh) {
  const TemporaryFolder folder;
  write_text(folder / "m.obj", "v 0 0 0\nv 3 0 0\nv 0 4 0\nv nan 9 9\nf 1 2 3\nf 1 2 4\n");
  BuildRequest request;
  request.files = {folder / "m.obj"};
  request.sides[0] = tree_on(Backend::cpu);
  BuildJob job(request);
  const BuildResult result = job.take();
  ASSERT_TRUE(result.geometry);
  EXPECT_EQ(result.geometry->mesh.triangles.size(), 1u);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_NE(result.notes[0].find("m.obj: 1 vertex that is not finite"), std::string::npos) << result.notes[0];
}

TEST_P(BuildJobs, BuildsBothSides) {
  BuildRequest request = request_for(sphere(), GetParam());
  request.sides[1] = tree_on(GetParam());
  request.sides[1]->kind = StructureKind::grid;
  BuildJob job(request);
  const BuildResult result = job.take();
  ASSERT_TRUE(result.sides[0] && result.sides[1]);
  EXPECT_EQ(result.sides[1]->options().kind, StructureKind::grid);
}

TEST_P(BuildJobs, ErrorOfOneSideLeavesTheOther) {
  BuildRequest request = request_for(sphere(), GetParam());
  request.sides[1] = tree_on(GetParam());
  request.sides[1]->max_leaf_size = 99;
  BuildJob job(request);
  const BuildResult result = job.take();
  EXPECT_TRUE(result.sides[0]);
  EXPECT_FALSE(result.sides[1]);
  ASSERT_EQ(result.errors.size(), 1u);
  EXPECT_NE(result.errors[0].text.find("99"), std::string::npos);
}

TEST_P(BuildJobs, FilesThatCannotBeReadLeaveTheOthers) {
  const TemporaryFolder folder;
  write_text(folder / "broken.ply", "ply\nformat ascii 1.0\nend");
  BuildRequest request = request_for(join_meshes({}), GetParam());
  request.files = {"assets/testball.ply", folder / "lost.obj", folder / "broken.ply", "assets/spot.obj"};
  BuildJob job(request);
  const BuildResult result = job.take();
  EXPECT_EQ(result.errors.size(), 2u);
  ASSERT_TRUE(result.geometry);
  ASSERT_EQ(result.geometry->parts.size(), 2u);
  EXPECT_EQ(result.geometry->parts[1].name, "spot.obj");
  EXPECT_EQ(result.geometry->part_of(80767).name, "testball.ply");
  EXPECT_EQ(result.geometry->part_of(80768).name, "spot.obj");
  EXPECT_EQ(result.sides[0]->statistics().primitive_count, result.geometry->mesh.triangles.size());
}

TEST_P(BuildJobs, NoFileThatCanBeReadGivesNoScene) {
  BuildRequest request = request_for(sphere(), GetParam());
  request.files = {"/nowhere/lost.ply"};
  BuildJob job(request);
  const BuildResult result = job.take();
  EXPECT_FALSE(result.geometry);
  EXPECT_FALSE(result.sides[0]);
  ASSERT_EQ(result.errors.size(), 1u);
  EXPECT_NE(result.errors[0].text.find("lost.ply"), std::string::npos);
}

TEST_P(BuildJobs, MeshesAreAddedToThoseThatAreThere) {
  BuildRequest request = request_for(sphere(), GetParam());
  request.files = {"assets/testball.ply"};
  request.add = true;
  BuildJob job(request);
  const BuildResult result = job.take();
  ASSERT_EQ(result.geometry->parts.size(), 2u);
  EXPECT_EQ(result.geometry->parts[1].first_triangle, 1280u);
  const u32 vertex_count = u32(sphere()->mesh.positions.size());
  EXPECT_EQ(result.geometry->mesh.triangles[1280], testball()->mesh.triangles[0] + vertex_count);
}

}  // namespace
}  // namespace copse::test
