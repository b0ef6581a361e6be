#include <cstring>

#include "scale/links/links.h"

namespace copse::detail {

namespace {

class HostLinks final : public Links {
 public:
  explicit HostLinks(bool peer_access) : peer_access_(peer_access) {}

  void join(std::span<const std::unique_ptr<Context>>) override {}
  bool has_peer_access(u32 device) const override { return device == 0 || peer_access_; }
  bool reaches(u32 device, const void*) const override { return has_peer_access(device); }
  void copy(Context&, void* to, const void* from, u64 bytes) override { std::memcpy(to, from, bytes); }
  void begin() override {}
  void end() override {}

 private:
  bool peer_access_;
};

}  // namespace

std::unique_ptr<Links> make_host_links(bool peer_access) {
  return std::make_unique<HostLinks>(peer_access);
}

}  // namespace copse::detail
