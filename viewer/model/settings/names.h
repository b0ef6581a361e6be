#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "primitives/core/types.h"

// Names of enum values, for panels, options and settings alike. A specialisation of Names lists the names of an
// enum, in the order of its values from 0 on.

namespace copse::viewer {

template <class Enum>
struct Names;

/// The names of all values, in their order.
template <class Enum>
constexpr std::span<const char* const> names() {
  return Names<Enum>::list;
}

/// The name of a value; "unknown" if it has none.
template <class Enum>
requires(sizeof(Names<Enum>::list) > 0) constexpr const char* name_of(Enum value) {
  const u64 place = u64(value);
  return place < names<Enum>().size() ? names<Enum>()[place] : "unknown";
}

/// The value with this name; none if there is none.
template <class Enum>
constexpr std::optional<Enum> named(std::string_view name) {
  for (u64 i = 0; i < names<Enum>().size(); ++i) {
    if (name == names<Enum>()[i]) return Enum(i);
  }
  return std::nullopt;
}

}  // namespace copse::viewer
