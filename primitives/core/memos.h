#pragma once

#include <memory>
#include <typeindex>
#include <utility>
#include <vector>

namespace copse {

/// What algorithms remember in a context from one call to the next, on the host: one object per type. It goes with
/// the context.
class Memos {
 public:
  /// Returns the object of this type. The first call makes it.
  template <class T>
  T& get() {
    const std::type_index type = typeid(T);
    for (const auto& [of, memo] : memos_) {
      if (of == type) return *static_cast<T*>(memo.get());
    }
    memos_.emplace_back(type, std::make_shared<T>());
    return *static_cast<T*>(memos_.back().second.get());
  }

 private:
  std::vector<std::pair<std::type_index, std::shared_ptr<void>>> memos_;
};

}  // namespace copse
