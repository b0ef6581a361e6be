// Collective calls over a transport. agree() gathers the reports of all ranks after a step that may fail, so that all
// ranks throw the same error.

#include "scale/communicator.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <string>

#include "primitives/core/buffer.h"
#include "primitives/core/check.h"
#include "primitives/core/device.h"
#include "scale/transports/thread_transport.h"

namespace copse {

namespace {

constexpr u32 max_threads = 64;

/// The error of a rank, as it is sent to the others.
struct RankReport {
  ErrorCode code = ErrorCode::device_failure;
  char text[508] = {};

  RankReport() = default;
  RankReport(ErrorCode code_, const char* message) : code(code_) {
    std::memcpy(text, message, std::min(std::strlen(message), sizeof text - 1));
  }
};

/// Calls work() and returns the error that it throws, if any. It allocates nothing, since a rank that is out of
/// memory must still report to the others.
std::optional<RankReport> report_of(const std::function<void()>& work) {
  try {
    work();
    return std::nullopt;
  } catch (const Error& error) {
    return RankReport(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return RankReport(ErrorCode::out_of_memory, "the host has no more memory");
  } catch (const std::exception& error) {
    return RankReport(ErrorCode::device_failure, error.what());
  }
}

/// The error of a rank that has no memory for a better one.
const Error no_more_memory(ErrorCode::out_of_memory, "a rank has no more memory on the host");

/// Calls a function of the transport. If it throws, the group ends, so that no rank waits for this one.
template <class Call>
void call_transport(Transport& transport, const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    transport.fail(error);
    throw;
  } catch (const std::bad_alloc&) {
    transport.fail(no_more_memory);
    throw;
  } catch (const std::exception& error) {
    transport.fail(
        Error(ErrorCode::out_of_memory, "rank " + std::to_string(transport.rank()) + ": " + error.what()));
    throw;
  }
}

std::vector<Communicator> communicators_of(std::vector<std::unique_ptr<Transport>> transports) {
  std::vector<Communicator> ranks;
  for (auto& transport : transports) ranks.emplace_back(std::move(transport));
  return ranks;
}

/// Pieces of an exchange in host memory, for transports that do not reach the memory of a GPU.
class StagedPieces {
 public:
  StagedPieces(Context& context, const std::vector<Outgoing>& send, const std::vector<Incoming>& receive)
      : context_(context), receive_(receive), sent_(send.size()), received_(receive.size()) {
    for (size_t r = 0; r < send.size(); ++r) {
      sent_[r].resize(send[r].bytes);
      if (send[r].bytes > 0) context.device().download(sent_[r].data(), send[r].data, send[r].bytes);
      outgoing.push_back({sent_[r].data(), send[r].bytes});
    }
    for (size_t r = 0; r < receive.size(); ++r) {
      received_[r].resize(receive[r].bytes);
      incoming.push_back({received_[r].data(), receive[r].bytes});
    }
  }

  void upload() {
    for (size_t r = 0; r < receive_.size(); ++r) {
      if (receive_[r].bytes > 0)
        context_.device().upload(receive_[r].data, received_[r].data(), receive_[r].bytes);
    }
  }

  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;

 private:
  Context& context_;
  const std::vector<Incoming>& receive_;
  std::vector<std::vector<u8>> sent_, received_;
};

}  // namespace

Communicator::Communicator() : transport_(detail::make_lone_transport()) {}
Communicator::Communicator(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {}
Communicator::~Communicator() = default;
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;

u32 Communicator::rank() const {
  return transport_->rank();
}

u32 Communicator::size() const {
  return transport_->size();
}

std::vector<Communicator> Communicator::of_threads(u32 count) {
  detail::check_option("count", count, 1, max_threads);
  return communicators_of(detail::make_thread_transports(count, nullptr));
}

std::vector<Communicator> Communicator::of_devices(Devices& devices) {
  return communicators_of(detail::make_thread_transports(devices.count(), &devices.links()));
}

void Communicator::agree(const std::function<void()>& work) {
  if (size() == 1) return work();
  const std::optional<RankReport> mine = report_of(work);
  const std::vector<u8> failed = all_gather(u8(mine.has_value()));
  const size_t first = size_t(std::find(failed.begin(), failed.end(), 1) - failed.begin());
  if (first == failed.size()) return;
  const RankReport report = all_gather(mine.value_or(RankReport()))[first];
  throw Error(report.code, "rank " + std::to_string(first) + ": " + report.text);
}

void Communicator::all_gather_bytes(const void* mine, u64 bytes, void* all) {
  call_transport(*transport_, [&] { transport_->all_gather(mine, bytes, all); });
}

void Communicator::sum(std::vector<u64>& numbers) {
  call_transport(*transport_, [&] { transport_->sum(numbers.data(), numbers.size()); });
}

void Communicator::exchange(Context& context, const std::vector<Outgoing>& send,
                            const std::vector<Incoming>& receive) {
  call_transport(*transport_, [&] {
    if (transport_->reaches(context)) return transport_->exchange(context, send, receive);
    StagedPieces staged(context, send, receive);
    transport_->exchange(context, staged.outgoing, staged.incoming);
    staged.upload();
  });
}

}  // namespace copse
