#pragma once

// An operation of ours beside rivals that do the same, measured in turn in one process. Each row of the benchmark
// programs is made of these.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/support/data.h"
#include "primitives/core/buffer.h"
#include "primitives/core/device.h"

namespace copse::bench {

/// Puts an operation on the comparison's stream.
using Work = std::function<void()>;

/// One operation at one size. Its data lives as long as the comparison. Calls may repeat, because they leave the
/// input as it is.
class Comparison {
 public:
  Comparison(Backend backend, u64 n_) : context({.backend = backend}), n(n_) {}

  /// A context of its own, so that the end of the comparison frees all memory.
  Context context;
  const u64 n;

  /// The bytes that any algorithm must read and write. 0 if the bytes are not known.
  double bytes = 0;

  Work ours;

  /// Adds several ways to call the rival. The fastest counts.
  void add_rival(Work work) { rivals_.push_back(std::move(work)); }

  /// Adds a figure to print beside the times.
  void add_counter(const std::string& name, double value) { counters_.emplace_back(name, value); }

  /// Adds the figure that a paper gives for this, such as its milliseconds as `paper_ms`. Then the row also prints
  /// `bound_ms`, the least time that this machine needs for the bytes.
  void add_paper(const std::string& name, double value) {
    add_counter(name, value);
    prints_bound_ = true;
  }

  /// Returns a buffer of zeros, so that nothing that an earlier comparison left behind passes a check.
  template <class T>
  BufferSpan<T> buffer(u64 size) {
    auto owner = std::make_shared<Buffer<T>>(context, size);
    const BufferSpan<T> span = owner->span();
    if (size > 0) context.device().clear(span.data(), span.size_bytes());
    owners_.push_back(std::move(owner));
    return span;
  }

  /// Returns a buffer of values that look random in their lowest `bits` bits and are 0 above.
  template <class T>
  BufferSpan<T> hashed(u64 size, u32 bits = 8 * sizeof(T), u32 seed = 0) {
    const BufferSpan<T> span = buffer<T>(size);
    fill_hashed(context, span, bits, seed);
    return span;
  }

  /// Makes the row fail if the bytes of `a` and `b` differ after ours and a rival ran. If `count` is given, only
  /// the first `count` elements are compared.
  template <class T>
  void expect_equal(BufferSpan<T> a, BufferSpan<T> b, u64 count = ~u64{0}) {
    const u64 compared = std::min(count, a.size()) * sizeof(T);
    expect([this, a, b, compared] { return equal_bytes(context, a.data(), b.data(), compared); });
  }
  void expect(std::function<bool()> check) { checks_.push_back(std::move(check)); }

  /// Runs everything once and returns what is wrong. The text is empty if nothing is wrong.
  std::string verify();

  /// Measures ours and the rivals, and reports to Google Benchmark. They are called one by one or as captured
  /// graphs.
  void measure(benchmark::State& state, bool as_graphs, double copy_bytes_per_second);

 private:
  std::vector<std::shared_ptr<void>> owners_;
  std::vector<Work> rivals_;
  std::vector<std::function<bool()>> checks_;
  std::vector<std::pair<std::string, double>> counters_;
  bool prints_bound_ = false;
  bool verified_ = false;
  std::string problem_;
};

/// Puts a copy of bytes on the stream.
using CopyBytes = void (*)(Context& context, void* to, const void* from, u64 bytes);

/// Fills in a comparison: its work, bytes and checks.
using Setup = std::function<void(Comparison&)>;

/// The rows of one program. A comparison is set up when its first row runs. It goes away when another begins. So
/// rows that are filtered out cost nothing.
class Rows {
 public:
  explicit Rows(Backend backend) : backend_(backend) {}

  /// Registers NAME/n:N/stream and NAME/n:N/graph on CUDA, and NAME/n:N on the CPU.
  void add(const std::string& name, u64 n, Setup setup);

  /// Registers only NAME/n:N, measured on the stream.
  void add_on_stream(const std::string& name, u64 n, Setup setup);

  /// Measures how fast `copy` copies memory, if it is given. Names device and commit in the results.
  void describe_machine(const char* commit, CopyBytes copy);

 private:
  void add_row(const std::string& row, const std::string& comparison, u64 n, const Setup& setup, bool as_graphs);
  void run(benchmark::State& state, const std::string& name, u64 n, const Setup& setup, bool as_graphs);

  Backend backend_;
  double copy_bytes_per_second_ = 0;
  std::string current_name_;
  std::unique_ptr<Comparison> current_;
};

struct Program {
  Backend backend;
  const char* commit;
  void (*add_rows)(Rows&);
  CopyBytes copy = nullptr;
};

/// Runs a program that takes only Google Benchmark's arguments. Returns its exit code.
int run_program(int argc, char** argv, const Program& program);

}  // namespace copse::bench
