// The command under mpirun: its processes do together what one does, and the first one alone writes.

#include <algorithm>
#include <sstream>

#include "builders/io/mesh_file.h"
#include "tests/cli/process.h"

namespace copse::test {
namespace {

/// Open MPI refuses root, and more processes than cores, and its processes do not sleep while they wait.
const std::string environment =
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
    "OMPI_MCA_mpi_yield_when_idle=1 ";

class CliRanks : public CliTest {
 protected:
  void SetUp() override {
    if (std::string(COPSE_MPIEXEC).empty()) GTEST_SKIP() << "MPI was not found: scripts/install-packages --mpi";
  }

  /// Runs a line of the shell in each of `count` processes. $COPSE is the command, $RANK is the number of the process.
  static Outcome run_lines(u32 count, const std::string& line) {
    return run_shell(environment + COPSE_MPIEXEC + " -n " + std::to_string(count) + " sh -c 'COPSE=" +
                     COPSE_MPI_CLI_PATH + "; RANK=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; " + line + "'");
  }

  /// Runs the command in `count` processes.
  static Outcome run(u32 count, const std::string& arguments) {
    return run_lines(count, "exec $COPSE " + arguments + " --backend cpu --threads 1");
  }

  std::string random_mesh() {
    const std::string mesh = path("random.ply");
    EXPECT_EQ(run_cli({"generate", "random", "3000", "0.05", "-o", mesh}).exit_code, 0);
    return mesh;
  }
};

/// Returns the errors of the command, which mpirun's own words stand around.
std::vector<std::string> errors_in(const Outcome& outcome) {
  std::vector<std::string> errors;
  std::istringstream lines(outcome.err);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("copse: error: ")) errors.push_back(line);
  }
  return errors;
}

