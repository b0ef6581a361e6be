#include "cli/host_memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/output.h"
#include "primitives/core/error.h"

namespace copse::cli {

void check_host_memory(u64 bytes, const std::string& what) {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page_bytes = ::sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page_bytes <= 0) return;
  const u64 machine_bytes = u64(pages) * u64(page_bytes);
  if (bytes <= machine_bytes) return;
  throw Error(ErrorCode::out_of_memory, fmt::format("{} takes {}, this machine has {}", what,
                                                    readable_bytes(bytes), readable_bytes(machine_bytes)));
}

}  // namespace copse::cli
