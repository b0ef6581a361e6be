// Calls that save and load end when their token asks for a stop.

#include <stop_token>

#include "accel/accel_file.h"
#include "builders/bvh/lbvh.h"
#include "builders/geometry/generate.h"
#include "builders/io/mesh_file.h"
#include "builders/io/structure_file.h"
#include "builders/io/voxel_file.h"
#include "tests/builders/io/temporary_folder.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"

namespace copse::test {
namespace {

TEST(CancelToken, EndsEverySaveAndEveryLoad) {
  const TemporaryFolder folder;
  Context context({.backend = Backend::cpu});
  const Mesh mesh = generate_cube();
  const DeviceMesh device(context, mesh);
  const Bvh bvh = build(context, device.view(), LbvhOptions{});
  const HostVoxels voxels = download(build_voxels(context, device.view(), 4));
  std::stop_source stop;
  stop.request_stop();
  const CancelToken cancel = stop.get_token();
  const ErrorCode cancelled = ErrorCode::cancelled;
  EXPECT_COPSE_ERROR(save_ply(folder / "a.ply", mesh, cancel), cancelled, "a.ply: writing was cancelled");
  EXPECT_COPSE_ERROR(save_structure(folder / "a.copse", context, mesh, bvh, "lbvh", 63, 1, {}, cancel), cancelled,
                     "a.copse: writing was cancelled");
  EXPECT_COPSE_ERROR(save_accel(folder / "a.copse", context, mesh, build(context, device.view()), {}, cancel),
                     cancelled, "a.copse: writing was cancelled");
  EXPECT_COPSE_ERROR(save_voxels(folder / "a.voxels", voxels, cancel), cancelled,
                     "a.voxels: writing was cancelled");
  EXPECT_COPSE_ERROR(save_slices(folder.path(), voxels, cancel), cancelled, "writing was cancelled");
  EXPECT_EQ(folder.file_count(), 0u);

  save_structure(folder / "a.copse", context, mesh, bvh, "lbvh", 63, 1);
  save_accel(folder / "b.copse", context, mesh, build(context, device.view()));
  save_voxels(folder / "a.voxels", voxels);
  EXPECT_COPSE_ERROR(load_structure(folder / "a.copse", context, cancel), cancelled, "reading was cancelled");
  EXPECT_COPSE_ERROR(load_accel(folder / "b.copse", context, cancel), cancelled, "reading was cancelled");
  EXPECT_COPSE_ERROR(load_voxels(folder / "a.voxels", cancel), cancelled, "reading was cancelled");
}

}  // namespace
}  // namespace copse::test
