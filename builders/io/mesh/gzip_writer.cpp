// Deutsch, "GZIP file format specification version 4.3", RFC 1952.

#include "builders/io/mesh/gzip_writer.h"

#include <zlib.h>

#include <algorithm>
#include <new>

namespace copse::detail {

struct GzipWriter::Stream {
  z_stream stream{};
  char packed[1 << 16];
};

GzipWriter::GzipWriter(Sink sink) : sink_(std::move(sink)), stream_(std::make_unique<Stream>()) {
  constexpr int window_bits_of_gzip = 15 + 16, memory_level = 8;
  if (deflateInit2(&stream_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits_of_gzip, memory_level,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

GzipWriter::~GzipWriter() {
  deflateEnd(&stream_->stream);
}

void GzipWriter::pack(std::string_view bytes, bool is_last) {
  constexpr size_t most = size_t{1} << 30;  // zlib counts them in 32 bits
  z_stream& stream = stream_->stream;
  do {
    const size_t count = std::min(bytes.size(), most);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = uInt(count);
    bytes.remove_prefix(count);
    do {
      stream.next_out = reinterpret_cast<Bytef*>(stream_->packed);
      stream.avail_out = sizeof stream_->packed;
      deflate(&stream, is_last ? Z_FINISH : Z_NO_FLUSH);
      sink_({stream_->packed, sizeof stream_->packed - stream.avail_out});
    } while (stream.avail_out == 0);
  } while (!bytes.empty());
}

}  // namespace copse::detail
