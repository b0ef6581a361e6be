// Measures whole frames of a ball of 1.3 million triangles that deforms. A frame moves the ball, builds or refits
// a structure, and traces the rays of 1024 x 1024 pixels. Each structure has three rows: frame/NAME/build is the
// structure alone, /trace is the rays alone, /whole is everything.
//
// Trees and uniform grids read rays from an array, in tiles of 8 x 8 pixels. The frustum grid makes its rays
// itself.

#include <cmath>
#include <memory>

#include "bench/grids/moving_ball.h"
#include "bench/grids/rows.h"

namespace copse::bench {

namespace {

constexpr u32 image_size = 1024, tile = 8;

Camera ball_camera() {
  return frame_box({vec3(-0.9f), vec3(0.9f)}, 40, 1);
}

struct Pixel {
  u32 x, y;
};

/// Returns pixel i in the order of tiles of 8 x 8.
Pixel tiled_pixel(u64 i) {
  const u32 tile_id = u32(i / (tile * tile)), in_tile = u32(i % (tile * tile)), across = image_size / tile;
  return {tile_id % across * tile + in_tile % tile, tile_id / across * tile + in_tile / tile};
}

std::vector<Ray> tiled_rays() {
  std::vector<Ray> rays(u64{image_size} * image_size);
  for (u64 i = 0; i < rays.size(); ++i) {
    const Pixel pixel = tiled_pixel(i);
    rays[i] = camera_ray(ball_camera(), pixel.x, pixel.y, image_size, image_size);
  }
  return rays;
}

/// The input that rows share. It is made once.
struct FrameInput {
  Mesh ball;
  std::vector<Ray> rays;
};

/// The part that all ways share. They give hits[i] for tiled_rays()[i], or row by row.
struct Way {
  Context& context;
  MovingBall ball;
  Buffer<Hit> hits;

  Way(Context& c, const FrameInput& input)
      : context(c), ball(c, input.ball), hits(c, u64{image_size} * image_size) {}
  virtual ~Way() = default;
  virtual void build() = 0;
  virtual void trace() = 0;
  virtual bool is_tiled() const { return true; }
};

struct ByTree : Way {
  Buffer<Ray> rays;
  Bvh bvh;
  bool refits;

  ByTree(Context& c, const FrameInput& input, bool refits_)
      : Way(c, input), rays(c, input.rays), bvh(copse::build(c, ball.view(), LbvhOptions{})), refits(refits_) {}
  void build() override {
    if (refits) {
      refit(context, bvh, ball.view());
    } else {
      copse::rebuild(context, bvh, ball.view(), LbvhOptions{});
    }
  }
  void trace() override { closest_hits(context, bvh.view(), ball.view(), rays.span(), hits.span()); }
};

/// Returns the references to make room for: one and a half times those that the ball at rest needs.
u64 room(u64 references) {
  return references + references / 2;
}

struct ByUniformGrid : Way {
  Buffer<Ray> rays;
  GridOptions options;
  Grid grid;

  ByUniformGrid(Context& c, const FrameInput& input)
      : Way(c, input),
        rays(c, input.rays),
        options{.reference_capacity = room(count_references(c, ball.view()))},
        grid(build_grid(c, ball.view(), options)) {}
  void build() override { rebuild_grid(context, grid, ball.view(), options); }
  void trace() override { closest_hits(context, grid.view(), ball.view(), rays.span(), hits.span()); }
};

struct ByFrustumGrid : Way {
  ViewFrustum frustum = view_frustum(ball_camera());
  FrustumGrid grid;

  ByFrustumGrid(Context& c, const FrameInput& input, const uvec3& resolution)
      : Way(c, input),
        grid(make_frustum_grid(c, resolution,
                               room(count_references(c, ball.view(), frustum, {.resolution = resolution})))) {
    build();
  }
  void build() override { rebuild_frustum_grid(context, grid, ball.view(), frustum); }
  void trace() override { closest_hits(context, grid.view(), ball.view(), image_size, image_size, hits.span()); }
  bool is_tiled() const override { return false; }
};

using Input = std::shared_ptr<const FrameInput>;
using MakeWay = std::function<std::unique_ptr<Way>(Context&, const FrameInput&)>;

std::vector<Hit> hits_in_rows(const Way& way) {
  const std::vector<Hit> hits = way.hits.download();
  if (!way.is_tiled()) return hits;
  std::vector<Hit> rows(hits.size());
  for (u64 i = 0; i < hits.size(); ++i) {
    const Pixel pixel = tiled_pixel(i);
    rows[u64{pixel.y} * image_size + pixel.x] = hits[i];
  }
  return rows;
}

/// In the same phase all ways see the same hits. Ids may differ only where two hits are within 4 ulp.
bool sees_what_a_tree_sees(Way& way, const FrameInput& input) {
  ByTree tree(way.context, input, false);
  for (Way* each : {&way, static_cast<Way*>(&tree)}) {
    each->ball.reset();
    each->ball.move();
    each->build();
    each->trace();
  }
  const std::vector<Hit> a = hits_in_rows(way), b = hits_in_rows(tree);
  u64 hit_count = 0, different = 0;
  for (u64 i = 0; i < a.size(); ++i) {
    hit_count += is_hit(b[i]) ? 1 : 0;
    different += a[i].primitive != b[i].primitive ? 1 : 0;
    if (std::abs(i64(bits_of(a[i].t)) - i64(bits_of(b[i].t))) > 4) return false;
  }
  return hit_count > a.size() / 8 && different < a.size() / 10000;
}

void add_way(Rows& rows, const std::string& name, const Input& input, const MakeWay& make) {
  const auto add = [&](const std::string& part, void (*work)(Way&), bool checks) {
    rows.add("frame/" + name + "/" + part, input->ball.triangles.size(), [=](Comparison& c) {
      const std::shared_ptr<Way> way = make(c.context, *input);
      if (checks) c.expect([=] { return sees_what_a_tree_sees(*way, *input); });
      c.ours = [=] { work(*way); };
    });
  };
  add(
      "build", [](Way& way) { way.build(); }, false);
  add(
      "trace", [](Way& way) { way.trace(); }, false);
  add(
      "whole",
      [](Way& way) {
        way.ball.move();
        way.build();
        way.trace();
      },
      true);
}

}  // namespace

void add_frame_rows(Rows& rows, Backend backend) {
  const auto input = std::make_shared<const FrameInput>(
      FrameInput{generate_sphere(backend == Backend::cuda ? 8 : 6), tiled_rays()});
  const auto add_frustum = [&](const std::string& name, const uvec3& resolution) {
    add_way(rows, name, input, [=](Context& context, const FrameInput& each) {
      return std::make_unique<ByFrustumGrid>(context, each, resolution);
    });
  };
  const auto add_tree = [&](const std::string& name, bool refits) {
    add_way(rows, name, input, [=](Context& context, const FrameInput& each) {
      return std::make_unique<ByTree>(context, each, refits);
    });
  };
  add_frustum("frustum_grid_128x128x16", uvec3(128, 128, 16));
  add_frustum("frustum_grid_128x256x8", uvec3(128, 256, 8));
  add_way(rows, "uniform_grid", input,
          [](Context& context, const FrameInput& each) { return std::make_unique<ByUniformGrid>(context, each); });
  add_tree("lbvh_rebuild", false);
  add_tree("lbvh_refit", true);
}

}  // namespace copse::bench
