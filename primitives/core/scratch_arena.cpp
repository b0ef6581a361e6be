#include "primitives/core/scratch_arena.h"

#include <cstddef>
#include <string>

#include "primitives/core/allocation.h"
#include "primitives/core/device.h"
#include "primitives/core/error.h"

namespace copse {

void ScratchArena::reserve(u64 bytes) {
  if (bytes == 0) return;
  bytes = padded(bytes);
  const u64 left = block_ < blocks_.size() ? blocks_[block_].bytes - used_ : 0;
  if (bytes <= left) return;
  if (frame_count_ == 0) {
    free_blocks(false);
    block_ = blocks_.size();
    used_ = 0;
  }
  add_block(bytes);
}

void ScratchArena::release() {
  if (frame_count_ == 0) free_blocks(false);
}

u64 ScratchArena::reserved_bytes() const {
  u64 sum = 0;
  for (const Block& block : blocks_) sum += block.bytes;
  return sum;
}

void* ScratchArena::allocate(u64 bytes) {
  bytes = padded(bytes);
  while (block_ < blocks_.size() && blocks_[block_].bytes - used_ < bytes) {
    ++block_;
    used_ = 0;
  }
  if (block_ == blocks_.size()) add_block(bytes);
  Block& block = blocks_[block_];
  if (!block.captured && device_.capturing()) block.captured = true;
  void* result = static_cast<std::byte*>(block.memory) + used_;
  used_ += bytes;
  return result;
}

void ScratchArena::add_block(u64 bytes) {
  if (device_.capturing()) {
    throw Error(ErrorCode::invalid_argument,
                "the captured work needs " + std::to_string(bytes) + " bytes of scratch, " +
                    std::to_string(reserved_bytes()) +
                    " are reserved: run it once before the capture, or call Context::reserve_scratch");
  }
  blocks_.reserve(blocks_.size() + 1);  // so that no error can follow the allocation
  blocks_.push_back({detail::allocate_from(memory_, bytes, device_.stream()), bytes, false});
}

void ScratchArena::free_blocks(bool captured_too) {
  std::erase_if(blocks_, [&](const Block& block) {
    if (block.captured && !captured_too) return false;
    memory_.deallocate(block.memory, block.bytes, device_.stream());
    return true;
  });
  block_ = 0;
  used_ = 0;
}

ScratchArena::Frame::~Frame() {
  arena_.block_ = block_;
  arena_.used_ = used_;
  // A run that needed several blocks leaves one that holds them all, so that the next run allocates nothing.
  if (--arena_.frame_count_ == 0 && arena_.blocks_.size() > 1 && !arena_.device_.capturing()) {
    u64 sum = 0;
    for (const Block& block : arena_.blocks_) sum += block.captured ? 0 : block.bytes;
    try {
      arena_.reserve(sum);
    } catch (...) {
      // The blocks that are there go on serving.
    }
  }
}

}  // namespace copse
