#include "accel/accel_file.h"

#include "accel/build/accel_access.h"
#include "accel/build/accel_check.h"

namespace copse {

using detail::AccelAccess;

void save_accel(const FilePath& path, Context& context, const Mesh& mesh, const Accel& accel,
                std::span<const MeshPart> parts, const CancelToken& cancel) {
  detail::check_accel("save_accel", context, accel);
  const MeshPart whole{.triangle_count = mesh.triangles.size()};
  detail::save_packed_tree(path, context, mesh, parts.empty() ? std::span(&whole, 1) : parts, accel.tree(),
                           accel.packed_triangles(), u32(accel.options().quality), cancel);
}

AccelFile load_accel(const FilePath& path, Context& context, const CancelToken& cancel) {
  detail::PackedTreeFile stored = detail::load_packed_tree(path, context, cancel);
  const Buffer<vec3> positions(context, stored.mesh.positions);
  const Buffer<uvec3> triangles(context, stored.mesh.triangles);
  AccelFile file{std::move(stored.mesh), std::move(stored.parts), {}};
  AccelAccess::options(file.accel).quality = Quality(stored.quality);
  AccelAccess::backend(file.accel) = context.backend();
  AccelAccess::packed(file.accel) = pack_triangles(
      context, stored.tree.view(), detail::views_of(positions.span(), triangles.span(), file.parts));
  AccelAccess::tree(file.accel) = std::move(stored.tree);
  context.wait();
  return file;
}

bool holds_accel(const FilePath& path) {
  return detail::holds_packed_tree(path);
}

}  // namespace copse
