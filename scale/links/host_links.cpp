#include <cstring>

#include "scale/links/links.h"
#include "scale/links/staged_copies.h"

namespace copse::detail {

namespace {

class HostLinks final : public Links {
 public:
  explicit HostLinks(bool peer_access) : peer_access_(peer_access) {}

  void join(std::span<const std::unique_ptr<Context>>) override {}
  void open_all() override {}
  bool has_peer_access(u32 device) const override { return device == 0 || peer_access_; }
  bool reaches(u32 device, const void*) const override { return has_peer_access(device); }
  void copy(Context&, void* to, const void* from, u64 bytes) override { std::memcpy(to, from, bytes); }
  void begin() override {}
  void end() override {}

 private:
  bool peer_access_;
};

class HostCopies final : public StagedCopies {
 public:
  void upload(void* to, u64 bytes, const WritePiece& write) override {
    if (bytes > 0) write(to, 0, bytes);
  }
  void download(const void* from, u64 bytes, const ReadPiece& read) override {
    if (bytes > 0) read(from, 0, bytes);
  }
};

}  // namespace

std::unique_ptr<StagedCopies> make_host_copies() {
  return std::make_unique<HostCopies>();
}

std::unique_ptr<Links> make_host_links(bool peer_access) {
  return std::make_unique<HostLinks>(peer_access);
}

}  // namespace copse::detail
