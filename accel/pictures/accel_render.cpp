#include "accel/accel_render.h"

#include "accel/build/accel_check.h"

namespace copse {

Image render(Context& context, const Accel& accel, const Camera& camera, const RenderOptions& options) {
  detail::check_accel("render", context, accel);
  const AccelView view = accel.view();
  return render(context, view.tree, view.triangles, camera, options);
}

}  // namespace copse
