#pragma once

// The check of every call that takes a structure.

#include <string>

#include "primitives/core/check.h"
#include "primitives/core/context.h"

namespace copse::detail {

/// Throws: Error invalid_argument if a structure is in the memory of another backend than that of the context.
///   it_was:   how the message begins, such as "the scene was"
///   built_by: the backend that built the structure
inline void check_backend(const char* function, const Context& context, const char* it_was, Backend built_by) {
  if (built_by == context.backend()) return;
  refuse(function, std::string(it_was) + " built by the backend " + name_of(built_by) +
                       ", but the context is of the backend " + name_of(context.backend()));
}

}  // namespace copse::detail
