#include "primitives/core/buffer.h"

#include <numeric>

#include "tests/support/backends.h"

namespace copse::test {

class BufferTest : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(BufferTest);

TEST_P(BufferTest, GivesBackWhatWasUploaded) {
  std::vector<u32> host(100001);
  std::iota(host.begin(), host.end(), 5u);
  const Buffer<u32> buffer(context(), host);
  EXPECT_EQ(buffer.download(), host);
  EXPECT_EQ(download(context(), buffer.span().subspan(10, 3)), (std::vector<u32>{15, 16, 17}));
}

TEST_P(BufferTest, MayBeEmpty) {
  Buffer<u32> buffer(context(), 0);
  EXPECT_TRUE(buffer.download().empty());
  EXPECT_TRUE(buffer.span().empty());
  buffer.upload({});
}

TEST_P(BufferTest, MovesItsMemory) {
  Buffer<u32> from(context(), std::vector<u32>{1, 2, 3});
  const u32* memory = from.data();
  Buffer<u32> to(std::move(from));
  EXPECT_EQ(to.data(), memory);
  EXPECT_EQ(from.size(), 0u);
  to = Buffer<u32>(context(), std::vector<u32>{4});
  EXPECT_EQ(to.download(), std::vector<u32>{4});
}

TEST_P(BufferTest, IsAlignedForWideLoads) {
  for (u64 n : {1, 3, 1000}) {
    const Buffer<u8> buffer(context(), n);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % MemoryResource::alignment, 0u);
  }
}

TEST_P(BufferTest, RefusesMoreThanTheMachineHas) {
  EXPECT_COPSE_ERROR(Buffer<u64>(context(), u64{1} << 50), ErrorCode::out_of_memory, std::to_string(u64{1} << 53));
  EXPECT_COPSE_ERROR(Buffer<u64>(context(), u64{1} << 62), ErrorCode::out_of_memory, std::to_string(u64{1} << 62));
  const Buffer<u32> still_works(context(), std::vector<u32>{7});
  EXPECT_EQ(still_works.download(), std::vector<u32>{7});
}

TEST_P(BufferTest, DownloadsItsFront) {
  const Buffer<u32> buffer(context(), std::vector<u32>{1, 2, 3});
  EXPECT_EQ(buffer.download(2), (std::vector<u32>{1, 2}));
  EXPECT_TRUE(buffer.download(0).empty());
  EXPECT_COPSE_ERROR(buffer.download(4), ErrorCode::invalid_argument, "4 elements from a buffer of 3");
}

TEST_P(BufferTest, UploadsAPart) {
  Buffer<u32> buffer(context(), std::vector<u32>{1, 2, 3, 4});
  buffer.upload(std::vector<u32>{7, 8}, 1);
  EXPECT_EQ(buffer.download(), (std::vector<u32>{1, 7, 8, 4}));
  buffer.upload({}, 4);
  EXPECT_COPSE_ERROR(buffer.upload(std::vector<u32>{7, 8}, 3), ErrorCode::invalid_argument,
                     "2 elements from element 3 on into a buffer of 4");
  EXPECT_COPSE_ERROR(buffer.upload({}, 5), ErrorCode::invalid_argument, "from element 5 on");
}

TEST_P(BufferTest, RefusesElementsIfItHasNoMemory) {
  Buffer<u32> none;
  EXPECT_COPSE_ERROR(none.upload(std::vector<u32>{1}), ErrorCode::invalid_argument, "into a buffer of 0");
}

TEST_P(BufferTest, OutlivesItsContext) {
  Buffer<u32> buffer;
  {
    Context gone({.backend = GetParam()});
    buffer = Buffer<u32>(gone, std::vector<u32>{1, 2, 3});
  }
  EXPECT_EQ(buffer.download(), (std::vector<u32>{1, 2, 3}));
  buffer = {};
}

TEST_P(BufferTest, RefusesUploadPastItsEnd) {
  Buffer<u32> buffer(context(), 2);
  EXPECT_COPSE_ERROR(buffer.upload(std::vector<u32>(3)), ErrorCode::invalid_argument,
                     "3 elements into a buffer of 2");
}

}  // namespace copse::test
