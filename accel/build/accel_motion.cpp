#include "accel/accel_motion.h"

namespace copse {

void refit_or_rebuild(Context& context, Accel& accel, const TriangleViews& triangles, RebuildAdvisor& advisor) {
  refit(context, accel, triangles);
  note_refit(context, advisor, accel.tree());
  run_if(context, advisor.is_due(), [&] {
    rebuild(context, accel, triangles);
    note_build(context, advisor, accel.tree());
  });
}

}  // namespace copse
