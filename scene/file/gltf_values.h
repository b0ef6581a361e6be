#pragma once

// The values of a glTF file that Copse uses.

#include <string_view>

#include "primitives/core/types.h"

namespace copse::detail {

inline constexpr u64 max_gltf_index = (u64{1} << 31) - 1;  // tinygltf stores indices as int
inline constexpr u64 max_gltf_size = u64{1} << 53;  // larger whole numbers are not exact in all writers of JSON

/// The required form of a value of the JSON.
///   index:   a whole number from 0 to max_gltf_index
///   size:    a whole number from 0 to max_gltf_size
///   nothing: absent
enum class GltfWanted { index, size, number, text, array, object, nothing };

/// Returns the required form of the value at a path, or null if Copse does not use it.
///   path: such as nodes[].mesh, where [] stands for any element of an array
const GltfWanted* wanted_at(std::string_view path);

}  // namespace copse::detail
