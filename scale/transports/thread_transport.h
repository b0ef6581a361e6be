#pragma once

#include <memory>
#include <vector>

#include "scale/links/links.h"
#include "scale/transport.h"

namespace copse::detail {

/// A group of one rank.
std::unique_ptr<Transport> make_lone_transport();

/// Ranks that are threads of this process. Each copies directly from the memory of the others.
///   links: copy between the memories of GPUs, which open to each other; null if all memory is the host's. They must outlive
///          the ranks
std::vector<std::unique_ptr<Transport>> make_thread_transports(u32 count, Links* links);

}  // namespace copse::detail
