#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "primitives/core/types.h"

// Names of choices, once for panels, flags and settings. An enum has them by a specialisation of Names, in the
// order of its values from 0 on.

namespace copse::viewer {

template <class Enum>
struct Names;

/// The names of all values, in their order.
template <class Enum>
constexpr std::span<const char* const> names() {
  return Names<Enum>::list;
}

/// The name of a value; "unknown" for one that has none.
template <class Enum>
requires(sizeof(Names<Enum>::list) > 0) constexpr const char* name_of(Enum value) {
  const u64 place = u64(value);
  return place < names<Enum>().size() ? names<Enum>()[place] : "unknown";
}

/// The value of a name, none where no value has it.
template <class Enum>
constexpr std::optional<Enum> named(std::string_view name) {
  for (u64 i = 0; i < names<Enum>().size(); ++i) {
    if (name == names<Enum>()[i]) return Enum(i);
  }
  return std::nullopt;
}

}  // namespace copse::viewer