void expect_one_error(const Outcome& outcome, int exit_code, const std::string& part) {
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const std::vector<std::string> errors = errors_in(outcome);
  ASSERT_EQ(errors.size(), 1u) << outcome.err;
  EXPECT_NE(errors[0].find(part), std::string::npos) << errors[0];
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST_F(CliRanks, BuildTheFolderOfAsManyContexts) {
  const std::string mesh = random_mesh();
  for (const u32 ranks : {1u, 2u, 3u, 4u, 7u}) {
    const std::string folder = path("ranks.copsed"), expected = path("contexts.copsed");
    const std::string builder = ranks % 2 == 0 ? "lbvh" : "hploc";
    const Outcome built = run(ranks, "build " + mesh + " --builder " + builder + " -o " + folder + " --json");
    ASSERT_EQ(built.exit_code, 0) << built.err;
    const Json report = built.json();  // one object: one process prints
    EXPECT_EQ(report["ranks"], ranks);
    EXPECT_EQ(report["triangles"], 3000);
    EXPECT_EQ(report["mapped"], true);
    ASSERT_EQ(run_cli({"build", mesh, "--builder", builder, "--backend", "cpu", "--gpus", std::to_string(ranks),
                       "-o", expected})
                  .exit_code,
              0);
    ASSERT_EQ(names_in(folder), names_in(expected));
    for (const std::string& name : names_in(folder)) {
      EXPECT_EQ(read_file(folder + "/" + name), read_file(expected + "/" + name)) << name << ", " << ranks;
    }
    std::filesystem::remove_all(folder);
    std::filesystem::remove_all(expected);
  }
}

TEST_F(CliRanks, RenderThePictureOfOneProcess) {
  const std::string mesh = random_mesh(), tree = path("tree.copse");
  ASSERT_EQ(run_cli({"build", mesh, "--backend", "cpu", "-o", tree}).exit_code, 0);
  for (const u32 ranks : {1u, 2u, 3u, 4u, 7u}) {
    for (const std::string& input : {mesh, tree}) {
      const std::string options = " --size 70x90 --shading ao --ao-rays 3 -o ";
      ASSERT_EQ(run_cli({"render", input, "--backend", "cpu", "--size", "70x90", "--shading", "ao", "--ao-rays",
                         "3", "-o", path("one.png")})
                    .exit_code,
                0);
      const Outcome drawn = run(ranks, "render " + input + options + path("ranks.png") + " --json");
      ASSERT_EQ(drawn.exit_code, 0) << drawn.err;
      EXPECT_EQ(drawn.json()["ranks"], ranks);
      EXPECT_EQ(read_file(path("ranks.png")), read_file(path("one.png"))) << ranks << " ranks, " << input;
    }
  }
  ASSERT_EQ(run_cli({"render", mesh, "--size", "40", "--turntable", "3", "-o", path("one.png")}).exit_code, 0);
  const Outcome turned = run(2, "render " + mesh + " --size 40 --turntable 3 -o " + path("ranks.png"));
  ASSERT_EQ(turned.exit_code, 0) << turned.err;
  EXPECT_EQ(read_file(path("ranks.png")), read_file(path("one.png")));
}

TEST_F(CliRanks, BenchMeasuresRaysThatTheyShare) {
  const Outcome measured = run(3, "bench " + random_mesh() + " --repeats 1 --rays-size 64 --json");
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  const Json report = measured.json();
  EXPECT_EQ(report["ranks"], 3);
  ASSERT_EQ(report["results"].size(), 2u);
  const Json& result = report["results"][0];
  ASSERT_EQ(result["gpus"].size(), 2u);
  EXPECT_EQ(result["gpus"][0]["gpus"], 1);
  EXPECT_EQ(result["gpus"][1]["gpus"], 3);
  EXPECT_EQ(result["sharded"]["gpus"], 3);
  EXPECT_FALSE(report["results"][1].contains("sharded"));
  for (const char* kind : {"primary", "diffuse"}) {
    for (const Json& shared : {result["gpus"][0], result["gpus"][1], result["sharded"]}) {
      EXPECT_EQ(shared[kind]["rays"], result[kind]["rays"]) << kind;
      EXPECT_EQ(shared[kind]["hits"], result[kind]["hits"]) << kind;
      EXPECT_GT(shared[kind]["ms"], 0.0) << kind;
    }
  }
  EXPECT_EQ(result["sharded"]["shadow"]["hits"], result["gpus"][0]["shadow"]["hits"]);
}

TEST_F(CliRanks, WriteOnceWhatOneProcessWrites) {
  const std::string mesh = sphere();
  EXPECT_EQ(run(3, "info " + mesh).out, run_cli({"info", mesh}).out);
  const Outcome version = run_lines(3, "exec $COPSE --version");
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(std::count(version.out.begin(), version.out.end(), '\n'), 1) << version.out;
}

TEST_F(CliRanks, EndWithOneErrorAndOneCode) {
  const std::string mesh = sphere();
  expect_one_error(run_lines(2, "exec $COPSE build"), usage, "IN is missing");
  expect_one_error(run(2, "build " + mesh + " --quality best"), usage, "--quality is not for mpirun");
  expect_one_error(run(2, "build " + mesh + " --builder sah"), usage, "--builder is sah");
  expect_one_error(run(2, "build - -o " + path("a.copsed")), usage, "standard input to one rank alone");
  expect_one_error(run(4, "render " + mesh + " --gpus 2 -o " + path("a.png")), usage, "--gpus is 2");
  expect_one_error(run(2, "bench " + mesh + " --gpus 2"), usage, "--gpus is 2");
  expect_one_error(run(4, "build nowhere.ply"), bad_file, "rank 0: ");
  EXPECT_EQ(files(), std::vector<std::string>{"sphere.ply"});
}

TEST_F(CliRanks, EndWhenOneOfThemFails) {
  std::filesystem::create_directory(path("0"));
  std::filesystem::create_directory(path("1"));
  save_mesh(path("0/mesh.ply"), load_mesh(sphere()));
  const std::string there = "cd " + path("") + "$RANK && exec $COPSE ";
  expect_one_error(run_lines(2, there + "build mesh.ply -o " + path("a.copsed")), bad_file, "rank 1: ");
  expect_one_error(run_lines(2, there + "render mesh.ply -o " + path("a.png")), bad_file, "rank 1: ");
  expect_one_error(run_lines(2, there + "bench mesh.ply"), bad_file, "rank 1: ");
  expect_one_error(run_lines(2, "exec $COPSE build " + sphere() + " --threads $(($RANK + 1))"), usage,
                   "rank 1 has other arguments than rank 0");
  EXPECT_FALSE(std::filesystem::exists(path("a.copsed/manifest.json")));
  EXPECT_FALSE(std::filesystem::exists(path("a.png")));
}

/// The others have gone on to the next step, where they would wait for ever.
TEST_F(CliRanks, EndWhenOneOfThemFailsBetweenTwoSteps) {
  const Outcome full =
      run_lines(2, "exec $COPSE bench " + sphere() + " --repeats 1 --rays-size 64 --backend cpu >/dev/full");
  expect_one_error(full, bad_file, "rank 0: cannot write to standard output");
  const Outcome killed =
      run_lines(2, "if [ $RANK = 1 ]; then kill -9 $$; fi; exec $COPSE build " + sphere() + " --backend cpu");
  EXPECT_NE(killed.exit_code, 0);
  // mpiexec of MPICH tells of the end on standard output.
  EXPECT_EQ(killed.out.find("SAH cost"), std::string::npos) << killed.out;
}

}  // namespace
}  // namespace copse::test
