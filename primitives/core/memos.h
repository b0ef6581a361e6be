#pragma once

#include <memory>
#include <typeindex>
#include <utility>
#include <vector>

namespace copse {

/// Host objects that algorithms keep in a context between calls: one object per type. They live as long as the
/// context.
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
