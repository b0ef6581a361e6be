#pragma once

// What the handles of the C interface are made of.

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "accel/accel.h"
#include "builders/geometry/mesh.h"
#include "builders/io/packed_tree_file.h"
#include "primitives/core/buffer.h"
#include "primitives/core/context.h"
#include "scene/scene.h"

namespace copse::capi {

/// Only one call at a time may use the memory of a context. It outlives the context, since accels and buffers free
/// their memory after it. Recursive, since a call that fails destroys what it has made.
using CallLock = std::shared_ptr<std::recursive_mutex>;

/// The cancel token of a context.
struct CancelFlag {
  std::shared_ptr<std::atomic<bool>> is_cancelled;
  bool stop_requested() const { return is_cancelled->load(std::memory_order_relaxed); }
};

/// A message of fixed size, so that it can be stored when there is no memory left.
struct ErrorText {
  char text[1024] = "";

  void set(const char* function, const char* message) noexcept;
};

/// A device: the backend, and the ordinal of its GPU.
struct Place {
  Backend backend;
  int ordinal;

  bool operator==(const Place&) const = default;
};

/// An object in the memory of a context. It is destroyed while no call uses that memory.
template <class Object>
struct Owned {
  CallLock lock;
  Place place;
  Object object;

  Owned(CallLock of, Place at, Object made) : lock(std::move(of)), place(at), object(std::move(made)) {}
  ~Owned() {
    const std::lock_guard<std::recursive_mutex> guard(*lock);
    object = Object();
  }
};

}  // namespace copse::capi

struct copse_context {
  std::shared_ptr<std::atomic<bool>> is_cancelled;
  copse::Context context;
  copse::capi::Place place;
  std::string device_name;
  copse::capi::CallLock lock = std::make_shared<std::recursive_mutex>();

  mutable std::mutex error_lock;
  copse::capi::ErrorText error;

  copse_context(std::shared_ptr<std::atomic<bool>> cancelled, const copse::ContextOptions& options)
      : is_cancelled(std::move(cancelled)),
        context(options),
        place{context.backend(), context.backend() == copse::Backend::cuda ? options.device : 0},
        device_name(context.device_name()) {}

  /// Returns an owner of an object in the memory of this context.
  template <class Object>
  std::shared_ptr<copse::capi::Owned<Object>> own(Object object) {
    return std::make_shared<copse::capi::Owned<Object>>(lock, place, std::move(object));
  }
};

struct copse_buffer {
  std::shared_ptr<copse::capi::Owned<copse::Buffer<copse::u8>>> owned;
};

/// Scenes refer to accels, so these are shared.
struct copse_accel {
  std::shared_ptr<copse::capi::Owned<copse::Accel>> owned;
};

struct copse_scene {
  std::vector<std::shared_ptr<const void>> parts;  // owners of what it refers to
  copse::u64 accel_count;
  std::shared_ptr<copse::capi::Owned<copse::Scene>> owned;
};

struct copse_mesh {
  copse::Mesh mesh;  // empty if the arrays are in a file that is mapped
  std::vector<copse::MeshPart> parts;
  std::string message;
  std::shared_ptr<const void> file = nullptr;  // keeps it mapped
  std::span<const copse::vec3> positions = mesh.positions;
  std::span<const copse::uvec3> triangles = mesh.triangles;
};
