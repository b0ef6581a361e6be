// When to refit and when to rebuild.

#include "capi/advisor.h"

#include <optional>

#include "accel/accel_motion.h"
#include "capi/bridge/triangles.h"

using namespace copse;
using namespace copse::capi;

/// Empty while it is destroyed.
struct copse_advisor {
  std::shared_ptr<Owned<std::optional<RebuildAdvisor>>> owned;
};

copse_status copse_advisor_create(copse_context* context, const copse_accel* accel, const copse_rebuild_rule* rule,
                                  copse_advisor** advisor) {
  if (advisor != nullptr) *advisor = nullptr;
  return run("copse_advisor_create", context, [&](Context& c) {
    require(advisor, "the handle of the advisor");
    const Accel& object = object_of(context, accel, "accel");
    const copse_rebuild_rule defaults = COPSE_REBUILD_RULE_INIT;
    const copse_rebuild_rule given = read_struct("copse_rebuild_rule", rule, defaults);
    std::optional<RebuildAdvisor> made(
        std::in_place, c, RebuildRule{.max_growth = given.max_growth, .max_refits = given.max_refits});
    note_build(c, *made, object.tree());
    *advisor = new copse_advisor{context->own(std::move(made))};
  });
}

void copse_advisor_destroy(copse_advisor* advisor) {
  delete advisor;
}

copse_status copse_advisor_note_build(copse_context* context, copse_advisor* advisor, const copse_accel* accel) {
  return run("copse_advisor_note_build", context, [&](Context& c) {
    RebuildAdvisor& of = *object_of(context, advisor, "advisor");
    note_build(c, of, object_of(context, accel, "accel").tree());
  });
}

copse_status copse_accel_refit_or_rebuild(copse_context* context, copse_accel* accel,
                                          const copse_geometry* geometries, uint64_t geometry_count,
                                          copse_advisor* advisor) {
  return run("copse_accel_refit_or_rebuild", context, [&](Context& c) {
    Accel& object = object_of(context, accel, "accel");
    RebuildAdvisor& of = *object_of(context, advisor, "advisor");
    const Triangles triangles(c, geometries, geometry_count);
    refit_or_rebuild(c, object, triangles.views(), of);
  });
}

copse_status copse_advisor_history(copse_context* context, const copse_advisor* advisor,
                                   copse_tree_history* history) {
  return run("copse_advisor_history", context, [&](Context& c) {
    RebuildAdvisor& of = *object_of(context, advisor, "advisor");
    TreeHistory known;
    copse::detail::download_bytes(c.parts(), &known, of.data(), sizeof(known));
    copse_tree_history result = COPSE_TREE_HISTORY_INIT;
    result.built_cost = known.built_cost;
    result.cost = known.cost;
    result.refits_since_build = known.refits_since_build;
    result.refit_count = known.refit_count;
    result.rebuild_count = known.rebuild_count;
    write_struct("copse_tree_history", result, history);
  });
}
