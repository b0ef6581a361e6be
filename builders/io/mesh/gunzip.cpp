// Deutsch, "GZIP file format specification version 4.3", RFC 1952.

#include "builders/io/mesh/gunzip.h"

#include <zlib.h>

#include <algorithm>
#include <new>

#include "builders/io/whole_file.h"
#include "primitives/core/counted.h"

namespace copse::detail {

namespace {

/// The packed and unpacked bytes between two polls of the cancel token. zlib counts them in 32 bits.
constexpr u64 bytes_per_step = u64{1} << 22;

class Unpacker {
 public:
  Unpacker(const std::filesystem::path& path, std::string_view bytes, u64 max_bytes, const CancelToken& cancel)
      : path_(path), bytes_(bytes), max_bytes_(max_bytes), cancel_(cancel) {
    constexpr int window_bits_of_gzip = 15 + 16;
    if (inflateInit2(&stream_, window_bits_of_gzip) != Z_OK) throw std::bad_alloc();
  }
  ~Unpacker() { inflateEnd(&stream_); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  std::string unpack() {
    do {
      unpack_member();
    } while (is_gzip(bytes_.substr(read_)));
    // Tapes and some programs fill the last block with zeros, which gzip passes over too.
    if (bytes_.find_first_not_of('\0', read_) != bytes_.npos) {
      throw_bad_file(path_, counted(bytes_.size() - read_, "bytes") + " of other data behind the gzip data");
    }
    unpacked_.resize(written_);
    return std::move(unpacked_);
  }

 private:
  void unpack_member() {
    inflateReset(&stream_);
    for (int status = Z_OK; status != Z_STREAM_END;) {
      throw_if_cancelled(path_, cancel_);
      if (written_ == unpacked_.size()) make_room();
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes_.data() + read_));
      stream_.avail_in = uInt(std::min(bytes_.size() - read_, bytes_per_step));
      stream_.next_out = reinterpret_cast<Bytef*>(unpacked_.data() + written_);
      stream_.avail_out = uInt(std::min(unpacked_.size() - written_, bytes_per_step));
      status = inflate(&stream_, Z_NO_FLUSH);
      read_ = u64(reinterpret_cast<const char*>(stream_.next_in) - bytes_.data());
      written_ = u64(reinterpret_cast<const char*>(stream_.next_out) - unpacked_.data());
      check(status);
    }
  }

  void check(int status) const {
    if (written_ > max_bytes_) {
      throw_bad_file(path_, "its " + std::to_string(bytes_.size()) + " bytes unpack to more than " +
                                std::to_string(max_bytes_) + ", the limit LoadMeshOptions::max_unpacked_bytes");
    }
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_BUF_ERROR || (status == Z_OK && read_ == bytes_.size() && stream_.avail_out > 0)) {
      throw_bad_file(path_, "the gzip data ends after " + counted(bytes_.size(), "bytes") + ", in the middle");
    }
    if (status == Z_OK || status == Z_STREAM_END) return;
    const std::string cause = stream_.msg != nullptr ? stream_.msg : "it needs a dictionary";
    throw_bad_file(path_, "the gzip data is damaged near byte " + std::to_string(read_) + ": " + cause);
  }

  /// Leaves a byte more than the limit, so that a result at the limit can end, and a larger one shows.
  void make_room() { unpacked_.resize(std::min(std::max(2 * written_, 4 * bytes_.size()), max_bytes_) + 1); }

  const std::filesystem::path& path_;
  std::string_view bytes_;
  u64 max_bytes_;
  const CancelToken& cancel_;
  z_stream stream_{};
  u64 read_ = 0;     // of bytes_
  u64 written_ = 0;  // of unpacked_
  std::string unpacked_;
};

}  // namespace

std::string gunzip(const std::filesystem::path& path, std::string_view bytes, u64 max_bytes,
                   const CancelToken& cancel) {
  return Unpacker(path, bytes, max_bytes, cancel).unpack();
}

}  // namespace copse::detail
