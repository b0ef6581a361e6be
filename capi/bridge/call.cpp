#include "capi/bridge/call.h"

#include <cstdio>
#include <cstring>
#include <exception>

#include "primitives/core/counted.h"

namespace copse::capi {

namespace {

thread_local ErrorText error_of_this_thread;

/// Larger sizes are no sizes of structs: more likely, struct_size was never set.
constexpr size_t max_struct_bytes = 4096;

copse_status status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return COPSE_INVALID_ARGUMENT;
    case ErrorCode::out_of_memory: return COPSE_OUT_OF_MEMORY;
    case ErrorCode::no_device: return COPSE_NO_DEVICE;
    case ErrorCode::device_failure: return COPSE_DEVICE_FAILURE;
    case ErrorCode::bad_file: return COPSE_BAD_FILE;
    case ErrorCode::capacity: return COPSE_CAPACITY;
    case ErrorCode::cancelled: return COPSE_CANCELLED;
  }
  return COPSE_INTERNAL;
}

size_t struct_bytes(const char* what, const void* given, size_t known_bytes) {
  size_t bytes;
  std::memcpy(&bytes, given, sizeof(bytes));
  // All structs have the size of their first version so far.
  if (bytes >= known_bytes && bytes <= max_struct_bytes) return bytes;
  refuse(std::string("struct_size of ") + what + " is " + std::to_string(bytes) + ", but the struct has " +
         copse::detail::counted(known_bytes, "bytes") + "; begin with its ..._INIT macro");
}

}  // namespace

void ErrorText::set(const char* function, const char* message) noexcept {
  std::snprintf(text, sizeof(text), "%s: %s", function, message);
}

copse_status fail(copse_context* context, copse_status status, const char* function,
                  const char* message) noexcept {
  error_of_this_thread.set(function, message);
  if (context != nullptr) {
    try {
      const std::lock_guard<std::mutex> guard(context->error_lock);
      context->error = error_of_this_thread;
    } catch (...) {  // the message of the thread is there
    }
  }
  return status;
}

copse_status fail_with_exception(copse_context* context, const char* function) noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return fail(context, status_of(error.code()), function, error.what());
  } catch (const std::bad_alloc&) {
    return fail(context, COPSE_OUT_OF_MEMORY, function, "the host has no memory left");
  } catch (const std::exception& error) {
    return fail(context, COPSE_INTERNAL, function, error.what());
  } catch (...) {
    return fail(context, COPSE_INTERNAL, function, "an exception of unknown type");
  }
}

namespace detail {

void read_members(const char* what, const void* given, void* members, size_t known_bytes) {
  const size_t bytes = struct_bytes(what, given, known_bytes);
  const unsigned char* from = static_cast<const unsigned char*>(given);
  for (size_t i = known_bytes; i < bytes; ++i) {
    if (from[i] == 0) continue;
    refuse(std::string("struct_size of ") + what + " is " + std::to_string(bytes) + ", and byte " +
           std::to_string(i) + " is set, but this library knows " + copse::detail::counted(known_bytes, "bytes") +
           "; it is older than the program");
  }
  std::memcpy(members, given, known_bytes);
}

void write_members(const char* what, const void* members, void* room, size_t known_bytes) {
  const size_t bytes = struct_bytes(what, room, known_bytes);
  std::memset(static_cast<unsigned char*>(room) + known_bytes, 0, bytes - known_bytes);
  std::memcpy(room, members, known_bytes);
  std::memcpy(room, &bytes, sizeof(bytes));
}

}  // namespace detail

}  // namespace copse::capi

using namespace copse;

const char* copse_status_name(copse_status status) {
  if (status == COPSE_OK) return "ok";
  if (status == COPSE_INTERNAL) return "internal";
  return status > COPSE_OK && status < COPSE_INTERNAL ? name_of(ErrorCode(status - 1)) : "unknown";
}

const char* copse_last_error(const copse_context* context) {
  thread_local capi::ErrorText copy;
  if (context == nullptr) return capi::error_of_this_thread.text;
  try {
    const std::lock_guard<std::mutex> guard(context->error_lock);
    copy = context->error;
  } catch (...) {
    return capi::error_of_this_thread.text;
  }
  return copy.text;
}

const char* copse_version() {
  return COPSE_VERSION;
}

int32_t copse_built_with_cuda() {
  return built_with_cuda();
}
