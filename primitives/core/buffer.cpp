#include "primitives/core/buffer.h"

#include "primitives/core/device.h"
#include "primitives/core/error.h"

namespace copse::detail {

void* allocate_elements(Context& context, u64 count, u64 element_bytes) {
  if (count > ~u64{0} / 2 / element_bytes) {
    throw Error(ErrorCode::out_of_memory, "a buffer of " + std::to_string(count) + " elements of " +
                                              std::to_string(element_bytes) + " bytes passes the address space");
  }
  context.device().make_current();
  return count > 0 ? context.memory().allocate(count * element_bytes, context.stream()) : nullptr;
}

void free_elements(Context& context, void* memory, u64 bytes) noexcept {
  context.memory().deallocate(memory, bytes, context.stream());
}

void upload_elements(Context& context, void* to, u64 room, const void* from, u64 count, u64 element_bytes) {
  if (count > room) {
    throw Error(ErrorCode::invalid_argument,
                "upload of " + std::to_string(count) + " elements into a buffer of " + std::to_string(room));
  }
  context.device().upload(to, from, count * element_bytes);
}

void download_bytes(Context& context, void* to, const void* from, u64 bytes) {
  context.device().download(to, from, bytes);
}

void refuse_download(u64 count, u64 size) {
  throw Error(ErrorCode::invalid_argument,
              "download of " + std::to_string(count) + " elements from a buffer of " + std::to_string(size));
}

}  // namespace copse::detail
