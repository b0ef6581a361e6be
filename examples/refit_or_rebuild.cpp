// A sphere that is twisted more and more: every frame refits the tree, and rebuilds it once its SAH cost has grown too
// much. On a GPU the frame is one captured graph, and the GPU decides at every launch.

#include <copse/copse.h>

#include <cmath>

#include "example_support.h"

namespace {

constexpr int frame_count = 24;

/// Turns each point about the vertical axis, by an angle that grows with its height.
std::vector<glm::vec3> twisted(std::vector<glm::vec3> points, float strength) {
  for (glm::vec3& p : points) {
    const float angle = strength * p.y, c = std::cos(angle), s = std::sin(angle);
    p = {c * p.x - s * p.z, p.y, s * p.x + c * p.z};
  }
  return points;
}

bool animate() {
  copse::Context context;
  const copse::Mesh mesh = copse::generate_sphere(5);
  example::DeviceMesh device_mesh(context, mesh);
  const copse::TriangleView triangles = device_mesh.view();
  copse::Accel accel = copse::build(context, triangles, {.quality = copse::Quality::fast});
  copse::rebuild(context, accel, triangles);  // so that a rebuild in the graph allocates nothing

  // snippet begins
  copse::RebuildAdvisor advisor(context, {.max_growth = 1.25});
  copse::note_build(context, advisor, accel.tree());
  const auto frame = [&] { copse::refit_or_rebuild(context, accel, triangles, advisor); };
  frame();  // once before the capture
  copse::Graph graph = context.capture(frame);
  // snippet ends

  for (int i = 1; i <= frame_count; ++i) {
    device_mesh.positions.upload(twisted(mesh.positions, 0.4f * float(i)));
    graph.launch();
    const copse::TreeHistory history = advisor.history();
    std::printf("frame %2d: cost %.1f, %.2f times that when built, %u rebuilds\n", i, history.cost,
                history.growth(), history.rebuild_count);
    if (history.growth() > advisor.rule().max_growth) return false;
  }
  const copse::TreeHistory history = advisor.history();
  const bool did_both = history.rebuild_count > 0 && history.rebuild_count < history.refit_count;
  return did_both && copse::validate(context, accel.tree(), triangles, /*refitted=*/true).is_valid();
}

}  // namespace

int main() {
  return example::run("refit_or_rebuild", animate);
}
