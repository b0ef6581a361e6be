// This is like a user's translation unit. It uses Copse's headers in device code, and it is compiled with none of
// Copse's own options.

#include <copse/copse.h>
#include <copse/grids.h>
#include <copse/scene/worlds_view.h>
#include <copse/trace/masked_triangles.h>
#include <copse/trace/traverse.h>

namespace {

__global__ void trace_pixels(copse::BvhView bvh, copse::TriangleView triangles, copse::Camera camera,
                             copse::u32 width, copse::u32 height, copse::Hit* hits, copse::u8* shadowed) {
  const copse::u32 x = blockIdx.x * blockDim.x + threadIdx.x;
  const copse::u32 y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const copse::Ray ray = copse::camera_ray(camera, x, y, width, height);
  const copse::Hit hit = copse::closest_hit(bvh, triangles, ray);
  const copse::u64 pixel = copse::u64(y) * width + x;
  hits[pixel] = hit;
  shadowed[pixel] = copse::is_hit(hit) && copse::any_hit(bvh, copse::masked(triangles, 1), ray);
}

__global__ void bound_triangles(copse::TriangleView triangles, copse::Aabb* boxes) {
  const copse::u64 i = blockIdx.x * copse::u64(blockDim.x) + threadIdx.x;
  if (i >= triangles.triangle_count()) return;
  const copse::Aabb box = copse::bounds(copse::load_triangle(triangles, i));
  boxes[i] = copse::is_valid(box) ? copse::merge(box, {copse::centroid(box), copse::centroid(box)}) : box;
}

__global__ void look_through_grids(copse::GridView grid, copse::BrickView bricks, copse::VoxelView voxels,
                                   copse::TriangleView triangles, const copse::Ray* rays, copse::Hit* hits,
                                   copse::VoxelHit* first) {
  const copse::u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  hits[i] = copse::any_hit(grid, triangles, rays[i]) ? copse::closest_hit(grid, triangles, rays[i]) : copse::Hit{};
  first[2 * i] = copse::first_voxel(bricks, rays[i]);
  first[2 * i + 1] = copse::first_voxel(voxels, rays[i]);
}

/// A mesh of a batch for each ray, and a world for each ray.
__global__ void look_into_worlds(copse::SceneWorldsView worlds, copse::BufferSpan<const copse::AccelView> meshes,
                                 const copse::Ray* rays, copse::SceneHit* hits, copse::u32* ids) {
  const copse::u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  hits[i] = copse::closest_hit(worlds, i, rays[i], 1, copse::Cull::back);
  ids[i] = is_hit(hits[i]) ? worlds.id_of(i, hits[i]) : copse::u32(copse::any_hit(worlds, i, rays[i]));
  if (copse::any_hit(meshes.data()[i % meshes.size()], rays[i])) ids[i] = 0;
}

}  // namespace

void launch_worlds(void* stream, copse::SceneWorldsView worlds, copse::BufferSpan<const copse::AccelView> meshes,
                   const copse::Ray* rays, copse::SceneHit* hits, copse::u32* ids) {
  look_into_worlds<<<1, 64, 0, static_cast<cudaStream_t>(stream)>>>(worlds, meshes, rays, hits, ids);
}

void launch_grids(void* stream, copse::GridView grid, copse::BrickView bricks, copse::VoxelView voxels,
                  copse::TriangleView triangles, const copse::Ray* rays, copse::Hit* hits,
                  copse::VoxelHit* first) {
  auto* s = static_cast<cudaStream_t>(stream);
  look_through_grids<<<1, 64, 0, s>>>(grid, bricks, voxels, triangles, rays, hits, first);
}

/// Launches the kernels, so that they are compiled.
void launch_both(void* stream, copse::BvhView bvh, copse::TriangleView triangles, copse::Camera camera,
                 copse::Hit* hits, copse::u8* shadowed, copse::Aabb* boxes) {
  auto* s = static_cast<cudaStream_t>(stream);
  trace_pixels<<<dim3(1, 1), dim3(8, 8), 0, s>>>(bvh, triangles, camera, 8, 8, hits, shadowed);
  bound_triangles<<<1, 64, 0, s>>>(triangles, boxes);
}
