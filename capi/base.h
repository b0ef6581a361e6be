#pragma once

// The C interface: errors, contexts, and memory of a context.

#include <stddef.h>
#include <stdint.h>

/// Marks what the shared library exports: the functions of these headers, and nothing else.
#if defined(__GNUC__)
#define COPSE_C_API __attribute__((visibility("default")))
#else
#define COPSE_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---- Errors ---------------------------------------------------------------------------------------------

/// What a call came to.
typedef int32_t copse_status;
enum {
  COPSE_OK = 0,
  COPSE_INVALID_ARGUMENT = 1,  // a value is outside of the documented range
  COPSE_OUT_OF_MEMORY = 2,     // the host or the device could not give the requested bytes
  COPSE_NO_DEVICE = 3,         // no GPU answers, or this library has no CUDA backend
  COPSE_DEVICE_FAILURE = 4,    // a launch, copy or driver call failed
  COPSE_BAD_FILE = 5,          // a file cannot be read, written or trusted
  COPSE_CAPACITY = 6,          // a count is larger than the structure can hold
  COPSE_CANCELLED = 7,         // copse_context_cancel() stopped the call
  COPSE_INTERNAL = 8           // an error that Copse did not expect
};

/// Returns "ok", "invalid_argument" and so on, or "unknown".
COPSE_C_API const char* copse_status_name(copse_status status);

/// Returns the message of the last call with `context` that failed, by any thread. With NULL: the message of the
/// last call of this thread that failed, with any context or none. Empty if none failed. Messages are cut at 1023
/// bytes. The text is valid until this thread calls copse_last_error() again, or until its next error.
typedef struct copse_context copse_context;
COPSE_C_API const char* copse_last_error(const copse_context* context);

/// Returns the version of the library, such as "0.1.0".
COPSE_C_API const char* copse_version(void);

/// Returns 1 if the library has the CUDA backend, else 0.
COPSE_C_API int32_t copse_built_with_cuda(void);

// ---- Contexts -------------------------------------------------------------------------------------------

typedef int32_t copse_backend;
enum { COPSE_BACKEND_AUTOMATIC = 0, COPSE_BACKEND_CPU = 1, COPSE_BACKEND_CUDA = 2 };

typedef struct copse_context_options {
  size_t struct_size;

  /// automatic, the default: the GPU if one answers, else the CPU. cuda: COPSE_NO_DEVICE if none answers.
  copse_backend backend;

  /// Ordinal of the CUDA device. Default: 0.
  int32_t device;

  /// If has_stream is not 0: the cudaStream_t that takes all work. NULL is CUDA's default stream. It must outlive
  /// the context and all that is made with it. Default: the context makes a stream of its own.
  void* stream;
  int32_t has_stream;

  /// Number of CPU threads, 1 to 4096. 0, the default, or more than the machine runs at once: all that it does.
  uint32_t workers;

  /// Not 0: checks what costs a pass over the data and a wait: ids in range, memory that is aligned and that the
  /// device can read, each structure after its build. COPSE_VALIDATE=1 in the environment does so too. For debugging.
  /// Default: 0.
  int32_t validate;

  /// Not 0: waits after every launch, so that an error names the launch that caused it. Slow; for debugging.
  /// Default: 0.
  int32_t check_every_launch;
} copse_context_options;

#define COPSE_CONTEXT_OPTIONS_INIT \
  { sizeof(copse_context_options), COPSE_BACKEND_AUTOMATIC, 0, NULL, 0, 0, 0, 0 }

/// Makes a device, a stream, memory and scratch: everything that work needs. One context for the whole program is
/// usual. Contexts work independently of each other.
///   options: may be NULL
///   context: is set to the new context, or to NULL after an error
/// Errors: COPSE_NO_DEVICE, COPSE_INVALID_ARGUMENT. Their message is copse_last_error(NULL).
COPSE_C_API copse_status copse_context_create(const copse_context_options* options, copse_context** context);

/// Destroys a context. What was made with it can still be destroyed, or used with another context of its device.
COPSE_C_API void copse_context_destroy(copse_context* context);

/// Waits for all work that was put on the stream so far.
/// Errors: COPSE_DEVICE_FAILURE for an error of such work.
COPSE_C_API copse_status copse_context_wait(copse_context* context);

/// Stops the work of a context: calls that are running, and later ones, soon fail with COPSE_CANCELLED. With
/// `requested` 0, later calls run again. It does not wait. Any thread may call it while another one is in a call.
COPSE_C_API copse_status copse_context_cancel(copse_context* context, int32_t requested);

/// Returns the backend in use, which is never COPSE_BACKEND_AUTOMATIC, unless `context` is NULL.
COPSE_C_API copse_backend copse_context_backend(const copse_context* context);

/// Returns the name of the GPU or of the CPU. The text lives as long as the context.
COPSE_C_API const char* copse_context_device_name(const copse_context* context);

/// Returns the cudaStream_t that takes the work; NULL on the CPU.
COPSE_C_API void* copse_context_stream(const copse_context* context);

/// Returns the number of CPU threads; 0 on CUDA.
COPSE_C_API uint32_t copse_context_worker_count(const copse_context* context);

// ---- Memory ---------------------------------------------------------------------------------------------

/// Where an array lives.
typedef int32_t copse_memory;
enum {
  COPSE_MEMORY_HOST = 0,    // memory that the host reads
  COPSE_MEMORY_CONTEXT = 1  // memory that the device of the context reads
};

/// Memory of a context, for programs that have no allocator of their own for the device.
typedef struct copse_buffer copse_buffer;

/// Allocates `bytes` bytes, at least 1, aligned to 256. They are not initialised. It does not wait.
///   buffer: is set to the new buffer, or to NULL after an error
/// Errors: COPSE_OUT_OF_MEMORY, COPSE_INVALID_ARGUMENT.
COPSE_C_API copse_status copse_buffer_create(copse_context* context, uint64_t bytes, copse_buffer** buffer);

/// Frees a buffer. Work that was put on the stream before may still use it.
COPSE_C_API void copse_buffer_destroy(copse_buffer* buffer);

/// Returns the address of a buffer, to be passed as COPSE_MEMORY_CONTEXT.
COPSE_C_API void* copse_buffer_data(const copse_buffer* buffer);

/// Returns the size of a buffer in bytes.
COPSE_C_API uint64_t copse_buffer_size(const copse_buffer* buffer);

/// Copies bytes from the host into memory of the context. `from` may be changed after the call.
/// Errors: COPSE_INVALID_ARGUMENT, COPSE_DEVICE_FAILURE.
COPSE_C_API copse_status copse_upload(copse_context* context, void* to, const void* from, uint64_t bytes);

/// Copies bytes from memory of the context to the host. Waits.
/// Errors: COPSE_INVALID_ARGUMENT, COPSE_DEVICE_FAILURE.
COPSE_C_API copse_status copse_download(copse_context* context, void* to, const void* from, uint64_t bytes);

#ifdef __cplusplus
}
#endif
