#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace copse::detail {

/// Packs bytes as gzip does, piece by piece.
class GzipWriter {
 public:
  using Sink = std::function<void(std::string_view)>;

  ///   sink: takes the packed bytes
  /// Throws: std::bad_alloc.
  explicit GzipWriter(Sink sink);
  ~GzipWriter();

  void write(std::string_view bytes) { pack(bytes, false); }

  /// Ends the file. May be called once, as the last call.
  void finish() { pack({}, true); }

 private:
  struct Stream;

  void pack(std::string_view bytes, bool is_last);

  Sink sink_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace copse::detail
