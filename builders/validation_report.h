#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "primitives/core/error.h"
#include "primitives/core/types.h"

namespace copse {

/// What validate() found out about a structure: how often each kind of fault occurs.
struct ValidationReport {
  struct Fault {
    const char* name;     // an identifier, such as "bad_indices"
    const char* meaning;  // the same in words, such as "indices out of range"
    u64 count;
  };

  /// Every kind of fault that this structure can have, found or not, always in the same order. The validate()
  /// of a structure says what its kinds are.
  std::vector<Fault> faults;

  /// Returns true if all counts are 0.
  bool is_valid() const {
    for (const Fault& fault : faults) {
      if (fault.count > 0) return false;
    }
    return true;
  }

  /// Returns how often the fault `name` occurs.
  /// Throws: Error invalid_argument if the structure has no fault of that name.
  u64 count(std::string_view name) const {
    for (const Fault& fault : faults) {
      if (name == fault.name) return fault.count;
    }
    throw Error(ErrorCode::invalid_argument, "ValidationReport::count: no fault is called " + std::string(name));
  }

  /// Returns one line with the faults that occur and how often they do, or "valid".
  std::string message() const {
    std::string text;
    for (const Fault& fault : faults) {
      if (fault.count == 0) continue;
      text += (text.empty() ? "" : ", ") + std::to_string(fault.count) + " " + fault.meaning;
    }
    return text.empty() ? "valid" : text;
  }
};

}  // namespace copse
