#include "builders/bvh/end_point_overlap.h"
#include "builders/io/structure_file.h"
#include "tests/cli/process.h"
#include "tests/support/device_mesh.h"

namespace copse::test {
namespace {

TEST_P(CliOnEachBackend, InfoPrintsTheEndPointOverlapOnRequest) {
  const Outcome build = run_cli(here({"build", sphere(), "-o", path("s.copse"), "--builder", "lbvh", "--json"}));
  ASSERT_EQ(build.exit_code, 0) << build.err;
  const Json without = run_cli(here({"info", path("s.copse"), "--json"})).json();
  EXPECT_FALSE(without["statistics"].contains("end_point_overlap"));
  const Outcome info = run_cli(here({"info", path("s.copse"), "--epo", "--json"}));
  EXPECT_EQ(info.exit_code, 0) << info.err;

  Context context({.backend = GetParam()});
  const StructureFile file = load_structure(path("s.copse"), context);
  const DeviceMesh mesh(context, file.mesh);
  const double expected = end_point_overlap(context, file.bvh, mesh.view());
  EXPECT_GT(expected, 0);
  EXPECT_NEAR(info.json()["statistics"]["end_point_overlap"].get<double>(), expected, 1e-9 * expected);
}

using Epo = CliTest;

TEST_F(Epo, IsOfStructuresNotOfMeshes) {
  expect_error(run_cli({"info", sphere(), "--epo"}), 2, "--epo takes a structure");
}

}  // namespace
}  // namespace copse::test
