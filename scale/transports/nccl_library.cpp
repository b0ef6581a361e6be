#include "scale/transports/nccl_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <mutex>

namespace copse::detail {

namespace {

constexpr int min_version = 21800;

[[noreturn]] void fail(const std::string& path, const std::string& cause) {
  throw Error(ErrorCode::no_device, "NCCL: " + path + " " + cause);
}

/// "2.18.3" for 21803.
std::string version_text(int version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

/// GPUs of one process would read each other's buffers directly. But stream-ordered memory, which contexts have by default, is
/// closed to other GPUs. NCCL knows no other way to ask for copies. A setting of the user stays.
void ask_for_copies() {
  static std::once_flag once;
  std::call_once(once, [] { ::setenv("NCCL_P2P_DIRECT_DISABLE", "1", 0); });
}

template <class Function>
void find(void* library, const std::string& path, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) fail(path, std::string("has no function ") + name);
}

}  // namespace

NcclLibrary::NcclLibrary(const std::string& path) {
  ask_for_copies();
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* const cause = dlerror();
    fail(path, std::string("cannot be opened: ") + (cause == nullptr ? "no cause is known" : cause));
  }
  find(library, path, "ncclGetVersion", get_version);
  int version = 0;
  if (get_version(&version) != nccl_success) fail(path, "does not tell its version");
  if (version < min_version)
    fail(path, "has version " + version_text(version) + "; " + version_text(min_version) + " or newer is needed");
  find(library, path, "ncclGetErrorString", get_error_string);
  find(library, path, "ncclGetLastError", get_last_error);
  find(library, path, "ncclGetUniqueId", get_unique_id);
  find(library, path, "ncclCommInitRankConfig", comm_init_rank_config);
  find(library, path, "ncclCommGetAsyncError", comm_get_async_error);
  find(library, path, "ncclCommFinalize", comm_finalize);
  find(library, path, "ncclCommDestroy", comm_destroy);
  find(library, path, "ncclCommAbort", comm_abort);
  find(library, path, "ncclGroupStart", group_start);
  find(library, path, "ncclGroupEnd", group_end);
  find(library, path, "ncclSend", send);
  find(library, path, "ncclRecv", receive);
  find(library, path, "ncclAllGather", all_gather);
  find(library, path, "ncclAllReduce", all_reduce);
}

void NcclLibrary::check(NcclResult result, const char* function, NcclComm* comm) const {
  if (is_good(result)) return;
  const char* const last = get_last_error(comm);
  std::string text = std::string(function) + ": " + get_error_string(result);
  if (last != nullptr && *last != '\0') text += std::string(" (") + last + ")";
  throw Error(ErrorCode::device_failure, text);
}

}  // namespace copse::detail
