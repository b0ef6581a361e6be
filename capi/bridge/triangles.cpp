#include "capi/bridge/triangles.h"

#include <algorithm>
#include <cstring>

#include "primitives/core/counted.h"

namespace copse::capi {

namespace {

/// The bytes from the first position to the end of the last one.
u64 position_bytes(const copse_geometry& geometry) {
  if (geometry.position_count == 0) return 0;
  return (geometry.position_count - 1) * geometry.position_stride + sizeof(vec3);
}

u64 index_bytes(const copse_geometry& geometry) {
  return geometry.index_bytes == 0 ? 0 : geometry.triangle_count * 3 * geometry.index_bytes;
}

template <class Index>
void check_indices(const std::string& name, const copse_geometry& geometry) {
  const Index* indices = static_cast<const Index*>(geometry.indices);
  const u64 count = geometry.triangle_count * 3;
  Index largest = 0;
  for (u64 i = 0; i < count; ++i) largest = std::max(largest, indices[i]);
  if (count == 0 || largest < geometry.position_count) return;
  const u64 at = u64(std::max_element(indices, indices + count) - indices);
  refuse(name + ": triangle " + std::to_string(at / 3) + " has the vertex " + std::to_string(largest) +
         ", but there are " + std::to_string(geometry.position_count) + " positions");
}

void check_geometry(const std::string& name, const copse_geometry& geometry) {
  if (geometry.position_stride < sizeof(vec3) || geometry.position_stride % sizeof(float) != 0) {
    refuse(name + ": position_stride is " + std::to_string(geometry.position_stride) +
           "; a multiple of 4 that is at least 12 is needed");
  }
  if (geometry.index_bytes != 0 && geometry.index_bytes != 2 && geometry.index_bytes != 4) {
    refuse(name + ": index_bytes is " + std::to_string(geometry.index_bytes) + "; it can be 0, 2 or 4");
  }
  const std::string positions = "positions of " + name, indices = "triangles of " + name;
  check_array(positions.c_str(), geometry.positions, geometry.position_count, geometry.position_stride,
              geometry.memory, sizeof(float));
  if (geometry.index_bytes == 0) return;
  check_array(indices.c_str(), geometry.indices, geometry.triangle_count, 3 * geometry.index_bytes,
              geometry.memory, geometry.index_bytes);
  if (geometry.memory != COPSE_MEMORY_HOST) return;
  if (geometry.index_bytes == 4) check_indices<u32>(name, geometry);
  if (geometry.index_bytes == 2) check_indices<u16>(name, geometry);
}

/// Returns the bytes of an array on the host; those in the memory of the context are copied to `copy`.
const u8* on_host(Context& context, const void* data, u64 bytes, copse_memory memory, std::vector<u8>& copy) {
  if (memory == COPSE_MEMORY_HOST || reads_host(context)) return static_cast<const u8*>(data);
  copy.resize(bytes);
  copse::detail::download_bytes(context.parts(), copy.data(), data, bytes);
  return copy.data();
}

void append_positions(Context& context, const copse_geometry& geometry, std::vector<vec3>& all) {
  std::vector<u8> copy;
  const u8* from = on_host(context, geometry.positions, position_bytes(geometry), geometry.memory, copy);
  for (u64 i = 0; i < geometry.position_count; ++i) {
    vec3 position;
    std::memcpy(&position, from + i * geometry.position_stride, sizeof(position));
    all.push_back(position);
  }
}

void append_triangles(Context& context, const copse_geometry& geometry, u32 first_position,
                      std::vector<uvec3>& all) {
  std::vector<u8> copy;
  const u8* from = on_host(context, geometry.indices, index_bytes(geometry), geometry.memory, copy);
  for (u64 i = 0; i < triangle_count_of(geometry); ++i) {
    uvec3 triangle(u32(3 * i), u32(3 * i + 1), u32(3 * i + 2));
    for (u32 k = 0; k < 3 && geometry.index_bytes == 4; ++k) {
      std::memcpy(&triangle[int(k)], from + (3 * i + k) * 4, 4);
    }
    for (u32 k = 0; k < 3 && geometry.index_bytes == 2; ++k) {
      u16 index;
      std::memcpy(&index, from + (3 * i + k) * 2, 2);
      triangle[int(k)] = index;
    }
    all.push_back(triangle + first_position);
  }
}

bool same_positions(const copse_geometry& a, const copse_geometry& b) {
  return a.positions == b.positions && a.position_count == b.position_count &&
         a.position_stride == b.position_stride && a.memory == b.memory;
}

}  // namespace

std::vector<copse_geometry> read_geometries(const copse_geometry* geometries, u64 count) {
  if (count == 0) return {};
  if (geometries == nullptr) refuse("the address of " + copse::detail::counted(count, "geometries") + " is null");
  std::vector<copse_geometry> all;
  const u8* at = reinterpret_cast<const u8*>(geometries);
  const size_t stride = geometries->struct_size;
  for (u64 i = 0; i < count; ++i) {
    const std::string name = "geometry " + std::to_string(i);
    const copse_geometry defaults = COPSE_GEOMETRY_INIT;
    all.push_back(read_struct(name.c_str(), at, defaults));
    if (all.back().struct_size != stride) {
      refuse("struct_size of " + name + " is " + std::to_string(all.back().struct_size) +
             ", but that of geometry 0 is " + std::to_string(stride));
    }
    check_geometry(name, all.back());
    at += stride;
  }
  return all;
}

Triangles::Triangles(Context& context, const copse_geometry* geometries, u64 count) {
  const std::vector<copse_geometry> all = read_geometries(geometries, count);
  const auto is_copied = [&](const copse_geometry& geometry) {
    return geometry.memory == COPSE_MEMORY_HOST && !reads_host(context);
  };
  for (const copse_geometry& geometry : all) {
    if (!is_copied(geometry)) continue;
    copies_.add(geometry.positions, position_bytes(geometry));
    copies_.add(geometry.indices, index_bytes(geometry));
  }
  copies_.upload(context);
  for (const copse_geometry& geometry : all) {
    const auto address = [&](const void* data) { return is_copied(geometry) ? copies_.address_of(data) : data; };
    TriangleView view;
    view.positions = {static_cast<const vec3*>(address(geometry.positions)), geometry.position_count,
                      geometry.position_stride};
    view.triangles.index_bytes = geometry.index_bytes;
    view.triangles.size = triangle_count_of(geometry);
    view.triangles.data = geometry.index_bytes == 0 ? nullptr : address(geometry.indices);
    view.geometry = geometry.id;
    view.mask = geometry.mask;
    views_.push_back(view);
  }
}

JoinedMesh join(Context& context, const copse_geometry* geometries, u64 count) {
  const std::vector<copse_geometry> all = read_geometries(geometries, count);
  JoinedMesh joined;
  u64 first_position = 0;
  for (u64 i = 0; i < all.size(); ++i) {
    if (i == 0 || !same_positions(all[i - 1], all[i])) {
      first_position = joined.mesh.positions.size();
      append_positions(context, all[i], joined.mesh.positions);
      copse::detail::check_index_count("positions", "vertices", joined.mesh.positions.size());
    }
    append_triangles(context, all[i], u32(first_position), joined.mesh.triangles);
    joined.parts.push_back({triangle_count_of(all[i]), all[i].id, all[i].mask});
  }
  return joined;
}

}  // namespace copse::capi
