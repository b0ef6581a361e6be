#pragma once

// The check after each build, rebuild and refit in a context that validates.

#include <string>

#include "builders/validation_report.h"
#include "primitives/core/validation.h"

namespace copse::detail {

/// Does nothing unless the context validates. Then it calls validate() of a structure that `function` has just made.
///   options: further arguments of validate(), such as `refitted`
/// Throws: Error device_failure if the structure is not what its builder makes of these primitives: their memory was
/// written or freed before the call ended, or the machine is at fault.
/// Waits: for the result.
template <class Structure, class Primitives, class... Options>
void validate_built(Context& context, const char* function, const Structure& structure,
                    const Primitives& primitives, const Options&... options) {
  if (!context.validates()) return;
  const ValidationReport report = validate(context, structure, primitives, options...);
  ++counts_of_validation(context).checked_structures;
  if (report.is_valid()) return;
  throw Error(ErrorCode::device_failure, std::string(function) +
                                             ": the result does not fit its primitives: " + report.message() +
                                             "; were they written or freed before the call ended?");
}

/// The same for a tree, whose primitives that were left out are counted.
template <class Tree, class Primitives>
void validate_tree_built(Context& context, const char* function, const Tree& tree, const Primitives& primitives,
                         bool refitted) {
  if (!context.validates() || tree.primitive_ids.size() < tree.place_count()) return;  // compacted: without ids
  validate_built(context, function, tree, primitives, refitted);
  counts_of_validation(context).left_out_primitives += tree.counts.download()[0].invalid_count;
}

}  // namespace copse::detail
