// A user's kernel, which is compiled by nvcc with -std=c++20 and one include path, and with no other option.

#include <copse/accel/accel_view.h>
#include <copse/copse.h>
#include <copse/scene/scene_view.h>

__global__ void trace(copse::AccelView accel, copse::SceneView scene, const copse::Ray* rays, copse::Hit* hits,
                      bool* blocked) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  hits[i] = copse::closest_hit(accel, rays[i]);
  blocked[i] = copse::any_hit(scene, rays[i]);
}
