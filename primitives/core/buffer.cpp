#include "primitives/core/buffer.h"

#include "primitives/core/allocation.h"
#include "primitives/core/context_parts.h"
#include "primitives/core/counted.h"
#include "primitives/core/error.h"

namespace copse::detail {

void* allocate_elements(Context& context, u64 count, u64 element_bytes) {
  if (count > ~u64{0} / 2 / element_bytes) {
    throw Error(ErrorCode::out_of_memory, "a buffer of " + counted(count, "elements") + " of " +
                                              std::to_string(element_bytes) + " bytes passes the address space");
  }
  if (count == 0) return nullptr;
  if (context.device().capturing()) {
    throw Error(ErrorCode::invalid_argument, "the captured work makes a buffer of " +
                                                 counted(count * element_bytes, "bytes") +
                                                 ": make it before the capture");
  }
  context.device().make_current();
  void* memory = allocate_from(context.memory(), count * element_bytes, context.stream());
  hold(context.parts());
  return memory;
}

void free_elements(ContextParts& parts, void* memory, u64 bytes) noexcept {
  parts.memory->deallocate(memory, bytes, parts.device->stream());
  release(parts);
}

void upload_elements(ContextParts* parts, void* to, u64 room, u64 first, const void* from, u64 count,
                     u64 element_bytes) {
  if (first > room || count > room - first) {
    throw Error(ErrorCode::invalid_argument,
                "upload of " + counted(count, "elements") +
                    (first > 0 ? " from element " + std::to_string(first) + " on" : "") + " into a buffer of " +
                    std::to_string(room));
  }
  if (count == 0) return;
  parts->device->upload(static_cast<unsigned char*>(to) + first * element_bytes, from, count * element_bytes);
}

void download_bytes(ContextParts& parts, void* to, const void* from, u64 bytes) {
  parts.device->download(to, from, bytes);
}

void refuse_download(u64 count, u64 size) {
  throw Error(ErrorCode::invalid_argument,
              "download of " + counted(count, "elements") + " from a buffer of " + std::to_string(size));
}

}  // namespace copse::detail
