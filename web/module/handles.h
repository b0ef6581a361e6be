#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "copse/c.h"

namespace copse::web {

/// Owns what a handle of the C interface stands for.
template <class T, void (*destroy)(T*)>
struct Destroy {
  void operator()(T* handle) const { destroy(handle); }
};
template <class T, void (*destroy)(T*)>
using Handle = std::unique_ptr<T, Destroy<T, destroy>>;

using ContextHandle = Handle<copse_context, copse_context_destroy>;
using MeshHandle = Handle<copse_mesh, copse_mesh_destroy>;
using TreeHandle = Handle<copse_tree, copse_tree_destroy>;

/// Throws the message of a call that failed. The name of the function in front of it means nothing to a reader of the page.
inline void check(copse_status status) {
  if (status == COPSE_OK) return;
  if (status == COPSE_OUT_OF_MEMORY) throw std::bad_alloc();
  const std::string message = copse_last_error(nullptr);
  const size_t colon = message.find(": ");
  throw std::runtime_error(colon == std::string::npos ? message : message.substr(colon + 2));
}

}  // namespace copse::web
