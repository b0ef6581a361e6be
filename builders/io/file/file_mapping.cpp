#include "builders/io/file/file_mapping.h"

#include <sys/mman.h>

#include <string>

#include "builders/io/file/descriptor.h"
#include "builders/io/whole_file.h"

namespace copse::detail {

FileMapping::FileMapping(const std::filesystem::path& path, PageAccess access) {
  const OpenedFile file = open_regular_file(path);
  size_ = file.bytes;
  if (size_ == 0) return;
  // Private, so that a refit may write to the pages; without a reservation, so that a file may be larger than memory.
  const int protection = access == PageAccess::read ? PROT_READ : PROT_READ | PROT_WRITE;
  void* const data = ::mmap(nullptr, size_, protection, MAP_PRIVATE | MAP_NORESERVE, file.descriptor.file, 0);
  if (data == MAP_FAILED) {
    throw Error(ErrorCode::out_of_memory,
                path.string() + ": " + std::to_string(size_) + " bytes cannot be mapped: " + error_text(errno));
  }
  data_ = static_cast<char*>(data);
}

FileMapping::~FileMapping() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

}  // namespace copse::detail
