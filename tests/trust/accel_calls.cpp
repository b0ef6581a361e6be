// Accels and batches of them: builds, changes, rays, queries and files.

#include "accel/accel_queries.h"
#include "tests/builders/io/temporary_folder.h"
#include "tests/trust/calls.h"

namespace copse::test {

namespace {

const auto an_accel = [](Context& c, Given& g) { return build(c, g.mesh.view(), {.quality = Quality::fast}); };

Call accel_build_call(const char* name, const AccelOptions& options) {
  return call(name, [options](Context& c, Given& g) { return bytes_of(build(c, g.mesh.view(), options)); });
}

/// A batch and the meshes that it reads.
struct Batch {
  std::vector<TriangleView> views;
  AccelBatch batch;
};

Bytes bytes_of_batch(Context& c, const AccelBatch& batch) {
  Bytes bytes;
  for (u64 i = 0; i < batch.mesh_count(); ++i) {
    const AccelView view = batch.view(i);
    append(bytes, download(c, view.triangles));
    append(bytes, download(c, view.tree.counts));
  }
  return bytes;
}

Batch make_batch(Context& c, Given& g, BatchBuilder builder) {
  Batch made{{g.mesh.view(0), g.moved.view(1)}, {}};
  made.batch = build_batch(c, made.views, {.builder = builder});
  return made;
}

const auto a_batch = [](Context& c, Given& g) { return make_batch(c, g, BatchBuilder::hploc); };

std::vector<Call> accel_build_calls() {
  return {
      accel_build_call("build a fast Accel", {.quality = Quality::fast}),
      accel_build_call("build a balanced Accel", {}),
      accel_build_call("build the best Accel", {.quality = Quality::best}),
      accel_build_call("build an Accel with splits", {.splits = 1.5f}),
      call(
          "accel_of a tree", [](Context& c, Given& g) { return build(c, g.mesh.view(), LbvhOptions{}); },
          [](Context& c, Given& g, Bvh& bvh) { return bytes_of(accel_of(c, bvh, g.mesh.view())); }),
      call("rebuild an Accel", an_accel,
           [](Context& c, Given& g, Accel& accel) {
             rebuild(c, accel, g.moved.view());
             return bytes_of(accel);
           }),
      call("rebuild an Accel with masks", an_accel,
           [](Context& c, Given& g, Accel& accel) {
             TriangleView masked = g.moved.view();
             masked.mask = 2;
             rebuild(c, accel, masked);
             return bytes_of(accel);
           }),
      call("refit an Accel", an_accel,
           [](Context& c, Given& g, Accel& accel) {
             refit(c, accel, g.moved.view());
             return bytes_of(accel);
           }),
      call("compact an Accel", an_accel,
           [](Context& c, Given&, Accel& accel) {
             compact(c, accel);
             return bytes_of(accel.packed_triangles().triangles, accel.tree().counts);
           }),
      call("refit_or_rebuild an Accel", an_accel,
           [](Context& c, Given& g, Accel& accel) {
             RebuildAdvisor advisor(c, {.max_refits = 1});
             rebuild(c, accel, g.mesh.view());
             note_build(c, advisor, accel.tree());
             for (int k = 0; k < 2; ++k) refit_or_rebuild(c, accel, g.moved.view(), advisor);
             return bytes_of(accel);
           }),
      call("build_batch by H-PLOC",
           [](Context& c, Given& g) { return bytes_of_batch(c, make_batch(c, g, BatchBuilder::hploc).batch); }),
      call("build_batch by LBVH",
           [](Context& c, Given& g) { return bytes_of_batch(c, make_batch(c, g, BatchBuilder::lbvh).batch); }),
      call("build_batch with reinsertion",
           [](Context& c, Given& g) { return bytes_of_batch(c, make_batch(c, g, BatchBuilder::balanced).batch); }),
      call("rebuild a batch", a_batch,
           [](Context& c, Given&, Batch& made) {
             rebuild(c, made.batch);
             return bytes_of_batch(c, made.batch);
           }),
      call("refit a batch", a_batch,
           [](Context& c, Given&, Batch& made) {
             refit(c, made.batch);
             return bytes_of_batch(c, made.batch);
           }),
  };
}

std::vector<Call> accel_answer_calls() {
  return {
      call("closest_hits", an_accel,
           [](Context& c, Given& g, Accel& accel) {
             closest_hits(c, accel, g.rays.span(), g.hits.span());
             return bytes_of(g.hits);
           }),
      call("closest_hits of rays in parts", an_accel,
           [](Context& c, Given& g, Accel& accel) {
             const RaySpan rays{g.points.span(), g.points.span()};
             closest_hits(c, accel, rays, g.hits.span());
             return bytes_of(g.hits);
           }),
      call("ray_records",
           [](Context& c, Given& g) {
             return bytes_of(ray_records(c, {g.points.span(), g.points.span()}));
           }),
      call("short and full hits", an_accel,
           [](Context& c, Given& g, Accel& accel) {
             Buffer<ShortHit> hits(c, g.rays.size());
             closest_hits(c, accel, g.rays.span(), hits.span());
             full_hits(c, accel, g.rays.span(), BufferSpan<const ShortHit>(hits.span()), g.hits.span());
             return bytes_of(hits, g.hits);
           }),
      call("any_hits", an_accel,
           [](Context& c, Given& g, Accel& accel) {
             any_hits(c, accel, g.rays.span(), g.bytes.span());
             return bytes_of(g.bytes);
           }),
      call("first_hits", an_accel,
           [](Context& c, Given& g, Accel& accel) {
             Buffer<Hit> hits(c, 3 * g.rays.size());
             first_hits(c, accel, g.rays.span(), hits.span());
             return bytes_of(hits);
           }),
      call("count_hits and all_hits", an_accel,
           [](Context& c, Given& g, Accel& accel) {
             count_hits(c, accel, g.rays.span(), g.counts.span());
             const HitLists lists = all_hits(c, accel, g.rays.span());
             return bytes_of(g.counts, lists.offsets, lists.hits);
           }),
      call("queries of an Accel", an_accel,
           [](Context& c, Given& g, Accel& accel) {
             Buffer<NearestPoint> nearest(c, g.points.size());
             Buffer<Neighbour> neighbours(c, 2 * g.points.size());
             nearest_points(c, accel, g.points.span(), nearest.span());
             nearest_primitives(c, accel, g.points.span(), neighbours.span());
             points_inside(c, accel, g.points.span(), g.bytes.span());
             const OverlapLists lists = all_overlaps<Aabb>(c, accel, BufferSpan<const Aabb>(g.boxes.span()));
             return bytes_of(nearest, neighbours, g.bytes, lists.offsets, lists.primitives);
           }),
      call("self_overlaps of an Accel", an_accel,
           [](Context& c, Given&, Accel& accel) { return bytes_of(self_overlaps(c, accel)); }),
      call("render an Accel", an_accel,
           [](Context& c, Given&, Accel& accel) {
             const Camera camera = look_at({0, 0, 4}, {0, 0, 0}, {0, 1, 0}, 40, 1);
             const RenderOptions options{
                 .width = 8, .height = 8, .shading = Shading::ambient_occlusion, .ambient_rays = 2};
             Bytes bytes;
             append(bytes, render(c, accel, camera, options).pixels);
             return bytes;
           }),
  };
}

std::vector<Call> file_calls() {
  return {
      call("save_accel and load_accel", an_accel,
           [](Context& c, Given& g, Accel& accel) {
             save_accel(g.folder / "a.copse", c, generate_sphere(2), accel);
             const AccelFile file = load_accel(g.folder / "a.copse", c);
             closest_hits(c, file.accel, g.rays.span(), g.hits.span());
             return bytes_of(g.hits);
           }),
      call("save_structure and load_structure",
           [](Context& c, Given& g) {
             const Bvh bvh = build(c, g.mesh.view(), LbvhOptions{});
             save_structure(g.folder / "b.copse", c, generate_sphere(2), bvh, "lbvh", 63, 1,
                            collapse<Bvh4>(c, bvh));
             const StructureFile file = load_structure(g.folder / "b.copse", c);
             const std::string content = read_bytes(g.folder / "b.copse");
             Bytes bytes = bytes_of(file.bvh);
             bytes.insert(bytes.end(), content.begin(), content.end());
             return bytes;
           }),
  };
}

}  // namespace

std::vector<Call> accel_calls() {
  std::vector<Call> calls;
  for (const auto& table : {accel_build_calls(), accel_answer_calls(), file_calls()}) {
    calls.insert(calls.end(), table.begin(), table.end());
  }
  return calls;
}

}  // namespace copse::test
