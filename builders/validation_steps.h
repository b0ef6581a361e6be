#pragma once

// Steps that validate() of grids, kd-trees and trees of points share. For .cpp files, which include
// primitives/core/dispatch.h too.

#include <string>
#include <vector>

#include "builders/validation_report.h"
#include "primitives/core/buffer.h"
#include "primitives/core/check.h"

namespace copse::detail {

/// Refuses a structure that was never built, or was built over another number of elements.
///   kind, elements: in words, as "grid" and "primitives"
template <class Structure>
void check_built_over(const Structure& structure, u64 source_count, const char* kind, const char* elements) {
  if (!structure.is_built()) refuse("validate", std::string("the ") + kind + " was never built");
  if (source_count == structure.source_count) return;
  refuse("validate", counted(source_count, elements) + ", but the " + kind + " was built over " +
                         std::to_string(structure.source_count));
}

/// Returns the faults that two steps on the device count. The second one may rely on what the first one proves, so it
/// runs only if the first one finds no fault.
///   Faults: counters, all 0 at first, with an overload of report_of
///   steps:  functors that take an executor and a Faults* in the memory of the context
template <class Faults, class First, class Second>
ValidationReport check_in_two_steps(Context& context, const First& first, const Second& second) {
  Buffer<Faults> faults(context, std::vector<Faults>(1));
  dispatch(context, [&](const auto& ex) { first(ex, faults.data()); });
  const ValidationReport report = report_of(faults.download()[0]);
  if (!report.is_valid()) return report;
  dispatch(context, [&](const auto& ex) { second(ex, faults.data()); });
  return report_of(faults.download()[0]);
}

}  // namespace copse::detail
