// Contexts and their memory.

#include "capi/bridge/call.h"

using namespace copse;
using namespace copse::capi;

namespace {

ContextOptions options_of(const copse_context_options& given) {
  if (given.backend < COPSE_BACKEND_AUTOMATIC || given.backend > COPSE_BACKEND_CUDA) {
    refuse("backend is " + std::to_string(given.backend) + "; it can be 0 to 2");
  }
  ContextOptions options;
  options.backend = Backend(given.backend);
  options.device = given.device;
  if (given.has_stream != 0) options.stream = given.stream;
  options.workers = given.workers;
  options.validate = given.validate != 0;
  options.check_every_launch = given.check_every_launch != 0;
  return options;
}

}  // namespace

copse_status copse_context_create(const copse_context_options* options, copse_context** context) {
  return run("copse_context_create", [&] {
    require(context, "the handle of the context");
    *context = nullptr;
    const copse_context_options defaults = COPSE_CONTEXT_OPTIONS_INIT;
    ContextOptions all = options_of(read_struct("copse_context_options", options, defaults));
    auto is_cancelled = std::make_shared<std::atomic<bool>>(false);
    all.cancel = CancelFlag{is_cancelled};
    *context = new copse_context(std::move(is_cancelled), all);
  });
}

void copse_context_destroy(copse_context* context) {
  if (context == nullptr) return;
  const CallLock lock = context->lock;
  const std::lock_guard<std::recursive_mutex> guard(*lock);
  delete context;
}

copse_status copse_context_wait(copse_context* context) {
  return run("copse_context_wait", context, [](Context& c) { c.wait(); });
}

copse_status copse_context_cancel(copse_context* context, int32_t requested) {
  return run("copse_context_cancel", [&] {
    if (context == nullptr) refuse("the context is null");
    context->is_cancelled->store(requested != 0, std::memory_order_relaxed);
  });
}

copse_backend copse_context_backend(const copse_context* context) {
  return context == nullptr ? COPSE_BACKEND_AUTOMATIC : copse_backend(context->place.backend);
}

const char* copse_context_device_name(const copse_context* context) {
  return context == nullptr ? "" : context->device_name.c_str();
}

void* copse_context_stream(const copse_context* context) {
  return context == nullptr ? nullptr : context->context.stream();
}

uint32_t copse_context_worker_count(const copse_context* context) {
  return context == nullptr ? 0 : context->context.worker_count();
}

copse_status copse_buffer_create(copse_context* context, uint64_t bytes, copse_buffer** buffer) {
  if (buffer != nullptr) *buffer = nullptr;
  return run("copse_buffer_create", context, [&](Context& c) {
    require(buffer, "the handle of the buffer");
    if (bytes == 0) refuse("0 bytes were asked for, but a buffer has at least 1");
    *buffer = new copse_buffer{context->own(Buffer<u8>(c, bytes))};
  });
}

void copse_buffer_destroy(copse_buffer* buffer) {
  delete buffer;
}

void* copse_buffer_data(const copse_buffer* buffer) {
  return buffer == nullptr ? nullptr : buffer->owned->object.data();
}

uint64_t copse_buffer_size(const copse_buffer* buffer) {
  return buffer == nullptr ? 0 : buffer->owned->object.size();
}

copse_status copse_upload(copse_context* context, void* to, const void* from, uint64_t bytes) {
  return run("copse_upload", context, [&](Context& c) {
    if (bytes == 0) return;
    require(to, "the destination");
    require(from, "the source");
    c.device().upload(to, from, bytes);
  });
}

copse_status copse_download(copse_context* context, void* to, const void* from, uint64_t bytes) {
  return run("copse_download", context, [&](Context& c) {
    if (bytes == 0) return;
    require(to, "the destination");
    require(from, "the source");
    c.device().download(to, from, bytes);
  });
}
