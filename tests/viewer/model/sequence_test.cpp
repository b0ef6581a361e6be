// Sequences: numbered files are frames.

#include "viewer/model/scene/sequence.h"

#include <set>

#include "primitives/core/error.h"
#include "tests/support/backends.h"
#include "tests/viewer/scenes.h"

namespace copse::test {
namespace {

using namespace viewer;

std::vector<std::string> names_of(const std::vector<std::filesystem::path>& files) {
  std::vector<std::string> all;
  for (const std::filesystem::path& file : files) all.push_back(file.filename().string());
  return all;
}

TEST(FindSequence, OrdersByNumberPaddedOrNot) {
  const TemporaryFolder folder;
  for (const char* name : {"ball2_10.ply", "ball2_9.ply", "ball2_008.ply", "ball2_1000.ply", "ball3_1.ply",
                           "ball2_9.obj", "ball2_.ply", "ball2_9b.ply"}) {
    write_text(folder / name, "");
  }
  const std::vector<std::string> expected = {"ball2_008.ply", "ball2_9.ply", "ball2_10.ply", "ball2_1000.ply"};
  EXPECT_EQ(names_of(find_sequence(folder / "ball2_10.ply")), expected);
}

TEST(FindSequence, NumbersOfAnyLengthDoNotOverflow) {
  const TemporaryFolder folder;
  const std::string shorter(30, '8'), longer = "1" + std::string(30, '0');
  for (const std::string& digits : {longer, shorter}) write_text(folder / ("f" + digits + ".obj"), "");
  EXPECT_EQ(names_of(find_sequence(folder / ("f" + longer + ".obj")))[0], "f" + shorter + ".obj");
}

TEST(FindSequence, NameWithoutNumberIsAlone) {
  const TemporaryFolder folder;
  write_text(folder / "ball.ply", "");
  write_text(folder / "ball1.ply", "");
  EXPECT_EQ(names_of(find_sequence(folder / "ball.ply")), std::vector<std::string>{"ball.ply"});
  EXPECT_TRUE(find_sequence(folder / "other.ply").empty());
}

TEST(FindSequence, MissingFolderIsAnError) {
  EXPECT_COPSE_ERROR(find_sequence("/nowhere/at/all/f1.ply"), ErrorCode::bad_file, "/nowhere/at/all");
}

/// Spheres that grow.
std::vector<std::filesystem::path> write_frames(const TemporaryFolder& folder, u32 count) {
  std::vector<std::filesystem::path> files;
  for (u32 i = 0; i < count; ++i) {
    Mesh mesh = generate_sphere(2);
    for (vec3& p : mesh.positions) p *= 1 + 0.1f * float(i);
    files.push_back(folder / ("ball_" + std::to_string(i + 1) + ".ply"));
    save_ply(files.back(), mesh);
  }
  return files;
}

TEST(SequenceReader, ReadsTheFrameAskedForLast) {
  const TemporaryFolder folder;
  SequenceReader reader(write_frames(folder, 5));
  for (u32 round = 0; round < 2; ++round) {
    for (u32 frame = 0; frame < 5; ++frame) reader.request(frame);
    const SequenceFrame last = reader.wait();
    EXPECT_EQ(last.number, 4u);
    ASSERT_TRUE(last.geometry);
    EXPECT_NEAR(last.geometry->bounds.hi.x, 1.4f, 0.02f);
  }
}

TEST(SequenceReader, LostAndBrokenFilesAreTold) {
  const TemporaryFolder folder;
  const auto files = write_frames(folder, 3);
  std::filesystem::remove(files[1]);
  write_text(files[2], "ply\nnonsense");
  SequenceReader reader(files);
  for (const u32 frame : {1u, 2u}) {
    reader.request(frame);
    const SequenceFrame read = reader.wait();
    EXPECT_FALSE(read.geometry);
    EXPECT_NE(read.error.find(files[frame].filename().string()), std::string::npos);
  }
  reader.request(0);
  EXPECT_TRUE(reader.wait().geometry);
}

TEST(SequenceReader, EndsWhileItReads) {
  const TemporaryFolder folder;
  SequenceReader reader(write_frames(folder, 2));
  reader.request(1);
}

TEST(SequenceInASession, PlaysAndKeepsTheLastFrameWhereFilesAreLost) {
  const TemporaryFolder folder;
  const auto files = write_frames(folder, 4);
  Session session({.deterministic = true});
  session.wanted(0).backend = Backend::cpu;
  session.set_picture_size(32, 32);
  session.open_sequence(files[0]);
  session.finish();
  ASSERT_EQ(session.frame_count(), 4u);
  EXPECT_EQ(session.frame(), 0u);
  const auto scrub_to = [&](u32 frame) {
    session.playback().phase = (float(frame) + 0.5f) / 4;
    session.update(0);
  };
  scrub_to(2);
  EXPECT_EQ(session.frame(), 2u);
  EXPECT_NEAR(session.bounds().hi.x, 1.2f, 0.02f);
  EXPECT_GT(session.timings(0).refit.values().size(), 0u) << "the same topology is refitted";

  std::filesystem::remove(files[3]);
  scrub_to(3);
  EXPECT_NEAR(session.bounds().hi.x, 1.2f, 0.02f) << "the last frame stays";
  EXPECT_TRUE(has_message(session, Severity::warning, "ball_4.ply"));
  const u64 told = session.messages().list().size();
  scrub_to(1);
  scrub_to(3);
  EXPECT_EQ(session.messages().list().size(), told) << "told once";
  scrub_to(0);
  EXPECT_NEAR(session.bounds().hi.x, 1.0f, 0.02f);
}

TEST(SequenceInASession, GoesOnUntilWhatIsOpenedIsThere) {
  const TemporaryFolder folder;
  save_ply(folder / "cube.ply", generate_cube());
  Session session;
  session.wanted(0).backend = Backend::cpu;
  session.open_sequence(write_frames(folder, 4)[1]);
  EXPECT_EQ(session.frame_count(), 0u) << "nor is it there at once itself";
  session.finish();
  EXPECT_EQ(session.frame_count(), 4u);
  EXPECT_EQ(session.frame(), 1u);

  for (const char* lost : {"lost.ply", "lost_1.ply"}) {
    session.open({folder / lost});
    EXPECT_EQ(session.frame_count(), 4u);
    session.finish();
    EXPECT_TRUE(has_message(session, Severity::error, lost));
    EXPECT_EQ(session.frame_count(), 4u) << "the file is not there, so the sequence is";
  }
  session.open({folder / "cube.ply"});
  session.cancel();
  session.finish();
  EXPECT_EQ(session.frame_count(), 4u);
  session.open({folder / "cube.ply"});
  EXPECT_EQ(session.frame_count(), 4u);
  session.finish();
  EXPECT_EQ(session.frame_count(), 0u);
  EXPECT_EQ(session.statistics(0).primitive_count, 12u);
}

TEST(SequenceInASession, AddedMeshesStayInEveryFrame) {
  const TemporaryFolder folder;
  save_ply(folder / "cube.ply", generate_cube());
  Session session({.deterministic = true});
  session.wanted(0).backend = Backend::cpu;
  session.open_sequence(write_frames(folder, 3)[0]);
  session.finish();
  const u64 ball = session.statistics(0).primitive_count;
  for (u32 cubes = 1; cubes <= 2; ++cubes) {
    session.open({folder / "cube.ply"}, true);
    session.finish();
    for (const u32 frame : {1u, 2u, 0u}) {
      session.playback().phase = (float(frame) + 0.5f) / 3;
      session.update(0);
      EXPECT_EQ(session.frame(), frame);
      ASSERT_EQ(session.geometry()->parts.size(), 1 + cubes);
      EXPECT_EQ(session.geometry()->parts.back().name, "cube.ply");
      EXPECT_EQ(session.geometry()->parts.back().first_triangle, ball + 12 * (cubes - 1));
      EXPECT_EQ(session.statistics(0).primitive_count, ball + 12 * cubes);
    }
  }
  EXPECT_TRUE(session.messages().list().empty());
}

TEST(SequenceReader, CompanionsAreInTheFrameThatWasReadBefore) {
  const TemporaryFolder folder;
  SequenceReader reader(write_frames(folder, 2));
  reader.request(1);
  const u64 alone = reader.wait().geometry->mesh.triangles.size();
  reader.request(1);
  reader.set_companions(join_meshes({{"cube", generate_cube()}}));
  EXPECT_EQ(reader.wait().geometry->mesh.triangles.size(), alone + 12);
  reader.set_companions(nullptr);
  reader.request(1);
  EXPECT_EQ(reader.wait().geometry->mesh.triangles.size(), alone);
}

TEST(SequenceInASession, MissingFileIsAMessage) {
  const TemporaryFolder folder;
  write_frames(folder, 2);
  Session session;
  for (const char* name : {"ball_9.ply", "lost.ply"}) {
    session.open_sequence(folder / name);
    EXPECT_TRUE(has_message(session, Severity::error, name));
  }
  EXPECT_EQ(session.frame_count(), 0u);
}

TEST(SequenceInASession, FrameOfAnotherTopologyIsBuilt) {
  const TemporaryFolder folder;
  auto files = write_frames(folder, 2);
  save_ply(files[1], generate_cube());
  Session session({.deterministic = true});
  session.wanted(0).backend = Backend::cpu;
  session.open_sequence(files[0]);
  session.finish();
  session.playback().phase = 0.7f;
  session.update(0);
  EXPECT_EQ(session.statistics(0).primitive_count, 12u);
  EXPECT_TRUE(session.messages().list().empty());
}

TEST(SequenceInASession, PlaysWithoutWaiting) {
  const TemporaryFolder folder;
  Session session;
  session.wanted(0).backend = Backend::cpu;
  session.set_picture_size(32, 32);
  session.open_sequence(write_frames(folder, 3)[0]);
  session.finish();
  session.playback().playing = true;
  std::set<u32> seen;
  for (u32 i = 0; i < 100000 && seen.size() < 3; ++i) {
    session.update(0.001);
    seen.insert(session.frame());
  }
  EXPECT_EQ(seen.size(), 3u);
}

}  // namespace
}  // namespace copse::test
