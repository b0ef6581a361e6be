#pragma once

// The C interface: when to refit and when to rebuild a tree that moves.

#include "accel.h"
#include "base.h"
#include "geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

/// When a tree that was refitted is due for a rebuild.
typedef struct copse_rebuild_rule {
  size_t struct_size;

  /// Once its SAH cost is more than so many times its cost when built: 1 to 1000. A low value rebuilds often and keeps
  /// rays fast, a high one refits longer. Default: 1.25.
  double max_growth;

  /// After so many refits in any case; 0 is for no limit. Default: 64.
  uint32_t max_refits;
} copse_rebuild_rule;

#define COPSE_REBUILD_RULE_INIT \
  { sizeof(copse_rebuild_rule), 1.25, 64 }

/// Decides for one accel when to refit it and when to rebuild it, by its SAH cost. The cost is equal on all backends bit
/// for bit, so they decide alike.
typedef struct copse_advisor copse_advisor;

/// Makes an advisor. It takes the cost of the tree that `accel` has now as the one to compare with. It does not wait for the
/// device.
///   rule:    may be NULL
///   advisor: is set to the new advisor, or to NULL after an error
/// Errors: COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY, COPSE_CANCELLED.
COPSE_C_API copse_status copse_advisor_create(copse_context* context, const copse_accel* accel,
                                              const copse_rebuild_rule* rule, copse_advisor** advisor);

/// Destroys an advisor. The accel stays.
COPSE_C_API void copse_advisor_destroy(copse_advisor* advisor);

/// Takes the cost of a tree that was just built or rebuilt by another call as the one to compare with. It does not wait for
/// the device.
/// Errors: as copse_advisor_create().
COPSE_C_API copse_status copse_advisor_note_build(copse_context* context, copse_advisor* advisor,
                                                  const copse_accel* accel);

/// Refits an accel and measures its tree. If it is due by the rule, rebuilds and measures it again. So its SAH cost is never
/// more than max_growth times its cost after the last build. Waits for the decision.
///   accel:      the one that the advisor knows
///   geometries: as many triangles as `accel` was built over, in the same order
/// Errors: as copse_accel_refit() and copse_accel_rebuild(). An accel that was compacted or loaded can be refitted, but the
/// call fails once it is due.
COPSE_C_API copse_status copse_accel_refit_or_rebuild(copse_context* context, copse_accel* accel,
                                                      const copse_geometry* geometries, uint64_t geometry_count,
                                                      copse_advisor* advisor);

/// What an advisor knows of its tree. The library fills it; set struct_size before.
typedef struct copse_tree_history {
  size_t struct_size;
  double built_cost;            // SAH cost after the last build
  double cost;                  // SAH cost now
  uint32_t refits_since_build;  // refits after the last build
  uint32_t refit_count;         // all refits
  uint32_t rebuild_count;       // all builds but the first one
} copse_tree_history;

#define COPSE_TREE_HISTORY_INIT \
  { sizeof(copse_tree_history), 0, 0, 0, 0, 0 }

/// Stores what an advisor knows of its tree. Waits for the device.
/// Errors: COPSE_INVALID_ARGUMENT.
COPSE_C_API copse_status copse_advisor_history(copse_context* context, const copse_advisor* advisor,
                                               copse_tree_history* history);

#ifdef __cplusplus
}
#endif
