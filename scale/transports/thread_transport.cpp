#include "scale/transports/thread_transport.h"

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>

namespace copse::detail {

namespace {

class LoneTransport final : public Transport {
 public:
  u32 rank() const override { return 0; }
  u32 size() const override { return 1; }
  bool reaches(const Context& context) const override { return context.backend() == Backend::cpu; }
  void all_gather(const void* mine, u64 bytes, void* all) override { std::memcpy(all, mine, bytes); }
  void sum(u64*, u64) override {}
  void exchange(Context&, std::span<const Outgoing> send, std::span<const Incoming> receive) override {
    if (send[0].bytes > 0) std::memcpy(receive[0].data, send[0].data, send[0].bytes);
  }
  void fail(const Error&) noexcept override {}
};

/// Shared by the threads of a group: the pointers that they post for each other, and the barrier at which they wait.
///
/// A call has two barriers. Before the first one, every rank posts where its data is. Between the two, ranks read the
/// memory of others. After the second one, no rank reads any more.
class ThreadGroup {
 public:
  explicit ThreadGroup(u32 size) : posts_(size) {}

  u32 size() const { return u32(posts_.size()); }
  const void*& post(u32 rank) { return posts_[rank]; }

  /// Returns when all ranks have posted. Throws: the error that ended the group. It never throws while other ranks
  /// read: these passed this barrier with all ranks.
  void begin() { meet(true); }

  /// Returns when all ranks have read. A rank whose reading failed comes too, after it called fail().
  void end() { meet(false); }

  /// Throws: the error that ended the group, if it has ended.
  void check() {
    const std::lock_guard lock(mutex_);
    if (failure_) throw_failure();
  }

  /// Ends the group with the first error. If the host has no memory for its text, only its code is kept.
  ///   text: std::string operator()()
  template <class Text>
  void fail(ErrorCode code, const Text& text) noexcept {
    {
      const std::lock_guard lock(mutex_);
      if (!failure_) {
        failure_.emplace(Failure{code, std::string()});
        try {
          failure_->text = text();
        } catch (...) {
        }
      }
    }
    all_came_.notify_all();
  }

 private:
  /// The first error, from which each rank makes an Error of its own: copies of one Error would share its text.
  struct Failure {
    ErrorCode code;
    std::string text;
  };

  void meet(bool may_leave) {
    std::unique_lock lock(mutex_);
    if (may_leave && failure_) throw_failure();
    if (++waiting_ == size()) {
      waiting_ = 0;
      ++meeting_;
      has_failed_ = failure_.has_value();
      all_came_.notify_all();
    } else {
      const u64 own = meeting_;
      all_came_.wait(lock, [&] { return meeting_ != own || (may_leave && failure_); });
      if (meeting_ == own) throw_failure();
    }
    if (has_failed_) throw_failure();
  }

  [[noreturn]] void throw_failure() const {
    throw Error(failure_->code, failure_->text.empty() ? "another rank failed without memory" : failure_->text);
  }

  std::vector<const void*> posts_;
  std::mutex mutex_;
  std::condition_variable all_came_;
  u64 meeting_ = 0;
  u32 waiting_ = 0;
  bool has_failed_ = false;  // at the last barrier. A rank that leaves after it does not fail this call
  std::optional<Failure> failure_;
};

class ThreadTransport final : public Transport {
 public:
  ThreadTransport(std::shared_ptr<ThreadGroup> group, u32 rank, Links* links)
      : group_(std::move(group)), rank_(rank), links_(links) {}

  /// Ends the group, so that no rank waits for this one for ever.
  ~ThreadTransport() override {
    group_->fail(ErrorCode::device_failure, [&] {
      return "rank " + std::to_string(rank_) + " left its communicator while other ranks waited for it";
    });
  }

  u32 rank() const override { return rank_; }
  u32 size() const override { return group_->size(); }
  bool reaches(const Context& context) const override {
    return links_ != nullptr || context.backend() == Backend::cpu;
  }

  void all_gather(const void* mine, u64 bytes, void* all) override {
    read_posts(mine, [&] {
      for (u32 r = 0; r < size(); ++r) std::memcpy(static_cast<u8*>(all) + r * bytes, group_->post(r), bytes);
    });
  }

  void sum(u64* numbers, u64 count) override {
    std::vector<u64> sums(count);
    read_posts(numbers, [&] {
      for (u32 r = 0; r < size(); ++r) {
        const u64* const of_rank = static_cast<const u64*>(group_->post(r));
        for (u64 i = 0; i < count; ++i) sums[i] += of_rank[i];
      }
    });
    std::copy(sums.begin(), sums.end(), numbers);
  }

  void exchange(Context& context, std::span<const Outgoing> send, std::span<const Incoming> receive) override {
    context.wait();  // until the data that it sends is complete
    read_posts(send.data(), [&] {
      for (u32 r = 0; r < size(); ++r) {
        const Outgoing& piece = static_cast<const Outgoing*>(group_->post(r))[rank_];
        if (piece.bytes > 0) copy(context, receive[r].data, piece.data, piece.bytes);
      }
      context.wait();
    });
  }

  void check_group() override { group_->check(); }

  void fail(const Error& error) noexcept override {
    group_->fail(error.code(), [&] { return std::string(error.what()); });
  }

 private:
  template <class Read>
  void read_posts(const void* mine, const Read& read) {
    group_->post(rank_) = mine;
    group_->begin();
    try {
      read();
    } catch (const std::exception& error) {
      const auto* const of_copse = dynamic_cast<const Error*>(&error);
      group_->fail(of_copse != nullptr ? of_copse->code() : ErrorCode::device_failure,
                   [&] { return "rank " + std::to_string(rank_) + ": " + error.what(); });
    }
    group_->end();
  }

  /// Without links, the pieces of a GPU are already staged in host memory.
  void copy(Context& context, void* to, const void* from, u64 bytes) {
    if (links_ == nullptr || context.backend() == Backend::cpu) {
      std::memcpy(to, from, bytes);
    } else {
      links_->copy(context, to, from, bytes);
    }
  }

  std::shared_ptr<ThreadGroup> group_;
  u32 rank_;
  Links* links_;
};

}  // namespace

std::unique_ptr<Transport> make_lone_transport() {
  return std::make_unique<LoneTransport>();
}

std::vector<std::unique_ptr<Transport>> make_thread_transports(u32 count, Links* links) {
  if (links != nullptr) links->open_all();
  const auto group = std::make_shared<ThreadGroup>(count);
  std::vector<std::unique_ptr<Transport>> ranks;
  for (u32 rank = 0; rank < count; ++rank) ranks.push_back(std::make_unique<ThreadTransport>(group, rank, links));
  return ranks;
}

}  // namespace copse::detail
