// Trees in parts: build --gpus writes a folder, and merge makes one file of it.

#include "tests/cli/process.h"

namespace copse::test {
namespace {

class CliShards : public CliTest {
 protected:
  /// Each triangle has three vertices of its own, as in a merged file.
  std::string random_mesh() {
    const std::string mesh = path("random.ply");
    EXPECT_EQ(run_cli({"generate", "random", "5000", "0.05", "-o", mesh}).exit_code, 0);
    return mesh;
  }

  Outcome build_parts(const std::string& mesh, u32 ranks, const std::string& folder,
                      const std::string& builder = "lbvh") {
    return run_cli({"build", mesh, "--builder", builder, "--backend", "cpu", "--threads", "1", "--gpus",
                    std::to_string(ranks), "-o", folder, "--json"});
  }
};

TEST_F(CliShards, OfAnHplocTreeMergeToTheFileOfOneTree) {
  const std::string mesh = random_mesh();
  ASSERT_EQ(run_cli({"build", mesh, "--builder", "hploc", "--backend", "cpu", "-o", path("one.copse")}).exit_code,
            0);
  const Outcome built = build_parts(mesh, 3, path("parts.copsed"), "hploc");
  ASSERT_EQ(built.exit_code, 0) << built.err;
  EXPECT_EQ(built.json()["recipe"]["radius"], 4);
  const Outcome described = run_cli({"info", path("parts.copsed"), "--validate", "--json"});
  ASSERT_EQ(described.exit_code, 0) << described.err;
  EXPECT_EQ(described.json()["builder"], "hploc");
  EXPECT_EQ(described.json()["radius"], 4);
  ASSERT_EQ(run_cli({"merge", path("parts.copsed"), "-o", path("merged.copse")}).exit_code, 0);
  EXPECT_EQ(read_file(path("merged.copse")), read_file(path("one.copse")));
}

TEST_F(CliShards, MergeToTheFileOfOneTree) {
  const std::string mesh = random_mesh();
  ASSERT_EQ(run_cli({"build", mesh, "--builder", "lbvh", "--backend", "cpu", "-o", path("one.copse")}).exit_code,
            0);
  for (const u32 ranks : {1u, 3u, 8u}) {
    const Outcome built = build_parts(mesh, ranks, path("parts.copsed"));
    ASSERT_EQ(built.exit_code, 0) << built.err;
    const Json report = built.json();
    EXPECT_EQ(report["ranks"], ranks);
    ASSERT_EQ(report["leaves_of_ranks"].size(), ranks);
    u64 leaves = 0;
    for (const Json& of_rank : report["leaves_of_ranks"]) leaves += of_rank.get<u64>();
    EXPECT_EQ(leaves, 5000u);
    const Outcome merged = run_cli({"merge", path("parts.copsed"), "-o", path("merged.copse"), "--json"});
    ASSERT_EQ(merged.exit_code, 0) << merged.err;
    EXPECT_EQ(merged.json()["triangles"], 5000);
    EXPECT_EQ(read_file(path("merged.copse")), read_file(path("one.copse"))) << ranks << " ranks";
  }
  EXPECT_EQ(run_cli({"info", path("merged.copse"), "--validate"}).exit_code, 0);
}

TEST_F(CliShards, AreDescribedAndValidated) {
  ASSERT_EQ(build_parts(random_mesh(), 3, path("parts.copsed")).exit_code, 0);
  const Outcome described = run_cli({"info", path("parts.copsed"), "--validate", "--json"});
  ASSERT_EQ(described.exit_code, 0) << described.err;
  const Json report = described.json();
  EXPECT_EQ(report["kind"], "sharded tree");
  EXPECT_EQ(report["builder"], "lbvh");
  EXPECT_EQ(report["radius"], Json());
  EXPECT_EQ(report["triangles"], 5000);
  EXPECT_EQ(report["left_out"], 0);
  EXPECT_EQ(report["ranks"], 3);
  EXPECT_EQ(report["leaves_of_ranks"].size(), 3u);
  EXPECT_TRUE(report.contains("validation"));
  EXPECT_NE(run_cli({"info", path("parts.copsed")}).out.find("3, with up to"), std::string::npos);

  // The manifest alone does not show a damaged file.
  std::string shard = read_file(path("parts.copsed/shard-0001.shard"));
  shard[200] = char(shard[200] ^ 1);
  write_text("parts.copsed/shard-0001.shard", shard);
  EXPECT_EQ(run_cli({"info", path("parts.copsed")}).exit_code, 0);
  const Outcome damaged = run_cli({"info", path("parts.copsed"), "--validate"});
  EXPECT_EQ(damaged.exit_code, 3);
  EXPECT_NE(damaged.err.find("shard-0001.shard"), std::string::npos) << damaged.err;
}

TEST_F(CliShards, RefuseWhatDoesNotFit) {
  const std::string mesh = sphere();
  const auto expect_error = [&](const Arguments& arguments, int code, const std::string& part) {
    const Outcome outcome = run_cli(arguments);
    EXPECT_EQ(outcome.exit_code, code) << outcome.err;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  };
  const Arguments build{"build", mesh, "--backend", "cpu", "--gpus", "2"};
  const auto with = [&](const Arguments& more) {
    Arguments all = build;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  expect_error(with({"--builder", "sah"}), 2, "--builder is sah");
  expect_error(with({"--quality", "best"}), 2,
               "--gpus builds a tree by hand on several devices, but --quality builds an Accel; give one of them");
  expect_error(with({"--splits", "2"}), 2, "which does not take --splits; leave one of them out");
  expect_error(with({"--memory", "1G"}), 2, "--memory builds a tree in slices on one device, but --gpus");
  expect_error(with({"--structure", "grid"}), 2, "--gpus is for bvh only; the structure is grid");
  expect_error(with({"-o", path("a.copse")}), 2, "must end in .copsed");
  write_text("file.copsed", "text");
  expect_error(with({"-o", path("file.copsed")}), 3, "this is a file, not a folder");
  std::filesystem::create_directory(path("other.copsed"));
  write_text("other.copsed/notes.txt", "text");
  expect_error(with({"-o", path("other.copsed")}), 3, "this folder holds other files");
  expect_error({"merge", path("other.copsed"), "-o", path("b.copse")}, 3, "no folder with the manifest.json");
  ASSERT_EQ(run_cli(with({"-o", path("parts.copsed")})).exit_code, 0);
  expect_error({"merge", path("parts.copsed")}, 2, "-o is missing: name the file to write, as in -o tree.copse");
  expect_error({"merge"}, 2, "FOLDER is missing: a .copsed folder");
}

}  // namespace
}  // namespace copse::test
