// The functions that need zlib, in a library without it (COPSE_ZLIB=OFF): each throws.

#include "builders/io/file/zlib_block.h"
#include "builders/io/mesh/gunzip.h"
#include "builders/io/mesh/gzip_writer.h"
#include "builders/io/whole_file.h"
#include "primitives/core/counted.h"

namespace copse::detail {

std::string gunzip(const std::filesystem::path& path, std::string_view, u64, const CancelToken&) {
  throw_bad_file(path, "it is packed by gzip, and this Copse was built without zlib; unpack it first");
}

struct GzipWriter::Stream {};

GzipWriter::GzipWriter(Sink) {
  throw Error(
      ErrorCode::invalid_argument,
      "this Copse was built without zlib, so it cannot pack a mesh by gzip; save it under a name without .gz");
}
GzipWriter::~GzipWriter() = default;
void GzipWriter::pack(std::string_view, bool) {}

std::vector<char> pack_block(std::span<const char> bytes, u64) {
  throw Error(ErrorCode::invalid_argument, "this Copse was built without zlib, so it cannot pack " +
                                               counted(bytes.size(), "bytes") + "; save them unpacked");
}

bool unpack_block(std::span<const char> packed, std::span<char>) {
  throw Error(ErrorCode::bad_file, "this Copse was built without zlib, so it cannot unpack " +
                                       counted(packed.size(), "bytes") + " of a file");
}

}  // namespace copse::detail
