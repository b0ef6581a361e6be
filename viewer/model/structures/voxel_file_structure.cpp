#include "builders/grid/bricks.h"
#include "builders/grid/voxels.h"
#include "builders/io/voxel_file.h"
#include "builders/io/voxel_tree_file.h"
#include "viewer/model/structures/structure_kinds.h"

namespace copse::viewer {

namespace {

Voxels upload_voxels(Context& context, const HostVoxels& host) {
  Voxels voxels;
  voxels.shape = host.shape;
  voxels.words = Buffer<u32>(context, host.words);
  voxels.counts = Buffer<u64>(context, std::vector<u64>{0});
  return voxels;
}

Bricks upload_bricks(Context& context, const HostVoxels& host) {
  const u64 count = host.keys.size();
  Bricks bricks;
  bricks.shape = host.shape;
  bricks.keys = Buffer<u64>(context, host.keys);
  bricks.words = Buffer<u32>(context, host.words);
  bricks.counts = Buffer<BrickCounts>(context, std::vector<BrickCounts>{{count, count, 0}});
  make_brick_table(context, bricks);
  return bricks;
}

}  // namespace

std::unique_ptr<Structure> make_voxels_of_file(Context& context, const std::filesystem::path& file) {
  if (holds_voxel_tree(file)) return show_voxels(context, upload(context, load_voxel_tree(file)));
  const HostVoxels host = load_voxels(file);
  return host.is_sparse ? show_voxels(context, upload_bricks(context, host))
                        : show_voxels(context, upload_voxels(context, host));
}

}  // namespace copse::viewer
