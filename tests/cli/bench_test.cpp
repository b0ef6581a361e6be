#include "tests/cli/process.h"

namespace copse::test {
namespace {

class CliBench : public CliOnEachBackend {};

COPSE_ON_EACH_BACKEND(CliBench);

/// A tree whose parts are on several ranks is hit by as many rays as one tree.
void expect_sharded(const Json& result, u32 rank_count) {
  const Json& sharded = result["sharded"];
  EXPECT_EQ(sharded["gpus"], rank_count);
  EXPECT_GT(sharded["build_ms"], 0.0);
  EXPECT_GT(sharded["accel_ms"], 0.0);
  EXPECT_GT(result["primary"]["hits"], 0);
  for (const char* kind : {"primary", "diffuse"}) {
    EXPECT_EQ(sharded[kind]["rays"], result[kind]["rays"]);
    EXPECT_EQ(sharded[kind]["hits"], result[kind]["hits"]);
  }
  EXPECT_EQ(sharded["shadow"]["hits"], result["gpus"][0]["shadow"]["hits"]);
}

TEST_P(CliBench, MeasuresBothKeyWidthsOfAMesh) {
  const Outcome outcome =
      run_cli(here({"bench", sphere(), "--repeats", "2", "--rays-size", "32", "--stages", "--json"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json report = outcome.json();
  EXPECT_EQ(report["copse"]["backend"], name_of(GetParam()));
  EXPECT_FALSE(report["copse"]["commit"].get<std::string>().empty());
  EXPECT_EQ(report["repeats"], 2);
  EXPECT_EQ(report["rays_size"], 32);
  ASSERT_EQ(report["results"].size(), 2u);
  EXPECT_EQ(report["results"][0]["morton_bits"], 30);
  EXPECT_EQ(report["results"][1]["morton_bits"], 63);
  for (const Json& result : report["results"]) {
    EXPECT_EQ(result["scene"], "sphere");
    EXPECT_EQ(result["triangles"], 320);
    EXPECT_GT(result["build_ms"], 0.0);
    EXPECT_GT(result["refit_ms"], 0.0);
    EXPECT_EQ(result["build_graph_ms"].is_number(), GetParam() == Backend::cuda);
    EXPECT_EQ(result["refit_graph_ms"].is_number(), GetParam() == Backend::cuda);
    EXPECT_GT(result["bytes"], 0);
    const u64 mesh_bytes = 12 * (result["vertices"].get<u64>() + 320);
    EXPECT_EQ(result["build_min_bytes"], mesh_bytes + result["bytes"].get<u64>());
    EXPECT_EQ(result["refit_min_bytes"], mesh_bytes + 4 * 320 + 32 * result["nodes"].get<u64>());
    EXPECT_GT(result["sah_cost"], 1.0);
    EXPECT_FALSE(result["stages"].empty());
  }
}

TEST_P(CliBench, TracesPrimaryAndDiffuseRays) {
  const Json report = run_cli(here({"bench", sphere(), "--repeats", "1", "--rays-size", "64", "--json"})).json();
  for (const Json& result : report["results"]) {
    const Json &primary = result["primary"], &diffuse = result["diffuse"];
    EXPECT_EQ(primary["rays"], 64 * 64);
    // The unit sphere is 2 sqrt(3) away, so its rim appears at tan a = 1 / sqrt(11), where the image reaches 0.5.
    EXPECT_NEAR(primary["hits"].get<double>() / (64 * 64), 3.14159 / 11, 0.01);
    // Diffuse rays leave a convex body and hit nothing.
    EXPECT_EQ(diffuse["rays"], primary["hits"]);
    EXPECT_EQ(diffuse["hits"], 0);
    EXPECT_GT(diffuse["grays_per_s"], 0.0);
  }
}

TEST_P(CliBench, MeasuresSharedRays) {
  const Json report =
      run_cli(here({"bench", sphere(), "--repeats", "1", "--rays-size", "64", "--gpus", "1", "--json"})).json();
  for (const Json& result : report["results"]) {
    if (&result != &report["results"][0]) {
      EXPECT_FALSE(result.contains("gpus"));
      EXPECT_FALSE(result.contains("sharded"));
      continue;
    }
    ASSERT_EQ(result["gpus"].size(), 2u);
    for (const Json& times : result["gpus"]) {
      EXPECT_EQ(times["gpus"], 1);
      EXPECT_EQ(times["primary"]["hits"], result["primary"]["hits"]);
      EXPECT_EQ(times["diffuse"]["hits"], result["diffuse"]["hits"]);
    }
    expect_sharded(result, 1);
  }
}

using CliBenchOnCpu = CliTest;

TEST_F(CliBenchOnCpu, MeasuresATreeOnEightRanks) {
  const Json report = run_cli({"bench", sphere(), "--repeats", "1", "--rays-size", "64", "--backend", "cpu",
                               "--threads", "1", "--gpus", "8", "--json"})
                          .json();
  expect_sharded(report["results"][0], 8);
}

TEST_P(CliBench, MeasuresEveryBuilder) {
  const Json report = run_cli(here({"bench", sphere(), "--builder", "all", "--radius", "3", "--morton-bits", "63",
                                    "--repeats", "1", "--rays-size", "32", "--json"}))
                          .json();
  ASSERT_EQ(report["results"].size(), 3u);
  const Json &lbvh = report["results"][0], &hploc = report["results"][1], &sah = report["results"][2];
  EXPECT_EQ(lbvh["builder"], "lbvh");
  EXPECT_FALSE(lbvh.contains("radius"));
  EXPECT_EQ(hploc["builder"], "hploc");
  EXPECT_EQ(hploc["radius"], 3);
  EXPECT_EQ(hploc["primary"]["hits"], lbvh["primary"]["hits"]);
  EXPECT_LT(hploc["sah_cost"], lbvh["sah_cost"]);
  EXPECT_EQ(sah["builder"], "sah");
  EXPECT_FALSE(sah.contains("radius"));
  EXPECT_FALSE(sah.contains("morton_bits"));
  EXPECT_EQ(sah["primary"]["hits"], lbvh["primary"]["hits"]);
  EXPECT_LT(sah["sah_cost"], lbvh["sah_cost"]);
}

TEST_P(CliBench, MeasuresAccelOfEachQuality) {
  const Json report =
      run_cli(here({"bench", sphere(), "--accel", "--repeats", "1", "--rays-size", "64", "--json"})).json();
  const Json& result = report["results"].at(0);
  EXPECT_FALSE(report["results"].at(1).contains("accels"));
  ASSERT_EQ(result["accels"].size(), 3u);
  const char* const qualities[] = {"fast", "balanced", "best"};
  for (size_t i = 0; i < 3; ++i) {
    const Json& accel = result["accels"][i];
    EXPECT_EQ(accel["quality"], qualities[i]);
    EXPECT_EQ(accel["primary"]["hits"], result["primary"]["hits"]);
    EXPECT_EQ(accel["diffuse"]["hits"], result["diffuse"]["hits"]);
    EXPECT_EQ(accel["shadow"]["rays"], result["primary"]["hits"]);
    EXPECT_EQ(accel["shadow"]["hits"], result["accels"][0]["shadow"]["hits"]);
    for (const char* time : {"build_ms", "refit_ms", "frame_ms"}) EXPECT_GT(accel[time], 0.0) << time;
    EXPECT_EQ(accel["frame_graph_ms"].is_number(), GetParam() == Backend::cuda);
    EXPECT_LT(accel["compact_bytes"], accel["bytes"]);
  }
}

TEST_P(CliBench, TracesWithEveryKernelAndLayout) {
  const Json report = run_cli(here({"bench", sphere(), "--layout", "all", "--kernels", "--repeats", "1",
                                    "--rays-size", "32", "--morton-bits", "63", "--json"}))
                          .json();
  const Json &result = report["results"].at(0), &kernels = result["kernels"];
  // On a GPU three kernels per layout, and packets on the binary tree and in 64-byte nodes. On the CPU the automatic
  // kernel alone. Ray trees make one row more.
  EXPECT_EQ(kernels.size(), GetParam() == Backend::cuda ? 15u : 5u);
  for (const Json& row : kernels) {
    EXPECT_EQ(row["primary"]["hits"], result["primary"]["hits"]) << row;
    EXPECT_EQ(row["diffuse"]["hits"], result["diffuse"]["hits"]) << row;
  }
}

TEST_P(CliBench, TracesFromSeveralEyes) {
  std::filesystem::copy_file(sphere(), path("material-testball.ply"));
  const Json report =
      run_cli(here({"bench", "testball", sphere(), "--scenes", path(""), "--views", "fast", "--kernels",
                    "--repeats", "1", "--rays-size", "64", "--morton-bits", "63", "--json"}))
          .json();
  ASSERT_EQ(report["views"].size(), 2u);
  const Json &testball = report["views"][0], &file = report["views"][1];
  EXPECT_EQ(testball["quality"], "fast");
  ASSERT_EQ(testball["views"].size(), 4u);
  for (const Json& view : testball["views"]) {
    ASSERT_EQ(view["kernels"].size(), GetParam() == Backend::cuda ? 4u : 1u);
    const Json& automatic = view["kernels"][0];
    EXPECT_EQ(automatic["kernel"], "automatic");
    EXPECT_EQ(automatic["diffuse"]["rays"], automatic["primary"]["hits"]);
    EXPECT_EQ(automatic["shadow"]["rays"], automatic["primary"]["hits"]);
    EXPECT_EQ(automatic["ambient"]["hits"], automatic["diffuse"]["hits"]);
    for (const Json& by : view["kernels"]) {
      for (const char* rays : {"primary", "diffuse", "primary_short", "diffuse_short", "ambient", "shadow"}) {
        EXPECT_EQ(by[rays]["hits"], automatic[rays]["hits"]) << by["kernel"] << ", " << rays;
      }
    }
  }
  // From inside the unit sphere all primary and diffuse rays hit it; from outside, beside it, all miss.
  EXPECT_EQ(testball["views"][3]["kernels"][0]["primary"]["hits"], 64 * 64);
  EXPECT_EQ(testball["views"][3]["kernels"][0]["diffuse"]["hits"], 64 * 64);
  EXPECT_EQ(testball["views"][2]["kernels"][0]["primary"]["hits"], 0);
  ASSERT_EQ(file["views"].size(), 1u);
  EXPECT_EQ(file["views"][0]["kernels"][0]["primary"]["hits"], report["results"][1]["primary"]["hits"]);
}

using Cli = CliTest;

TEST_F(Cli, BenchPrintsATableWithoutJson) {
  const Outcome outcome =
      run_cli({"bench", sphere(), "--repeats", "1", "--rays-size", "8", "--morton-bits", "63"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 3) << outcome.out;
  EXPECT_NE(outcome.out.find("\nsphere "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("medians of 1"), std::string::npos) << outcome.err;
}

TEST_F(Cli, BenchFindsItsScenesInAFolder) {
  std::filesystem::copy_file(sphere(), path("material-testball.ply"));
  std::filesystem::copy_file(sphere(), path("dream-apartment.ply"));
  const Json report = run_cli({"bench", "testball", "apartment", "testball-x16", "--scenes", path(""), "--repeats",
                               "1", "--rays-size", "16", "--morton-bits", "63", "--json"})
                          .json();
  ASSERT_EQ(report["results"].size(), 3u);
  EXPECT_EQ(report["results"][0]["triangles"], 320);
  EXPECT_EQ(report["results"][2]["triangles"], 320 * 16);
  EXPECT_EQ(report["results"][1]["primary"]["hits"], 256) << "the apartment is seen from inside";
}

}  // namespace
}  // namespace copse::test
