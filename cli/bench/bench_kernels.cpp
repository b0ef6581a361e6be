#include "cli/bench/bench_kernels.h"

#include "builders/bvh/pack_triangles.h"
#include "builders/bvh/ray_trees.h"
#include "trace/trace_rays.h"
#include "trace/trace_trees.h"

namespace copse::cli {

namespace {

constexpr TraceKernel kernels[] = {TraceKernel::automatic, TraceKernel::thread_per_ray, TraceKernel::persistent,
                                   TraceKernel::packets};

struct KernelBench {
  Context& context;
  const TriangleView& triangles;
  const std::vector<Ray>& primary;
  const std::vector<Ray>& diffuse;
  u32 repeats;
  std::vector<KernelTimes> times;

  template <class View>
  void add(Layout layout, const View& view) {
    const PackedTriangles packed = pack_triangles(context, view, triangles);
    const auto rays = [&](const std::vector<Ray>& batch, TraceKernel kernel) {
      return measure_rays(context, view, packed.view(), batch, repeats, {.kernel = kernel}).times;
    };
    for (const TraceKernel kernel : kernels) {
      if (context.backend() == Backend::cpu && kernel != TraceKernel::automatic) continue;
      const bool has_packets = layout == Layout::bvh2 || layout == Layout::cbvh4;
      if (kernel == TraceKernel::packets && !has_packets) continue;
      times.push_back({name_of(layout), kernel, rays(primary, kernel), rays(diffuse, kernel)});
    }
  }

  void add(Layout, std::monostate) {}
  template <class Node>
  void add(Layout layout, const WideBvh<Node>& wide) {
    add(layout, wide.view());
  }

  /// RayTrees choose tree and kernel by themselves.
  void add_ray_trees(const Bvh& bvh) {
    const RayTrees trees = make_ray_trees(context, compact_copy(context, bvh), triangles);
    const auto rays = [&](const std::vector<Ray>& batch) {
      return measure_rays(context, batch, repeats,
                          [&](BufferSpan<const Ray> ray_span, BufferSpan<Hit> hits) {
                            closest_hits(context, trees.view(), ray_span, hits);
                          })
          .times;
    };
    times.push_back({"ray trees", TraceKernel::automatic, rays(primary), rays(diffuse)});
  }
};

}  // namespace

std::vector<KernelTimes> measure_kernels(Context& context, const Bvh& bvh, const TriangleView& triangles,
                                         const std::vector<Layout>& layouts, const std::vector<Ray>& primary,
                                         const std::vector<Ray>& diffuse, u32 repeats) {
  KernelBench bench{context, triangles, primary, diffuse, repeats, {}};
  bench.add(Layout::bvh2, bvh.view());
  for (const Layout layout : layouts) {
    std::visit([&](const auto& wide) { bench.add(layout, wide); }, collapse_to(context, bvh, layout));
  }
  bench.add_ray_trees(bvh);
  return bench.times;
}

}  // namespace copse::cli
