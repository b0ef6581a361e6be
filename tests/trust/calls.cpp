#include "tests/trust/calls.h"

namespace copse::test {

namespace {

constexpr u32 query_count = 64;

Mesh stretched(Mesh mesh) {
  for (vec3& p : mesh.positions) p = vec3(p.x, 1.5f * p.y, p.z + 0.25f * p.x);
  return mesh;
}

std::vector<vec3> some_points() {
  std::vector<vec3> points;
  for (u32 i = 0; i < query_count; ++i) {
    points.push_back({float(i % 8) * 0.3f - 1, float(i / 8) * 0.3f - 1, float(i % 5) * 0.4f - 1});
  }
  return points;
}

std::vector<Ray> some_rays() {
  std::vector<Ray> rays;
  for (const vec3& p : some_points()) rays.push_back({{p.x, p.y, 3}, 0, {0.1f * p.z, 0, -1}, infinity});
  return rays;
}

std::vector<Aabb> some_boxes() {
  std::vector<Aabb> boxes;
  for (const vec3& p : some_points()) boxes.push_back({p, p + 0.2f});
  return boxes;
}

}  // namespace

Given::Given(Context& context)
    : mesh(context, generate_sphere(2)),
      moved(context, stretched(generate_sphere(2))),
      rays(context, some_rays()),
      points(context, some_points()),
      boxes(context, some_boxes()),
      hits(context, std::vector<Hit>(query_count)),
      bytes(context, std::vector<u8>(query_count)),
      counts(context, std::vector<u32>(query_count)),
      offsets(context, std::vector<u64>(query_count + 1)) {}

Bytes bytes_of(const Bvh& bvh) {
  const BvhCopy copy(bvh);
  Bytes bytes = bytes_of(bvh.counts);
  append(bytes, copy.nodes);
  append(bytes, copy.parents);
  append(bytes, copy.primitive_ids);
  return bytes;
}

Bytes bytes_of(const Accel& accel) {
  Bytes bytes = bytes_of(accel.tree());
  // With splits, there is more room than places.
  append(bytes, accel.packed_triangles().triangles.download(accel.tree().counts.download()[0].primitive_count));
  return bytes;
}

const std::vector<Call>& every_call() {
  static const std::vector<Call> all = [] {
    std::vector<Call> calls;
    for (const CallTable& table : call_tables) {
      const std::vector<Call> more = table.calls();
      calls.insert(calls.end(), more.begin(), more.end());
    }
    return calls;
  }();
  return all;
}

}  // namespace copse::test
