#pragma once

#include <cstddef>
#include <vector>

#include "primitives/core/memory_resource.h"

namespace copse {

class Device;

/// Scratch memory of a context, allocated in stack order. Work on one stream runs in order, so memory that one
/// stage has freed can serve the next stage while the first still runs.
///
/// Once warm, the arena allocates nothing from the memory resource. A block that was used during a stream capture
/// is kept for the life of the arena, since the captured graph goes on using it.
class COPSE_API ScratchArena {
 public:
  ScratchArena(Device& device, MemoryResource& memory) : device_(device), memory_(memory) {}
  ~ScratchArena() { free_blocks(true); }
  ScratchArena(const ScratchArena&) = delete;
  ScratchArena& operator=(const ScratchArena&) = delete;

  /// Makes sure that there is one block with at least `bytes` free bytes.
  /// Throws: Error out_of_memory; Error invalid_argument if the stream is being captured and the block is not
  /// there yet.
  void reserve(u64 bytes);

  /// Frees all memory that no capture has used. Does nothing inside a frame.
  void release();

  u64 reserved_bytes() const;

  /// Frees at its end what was allocated during its life.
  class Frame {
   public:
    explicit Frame(ScratchArena& arena) : arena_(arena), block_(arena.block_), used_(arena.used_) {
      ++arena_.frame_count_;
    }
    ~Frame();
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

    template <class T>
    T* allocate(u64 count) {
      return static_cast<T*>(arena_.allocate(count * sizeof(T)));
    }

   private:
    ScratchArena& arena_;
    size_t block_;
    u64 used_;
  };

  /// The number of bytes that an allocation takes in the arena, for sums of scratch sizes.
  template <class T>
  static constexpr u64 bytes_for(u64 count) {
    return padded(count * sizeof(T));
  }

 private:
  struct Block {
    void* memory;
    u64 bytes;
    bool captured;
  };

  static constexpr u64 padded(u64 bytes) {
    constexpr u64 unit = MemoryResource::alignment;
    return bytes == 0 ? unit : (bytes + unit - 1) / unit * unit;
  }
  void* allocate(u64 bytes);
  void add_block(u64 bytes);
  void free_blocks(bool captured_too);

  Device& device_;
  MemoryResource& memory_;
  std::vector<Block> blocks_;
  size_t block_ = 0;  // the block that serves now
  u64 used_ = 0;      // bytes of it handed out
  u32 frame_count_ = 0;
};

}  // namespace copse
