#include "cli/commands/drawing.h"

#include "accel/accel_file.h"
#include "accel/accel_render.h"
#include "builders/io/structure_file.h"
#include "builders/io/voxel_file.h"
#include "cli/files.h"
#include "primitives/core/stopwatch.h"
#include "scale/ranks_render.h"
#include "scale/replicated_render.h"
#include "trace/frustum_rays.h"

namespace copse::cli {

Subject load_subject(Session& session, Context& context, const RenderCommand& command) {
  session.begin("reading");
  const InputKind kind = check_inputs(command.inputs);
  const std::string& input = command.inputs[0];
  const auto of_one_file = [&](Mesh mesh, Accel accel = {}, Bvh bvh = {}) {
    Subject subject{{}, std::move(accel), std::move(bvh)};
    subject.meshes.add(input, std::move(mesh));
    return subject;
  };
  if (kind == InputKind::mesh) return {read_meshes(session, command.inputs), {}, {}};
  if (kind == InputKind::voxels) return of_one_file(surface_of(load_voxels(input, session.cancel_token())));
  refuse_tree_file(input, "copse render");
  if (holds_accel(input)) {
    AccelFile file = load_accel(input, context, session.cancel_token());
    return of_one_file(std::move(file.mesh), std::move(file.accel));
  }
  StructureFile file = load_structure(input, context, session.cancel_token());
  return of_one_file(std::move(file.mesh), {}, std::move(file.bvh));
}

Drawing::Drawing(Session& session, const ContextOrDevices& contexts, const RenderCommand& command,
                 Subject& subject)
    : context_(contexts.context()),
      devices_(contexts.devices.get()),
      ranks_(session.ranks()),
      command_(command),
      subject_(subject),
      mesh_(context_, subject.meshes.mesh) {
  if (!subject.has_structure()) session.begin("building");
  if (command.through == Through::grid) grid_ = build_grid(context_, mesh_.view());
  if (command.through == Through::bvh && !subject.has_structure()) {
    subject.accel = build(context_, mesh_.views(subject.meshes.parts), command.accel);
  }
  if (devices_ != nullptr) shared_ = replicate(*devices_, std::move(subject.accel));
  session.begin("rendering");
}

Image Drawing::draw(const Camera& camera) {
  // A grid over the view of the camera is another one for each picture.
  if (command_.through == Through::frustum) {
    frustum_ = build_frustum_grid(context_, mesh_.view(), view_frustum(camera));
  }
  Stopwatch stopwatch(context_);
  Image image = render_through(camera);
  milliseconds_ += stopwatch.milliseconds();
  return image;
}

Image Drawing::render_through(const Camera& camera) {
  const RenderOptions& options = command_.render;
  if (command_.through == Through::grid) return render(context_, grid_.view(), mesh_.view(), camera, options);
  if (command_.through == Through::frustum) return render(context_, frustum_.view(), mesh_.view(), options);
  if (devices_ != nullptr) return render(*devices_, shared_, camera, options);
  if (ranks_ != nullptr) return render(ranks_->comm, context_, subject_.accel, camera, options);
  if (subject_.bvh.nodes.empty()) return render(context_, subject_.accel, camera, options);
  return render(context_, subject_.bvh.view(), mesh_.view(), camera, options);
}

}  // namespace copse::cli
