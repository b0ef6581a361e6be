#pragma once

#include <chrono>
#include <future>
#include <system_error>
#include <utility>
#include <vector>

namespace copse::viewer {

/// Destroys large objects on other threads: freeing hundreds of megabytes takes longer than a frame.
class DeferredDelete {
 public:
  /// Destroys `thing` on a thread of its own, or on this one if no thread can be started.
  template <class T>
  void add(T thing) {
    std::erase_if(under_way_, [](const std::future<void>& one) {
      return one.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    });
    try {
      // Moves the object out and destroys it within the call: a future may keep the objects that its function
      // holds.
      under_way_.push_back(
          std::async(std::launch::async, [thing = std::move(thing)]() mutable { T(std::move(thing)); }));
    } catch (const std::system_error&) {
    }
  }

 private:
  std::vector<std::future<void>> under_way_;  // their destructors wait
};

}  // namespace copse::viewer
