#include <iomanip>
#include <sstream>

#include "accel/accel.h"
#include "builders/io/mesh_file.h"
#include "tests/cli/process.h"

namespace copse::test {
namespace {

using Cli = CliTest;

COPSE_ON_EACH_BACKEND(CliOnEachBackend);

TEST_P(CliOnEachBackend, BuildPrintsStatistics) {
  const Json report = run_cli(here({"build", sphere(), "--json", "--max-leaf-size", "2"})).json();
  EXPECT_EQ(report["copse"]["backend"], name_of(GetParam()));
  EXPECT_EQ(report["triangles"], 320);
  EXPECT_EQ(report["vertices"], 162);
  EXPECT_EQ(report["recipe"], Json({{"builder", "lbvh"}, {"morton_bits", 63}, {"max_leaf_size", 2}}));
  const Json& statistics = report["statistics"];
  EXPECT_EQ(statistics["primitives"], 320);
  EXPECT_EQ(statistics["invalid_primitives"], 0);
  EXPECT_EQ(statistics["nodes"].get<int>(), 2 * statistics["leaves"].get<int>() - 1);
  EXPECT_GT(statistics["sah_cost"], 1.0);
  EXPECT_GT(report["build_ms"], 0.0);
  EXPECT_TRUE(report["output"].is_null());
}

TEST_P(CliOnEachBackend, BuildsAnAccelOfTheChosenQuality) {
  const Json by_hand =
      run_cli(here({"build", sphere(), "--json", "--layout", "cbvh4", "--builder", "hploc"})).json();
  EXPECT_FALSE(by_hand.contains("quality"));
  Json recipes[3] = {by_hand["recipe"], by_hand["recipe"], by_hand["recipe"]};
  recipes[1].update({{"reinsertion", 2}, {"min_parent_area", 0.5}});
  recipes[2].update({{"reinsertion", 8}, {"min_parent_area", 0.125}, {"alternative", "sah"}});
  EXPECT_EQ(by_hand["checksum"].get<std::string>().size(), 18u) << by_hand["checksum"];
  const Json other = run_cli(here({"build", sphere(), "--json", "--layout", "cbvh4", "--builder", "sah"})).json();
  EXPECT_NE(other["checksum"], by_hand["checksum"]);
  const char* const qualities[] = {"fast", "balanced", "best"};
  double cost = by_hand["wide_statistics"]["sah_cost"];
  for (size_t i = 0; i < 3; ++i) {
    const Json report = run_cli(here({"build", sphere(), "--json", "--quality", qualities[i]})).json();
    EXPECT_EQ(report["quality"], qualities[i]);
    EXPECT_EQ(report["recipe"], recipes[i]) << qualities[i];
    EXPECT_EQ(report["layout"], by_hand["layout"]);
    EXPECT_LE(report["statistics"]["sah_cost"], 1.005 * cost) << qualities[i];
    cost = report["statistics"]["sah_cost"];
    for (const char* part : {"primitives", "nodes", "leaves", "depth", "sah_cost", "leaf_size_histogram"}) {
      if (i > 0) break;  // the other recipes are not those of by_hand
      EXPECT_EQ(report["statistics"][part], by_hand["wide_statistics"][part]) << part;
    }
  }
  const Outcome both = run_cli(here({"build", sphere(), "--quality", "best", "--reinsertion", "3"}));
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_NE(both.err.find("--reinsertion"), std::string::npos) << both.err;
}

TEST_P(CliOnEachBackend, BuildsAgainFromTheLastOrderAndWithASahTop) {
  const auto statistics = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> arguments{"build", sphere(), "--json"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Json report = run_cli(here(arguments)).json();
    EXPECT_EQ(report["recipe"]["builder"], flags[1]);
    EXPECT_EQ(report["recipe"].contains("top"), flags.size() > 2);
    return report["statistics"];
  };
  EXPECT_EQ(statistics({"--builder", "hlbvh"}), statistics({"--builder", "lbvh"}));
  EXPECT_EQ(statistics({"--builder", "hlbvh", "--top", "sah"}), statistics({"--builder", "lbvh", "--top", "sah"}));
  EXPECT_LT(statistics({"--builder", "lbvh", "--top", "sah"})["sah_cost"],
            statistics({"--builder", "lbvh"})["sah_cost"]);
}

TEST_P(CliOnEachBackend, ABuildWithoutOptionsIsTheDefaultOfTheLibrary) {
  const Outcome build = run_cli(here({"build", sphere(), "-o", path("a.copse"), "--json"}));
  ASSERT_EQ(build.exit_code, 0) << build.err;
  EXPECT_EQ(build.json()["quality"], name_of(AccelOptions{}.quality));
  EXPECT_EQ(build.json()["statistics"]["primitives"], 320);
  EXPECT_GT(build.json()["build_ms"], 0.0);
  const Outcome info = run_cli(here({"info", path("a.copse"), "--validate", "--json"}));
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_EQ(info.json()["validation"]["valid"], true);
  for (const char* part : {"quality", "recipe", "layout"}) EXPECT_EQ(info.json()[part], build.json()[part]);
  for (const char* part : {"nodes", "leaves", "depth", "sah_cost", "used_bytes", "bounds"}) {
    EXPECT_EQ(info.json()["statistics"][part], build.json()["statistics"][part]) << part;
  }
  const std::string text = run_cli(here({"info", path("a.copse")})).out;
  for (const char* line :
       {"quality           balanced", "builder           hploc", "reinsertion x 2", "SAH cost"}) {
    EXPECT_NE(text.find(line), std::string::npos) << text;
  }
  expect_error(run_cli(here({"info", path("a.copse"), "--epo"})), 2,
               "--epo takes a structure with a binary tree, as copse build --builder writes it");
}

/// An Accel of quality fast begins with pairs from 2^20 triangles on.
TEST_P(CliOnEachBackend, LargeTreesOfTheFastQualityAreThoseOfAccel) {
  ASSERT_EQ(run_cli({"generate", "grid", "725", "-o", path("large.ply")}).exit_code, 0);
  const Json report = run_cli(here({"build", path("large.ply"), "--json", "--quality", "fast"})).json();
  EXPECT_EQ(report["triangles"], 2 * 725 * 725);
  EXPECT_EQ(report["recipe"]["builder"], "hploc");
  EXPECT_EQ(report["recipe"]["radius"], 2);
  EXPECT_EQ(report["recipe"]["max_leaf_size"], 2);
}

TEST_P(CliOnEachBackend, BuiltStructureIsValidAndHasTheSameStatistics) {
  const Outcome build = run_cli(here({"build", sphere(), "-o", path("s.copse"), "--morton-bits", "30", "--json"}));
  ASSERT_EQ(build.exit_code, 0) << build.err;
  const Outcome info = run_cli(here({"info", path("s.copse"), "--validate", "--json"}));
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_EQ(info.json()["recipe"], build.json()["recipe"]);
  EXPECT_EQ(info.json()["statistics"], build.json()["statistics"]);
  EXPECT_EQ(info.json()["validation"]["valid"], true);
}

TEST_P(CliOnEachBackend, HplocBuildsAValidStructureThatCostsLess) {
  const Json lbvh = run_cli(here({"build", sphere(), "--builder", "lbvh", "--json"})).json();
  const Outcome build = run_cli(here({"build", sphere(), "-o", path("h.copse"), "--builder", "hploc", "--json"}));
  ASSERT_EQ(build.exit_code, 0) << build.err;
  const Json report = build.json();
  EXPECT_EQ(report["recipe"],
            Json({{"builder", "hploc"}, {"morton_bits", 0}, {"max_leaf_size", 1}, {"radius", 4}}));
  EXPECT_LT(report["statistics"]["sah_cost"], lbvh["statistics"]["sah_cost"]);
  const Outcome info = run_cli(here({"info", path("h.copse"), "--validate", "--json"}));
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_EQ(info.json()["recipe"]["builder"], "hploc");
  EXPECT_EQ(info.json()["statistics"], report["statistics"]);
}

TEST_P(CliOnEachBackend, SplitsMakeAValidStructureWithMoreReferences) {
  for (const char* option : {"--builder=sah", "--quality=best"}) {
    const Outcome build =
        run_cli(here({"build", sphere(), "-o", path("s.copse"), option, "--splits", "1.5", "--json"}));
    ASSERT_EQ(build.exit_code, 0) << build.err;
    EXPECT_EQ(build.json()["recipe"]["splits"], 1.5);
    EXPECT_GT(build.json()["statistics"]["primitives"], 320);
    EXPECT_LE(build.json()["statistics"]["primitives"], 480);
    const Outcome info = run_cli(here({"info", path("s.copse"), "--validate", "--json"}));
    EXPECT_EQ(info.exit_code, 0) << info.err;
    Json built = build.json()["statistics"], loaded = info.json()["statistics"];
    EXPECT_GT(built["bytes"], loaded["bytes"])
        << "a build has room for all references, a file for those that there are";
    built.erase("bytes"), loaded.erase("bytes");
    EXPECT_EQ(loaded, built);
  }
}

TEST_P(CliOnEachBackend, ReinsertionMakesAValidStructureThatCostsLess) {
  const Json plain = run_cli(here({"build", sphere(), "--builder", "lbvh", "--json"})).json();
  const Outcome build = run_cli(here({"build", sphere(), "-o", path("r.copse"), "--reinsertion", "2", "--json"}));
  ASSERT_EQ(build.exit_code, 0) << build.err;
  EXPECT_EQ(build.json()["recipe"]["reinsertion"], 2);
  EXPECT_FALSE(plain["recipe"].contains("reinsertion"));
  EXPECT_LT(build.json()["statistics"]["sah_cost"], plain["statistics"]["sah_cost"]);
  const Outcome info = run_cli(here({"info", path("r.copse"), "--validate", "--json"}));
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_EQ(info.json()["statistics"], build.json()["statistics"]);
}

TEST_P(CliOnEachBackend, WideTreesOfEveryLayoutAreKeptAndValid) {
  for (const std::string layout : {"bvh4", "cbvh4", "cbvh8"}) {
    const Outcome build = run_cli(here({"build", sphere(), "-o", path("w.copse"), "--layout", layout, "--json"}));
    ASSERT_EQ(build.exit_code, 0) << build.err;
    const Json report = build.json();
    EXPECT_EQ(report["layout"], layout);
    EXPECT_GT(report["wide_statistics"]["mean_children"], 2);
    const Outcome info = run_cli(here({"info", path("w.copse"), "--validate", "--json"}));
    EXPECT_EQ(info.exit_code, 0) << info.err;
    EXPECT_EQ(info.json()["layout"], layout);
    EXPECT_EQ(info.json()["wide_validation"]["valid"], true);
    EXPECT_EQ(info.json()["wide_statistics"]["nodes"], report["wide_statistics"]["nodes"]);
    EXPECT_EQ(info.json()["wide_statistics"]["used_bytes"], report["wide_statistics"]["used_bytes"]);
  }
  const Outcome refused = run_cli(here({"build", sphere(), "--layout", "cbvh8", "--max-leaf-size", "4"}));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--max-leaf-size is 4; with --layout cbvh8 it can be 1 to 3"), std::string::npos);
}

TEST_P(CliOnEachBackend, BuildsInSlicesTheSameFile) {
  const std::string mesh = path("random.ply");
  ASSERT_EQ(run_cli({"generate", "random", "30000", "0.05", "-o", mesh}).exit_code, 0);
  const std::vector<Arguments> builders{{"--builder", "lbvh"},
                                        {"--builder", "hploc"},
                                        {"--builder", "hploc", "--radius", "2", "--morton-bits", "63"}};
  for (const Arguments& builder : builders) {
    const auto run = [&](Arguments arguments) {
      arguments.insert(arguments.end(), builder.begin(), builder.end());
      return run_cli(here(arguments));
    };
    ASSERT_EQ(run({"build", mesh, "-o", path("one.copse")}).exit_code, 0);
    const auto slices_within = [&](const std::string& memory, const std::string& output) {
      return run({"build", mesh, "--memory", memory, "-o", output, "--json"}).json()["slices"];
    };
    const Json one_slice = slices_within("1G", path("one_slice.copse"));
    EXPECT_EQ(one_slice["count"], 1);
    const u64 limit = one_slice["device_bytes"].get<u64>() / 10 * 7;
    const Json slices = slices_within(std::to_string(limit), path("slices.copse"));
    EXPECT_GT(slices["count"], 1);
    EXPECT_LE(slices["device_bytes"], limit);
    EXPECT_EQ(slices["memory_limit"], limit);
    for (const std::string name : {"one_slice.copse", "slices.copse"}) {
      EXPECT_EQ(read_file(path(name)), read_file(path("one.copse"))) << name << " of " << builder[1];
    }
  }
}

TEST_F(Cli, BuildsInSlicesMapAPlyFileIfTheyCan) {
  const Mesh mesh = load_mesh(sphere());
  const auto build = [&](const std::string& input) {
    const Outcome outcome = run_cli({"build", input, "--memory", "1M", "-o", path("a.copse"), "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["triangles"], 320);
    EXPECT_EQ(outcome.json()["vertices"], 162);
    return std::pair(outcome.json()["mapped"].get<bool>(), outcome.err);
  };
  save_mesh(path("little.PLY"), mesh);
  const auto [is_mapped, silence] = build(path("little.PLY"));
  EXPECT_TRUE(is_mapped);
  EXPECT_EQ(silence.find("mapped"), std::string::npos) << silence;
  const std::string expected = read_file(path("a.copse"));

  std::ostringstream text;
  text << std::setprecision(9) << "ply\nformat ascii 1.0\nelement vertex 162\nproperty float x\nproperty float y\n"
       << "property float z\nelement face 320\nproperty list uchar int vertex_indices\nend_header\n";
  for (const vec3& p : mesh.positions) text << p.x << ' ' << p.y << ' ' << p.z << '\n';
  for (const uvec3& t : mesh.triangles) text << "3 " << t.x << ' ' << t.y << ' ' << t.z << '\n';
  const auto [text_is_mapped, note] = build(write_text("text.ply", text.str()));
  EXPECT_FALSE(text_is_mapped);
  EXPECT_NE(note.find("text.ply: cannot be mapped: it is a text; it is read into memory\n"), std::string::npos)
      << note;
  EXPECT_EQ(read_file(path("a.copse")), expected);

  save_mesh(path("a.obj"), mesh);
  EXPECT_FALSE(build(path("a.obj")).first);
  EXPECT_EQ(read_file(path("a.copse")), expected);
  const std::string whole = read_file(path("little.PLY"));
  const Outcome cut =
      run_cli({"build", write_text("cut.ply", whole.substr(0, whole.size() - 1)), "--memory", "1M"});
  expect_error(cut, bad_file, "cut.ply: face 319: the file ends inside it");
}

TEST_F(Cli, GenerateMakesEveryKind) {
  const auto count = [&](Arguments recipe) {
    Arguments arguments{"generate"};
    arguments.insert(arguments.end(), recipe.begin(), recipe.end());
    arguments.insert(arguments.end(), {"-o", path("out.ply"), "--json"});
    const Json made = run_cli(arguments).json();
    const Json read = run_cli({"info", path("out.ply"), "--json"}).json();
    EXPECT_EQ(made["triangles"], read["triangles"]);
    EXPECT_EQ(made["vertices"], read["vertices"]);
    EXPECT_EQ(made["bounds"], read["bounds"]);
    return read["triangles"].get<int>();
  };
  EXPECT_EQ(count({"cube"}), 12);
  EXPECT_EQ(count({"grid", "5"}), 50);
  EXPECT_EQ(count({"sphere", "1"}), 80);
  EXPECT_EQ(count({"random", "100", "0.1"}), 100);
  EXPECT_EQ(count({"hairball", "7", "3"}), 42);
  EXPECT_EQ(count({"subdivide", sphere(), "2"}), 320 * 16);
}

TEST_F(Cli, RandomTrianglesLeaveTheUnitCubeByHalfTheirSize) {
  const Json bounds =
      run_cli({"generate", "random", "20000", "0.5", "-o", path("r.ply"), "--json"}).json()["bounds"];
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_GE(double(bounds["lo"][axis]), -0.25);
    EXPECT_LT(double(bounds["lo"][axis]), -0.2);
    EXPECT_LE(double(bounds["hi"][axis]), 1.25);
    EXPECT_GT(double(bounds["hi"][axis]), 1.2);
  }
}

TEST_F(Cli, VersionAndHelpGoToStdout) {
  const Outcome version = run_cli({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out.rfind("copse ", 0), 0u) << version.out;
  EXPECT_EQ(version.err, "");
  for (const std::string command : {"build", "info", "render", "generate", "bench"}) {
    const Outcome help = run_cli({command, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_NE(help.out.find("copse " + command), std::string::npos) << help.out;
    EXPECT_LT(std::count(help.out.begin(), help.out.end(), '\n'), 46) << "more than a screen";
  }
  EXPECT_NE(run_cli({"--help"}).out.find("Exit codes"), std::string::npos);
}

}  // namespace
}  // namespace copse::test
