#pragma once

// Runs the calls of the C interface: no exception leaves them, and they become statuses and messages.

#include <new>

#include "capi/base.h"
#include "capi/bridge/handles.h"
#include "capi/geometry.h"
#include "primitives/core/check.h"
#include "primitives/core/device.h"

namespace copse::capi {

/// Stores the message of an error: for this thread, and for the context unless it is null. Returns the status.
copse_status fail(copse_context* context, copse_status status, const char* function, const char* message) noexcept;

/// Returns the status of the exception that is being handled, and stores its message.
copse_status fail_with_exception(copse_context* context, const char* function) noexcept;

/// Runs `work()` and returns COPSE_OK, or the status of what it throws. For calls without a context.
template <class Work>
copse_status run(const char* function, const Work& work) noexcept {
  try {
    work();
    return COPSE_OK;
  } catch (...) {
    return fail_with_exception(nullptr, function);
  }
}

/// Runs `work(context->context)` while no other call uses the context, on its device.
template <class Work>
copse_status run(const char* function, copse_context* context, const Work& work) noexcept {
  if (context == nullptr) return fail(nullptr, COPSE_INVALID_ARGUMENT, function, "the context is null");
  try {
    const std::lock_guard<std::recursive_mutex> guard(*context->lock);
    context->context.device().make_current();
    work(context->context);
    return COPSE_OK;
  } catch (...) {
    return fail_with_exception(context, function);
  }
}

/// Throws: Error invalid_argument without the name of the function, which run() adds.
[[noreturn]] inline void refuse(const std::string& what) {
  throw Error(ErrorCode::invalid_argument, what);
}

/// Throws: if a pointer is null. `what` names what it points to.
inline void require(const void* pointer, const char* what) {
  if (pointer == nullptr) refuse(std::string("the address of ") + what + " is null");
}

/// Returns the object of a handle. Throws: if the handle is null, or if its memory is not that of the context.
template <class Handle>
auto& object_of(const copse_context* context, Handle* handle, const char* what) {
  if (handle == nullptr) refuse(std::string("the ") + what + " is null");
  const Place here = context->place, there = handle->owned->place;
  if (!(here == there)) {
    const auto name = [](Place place) {
      return place.backend == Backend::cuda ? "CUDA device " + std::to_string(place.ordinal)
                                            : std::string("the CPU");
    };
    refuse(std::string("the ") + what + " is in the memory of " + name(there) + ", but the context is of " +
           name(here));
  }
  return handle->owned->object;
}

/// Returns part `number` of a mesh on the host as a geometry. Its arrays live as long as the mesh.
/// Throws: Error invalid_argument if there is no such part.
copse_geometry geometry_of(std::span<const vec3> positions, std::span<const uvec3> triangles,
                           const std::vector<MeshPart>& parts, u64 number);

/// Returns the options of a caller: its members over the defaults. Throws: if its size is not one of this struct.
template <class Struct>
Struct read_struct(const char* what, const void* given, Struct defaults);

/// Stores a struct that the caller has room for. Throws: as read_struct.
template <class Struct>
void write_struct(const char* what, const Struct& result, void* room);

namespace detail {

/// Copies the members that both sides know. Throws: Error invalid_argument.
void read_members(const char* what, const void* given, void* members, size_t known_bytes);
void write_members(const char* what, const void* members, void* room, size_t known_bytes);

}  // namespace detail

template <class Struct>
Struct read_struct(const char* what, const void* given, Struct defaults) {
  if (given != nullptr) detail::read_members(what, given, &defaults, sizeof(Struct));
  return defaults;
}

template <class Struct>
void write_struct(const char* what, const Struct& result, void* room) {
  require(room, what);
  detail::write_members(what, &result, room, sizeof(Struct));
}

}  // namespace copse::capi
