#include "accel/accel.h"
#include "builders/bvh/lbvh.h"
#include "builders/io/mesh_file.h"
#include "builders/io/structure/structure_layout.h"
#include "builders/io/structure_file.h"
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

TEST_P(CliOnEachBackend, PicturesOfEachKindOfStructureAreTheSame) {
  ASSERT_EQ(run_cli(here({"build", sphere(), "-o", path("a.copse")})).exit_code, 0);
  ASSERT_EQ(run_cli(here({"build", sphere(), "-o", path("b.copse"), "--builder", "lbvh"})).exit_code, 0);
  for (const char* name : {"a", "b"}) {
    const Outcome outcome = run_cli(here({"render", path(std::string(name) + ".copse"), "-o",
                                          path(std::string(name) + ".png"), "--size", "40", "--shading", "ao"}));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  EXPECT_EQ(read_file(path("a.png")), read_file(path("b.png")));
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
  const Outcome build = run_cli(here({"build", sphere(), "-o", path("s.copse"), "--splits", "1.5", "--json"}));
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

TEST_P(CliOnEachBackend, PictureOfStructureEqualsPictureOfMesh) {
  const std::string mesh = sphere(), structure = path("s.copse");
  ASSERT_EQ(run_cli(here({"build", mesh, "-o", structure})).exit_code, 0);
  for (const std::string shading : {"normal", "primitive", "distance", "ao", "heat"}) {
    const Arguments options{"--size", "40x30", "--shading", shading, "--ao-rays", "4"};
    for (const auto& [input, output] :
         {std::pair(mesh, path("mesh.png")), std::pair(structure, path("tree.png"))}) {
      Arguments arguments = here({"render", input, "-o", output});
      arguments.insert(arguments.end(), options.begin(), options.end());
      const Outcome outcome = run_cli(arguments);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    }
    EXPECT_EQ(png_size(path("mesh.png")), std::pair(40u, 30u));
    EXPECT_EQ(read_file(path("mesh.png")), read_file(path("tree.png"))) << shading;
  }
}

TEST_P(CliOnEachBackend, PictureThroughGridsEqualsPictureThroughTree) {
  for (const std::string shading : {"normal", "primitive", "distance"}) {
    std::vector<std::string> pictures;
    for (const std::string structure : {"bvh", "grid", "frustum"}) {
      const Json report = run_cli(here({"render", sphere(), "-o", path("a.png"), "--size", "40x30", "--shading",
                                        shading, "--structure", structure, "--json"}))
                              .json();
      EXPECT_EQ(report["structure"], structure);
      pictures.push_back(read_file(path("a.png")));
    }
    EXPECT_EQ(pictures[1], pictures[0]) << shading;
    EXPECT_EQ(pictures[2], pictures[0]) << shading;
  }
}

TEST_P(CliOnEachBackend, RenderReportsItsRays) {
  const Json report =
      run_cli(here({"render", sphere(), "-o", path("a.png"), "--width", "16", "--height", "8", "--json"})).json();
  EXPECT_EQ(report["rays"], 128);
  EXPECT_EQ(report["shading"], "normal");
  EXPECT_EQ(report["output"], path("a.png"));
  EXPECT_GT(report["render_ms"], 0.0);
}

TEST_F(Cli, SharedPicturesAreTheSame) {
  const std::string mesh = sphere();
  for (const std::string shading : {"normal", "heat"}) {
    const Arguments common{"--size", "70x51", "--shading", shading, "--backend", "cpu", "--json"};
    for (const std::string gpus : {"", "1", "3"}) {
      Arguments arguments{"render", mesh, "-o", path("by" + gpus + ".png")};
      arguments.insert(arguments.end(), common.begin(), common.end());
      if (!gpus.empty()) arguments.insert(arguments.end(), {"--gpus", gpus});
      const Outcome outcome = run_cli(arguments);
      ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
      EXPECT_EQ(outcome.json().value("gpus", 0), gpus.empty() ? 0 : std::stoi(gpus));
    }
    EXPECT_EQ(read_file(path("by1.png")), read_file(path("by.png")));
    EXPECT_EQ(read_file(path("by3.png")), read_file(path("by.png")));
  }
}

TEST_F(Cli, CpuAndCudaWriteTheSamePicture) {
  COPSE_SKIP_WITHOUT_GPU();
  const std::string mesh = sphere();
  for (const std::string backend : {"cpu", "cuda"}) {
    ASSERT_EQ(
        run_cli({"render", mesh, "-o", path(backend + ".png"), "--size", "64", "--backend", backend}).exit_code,
        0);
    ASSERT_EQ(run_cli({"build", mesh, "-o", path(backend + ".copse"), "--backend", backend}).exit_code, 0);
  }
  EXPECT_EQ(read_file(path("cpu.png")), read_file(path("cuda.png")));
  EXPECT_EQ(read_file(path("cpu.copse")), read_file(path("cuda.copse")));
}

TEST_F(Cli, CameraMovesThePicture) {
  const std::string mesh = sphere();
  const auto picture = [&](Arguments camera) {
    Arguments arguments{"render", mesh, "-o", path("a.png"), "--size", "32"};
    arguments.insert(arguments.end(), camera.begin(), camera.end());
    const Outcome outcome = run_cli(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return read_file(path("a.png"));
  };
  const std::string framed = picture({});
  const std::string left = picture({"--eye", "-4,0,0"});
  EXPECT_NE(left, framed);
  EXPECT_EQ(left, picture({"--eye", "-4", "0", "0", "--target", "0,0,0", "--up", "0,1,0", "--fov", "40"}));
  EXPECT_NE(left, picture({"--eye=-4,0,0", "--fov", "20"}));
  EXPECT_NE(left, picture({"--eye=-4,0,0", "--target", "0,1,0"}));
}

TEST_F(Cli, InfoMeasuresAMesh) {
  const std::string file = write_text("m.obj",
                                      "v 0 0 0\nv 3 0 0\nv 0 4 0\nv 9 9 9\n"
                                      "f 1 2 3\nf 1 2 2\n");
  const Json report = run_cli({"info", file, "--json"}).json();
  EXPECT_EQ(report["kind"], "mesh");
  EXPECT_EQ(report["triangles"], 2);
  EXPECT_EQ(report["vertices"], 4);
  EXPECT_EQ(report["unused_vertices"], 1);
  EXPECT_EQ(report["flat_triangles"], 1);
  EXPECT_EQ(report["area"], 6.0);
  EXPECT_EQ(report["bounds"]["hi"], Json({9, 9, 9}));
}

TEST_F(Cli, WhatIsLeftOutOfAMeshIsSaid) {
  const std::string file = write_text("m.obj", "v 0 0 0\nv 3 0 0\nv 0 4 0\nv nan 9 9\nf 1 2 3\nf 1 2 4\nf 1 2\n");
  const Outcome info = run_cli({"info", file, "--json"});
  EXPECT_EQ(info.json()["left_out"], Json({{"vertices", 1}, {"faces", 1}, {"short_faces", 1}}));
  EXPECT_EQ(info.err.rfind("copse: " + file + ": ", 0), 0u) << info.err;
  EXPECT_NE(info.err.find("left out"), std::string::npos) << info.err;
  for (const Arguments& arguments : {Arguments{"build", file},
                                     {"render", file, "-o", path("m.png"), "--size", "8"},
                                     {"bench", file, "--repeats", "1", "--rays-size", "8"}}) {
    const Outcome outcome = run_cli(arguments);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.err.find("left out"), std::string::npos) << arguments[0] << outcome.err;
  }
  EXPECT_EQ(run_cli({"info", file, "--quiet"}).err, "");
}

TEST_F(Cli, InfoExitsWith7ForAnInvalidStructure) {
  Context context({.backend = Backend::cpu});
  const Mesh mesh = load_mesh(sphere());
  const Buffer<vec3> positions(context, mesh.positions);
  const Buffer<uvec3> triangles(context, mesh.triangles);
  Bvh bvh =
      build(context, TriangleView{.positions = positions.span(), .triangles = triangles.span()}, LbvhOptions{});
  std::vector<BvhNode> nodes = bvh.nodes.download();
  nodes[0].hi.x += 1;
  bvh.nodes.upload(nodes);
  save_structure(path("loose.copse"), context, mesh, bvh, "lbvh", 63, 1);

  const Outcome plain = run_cli({"info", path("loose.copse"), "--backend", "cpu"});
  EXPECT_EQ(plain.exit_code, 0) << plain.err;
  const Outcome outcome = run_cli({"info", path("loose.copse"), "--validate", "--json", "--backend", "cpu"});
  EXPECT_EQ(outcome.exit_code, 7) << outcome.err;
  EXPECT_EQ(outcome.json()["validation"]["valid"], false);
  EXPECT_EQ(outcome.json()["validation"]["loose_boxes"], 1);
}

/// A byte of a box is changed, and the checksum made right.
TEST_F(Cli, InfoExitsWith7ForAnAccelWithALooseBox) {
  ASSERT_EQ(run_cli({"build", sphere(), "-o", path("a.copse"), "--backend", "cpu"}).exit_code, 0);
  std::string bytes = read_file(path("a.copse"));
  detail::StructureHeader header;
  detail::StructureWideHeader wide;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::memcpy(&wide, bytes.data() + sizeof header, sizeof wide);
  bytes[detail::StructureLayout::of(header, wide).wide_nodes + offsetof(CompressedBvh4Node, hi_x)] ^= 1;
  header.checksum = 0;
  std::memcpy(bytes.data(), &header, sizeof header);
  detail::StructureChecksum sum;
  sum.add(std::span<const char>(bytes));
  header.checksum = sum.value();
  std::memcpy(bytes.data(), &header, sizeof header);
  write_text("loose.copse", bytes);
  const Outcome outcome = run_cli({"info", path("loose.copse"), "--validate", "--json", "--backend", "cpu"});
  EXPECT_EQ(outcome.exit_code, 7) << outcome.err;
  EXPECT_EQ(outcome.json()["validation"]["valid"], false);
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
