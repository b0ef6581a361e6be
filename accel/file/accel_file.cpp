#include "accel/accel_file.h"

#include "accel/build/accel_access.h"
#include "accel/build/accel_check.h"

namespace copse {

using detail::AccelAccess;

void save_accel(const FilePath& path, Context& context, const TriangleRecords& mesh, const Accel& accel,
                std::span<const MeshPart> parts, const CancelToken& cancel) {
  detail::check_accel("save_accel", context, accel);
  const MeshPart whole{.triangle_count = mesh.triangle_count};
  detail::save_packed_tree(path, context, mesh, parts.empty() ? std::span(&whole, 1) : parts, accel.tree(),
                           accel.packed_triangles(), u32(accel.options().quality), cancel);
}

namespace {

/// Fills an Accel with the parts of a file.
void set_parts(Accel& accel, Backend backend, u32 quality, CompressedBvh4&& tree, PackedTriangles&& packed) {
  const bool has_splits = tree.has_repeats();
  AccelAccess::options(accel) = {
      .quality = Quality(quality),
      .splits = has_splits ? float(double(tree.place_count()) / double(tree.source_count)) : 1.0f};
  AccelAccess::capacity(accel) = tree.source_count;
  AccelAccess::backend(accel) = backend;
  AccelAccess::tree(accel) = std::move(tree);
  AccelAccess::packed(accel) = std::move(packed);
}

}  // namespace

AccelFile load_accel(const FilePath& path, Context& context, const CancelToken& cancel) {
  detail::PackedTreeFile stored = detail::load_packed_tree(path, context, cancel);
  AccelFile file{std::move(stored.mesh), std::move(stored.parts), {}};
  if (!stored.has_packed) {
    const Buffer<vec3> positions(context, file.mesh.positions);
    const Buffer<uvec3> triangles(context, file.mesh.triangles);
    stored.packed = pack_triangles(context, stored.tree.view(),
                                   detail::views_of(positions.span(), triangles.span(), file.parts));
  }
  set_parts(file.accel, context.backend(), stored.quality, std::move(stored.tree), std::move(stored.packed));
  context.wait();
  return file;
}

MappedAccel map_accel(const FilePath& path, FileCheck check, const CancelToken& cancel) {
  if (check > FileCheck::sizes)
    detail::refuse("map_accel", "the check is " + std::to_string(u32(check)) + "; it can be 0 to 2");
  detail::MappedTreeFile stored = detail::map_packed_tree(path, check, cancel);
  MappedAccel file{{}, stored.positions, stored.triangles, std::move(stored.parts)};
  set_parts(file.accel, Backend::cpu, stored.quality, std::move(stored.tree), std::move(stored.packed));
  return file;
}

bool holds_accel(const FilePath& path) {
  return detail::holds_packed_tree(path);
}

}  // namespace copse
