#include "primitives/core/sanitizers.h"
#include "tests/cli/process.h"

namespace copse::test {
namespace {

using CliErrors = CliTest;

TEST_F(CliErrors, UnknownCommandsAndOptionsAreUsageErrors) {
  expect_error(run_cli({}), usage, "build, info, render, convert, merge, generate, bench or doctor");
  expect_error(run_cli({"biuld"}), usage, "the command is 'biuld'");
  expect_error(run_cli({"generate"}), usage, "KIND is missing; it can be subdivide, hairball");
  expect_error(run_cli({"generate", "pyramid", "-o", path("a.ply")}), usage,
               "KIND is 'pyramid'; it takes subdivide");
  expect_error(run_cli({"generate", "--count", "3"}), usage, "write KIND first: subdivide");
  expect_error(run_cli({"build"}), usage, "IN is missing");
  expect_error(run_cli({"build", sphere(), "second.ply"}), bad_file, "'second.ply': no such file");
  expect_error(run_cli({"render", sphere(), "-o", path("a.png"), "--widht", "5"}), usage, "--widht");
  expect_error(run_cli({"build", sphere(), "-o", ""}), usage, "-o is ''");
  expect_error(run_cli({"render", sphere()}), usage, "-o is missing");
  expect_error(run_cli({"generate", "cube"}), usage, "-o is missing");
}

TEST_F(CliErrors, ValuesOutOfRangeNameTheValueAndTheLimit) {
  const std::string mesh = sphere();
  expect_error(run_cli({"build", mesh, "--max-leaf-size", "33"}), usage,
               "'33'; it takes a whole number from 1 to 32");
  expect_error(run_cli({"build", mesh, "--max-leaf-size", "-1"}), usage, "'-1'");
  expect_error(run_cli({"build", mesh, "--max-leaf-size", "2.5"}), usage, "'2.5'");
  expect_error(run_cli({"build", mesh, "--max-leaf-size", "99999999999999999999"}), usage, "1 to 32");
  expect_error(run_cli({"build", mesh, "--morton-bits", "29"}), usage, "from 30 to 63, or auto");
  expect_error(run_cli({"build", mesh, "--builder", "magic"}), usage,
               "'magic'; it takes lbvh, hlbvh, hploc or sah");
  expect_error(run_cli({"build", mesh, "--builder", "sah", "--morton-bits", "63"}), usage,
               "--morton-bits is 63, but the builder sah has no Morton keys");
  expect_error(run_cli({"build", mesh, "--builder", "sah", "--top", "sah"}), usage,
               "--top is sah, but the builder sah");
  expect_error(run_cli({"build", mesh, "--builder", "hlbvh", "--splits", "1.25"}), usage,
               "--splits is 1.25, but hlbvh begins with the last order");
  expect_error(run_cli({"render", mesh, "-o", path("a.png"), "--structure", "grid", "--splits", "2"}), usage,
               "--splits is 2, but --structure is grid: only a tree that is built here is split");
  expect_error(run_cli({"build", mesh, "--splits", "5"}), usage, "--splits is '5'; it takes a number from 1 to 4");
  expect_error(run_cli({"build", mesh, "--top", "flat"}), usage, "'flat'; it takes as-built or sah");
  expect_error(run_cli({"build", mesh, "--radius", "9"}), usage, "from 1 to 8");
  expect_error(run_cli({"build", mesh, "--reinsertion", "17"}), usage, "from 0 to 16");
  for (const std::string bytes : {"0", "16T", "1.5G", "G", "9223372036854775808", "8589934592G"}) {
    expect_error(run_cli({"build", mesh, "--memory", bytes}), usage, "--memory is '" + bytes + "'; it takes");
  }
  expect_error(run_cli({"build", mesh, "--memory", "1G", "--builder", "sah"}), usage, "--builder is sah");
  expect_error(run_cli({"build", mesh, "--memory", "1G", "--quality", "best"}), usage,
               "--memory builds a tree by hand in slices, but --quality builds an Accel; give one of them");
  expect_error(run_cli({"build", mesh, "--memory", "1G", "--top", "sah"}), usage,
               "--memory builds a tree by hand in slices, which does not take --top; leave one of them out");
  for (const Arguments& by_hand :
       std::vector<Arguments>{{"--builder", "sah"}, {"--layout", "bvh4"}, {"--radius", "3"}}) {
    expect_error(run_cli({"build", mesh, "--quality", "best", by_hand[0], by_hand[1]}), usage,
                 "--quality builds an Accel, but " + by_hand[0] + " builds a tree by hand; give one of them");
  }
  expect_error(run_cli({"build", mesh, "--memory", "1G", "--structure", "grid"}), usage, "the structure is grid");
  expect_error(run_cli({"build", mesh, "--memory", "100"}), usage,
               "error: --memory is 100 bytes, but slices of 64 triangles, the smallest, take ");
  expect_error(
      run_cli({"build", mesh, "--radius", "3"}), usage,
      "--radius is 3, but only hploc has a radius. A tree by hand is built by lbvh unless --builder names "
      "another builder; add --builder hploc");
  expect_error(run_cli({"build", mesh, "--radius", "3", "--builder", "sah"}), usage,
               "--radius is 3, but only hploc has a radius; --builder is sah");
  expect_error(run_cli({"build", mesh, "--backend", "gpu"}), usage, "'gpu'; it takes auto, cpu or cuda");
  expect_error(run_cli({"build", mesh, "--threads", "0"}), usage, "1 to 4096");
  expect_error(run_cli({"build", mesh, "--threads", "4097"}), usage, "1 to 4096");
  expect_error(run_cli({"generate", "sphere", "14", "-o", path("a.ply")}), usage, "from 0 to 13");
  expect_error(run_cli({"generate", "random", "5", "nan", "-o", path("a.ply")}), usage, "'nan'");
  expect_error(run_cli({"bench", mesh, "--rays-size", "12"}), usage, "multiple of 8");
  expect_error(run_cli({"bench", mesh, "--repeats", "0"}), usage, "from 1 to 10000");
  expect_error(run_cli({"bench", mesh, "--gpus", "65"}), usage,
               "--gpus is '65'; it takes a whole number from 1 to 64");
  expect_error(run_cli({"render", mesh, "-o", path("a.png"), "--gpus", "2", "--structure", "grid"}), usage,
               "--gpus is 2, but --structure is grid");
  expect_error(run_cli({"bench", "tsetball"}), usage, "'tsetball'; it takes testball, apartment");
  EXPECT_EQ(files(), std::vector<std::string>{"sphere.ply"});
}

TEST_F(CliErrors, ImpossibleCamerasAndPicturesAreRefused) {
  const std::string mesh = sphere();
  const auto render = [&](Arguments options) {
    Arguments arguments{"render", mesh, "-o", path("a.png")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_cli(arguments);
  };
  expect_error(render({"--width", "0"}), usage, "from 1 to 16384");
  expect_error(render({"--height", "16385"}), usage, "'16385'");
  expect_error(render({"--size", "10x"}), usage, "'10x'");
  expect_error(render({"--size", "10x99999"}), usage, "from 1 to 16384");
  expect_error(render({"--size", "10x10", "--width", "5"}), usage,
               "--size is the width and the height, but --width is given too; leave one of them out");
  expect_error(render({"--shading", "phong"}), usage, "normal, primitive, distance, ao or heat");
  expect_error(render({"--ao-rays", "4097"}), usage, "from 1 to 4096");
  expect_error(render({"--ao-rays", "4"}), usage, "--ao-rays is 4, but --shading is normal; add --shading ao");
  expect_error(render({"--heat-limit", "5", "--shading", "ao"}), usage,
               "--heat-limit is 5, but --shading is ao; add --shading heat");
  expect_error(render({"--structure", "octree"}), usage, "bvh, grid or frustum");
  expect_error(render({"--structure", "frustum", "--shading", "ao"}), usage, "rays from the eye alone");
  expect_error(render({"--fov", "180"}), usage, "from 0.1 to 179");
  expect_error(render({"--eye", "1,2"}), usage, "--eye");
  expect_error(render({"--eye", "1,2,inf"}), usage, "'1,2,inf'");
  expect_error(render({"--target", "1,2,3"}), usage, "--eye");
  expect_error(render({"--eye", "1,2,3", "--target", "1,2,3"}), usage,
               "--eye and the target are both 1,2,3; they must differ");
  EXPECT_EQ(files(), std::vector<std::string>{"sphere.ply"});
}

TEST_F(CliErrors, FilesThatCannotBeReadAreBadFiles) {
  expect_error(run_cli({"build", path("none.ply")}), bad_file, "no such file");
  expect_error(run_cli({"build", path("")}), bad_file, "folder");
  expect_error(run_cli({"build", write_text("a.3ds", "solid")}), bad_file, "unknown ending '.3ds'");
  expect_error(run_cli({"build", write_text("mesh", "solid")}), bad_file,
               "the name has no ending; meshes end in .obj");
  expect_error(run_cli({"build", write_text("empty.ply", "")}), bad_file, "empty.ply: is empty");
  expect_error(run_cli({"build", write_text("a.ply", "ply\nnonsense\n")}), bad_file, "a.ply");
  expect_error(run_cli({"build", write_text("a.obj", "v 0 0 0\nf 1 2 3\n")}), bad_file, "a.obj");
  expect_error(run_cli({"info", write_text("a.copse", "nonsense")}), bad_file, "a.copse");
  expect_error(run_cli({"build", path("a.copse")}), bad_file, "structure");
  expect_error(run_cli({"bench", path("none.ply")}), bad_file, "no such file");
  expect_error(run_cli({"bench", "apartment"}), bad_file, "--apartment");
  expect_error(run_cli({"bench", "--scenes", path("none")}), bad_file, "--scenes takes a folder");
  expect_error(run_cli({"info", sphere(), "--validate"}), usage, "--validate takes a structure");
  expect_error(run_cli({"info", write_text("a.voxels", "nonsense")}), bad_file, "a.voxels: is not a voxel file");
  expect_error(run_cli({"build", path("a.voxels")}), bad_file, "this is a file of voxels, but a mesh");
}

TEST_F(CliErrors, StructureCutShortIsABadFile) {
  ASSERT_EQ(run_cli({"build", sphere(), "-o", path("s.copse")}).exit_code, 0);
  const std::string whole = read_file(path("s.copse"));
  expect_error(run_cli({"info", write_text("cut.copse", whole.substr(0, whole.size() / 2))}), bad_file,
               "cut.copse");
  std::string changed = whole;
  changed[changed.size() / 2] = char(changed[changed.size() / 2] ^ 1);
  expect_error(run_cli({"render", write_text("changed.copse", changed), "-o", path("a.png")}), bad_file,
               "changed.copse");
}

TEST_F(CliErrors, OutputsThatCannotBeWrittenAreRefusedBeforeTheWork) {
  const std::string mesh = sphere();
  expect_error(run_cli({"build", mesh, "-o", path("a.bvh")}), usage, ".copse");
  expect_error(run_cli({"render", mesh, "-o", path("a.jpg")}), usage, ".png");
  expect_error(run_cli({"generate", "cube", "-o", path("a.obj")}), usage, ".ply");
  expect_error(run_cli({"build", mesh, "-o", path("none/a.copse")}), bad_file, "does not exist");
  expect_error(run_cli({"build", mesh, "-o", mesh + "/a.copse"}), bad_file, "not a folder");
  std::filesystem::create_directory(path("folder.png"));
  expect_error(run_cli({"render", mesh, "-o", path("folder.png")}), bad_file, "folder");
}

TEST_F(CliErrors, OutputIsNeverTheInput) {
  const std::string mesh = sphere(), before = read_file(mesh);
  expect_error(run_cli({"generate", "subdivide", mesh, "1", "-o", mesh}), usage, "same file");
  std::filesystem::create_symlink(mesh, path("link.ply"));
  expect_error(run_cli({"generate", "subdivide", mesh, "1", "-o", path("link.ply")}), usage, "same file");
  EXPECT_EQ(read_file(mesh), before);
}

TEST_F(CliErrors, MeshLargerThanTheMachineIsNoMemory) {
  expect_error(run_cli({"generate", "subdivide", sphere(), "15", "-o", path("a.ply")}), no_memory, "GB");
  EXPECT_EQ(files(), std::vector<std::string>{"sphere.ply"});
}

TEST_F(CliErrors, MemoryLimitOfTheShellIsNoMemory) {
#if COPSE_ADDRESS_SANITIZER || COPSE_THREAD_SANITIZER
  GTEST_SKIP() << "sanitizers take more address space than the limit";
#endif
  // 3 GB of buffers in 1 GB of address space.
  const Outcome outcome = run_shell("ulimit -v 1000000; $COPSE render " + sphere() + " -o " + path("a.png") +
                                    " --size 16384x8000 --backend cpu --threads 1");
  expect_error(outcome, no_memory, "");
  EXPECT_EQ(files(), std::vector<std::string>{"sphere.ply"});
}

TEST_F(CliErrors, CudaWithoutAGpuIsNoDevice) {
  if (gpu_answers()) GTEST_SKIP() << "a GPU answers";
  expect_error(run_cli({"build", sphere(), "--backend", "cuda"}), no_device, "");
}

}  // namespace
}  // namespace copse::test
